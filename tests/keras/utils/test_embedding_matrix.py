"""Embedding tables for vocabularies in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import eagerflow as tf


def test_vocabularies_in_files(tmp_path: Path) -> None:
    """Words may be the lines of files."""
    (tmp_path / "old").write_text("a\nb\nc")
    (tmp_path / "new").write_text("c\nq\n")
    table = np.arange(6.0).reshape(3, 2)
    result = tf.keras.utils.warmstart_embedding_matrix(
        str(tmp_path / "old"), str(tmp_path / "new"), table, "zeros"
    )
    np.testing.assert_array_equal(result, [[4.0, 5.0], [0.0, 0.0]])

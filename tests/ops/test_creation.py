"""Tensors made from a few values."""

from __future__ import annotations

import numpy as np

import eagerflow as tf


def test_ends_of_lines_broadcast():
    lines = tf.linspace([0.0, 2.0], [[4.0, 6.0], [8.0, 10.0]], 3)
    np.testing.assert_array_equal(lines[1].numpy(), [[2.0, 4.0], [4.0, 6.0]])

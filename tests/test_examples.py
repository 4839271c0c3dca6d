"""The examples run and reach their stated results, with few epochs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("name", ["digits.py", "digits_loop.py"])
def test_digits(name, tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, "--epochs", "2", "--out", tmp_path],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    accuracy = float(done.stdout.split("test accuracy:")[-1])
    assert accuracy > 0.85
    assert (tmp_path / "loss.png").stat().st_size > 10_000
    assert (tmp_path / "misread.png").stat().st_size > 2_000


def test_digits_for_tensorboard(tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    done = subprocess.run(
        [sys.executable, EXAMPLES / "digits_tensorboard.py", "--epochs", "2", "--out", tmp_path],
        env=os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout.split("test accuracy:")[-1]) > 0.7
    pictures = accumulator.EventAccumulator(str(tmp_path / "pictures")).Reload()
    kinds = {
        tag: pictures.SummaryMetadata(tag).plugin_data.plugin_name
        for tag in pictures.Tags()["tensors"]
    }
    assert kinds == {
        "misread": "scalars",
        "confidence": "histograms",
        "misread_digits": "images",
        "confusion": "images",
        "confusion_table": "text",
        "accuracy_tone": "audio",
    }

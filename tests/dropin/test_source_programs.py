"""The programs of the source documents, where they are at hand, run as they are."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT.parent / "shared" / "seeds" / "programs"

CASES = {
    "p000_contrib_eager_guide": "numpy=6>]",
    "p001a_tf2_tensors_gradients": "FizzBuzz",
    "p001b_tf2_mnist_custom_training": "Epoch 2 finished",
    "p001c_tf2_linear_model_save_summary": "weights.index",
    "p001d_tf2_device_matmul": "CPU:",
    "p002_cs20_eager_lecture": "After training: b=",
    "p003_tf15_gradient_functions": "tf.Tensor([[4.]], shape=(1, 1), dtype=float32)",
    "p003_tf15_gradient_functions graph": 'Tensor("MatMul:0", shape=(1, 1), dtype=float32)',
    "p004a_tf2_tape": "can only be called once on non-persistent tapes",
    "p004b_tf2_mnist_fit": "cpu training takes time",
}


def write_digits(folder, count):
    """A small file of the layout of MNIST's, with digits that can be told apart."""
    rng = np.random.RandomState(0)
    arrays = {}
    # One digit is frequent, so that few steps are enough for the loss to fall.
    shares = [0.64] + [0.04] * 9
    for part, size in (("train", count), ("test", 32)):
        labels = rng.choice(10, size, p=shares).astype(np.uint8)
        images = rng.randint(0, 60, (size, 28, 28)).astype(np.uint8)
        for image, label in zip(images, labels, strict=True):
            row, column = divmod(int(label), 4)
            image[2 + 8 * row : 9 + 8 * row, 1 + 7 * column : 7 + 7 * column] += 180
        arrays[f"x_{part}"], arrays[f"y_{part}"] = images, labels
    folder.mkdir(parents=True)
    np.savez(folder / "mnist.npz", **arrays)


@pytest.mark.skipif(not PROGRAMS.is_dir(), reason="the source documents are not at hand")
@pytest.mark.parametrize("case", CASES)
def test_program(case, tmp_path):
    name, *arguments = case.split()
    home = tmp_path / "home"
    write_digits(home / ".keras" / "datasets", 960 if name.startswith("p001b") else 160)
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", str(PROGRAMS / f"{name}.py"), *arguments],
        cwd=work,
        env=dict(os.environ, PYTHONPATH=str(ROOT), HOME=str(home), KERAS_HOME=str(home / ".keras")),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert CASES[case] in done.stdout

"""Programs that divide the CPU into devices, and their output in TensorFlow.

Devices are configured before anything else, so each program has a process of its own. TensorFlow's
output is in a `.txt` file in the same folder; `python tests/device_programs.py PROGRAM...` in
TensorFlow's environment writes it again.
"""

import contextlib
import importlib
import io
import os
import pathlib
import re
import subprocess
import sys

import numpy as np

_MODULE = os.environ.get("PROGRAM_MODULE", "tensorflow" if __name__ == "__main__" else "eagerflow")
tf = importlib.import_module(_MODULE)
keras = importlib.import_module("tf_keras") if _MODULE == "tensorflow" else tf.keras


def _rounded(text):
    """Text with floats rounded to five digits: sums in another order differ in the last ones."""

    def number(match):
        value = float(f"{float(match.group()):.5g}")
        return f"{0.0 if abs(value) < 1e-6 else value:g}"

    text = re.sub(r"-?\d+\.\d*(e[-+]?\d+)?", number, text)
    return re.sub(r"(?<=[\[(,]) +| +(?=[\])])", "", re.sub(r"\s+", " ", text))


def show(label, function):
    """Prints what a function returns, or the kind and the first line of its error."""
    try:
        with contextlib.redirect_stderr(io.StringIO()), np.printoptions(precision=5):
            text = _rounded(repr(function()))
    except Exception as error:
        found = re.sub(r"{{.*?}} | \[Op:.*", "", str(error)).strip().splitlines() or [""]
        # The message of an error in a traced function is its last line.
        message = found[-1 if found[0] == "in user code:" else 0].partition("Error: ")
        message = message[2] or message[0]
        sentence = _rounded(message.split(". ")[0])[:60].rstrip(".")
        text = f"{type(error).__name__}: {sentence}"
    print(f"{label}: {text}")


def lines(path, module="eagerflow"):
    """The lines that a program prints.

    Args:
        path: the program's file.
        module: "eagerflow" or "tensorflow".
    """
    here = pathlib.Path(__file__).parent
    environment = os.environ | {
        "PROGRAM_MODULE": module,
        "PYTHONPATH": f"{here}{os.pathsep}{here.parent}",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_USE_LEGACY_KERAS": "1",
    }
    done = subprocess.run(
        [sys.executable, path], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def check(path):
    """Compares the output of a program with its output in TensorFlow."""
    expected = pathlib.Path(path).with_suffix(".txt").read_text().splitlines()
    found = lines(path)
    different = [f"{a}\n  not {b}" for a, b in zip(found, expected, strict=False) if a != b]
    assert not different, "\n".join(different)
    assert len(found) == len(expected)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        program = pathlib.Path(name)
        program.with_suffix(".txt").write_text("\n".join(lines(program, "tensorflow")) + "\n")

"""Runs the cases on tf_keras and writes its answers.

From the folder `tests`, in an environment that has tensorflow 2.21 and tf_keras:

    python -m layer_cases.record                # all families
    python -m layer_cases.record convolution    # these only
"""

from __future__ import annotations

import importlib
import os
import sys

from layer_cases import FAMILIES, run, save


def main() -> None:
    """Records the families that the command line names."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    import tensorflow
    import tf_keras

    for family in sys.argv[1:] or FAMILIES:
        cases = importlib.import_module(f"layer_cases.{family}").CASES
        answers = {case.name: run(tensorflow, tf_keras, case)[1:] for case in cases}
        save(family, answers)
        print(family, len(answers))


if __name__ == "__main__":
    main()

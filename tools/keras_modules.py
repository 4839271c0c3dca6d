"""Writes eagerflow_compat/dropin/keras_modules.txt: the modules that releases of Keras have had.

    python tools/keras_modules.py FOLDER ...

A folder is one of `keras`, `tf_keras` or `tensorflow/python/keras`, as a release has installed it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

LIST = Path(__file__).parent.parent / "eagerflow_compat" / "dropin" / "keras_modules.txt"
HEADER = """\
# The modules below keras, keras.src and tensorflow.python.keras, of all releases.
# Written by tools/keras_modules.py.
"""
# Modules of TensorFlow 1.4 to 2.3, whose packages are not installed beside today's Python.
FORMER = (
    "engine.base_preprocessing_layer_v1 engine.distributed_training_utils engine.training_distributed "
    "engine.training_eager engine.training_v2 engine.training_v2_utils layers.normalization_v2 "
    "mixed_precision.experimental.autocast_variable mixed_precision.experimental.get_layer_policy "
    "mixed_precision.experimental.device_compatibility_check mixed_precision.experimental.loss_scale "
    "mixed_precision.experimental.loss_scale_optimizer mixed_precision.experimental.policy "
    "mixed_precision.get_layer_policy mixed_precision.loss_scale"
).split()
# What no program imports; and the folders of public names, which are those of namespaces.
LEFT_OUT = ("_test", "tests", "benchmark", "api.", "_tf_keras", "protobuf", "__pycache__")


def modules(folder: Path) -> Iterator[str]:
    """The paths of the modules below a folder, without the folders that hold a whole release."""
    for file in folder.rglob("*.py"):
        parts = file.relative_to(folder).with_suffix("").parts
        if parts[0] in ("src", "python"):
            parts = parts[1:]
        path = ".".join(parts).removesuffix("__init__").rstrip(".")
        if path and not any(part in path for part in LEFT_OUT):
            yield path


def main() -> None:
    """Writes the list."""
    found = {*FORMER, *(path for folder in sys.argv[1:] for path in modules(Path(folder)))}
    for path in tuple(found):  # folders without a file of their own
        while path := path.rpartition(".")[0]:
            found.add(path)
    LIST.write_text(HEADER + "\n".join(sorted(found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

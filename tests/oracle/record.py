"""Runs programs on TensorFlow: records its answers, or checks eagerflow against it live.

From the folder `tests`, in an environment that has tensorflow 2.21 and tf_keras:

    python -m oracle.record                 # write all that tests read of TensorFlow's
    python -m oracle.record nn layers       # these families and files only
    python -m oracle.record --check         # compare eagerflow, installed beside it, with it
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from typing import Any

from oracle import registry, values

# What is recorded in forms of its own: modules with `record(tf)`, which writes files, and
# `check(tf, eagerflow)`, both of which return how many failed. `oracle.files` checks model files.
RECORDERS = {
    "layers": "layer_cases.record",
    "saved_datasets": "oracle.saved_datasets",
    "keras_files": "oracle.keras_files",
    "graph_files": "oracle.graph_files",
    "saved_models": "oracle.saved_models",
    "node_names": "oracle.node_names",
}
# A kernel or a gradient that TensorFlow happens not to have is no promise, and is not recorded.
ACCIDENTS = ("NotFoundError", "UnimplementedError", "InternalError", "LookupError")


def tensorflow() -> Any:
    """TensorFlow, quiet, with the Keras of its own generation."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow

    return tensorflow


def answers(tf: Any, family: str) -> tuple[dict[str, Any], values.Store, int]:
    """TensorFlow's answers to a family's cases, and how many cases it could not answer."""
    store = values.Store()
    found = {}
    failures = 0
    for name, case in registry.load(family).items():
        try:
            answer = values.answer(tf, case, store)
        except Exception as error:
            failures += 1
            print(f"{case.id}: TensorFlow raised {type(error).__name__}: {str(error)[:300]}")
            continue
        raised = isinstance(answer, dict) and "raised" in answer
        if raised and case.sweep and answer["raised"] in ACCIDENTS:
            continue
        if raised and (missing := values.missing_words(case.words, answer["message"])):
            failures += 1
            print(f"{case.id}: {missing} not in TensorFlow's own message: {answer['message']}")
        found[name] = answer
    return found, store, failures


def check(tf: Any, ours: Any, family: str) -> int:
    """Prints where the two differ and returns how many cases do."""
    expected, theirs, failures = answers(tf, family)
    for name, want in expected.items():
        case = registry.load(family)[name]
        store = values.Store()
        try:
            values.compare(case, want, values.answer(ours, case, store), theirs, store)
        except Exception as error:
            failures += 1
            print(f"{case.id}: {type(error).__name__}: {error}")
    return failures


def run_recorder(tf: Any, name: str, checks: bool) -> int:
    """Records or checks what has a form of its own, and returns how many failed."""
    module = importlib.import_module(RECORDERS[name])
    if not checks:
        return module.record(tf)
    import eagerflow

    return module.check(tf, eagerflow) if hasattr(module, "check") else 0


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    everything = [*registry.FAMILIES, *RECORDERS]
    parser.add_argument("families", nargs="*", default=everything)
    parser.add_argument("--check", action="store_true", help="compare eagerflow with TensorFlow")
    arguments = parser.parse_args()
    tf = tensorflow()
    failures = 0
    for family in arguments.families:
        start = time.perf_counter()
        if family in RECORDERS:
            failures += run_recorder(tf, family, arguments.check)
            print(f"{family}: {time.perf_counter() - start:.1f} s", flush=True)
            continue
        if arguments.check:
            import eagerflow

            failures += check(tf, eagerflow, family)
        else:
            found, store, failed = answers(tf, family)
            failures += failed
            values.save(family, found, store)
        count = len(registry.load(family))
        print(f"{family}: {count} cases, {time.perf_counter() - start:.1f} s", flush=True)
    print(f"{failures} {'differences' if arguments.check else 'failures'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

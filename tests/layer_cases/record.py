"""What tf_keras gives for the cases of layers: written, or compared with eagerflow's."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from layer_cases import FAMILIES, Case, compare, run, save


def _answers(tf: Any, keras: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for family in FAMILIES:
        cases: list[Case] = importlib.import_module(f"layer_cases.{family}").CASES
        yield family, {case.name: run(tf, keras, case)[1:] for case in cases}


def record(tf: Any) -> int:
    """Writes `recorded/<family>.npz`; returns the number of failures, 0."""
    import tf_keras

    for family, answers in _answers(tf, tf_keras):
        save(family, answers)
    return 0


def check(tf: Any, ours: Any) -> int:
    """Compares eagerflow's layers with tf_keras; returns how many differ."""
    import tf_keras

    failures = 0
    for (family, expected), (_, found) in zip(
        _answers(tf, tf_keras), _answers(ours, ours.keras), strict=True
    ):
        for name, answer in expected.items():
            try:
                compare(found[name], answer, name)
            except AssertionError as error:
                failures += 1
                print(f"layers/{family}/{name}: {error}")
    return failures

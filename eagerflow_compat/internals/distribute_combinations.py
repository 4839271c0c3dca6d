"""tensorflow.python.distribute.combinations: tests that run once for each of several strategies."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.config import devices
from eagerflow.distribute.strategy import MirroredStrategy, OneDeviceStrategy, get_strategy
from eagerflow.test.case import main
from eagerflow_compat.internals import combinations
from eagerflow_compat.internals.combinations import NamedObject, combine, env, times

__all__ = ["NamedDistribution", "NamedObject", "combine", "env", "generate", "test_main", "times"]


def test_main() -> None:
    """Runs the tests of a program, in its process: no other processes are started here."""
    main()


class NamedDistribution:
    """A strategy with a name, made when a test first uses it.

    Args:
        name: the name.
        distribution_fn: makes the strategy; None for one that this machine cannot run.
        cpus: how many logical devices of the CPU it needs.
    """

    def __init__(
        self, name: str, distribution_fn: Callable[[], Any] | None = None, cpus: int = 1
    ) -> None:
        self._name = name
        self._make = distribution_fn
        self._cpus = cpus

    @functools.cached_property
    def strategy(self) -> Any:
        """The strategy.

        Raises:
            unittest.SkipTest: if it needs devices or processes that there are not.
        """
        if self._make is None:
            raise unittest.SkipTest(f"{self._name} needs other devices, or several processes.")
        if len(devices.list_logical_devices("CPU")) < self._cpus:
            raise unittest.SkipTest(f"{self._name} needs {self._cpus} logical devices.")
        return self._make()

    def __repr__(self) -> str:
        return self._name


def __getattr__(name: str) -> NamedDistribution:
    """The strategies by the names that TensorFlow gives them; most need accelerators."""
    if not name.endswith("strategy") and "strategy" not in name and "worker" not in name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    make, cpus = _HERE.get(name, (None, 1))
    return NamedDistribution(name, make, cpus)


_HERE: dict[str, tuple[Callable[[], Any], int]] = {
    "default_strategy": (get_strategy, 1),
    "one_device_strategy": (lambda: OneDeviceStrategy("/cpu:0"), 1),
    "mirrored_strategy_with_one_cpu": (lambda: MirroredStrategy(["/cpu:0"]), 1),
    "mirrored_strategy_with_two_cpus": (lambda: MirroredStrategy(["/cpu:0", "/cpu:1"]), 2),
}


class _Distributions(combinations.TestCombination):
    """Gives a test the strategies themselves."""

    def parameter_modifiers(self) -> list[combinations.ParameterModifier]:
        return [_Strategies()]


class _Strategies(combinations.ParameterModifier):
    def modified_arguments(
        self, kwargs: dict[str, object], requested_parameters: Sequence[str]
    ) -> dict[str, object]:
        """The strategies in place of what names them."""
        return {
            name: value.strategy
            for name, value in kwargs.items()
            if isinstance(value, NamedDistribution)
        }


def generate(
    combined: list[dict[str, object]],
    test_combinations: Sequence[combinations.TestCombination] = (),
) -> Callable[..., Any]:
    """As `tf.__internal__.test.combinations.generate`, for tests that take strategies.

    Args:
        combined: what `combine` or `times` returned.
        test_combinations: what else takes part in running them.
    """
    modes = combinations.generate.keywords["test_combinations"]  # type: ignore[attr-defined]
    return combinations.generate(combined, (*modes, _Distributions(), *test_combinations))

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
    if name in _HERE:
        return NamedDistribution(*_HERE[name])
    if name not in _ELSEWHERE and "strategy" not in name and "worker" not in name:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return NamedDistribution(_ELSEWHERE.get(name, name))


_HERE: dict[str, tuple[str, Callable[[], Any], int]] = {
    "default_strategy": ("Default", get_strategy, 1),
    "one_device_strategy": ("OneDeviceCPU", lambda: OneDeviceStrategy("/cpu:0"), 1),
    "mirrored_strategy_with_one_cpu": ("Mirrored1CPU", lambda: MirroredStrategy(["/cpu:0"]), 1),
    "mirrored_strategy_with_two_cpus": (
        "Mirrored2CPUs",
        lambda: MirroredStrategy(["/cpu:0", "/cpu:1"]),
        2,
    ),
    "mirrored_strategy_with_cpu_1_and_2": (
        "Mirrored2CPU",
        lambda: MirroredStrategy(["/cpu:1", "/cpu:2"]),
        3,
    ),
}
# The names that tests have under strategies for other devices, or for several processes.
_ELSEWHERE = {
    "central_storage_strategy_with_gpu_and_cpu": "CentralStorageCPUAndGPU",
    "central_storage_strategy_with_two_gpus": "CentralStorage2GPUs",
    "cloud_tpu_strategy": "CloudTPU",
    "mirrored_strategy_with_gpu_and_cpu": "MirroredCPUAndGPU",
    "mirrored_strategy_with_one_gpu": "Mirrored1GPU",
    "mirrored_strategy_with_two_gpus": "Mirrored2GPUs",
    "mirrored_strategy_with_two_gpus_no_merge_call": "Mirrored2GPUsNoMergeCall",
    "multi_worker_mirrored_2x1_cpu": "MultiWorkerMirrored2x1CPU",
    "multi_worker_mirrored_2x1_gpu": "MultiWorkerMirrored2x1GPU",
    "multi_worker_mirrored_2x1_gpu_noshare": "MultiWorkerMirrored2x1GPUNoShare",
    "multi_worker_mirrored_2x2_gpu": "MultiWorkerMirrored2x2GPU",
    "multi_worker_mirrored_2x2_gpu_no_merge_call": "MultiWorkerMirrored2x2GPUNoMergeCall",
    "multi_worker_mirrored_4x1_cpu": "MultiWorkerMirrored4x1CPU",
    "one_device_strategy_gpu": "OneDeviceGPU",
    "one_device_strategy_gpu_on_worker_1": "OneDeviceOnWorker1GPU",
    "one_device_strategy_on_worker_1": "OneDeviceOnWorker1CPU",
    "parameter_server_strategy_1worker_2ps_1gpu": "ParameterServer1Worker2PS1GPU",
    "parameter_server_strategy_1worker_2ps_cpu": "ParameterServer1Worker2PSCPU",
    "parameter_server_strategy_3worker_2ps_1gpu": "ParameterServer3Worker2PS1GPU",
    "parameter_server_strategy_3worker_2ps_cpu": "ParameterServer3Worker2PSCPU",
    "tpu_strategy": "TPU",
    "tpu_strategy_one_core": "TPUOneCore",
    "tpu_strategy_one_step": "TPUOneStep",
    "tpu_strategy_one_step_one_core": "TPUOneStepOneCore",
    "tpu_strategy_packed_var": "TPUPackedVar",
    "tpu_strategy_spmd": "TPUUseSPMD",
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

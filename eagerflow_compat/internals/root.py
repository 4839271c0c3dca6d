"""tf.__internal__, its `tf2` and its `train`, and tensorflow.python.platform.build_info."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import sysconfig
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import process
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.name_scope import get_current_name_scope as get_name_scope
from eagerflow_compat.internals.moving_averages import assign_moving_average
from eagerflow_compat.internals.ops import EagerTensor, SymbolicTensor
from eagerflow_compat.v1 import checkpoint_state

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "SymbolicTensor",
    "assign_moving_average",
    "build_info",
    "enabled",
    "execute_fn_for_device",
    "get_enclosing_xla_context",
    "get_name_scope",
    "is_mixed_precision_graph_rewrite_enabled",
    "is_tfrt_enabled",
    "update_checkpoint_state",
]


build_info = sysconfig.get_build_info()


def enabled() -> bool:
    """Whether the program runs as one of version 2."""
    return process.eager


def execute_fn_for_device(
    device_branch_fns: dict[str, Callable[[], Any]], default_fn: Callable[[], Any], name: str = ""
) -> Any:
    """What the function for the device of this machine, or else the default one, returns."""
    return device_branch_fns.get("CPU", default_fn)()


def is_tfrt_enabled() -> bool:
    """False: there is one runtime, which is none of TensorFlow's."""
    return False


def get_enclosing_xla_context() -> None:
    """None: there is no compiler."""


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """False: graphs are not rewritten for 16-bit floats."""
    return False


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file `checkpoint` of a folder. Paths inside it are relative in any case."""
    checkpoint_state.update_checkpoint_state(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )

"""Functions that run as one compiled program."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import errors
from eagerflow.framework import plugins
from eagerflow.framework.context import get_logger


def compile_for_cpu(graph: Any, name: str) -> None:
    """Makes a function's graph run as one program on the CPU, or says why it does not.

    Args:
        graph: the finished graph.
        name: the function's name, for the message.
    """
    try:
        client, device = plugins.compiler()
    except (errors.NotFoundError, errors.UnimplementedError) as error:
        _warn_once(error.message)
    else:
        graph.compile_for(client, device)


_STAGES = (
    "hlo",
    "hlo_serialized",
    "optimized_hlo",
    "optimized_hlo_serialized",
    "optimized_hlo_proto_serialized",
    "optimized_hlo_dot",
)


def compiler_ir(
    name: str,
    stage: str = "hlo",
    device_name: str | None = None,
    platform_name: str | None = None,
) -> str:
    """Refuses to show a function's program in a stage of XLA's compilation.

    Args:
        name: the function's name.
        stage: "hlo", "optimized_hlo" or another stage of `experimental_get_compiler_ir`.
        device_name: accepted.
        platform_name: accepted.

    Raises:
        ValueError: for a stage that does not exist.
        tf.errors.UnimplementedError: for the others.
    """
    if stage not in _STAGES:
        raise ValueError(f"Invalid stage {stage!r}: it is one of {', '.join(_STAGES)}.")
    raise errors.UnimplementedError._of(
        f"The program of '{name}' is handed to its compiler as StableHLO, and the compiler does not "
        f"return it as {stage!r}. For the operations of the function, see "
        "`f.get_concrete_function(...).graph.as_graph_def()`."
    )


@functools.cache
def _warn_once(reason: str) -> None:
    get_logger().warning("tf.function(jit_compile=True) runs without a compiler. %s", reason)

"""Functions that run as one compiled program."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import errors
from eagerflow.framework import dtypes, plugins
from eagerflow.framework.context import get_logger


def compile_for_cpu(graph: Any, name: str) -> None:
    """Makes a function's graph run as one program on the CPU, or says why it does not.

    Args:
        graph: the finished graph.
        name: the function's name, for the message.

    Raises:
        InvalidArgumentError: if it calls Python or handles texts, which no compiler knows, whether one
            is installed or not.
    """
    if (unknown := _unknown_to_compilers(graph)) is not None:
        raise errors.InvalidArgumentError._of(
            "Graph execution error:\n\nDetected unsupported operations when trying to compile graph "
            f"'{name}': {unknown.type} (node {unknown.name}). Compiled programs do not call Python, and have "
            "no texts. Leave out jit_compile=True, or compile a part of the function that does without."
        )
    try:
        client, device = plugins.compiler()
    except (errors.NotFoundError, errors.UnimplementedError) as error:
        _warn_once(error.message)
    else:
        graph.compile_for(client, device)


_PYTHON = frozenset({"EagerPyFunc", "PyFunc", "PyFuncStateless"})


def _unknown_to_compilers(graph: Any) -> Any:
    """The first node, also of called graphs, that calls Python or handles texts; None if none does."""
    for node in graph.nodes:
        if node.type in _PYTHON:
            return node
        if node.type not in _ABOUT_TEXTS and any(
            tensor.dtype is dtypes.string for tensor in (*node.inputs, *node.outputs)
        ):
            return node
        for callee in node.callees:
            if (found := _unknown_to_compilers(callee)) is not None:
                return found
    return None


# What runs beside a program: the messages of assertions and what is printed.
_ABOUT_TEXTS = frozenset({"Assert", "Const", "print"})

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

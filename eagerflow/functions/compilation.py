"""Functions that run as one compiled program."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from eagerflow import errors
from eagerflow.framework import dtypes, plugins
from eagerflow.framework.context import get_logger
from eagerflow.util import lazy

hlo_text = lazy.Module("eagerflow.functions.hlo_text")


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
    graph: Any,
    name: str,
    specs: Sequence[Any],
    stage: str = "hlo",
    device_name: str | None = None,
    platform_name: str | None = None,
) -> str:
    """A function's program in a stage of XLA's compilation.

    Args:
        graph: the finished graph.
        name: the function's name.
        specs: TensorSpecs of the graph's inputs and captures.
        stage: "hlo" for the program that the compiler gets, as text.
        device_name: accepted: the program is the same on all devices.
        platform_name: accepted.

    Raises:
        ValueError: for a stage that does not exist.
        tf.errors.InvalidArgumentError: if the function has no program.
        tf.errors.UnimplementedError: for stages in the midst of the compiler, which it does not return.
    """
    if stage not in _STAGES:
        raise ValueError(f"Invalid stage {stage!r}: it is one of {', '.join(_STAGES)}.")
    if stage != "hlo":
        raise errors.UnimplementedError._of(
            f"The compiler does not return the program of '{name}' as {stage!r}. Ask for "
            "stage='hlo', the text of the program that it gets."
        )
    program = graph.program_text([(spec.dtype, spec.shape) for spec in specs])
    return hlo_text.hlo_text(program, name)


@functools.cache
def _warn_once(reason: str) -> None:
    get_logger().warning("tf.function(jit_compile=True) runs without a compiler. %s", reason)

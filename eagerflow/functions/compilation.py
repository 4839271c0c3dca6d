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


@functools.cache
def _warn_once(reason: str) -> None:
    get_logger().warning("tf.function(jit_compile=True) runs without a compiler. %s", reason)

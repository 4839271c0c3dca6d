"""Code of the program that Keras calls while a function is traced: its control flow is converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.autograph import libraries
from eagerflow.util import lazy

# It is needed while functions are traced.
conversion = lazy.Module("eagerflow.autograph.conversion")


def convertible(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as it is to be called: converted if it is the program's and is being traced.

    Args:
        function: a function or method, such as a layer's `call` or a loss.
    """
    if _core.building() is None or libraries.runs_as_it_is(function):
        return function
    return conversion.convert_in_context(function)

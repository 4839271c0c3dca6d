"""Signatures of native operation functions, for `help` and `inspect`."""

from __future__ import annotations

import ast
import inspect
from typing import Any


def signature_of(function: Any) -> inspect.Signature:
    """The signature that an operation's table entry describes.

    >>> from eagerflow.ops import signature as _signature
    >>> _signature.signature_of(tf.reduce_sum)
    <Signature (input_tensor, axis=None, keepdims=False, name=None)>
    """
    parameters = []
    for name, fallback in function.parameters:
        default = inspect.Parameter.empty if fallback is None else ast.literal_eval(fallback)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(name, kind, default=default))
    return inspect.Signature(parameters)

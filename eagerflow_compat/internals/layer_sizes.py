"""tensorflow.python.layers.utils and Keras's conv_utils: arguments of layers, and sizes of outputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow.keras.config import image_data_format
from eagerflow_compat.internals.conditions import smart_cond, smart_constant_value

__all__ = [
    "constant_value",
    "conv_input_length",
    "conv_output_length",
    "convert_data_format",
    "deconv_output_length",
    "normalize_data_format",
    "normalize_padding",
    "normalize_tuple",
    "smart_cond",
]

constant_value = smart_constant_value

_FORMATS = {
    "channels_last": {3: "NWC", 4: "NHWC", 5: "NDHWC"},
    "channels_first": {3: "NCW", 4: "NCHW", 5: "NCDHW"},
}


def convert_data_format(data_format: str, ndim: int) -> str:
    """The format of operations for that of layers.

    Raises:
        ValueError: for another format or number of axes.

    >>> from eagerflow_compat.internals.layer_sizes import convert_data_format
    >>> convert_data_format("channels_first", 4)
    'NCHW'
    """
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format}")
    if ndim not in _FORMATS[data_format]:
        raise ValueError(f"Input rank not supported: {ndim}")
    return _FORMATS[data_format][ndim]


def normalize_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """`n` integers of one, or of a sequence of as many.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(value, int):
        return (value,) * n
    wanted = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    try:
        found = tuple(int(each) for each in value)
    except (TypeError, ValueError):
        raise ValueError(wanted) from None
    if len(found) != n:
        raise ValueError(wanted)
    return found


def _word(value: Any, words: Sequence[str], argument: str) -> str:
    found = value.lower() if isinstance(value, str) else value
    if found not in words:
        listed = " or ".join(f'"{word}"' for word in words)
        raise ValueError(f"The `{argument}` argument must be one of {listed}. Received: {value}")
    return found


def normalize_data_format(value: str | None) -> str:
    """A format of layers in small letters, Keras's own for None; a ValueError for another word."""
    return image_data_format() if value is None else _word(value, tuple(_FORMATS), "data_format")


def normalize_padding(value: str) -> str:
    """A padding in small letters; a ValueError for another word."""
    return _word(value, ("valid", "same", "causal"), "padding")


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """The length of a convolution's outputs; None if that of the inputs is.

    >>> from eagerflow_compat.internals.layer_sizes import conv_output_length
    >>> conv_output_length(10, 3, "valid", 2), conv_output_length(10, 3, "same", 2)
    (4, 5)
    """
    padding = _word(padding, ("same", "valid", "full", "causal"), "padding")
    if input_length is None:
        return None
    more = filter_size + (filter_size - 1) * (dilation - 1) - 1
    change = {"same": 0, "causal": 0, "valid": -more, "full": more}[padding]
    return (input_length + change + stride - 1) // stride


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """The length of a convolution's inputs; None if that of the outputs is."""
    padding = _word(padding, ("same", "valid", "full"), "padding")
    if output_length is None:
        return None
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(
    input_length: int | None,
    filter_size: int,
    padding: str,
    stride: int = 0,
    output_padding: int | None = None,
    dilation: int = 1,
) -> int | None:
    """The length of a transposed convolution's outputs; None if that of the inputs is.

    Args:
        input_length: the length of the inputs.
        filter_size: the size of the kernel.
        padding: "same", "valid" or "full".
        stride: how far apart inputs are in the outputs.
        output_padding: how much longer outputs are than they need be; by default as long as TensorFlow's.
        dilation: how far apart the elements of the kernel are.
    """
    padding = _word(padding, ("same", "valid", "full"), "padding")
    if input_length is None:
        return None
    size = filter_size + (filter_size - 1) * (dilation - 1)
    if output_padding is not None:
        pad = {"same": size // 2, "valid": 0, "full": size - 1}[padding]
        return (input_length - 1) * stride + size - 2 * pad + output_padding
    length = input_length * stride
    if padding == "valid":
        return length + max(size - stride, 0)
    return length - (stride + size - 2) if padding == "full" else length

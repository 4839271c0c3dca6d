"""tf.print: writes tensors in a short form to a stream or a file."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import dtypes, logging
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.host_call import always, on_host
from eagerflow.framework.op_function import op_function

Tensor = _core.Tensor

# The names of levels and functions of TensorFlow's log, and of absl's.
_LEVELS = {
    logging.INFO: ("INFO", "info"),
    logging.WARN: ("WARN", "WARNING", "warn", "warning"),
    logging.ERROR: ("ERROR", "error"),
}


def _scalar_text(value: Any, dtype: dtypes.DType) -> str:
    if dtype is dtypes.string:
        return f'"{value.decode("utf-8", "backslashreplace")}"'
    if dtype.is_bool or dtype.is_integer:
        return str(int(value))
    if dtype.is_complex:
        part = dtype.real_dtype
        return f"({_float_text(value.real, part)},{_float_text(value.imag, part)})"
    return _float_text(value, dtype)


def _float_text(value: Any, dtype: dtypes.DType) -> str:
    """The default digits if they round-trip, else as many as needed."""
    number = float(value)
    if dtype is dtypes.float64:
        text = f"{number:.15g}"
        return text if float(text) == number or number != number else f"{number:.17g}"
    text = f"{number:.6g}"
    same = np.float32(text) == np.float32(number)
    return text if same or number != number else f"{number:.9g}"


def tensor_text(tensor: Tensor, summarize: int) -> str:
    """A tensor's elements in nested brackets; long axes are cut in the middle."""
    if tensor.ndim and 0 <= 2 * summarize + 1 < tensor._shape_tuple()[0]:
        # One row more than is shown makes `_rows_text` abbreviate.
        count = tensor._shape_tuple()[0]
        indices = [*range(summarize + 1), *range(count - summarize, count)]
        tensor = _core.ops.gather(tensor, indices, 0, 0)
    value = tensor.numpy()
    if tensor.ndim == 0:
        return _scalar_text(value, tensor.dtype)
    if value.size == 0 and len(value):
        return "[" + "\n" * (tensor.ndim - 1) + " ...]"  # empty rows
    return _rows_text(value, tensor.dtype, summarize, 0)


def _rows_text(value: np.ndarray, dtype: dtypes.DType, summarize: int, depth: int) -> str:
    def text_of(item: Any) -> str:
        if value.ndim == 1:
            return _scalar_text(item, dtype)
        return _rows_text(item, dtype, summarize, depth + 1)

    count = len(value)
    separator = " " if value.ndim == 1 else "\n" * (value.ndim - 1) + " " * (depth + 1)
    if summarize < 0 or count <= 2 * summarize:
        parts = [text_of(item) for item in value]
    else:
        parts = [text_of(item) for item in value[:summarize]]
        parts.append("...")
        parts += [text_of(item) for item in value[count - summarize :]]
    return "[" + separator.join(parts) + "]"


def _object_text(value: Any, summarize: int) -> str:
    if isinstance(value, Tensor):
        return tensor_text(value, summarize)
    if isinstance(value, _core.Variable):
        return tensor_text(value.read_value(), summarize)
    if isinstance(value, str):
        return value
    if isinstance(value, CompositeTensor):
        return value._print_text(summarize)
    if nest.is_nested(value):

        def leaf_text(leaf: object) -> str:
            return repr(leaf) if isinstance(leaf, str) else _object_text(leaf, summarize)

        return _structure_text(value, leaf_text)
    return repr(value)


def _structure_text(value: Any, leaf_text: Any) -> str:
    if not nest.is_nested(value):
        return leaf_text(value)
    if hasattr(value, "keys"):
        pairs = (f"{key!r}: {_structure_text(value[key], leaf_text)}" for key in sorted(value))
        return "{" + ", ".join(pairs) + "}"
    parts = [_structure_text(item, leaf_text) for item in value]
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields:
            named = ", ".join(f"{f}={p}" for f, p in zip(fields, parts, strict=True))
            return f"{type(value).__name__}({named})"
        return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
    return "[" + ", ".join(parts) + "]"


def _level(stream: Any) -> int | None:
    """The level of the log that a stream stands for, or None."""
    if stream is None:
        return None
    modules = [logging, sys.modules.get("absl.logging", logging)]
    for level, names in _LEVELS.items():
        for module in modules:
            known = [getattr(module, name, None) for name in names]
            # No 0 for False, and no file that compares itself with numbers.
            if any(stream is one or (type(stream) is int and stream == one) for one in known):
                return level
    return None


@op_function(overridable=False, in_graph=on_host(always(None), effects=True))
def print(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> None:
    """Prints values, tensors without their dtype.

    Args:
        *inputs: tensors, other values, and nested structures of them.
        output_stream: `sys.stderr` (the default), `sys.stdout`, `"file://"` and a path, to which the
            text is appended. Levels of `absl.logging` and `tf.compat.v1.logging`, and their functions
            `info`, `warning` and `error`, stand for TensorFlow's log: the text becomes a message of
            `tf.get_logger()`.
        summarize: how many elements are shown at both ends of a long axis; -1 shows all.
        sep: the text between the values.
        end: the text after the last value.

    Raises:
        ValueError: if the stream is none of these.

    >>> import sys
    >>> tf.print("x =", tf.range(10), output_stream=sys.stdout)
    x = [0 1 2 ... 7 8 9]
    """
    summarize = 3 if summarize is None else summarize
    text = sep.join(_object_text(value, summarize) for value in inputs) + end
    if isinstance(output_stream, str) and output_stream.startswith("file://"):
        with open(output_stream[len("file://") :], "a", encoding="utf-8") as file:
            file.write(text)
        return
    level = _level(output_stream)
    if level is not None:
        logging.log(level, "%s", text.removesuffix("\n"))
        return
    stream = sys.stderr if output_stream is None else output_stream
    if not hasattr(stream, "write"):
        raise ValueError(
            f"Unsupported output stream, logging level, or file.{output_stream}. Supported streams "
            "are sys.stdout and sys.stderr. File needs to be in the form of 'file://<filepath>'."
        )
    stream.write(text)
    stream.flush()

"""Writes eagerflow/graphdef/op_defs.txt: what TensorFlow's operations take and return.

Runs in an environment that has TensorFlow 2.21:

    python tools/op_defs.py

A line declares one operation; `!` says that it has state, `*` a list of tensors of one dtype, whose
length is an attribute, and `...` a list of tensors whose dtypes are an attribute:

    ConcatV2(values: N*T, axis: Tidx) -> (output: T) {N: int, T: type, Tidx: type = int32}
    Assert!(condition: bool, data: T...) -> () {T: list(type), summarize: int = 3}
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "eagerflow" / "graphdef" / "op_defs.txt"


def argument(tf: Any, arg: Any) -> str:
    """An input or output."""
    if arg.type_list_attr:
        return f"{arg.name}: {arg.type_list_attr}..."
    kind = arg.type_attr or tf.as_dtype(arg.type).name
    kind = f"{arg.number_attr}*{kind}" if arg.number_attr else kind
    return f"{arg.name}: {'&' if arg.is_ref else ''}{kind}"


def value(tf: Any, message: Any) -> Any:
    """The default of an attribute, as JSON can hold it."""
    kind = message.WhichOneof("value")
    if kind == "s":
        return message.s.decode("latin-1")
    if kind in ("i", "b", "f"):
        found = getattr(message, kind)
        return float(f"{found:.8g}") if kind == "f" else found
    if kind == "type":
        return tf.as_dtype(message.type).name
    if kind == "shape":
        shape = message.shape
        return None if shape.unknown_rank else [dim.size for dim in shape.dim]
    if kind == "tensor":
        return tf.make_ndarray(message.tensor).tolist()
    if kind == "func":
        return message.func.name
    items = message.list
    for name in ("i", "f", "b"):
        if getattr(items, name):
            return list(getattr(items, name))
    if items.s:
        return [text.decode() for text in items.s]
    if items.type:
        return [tf.as_dtype(dtype).name for dtype in items.type]
    return []


def line(tf: Any, op: Any) -> str:
    """The line of an operation."""
    inputs = ", ".join(argument(tf, arg) for arg in op.input_arg)
    outputs = ", ".join(argument(tf, arg) for arg in op.output_arg)
    attrs = []
    for attr in op.attr:
        text = f"{attr.name}: {attr.type}"
        if attr.HasField("default_value"):
            text += f" = {json.dumps(value(tf, attr.default_value))}"
        attrs.append(text)
    state = "!" if op.is_stateful else ""
    return f"{op.name}{state}({inputs}) -> ({outputs}) {{{', '.join(attrs)}}}"


def main() -> None:
    """Writes the file."""
    import tensorflow as tf
    from tensorflow.python.framework import op_def_registry

    found = (op_def_registry.get(name) for name in sorted(dir(tf.raw_ops)) if name[0] != "_")
    lines = [line(tf, op) for op in found if op is not None]
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

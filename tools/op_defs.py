"""Writes eagerflow/graphdef/op_defs.txt: the declarations of TensorFlow's operations.

Runs in an environment that has TensorFlow 2.21:

    python tools/op_defs.py

A line declares one operation; `!` says that it has state, `*` a list of tensors of one dtype, whose
length is an attribute, and `...` a list of tensors whose dtypes are an attribute:

    ConcatV2(values: N*T, axis: Tidx rank 0) -> (output: T) {N: int >= 2, T: type, Tidx: type = int32}
    Assert!(condition: bool, data: T...) -> () {T: list(type), summarize: int = 3}

`rank` tells which ranks an input may have, if not all: one, `1+` or `1|2`. TensorFlow does not list them:
its inference of shapes is asked. What follows `>=` is the least value of an attribute, or the least length of
a list, and what follows `in` are the values that a text may have.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "eagerflow" / "graphdef" / "op_defs.txt"


RANKS = range(7)  # that are tried
# Their inference of shapes ends the process where ranks are unknown.
CRASHING = frozenset({"FakeQuantWithMinMaxVarsPerChannelGradient"})
# Inputs, by their names alone or those of operations, too, of which kernels read all elements whatever the
# rank, although inference of shapes refuses some.
LENIENT: frozenset[Any] = frozenset(
    {
        "reduction_axes",
        "reduction_indices",
        *((f"FusedBatchNorm{version}", "x") for version in ("", "V2", "V3")),
        *((f"MatrixDiagPart{version}", "padding_value") for version in ("V2", "V3")),
        *(
            (f"MaxPool{name}V2", windows)
            for name in ("", "Grad", "GradGrad")
            for windows in ("ksize", "strides")
        ),
        *(("Dequantize", limit) for limit in ("min_range", "max_range")),
        *(("QuantizeAndDequantizeV4", limit) for limit in ("input_min", "input_max")),
        *(("StringNGrams", name) for name in ("data", "data_splits")),
        # The ranks depend on attributes that are numbers.
        ("RaggedTensorFromVariant", "encoded_ragged"),
        ("RaggedTensorToVariant", "rt_dense_values"),
    }
)
# An attribute of a kind that has no default and no least value, where operations are built.
GUESSES: dict[str, list[Any]] = {
    "int": [1, 2],
    "float": [1.0],
    "bool": [False],
    "string": ["a", "UTF-8", "OD", "CONSTANT", "ij->ji"],
    "shape": [None],
    "list(int)": [[1] * 4, [1] * 5, []],
    "list(float)": [[1.0] * 4],
    "list(string)": [[], ["ROW_SPLITS"]],
}
TYPES = ["float32", "int32", "int64", "string", "bool", "complex64", "qint8", "uint8", "variant"]


def ranks(tf: Any, op: Any) -> dict[str, str]:
    """The ranks that inputs may have, by name, as inference of shapes tells; of single tensors only."""
    if (
        op.name in CRASHING
        or op.is_stateful
        or "Dataset" in op.name
        or op.name.startswith("BoostedTrees")
    ):
        return {}
    kinds = {attr.type for attr in op.attr if not attr.HasField("default_value")}
    if not kinds <= {"type", "list(type)", *GUESSES}:
        return {}
    for choice in range(6):
        attrs = {attr.name: _guessed(tf, attr, choice) for attr in op.attr}
        if _fits(tf, op, attrs, {}):
            variants = [attrs, *_variants(tf, op, attrs)]
            break
    else:
        return {}
    found = {}
    for arg in op.input_arg:
        is_plain = not arg.number_attr and not arg.type_list_attr and not arg.is_ref
        if is_plain and arg.name not in LENIENT and (op.name, arg.name) not in LENIENT:
            fitting = [
                rank
                for rank in RANKS
                if any(_fits(tf, op, each, {arg.name: [None] * rank}) for each in variants)
            ]
            if fitting and fitting != list(RANKS):
                found[arg.name] = _ranks_text(fitting)
    return found


def _variants(tf: Any, op: Any, attrs: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes that differ in one from those given: the ranks of inputs may depend on each."""
    found = []
    for attr in op.attr:
        others: list[Any] = []
        if attr.type == "bool":
            others = [not attrs[attr.name]]
        elif attr.type == "int" and attrs[attr.name] == -1:
            others = [1]
        elif attr.type == "string":
            others = [item.decode() for item in attr.allowed_values.list.s]
        found += [{**attrs, attr.name: other} for other in others if other != attrs[attr.name]]
    return [each for each in found if _fits(tf, op, each, {})]


def _ranks_text(fitting: list[int]) -> str:
    if fitting == list(range(fitting[0], RANKS.stop)):
        return f"{fitting[0]}+"
    return "|".join(map(str, fitting))


def _fits(tf: Any, op: Any, attrs: dict[str, Any], shapes: dict[str, Any]) -> bool:
    try:
        _built(tf, op, attrs, shapes)
    except Exception:  # whatever is wrong with such a guess
        return False
    return True


def _guessed(tf: Any, attr: Any, choice: int) -> Any:
    """A value for an attribute: the default, or one that is allowed."""
    if attr.type == "type":
        allowed = [tf.as_dtype(item).name for item in attr.allowed_values.list.type] or TYPES
        if attr.HasField("default_value") and choice % 2 == 0:
            return tf.as_dtype(attr.default_value.type)
        preferred = [name for name in TYPES if name in allowed] or allowed
        return tf.as_dtype(preferred[min(choice // 2, len(preferred) - 1)])
    if attr.type == "list(type)":
        return [tf.float32] * max(attr.minimum, 1)
    if attr.HasField("default_value"):
        return value(tf, attr.default_value)
    if attr.type == "string" and attr.allowed_values.list.s:
        return attr.allowed_values.list.s[0].decode()
    guesses = GUESSES[attr.type]
    guess = guesses[min(choice, len(guesses) - 1)]
    if attr.type == "int":
        return max(guess, attr.minimum)
    return guess


def _built(tf: Any, op: Any, attrs: dict[str, Any], shapes: dict[str, Any]) -> None:
    """Adds the operation to a graph, with inputs whose shapes are unknown unless they are given."""
    with tf.Graph().as_default():
        given = {}
        for arg in op.input_arg:
            kind = attrs[arg.type_attr] if arg.type_attr else tf.as_dtype(arg.type or tf.float32)
            if arg.type_list_attr:
                given[arg.name] = [tf.compat.v1.placeholder(t) for t in attrs[arg.type_list_attr]]
            elif arg.number_attr:
                count = attrs[arg.number_attr]
                given[arg.name] = [tf.compat.v1.placeholder(kind) for _ in range(count)]
            else:
                shape = shapes.get(arg.name)
                given[arg.name] = tf.compat.v1.placeholder(kind, shape)
        deduced = {arg.type_attr for arg in op.input_arg}
        deduced |= {arg.number_attr for arg in op.input_arg}
        deduced |= {arg.type_list_attr for arg in op.input_arg}
        rest = {name: item for name, item in attrs.items() if name not in deduced}
        function = getattr(tf.raw_ops, op.name)
        names = list(inspect.signature(function).parameters)
        inputs = [arg.name for arg in op.input_arg]
        # `raw_ops` renames some: inputs come first, in their order.
        renamed = dict(zip(inputs, names, strict=False))
        function(
            **{renamed[name]: item for name, item in given.items()},
            **{
                name if name in names else renamed_attr(names, name): item
                for name, item in rest.items()
            },
        )


def renamed_attr(names: list[str], name: str) -> str:
    """The parameter of an attribute that `raw_ops` renames."""
    return next(found for found in names if found.rstrip("_") == name or name in found)


def argument(tf: Any, arg: Any, rank: str = "") -> str:
    """An input or output."""
    if rank:
        return f"{argument(tf, arg)} rank {rank}"
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
    known = ranks(tf, op)
    inputs = ", ".join(argument(tf, arg, known.get(arg.name, "")) for arg in op.input_arg)
    outputs = ", ".join(argument(tf, arg) for arg in op.output_arg)
    attrs = []
    for attr in op.attr:
        text = f"{attr.name}: {attr.type}"
        if attr.has_minimum:
            text += f" >= {attr.minimum}"
        if attr.allowed_values.list.s:
            text += f" in {json.dumps([item.decode() for item in attr.allowed_values.list.s])}"
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

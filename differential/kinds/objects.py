"""Layers, optimizers, pipelines and files."""

from __future__ import annotations

import re

from builder import Builder, Unfit
from operations import TEMPLATES
from programs import Program


def _layer(b: Builder, family: str) -> str:
    return f"tf.keras.layers.{b.expand(b.pick(TEMPLATES[family]))}"


def _named(call: str) -> str:
    """The function that a call names: an operation, for lists of differences."""
    found = re.match(r"[\w.]+", call)
    return found[0] if found else call


def layers(b: Builder) -> Program:
    """Layers with random arguments, on inputs of two to four dimensions."""
    while True:
        rank = b.integer(1, 3)
        shape = [b.integer(1, 4) for _ in range(rank)] + [b.integer(1, 3)]
        x = b.operand("f", shape=shape, dtype="float32")
        layer = _layer(b, f"layers{rank}")
        training = b.pick(("", "", ", training=True"))
        if training and not re.search(r"Normalization|Dropout|RNN|LSTM|GRU|Bidirectional", layer):
            training = ""
        b.add(_named(layer), f"applied({layer}, {b.integer(0, 99)}, {x}{training})", [x])
        if not b.integer(0, 2):
            return b.program()


def optimizers(b: Builder) -> Program:
    """Some steps of an optimizer with random arguments."""
    optimizer = f"tf.keras.optimizers.{b.expand(b.pick(TEMPLATES['optimizers']))}"
    rows = bool(b.integer(0, 1))
    call = f"trained({optimizer}, {b.integer(0, 99)}, {b.integer(1, 5)}, {rows})"
    b.add(_named(optimizer), call)
    return b.program()


def datasets(b: Builder) -> Program:
    """Pipelines; all elements are compared after each transformation."""
    source = b.pick(("tensors", "range", "generator", "ragged", "zip"))
    if source == "range":
        text = f"tf.data.Dataset.range({b.integer(0, 7)})"
    elif source == "generator":
        count = b.integer(0, 4)
        text = (
            f"tf.data.Dataset.from_generator(lambda: iter(range({count})), output_types=tf.int32)"
        )
    else:
        rows = b.integer(1, 5)
        parts = [
            b.constant(
                "r" if source != "ragged" else "s", (rows, *b.pick([(), (2,), (0,), (1, 2)]))
            )
        ]
        if source == "zip":
            parts.append(b.constant("r", (rows,)))
        if source == "ragged":
            lengths = [b.integer(0, 3) for _ in range(rows)]
            parts.append(
                b.named(f"tf.RaggedTensor.from_row_lengths(tf.range({sum(lengths)}), {lengths})")
            )
        inside = f"({', '.join(parts)})" if len(parts) > 1 else parts[0]
        text = f"tf.data.Dataset.from_tensor_slices({inside})"
        b.operands = parts
    reads = list(b.operands) if source not in ("range", "generator") else []
    name = b.add("tf.data.Dataset", text, reads)
    if name is None:
        raise Unfit
    shown = []
    while True:
        template = b.pick(TEMPLATES["datasets"])
        b.operands = [name]
        source = f"{name}{b.expand(template)}"
        after = b.add(f"Dataset{_dotted(template)}", source, [name])
        shown.append(after or name)
        is_dataset = isinstance(b.values.get(after or ""), b.tf.data.Dataset)
        if after and is_dataset:
            if b.add(f"elements of Dataset{_dotted(template)}", f"elements({after})", [after]):
                b.add(f"spec of Dataset{_dotted(template)}", f"{after}.element_spec", [after])
                name = after
        if not b.integer(0, 4):
            return b.program()


def _dotted(template: str) -> str:
    found = re.match(r"\.\w+", template)
    return found[0] if found else ""

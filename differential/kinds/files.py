"""Files that each library writes in the folder `mine`, and reads from the other's."""

from __future__ import annotations

import tempfile

from builder import Builder, Unfit
from kinds.functions import SAME
from kinds.objects import _layer
from programs import Program


def _checkpoint(b: Builder) -> None:
    tensors = [b.operand("a") for _ in range(b.integer(1, 3))]
    made = b.add("saved", f"[tf.Variable(t) for t in [{', '.join(tensors)}]]", tensors)
    b.add(
        "tf.train.Checkpoint.write",
        f'tf.train.Checkpoint(v={made}).write(f"{{mine}}/c") and None',
        [made],
    )
    b.add("tf.train.Checkpoint.read", f'restored(f"{{other}}/c", {made})', [made])


def _records(b: Builder) -> None:
    kind = b.pick(("", "GZIP", "ZLIB"))
    texts = [b.pick(("", "a", "é", "x" * 300, "\\0\\1")) for _ in range(b.integer(0, 4))]
    b.add("tf.io.TFRecordWriter", f'recorded(f"{{mine}}/r", {texts}, {kind!r})')
    b.add("tf.data.TFRecordDataset", f'elements(tf.data.TFRecordDataset(f"{{other}}/r", {kind!r}))')


def _tensors(b: Builder) -> None:
    x = b.operand("a")
    b.add(
        "tf.io.serialize_tensor",
        f'tf.io.write_file(f"{{mine}}/t", tf.io.serialize_tensor({x}))',
        [x],
    )
    dtype = b.dtype_of(x)
    b.add("tf.io.parse_tensor", f'tf.io.parse_tensor(tf.io.read_file(f"{{other}}/t"), {dtype!r})')


def _dataset(b: Builder) -> None:
    rows = b.integer(1, 4)
    parts = [
        b.operand("a", shape=(rows, *b.pick([(), (2,), (0,)]))) for _ in range(b.integer(1, 2))
    ]
    kind = b.pick((None, "GZIP", "SNAPPY"))
    whole = f"tf.data.Dataset.from_tensor_slices(({', '.join(parts)},))"
    b.add("Dataset.save", f'{whole}.save(f"{{mine}}/d", compression={kind!r})', parts)
    b.add("Dataset.load", f'elements(tf.data.Dataset.load(f"{{other}}/d", compression={kind!r}))')


def _model(b: Builder) -> None:
    rank = b.integer(1, 3)
    shape = [b.integer(1, 4) for _ in range(rank)] + [b.integer(1, 3)]
    x = b.operand("f", shape=shape, dtype="float32")
    layers = ", ".join(_layer(b, f"layers{rank}") for _ in range(b.integer(1, 2)))
    if "Lambda" in layers or "return_state=True" in layers:
        raise Unfit
    ending = b.pick((".keras", ".h5", ""))
    model = b.add(
        "tf.keras.Sequential", f"filled(called(tf.keras.Sequential([{layers}]), {x}), 1)", [x]
    )
    if model is None:
        raise Unfit
    b.add("Model.save", f'{model}.save(f"{{mine}}/m{ending}")', [model])
    loaded = b.add(
        "load_model", f'tf.keras.models.load_model(f"{{other}}/m{ending}", compile=False)'
    )
    if loaded:
        b.add("loaded model", f"{loaded}({x}, training=False)", [loaded, x])
        b.add("loaded weights", f"{loaded}.get_weights()", [loaded])


def _module(b: Builder) -> None:
    x = b.operand("f", dtype="float32")
    if b.flag(3):
        sizes = [None] * len(b.shape_of(x))
    else:
        sizes = list(b.shape_of(x))
    lines = [f"    x = {b.pick(SAME).format(x='x', y='w')}" for _ in range(b.integer(1, 3))]
    if b.flag(2):
        lines.append(
            f"    for i in tf.range({b.integer(0, 3)}):\n        x = {b.pick(SAME).format(x='x', y='w')}"
        )
    body = "\n".join(lines)
    name = b.fresh()
    source = f"""{name}, w = tf.Module(), tf.Variable({x})
@tf.function(input_signature=[tf.TensorSpec({sizes}, tf.float32)])
def called_later(x):
{body}
    return x
{name}.w, {name}.f = w, called_later"""
    if b.add("tf.Module", source, [x], name=name) is None:
        raise Unfit
    b.add("saved_model.save", f'tf.saved_model.save({name}, f"{{mine}}/s")', [name])
    loaded = b.add("saved_model.load", 'tf.saved_model.load(f"{other}/s")')
    if loaded:
        b.add("loaded function", f"{loaded}.f({x})", [loaded, x])


def files(b: Builder) -> Program:
    """One kind of file."""
    b.large = False
    kinds = (
        _records,
        _tensors,
        _checkpoint,
        _checkpoint,
        _dataset,
        _model,
        _model,
        _module,
        _module,
    )
    with tempfile.TemporaryDirectory() as folder:
        b.names["mine"] = b.names["other"] = folder
        b.pick(kinds)(b)
    return b.program()

"""Exports operations of the engine to GraphDef.

The rules map most operations to one operation of TensorFlow. A function of this module exports the others, or
they are lowered: traced as simpler operations (`lowering.py`), which are exported.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graphdef import engine_functions, inverse, lowering
from eagerflow.graphdef.attributes import FunctionName
from eagerflow.graphdef.writer import Ref
from eagerflow.util import lazy

# Modules that register emitters.
_MORE = [
    lazy.Module("eagerflow.graphdef.array_emitters"),
    lazy.Module("eagerflow.graphdef.number_emitters"),
]


class NoSuchNodeError(Exception):
    """A node is nothing that TensorFlow has."""


class View:
    """A node of the engine that is being written.

    Args:
        body: the graph that is written.
        node: the node.
        name: the name of the exported node.
    """

    def __init__(self, body: Any, node: Any, name: str) -> None:
        self.body = body
        self.node = node
        self.name = name
        self.all_inputs = list(map(body.ref, node.inputs))
        self.inputs = self.all_inputs[: node.num_op_inputs]
        self.attrs = node.attrs
        self.specs = [(tensor.dtype, tensor.shape) for tensor in node.outputs]
        late = node.late
        self._late = [each for each in late if each[0] in self.attrs] if late else []

    def add(self, op: str, *inputs: Any, **attrs: Any) -> Ref:
        """Adds a node with one result."""
        return self.body.add(op, *inputs, **attrs)[0]

    def last(self, op: str, *inputs: Any, **attrs: Any) -> list[Ref]:
        """Adds the last node, with this node's name and results."""
        return self.body.add(op, *inputs, name=self.name, outputs=self.specs, **attrs)

    def late(self, attr: str) -> list[tuple[str, int, int, int]]:
        """The parts of an attribute that inputs hold."""
        return [late for late in self._late if late[0] == attr]

    def known(self, attr: str) -> Any:
        """The value of an attribute that is an attribute in TensorFlow, too."""
        if self.late(attr):
            raise NoSuchNodeError(f"{attr} must be known when it is exported")
        return self.attrs[attr]

    def tensor(self, attr: str) -> Any:
        """The value of an attribute that is an input in TensorFlow."""
        value = self.attrs[attr]
        late = self.late(attr)
        is_list = isinstance(value, list | TensorShape)
        if late and not is_list:
            return self._element(late[0])
        if late and late[0][1] < 0:
            return self.all_inputs[late[0][2]]
        if isinstance(value, TensorShape):
            value = value.as_list()
        if not late:
            return self.body.constant([], dtypes.int32) if is_list and not value else value
        source = self.all_inputs[late[0][2]]
        whole = len(late) == len(value) and all(
            (element, which, position) == (k, late[0][2], k)
            for k, (_, element, which, position) in enumerate(late)
        )
        if whole and source.shape.rank == 1 and source.shape.as_list() == [len(value)]:
            return source
        parts = [value[k] for k in range(len(value))]
        for found in late:
            parts[found[1]] = self._element(found)
        kind = next(part.dtype for part in parts if isinstance(part, Ref))
        parts = [
            (part if part.dtype is kind else self.add("Cast", part, DstT=kind))
            if isinstance(part, Ref)
            else self.body.constant(part, kind, f"{self.name}/{attr}")
            for part in parts
        ]
        return self.body.add("Pack", parts, outputs=[(kind, TensorShape([len(parts)]))])[0]

    def _element(self, late: tuple[str, int, int, int]) -> Ref:
        source, position = self.all_inputs[late[2]], late[3]
        if source.shape.rank == 0:
            return source
        flat = source if source.shape.rank == 1 else self.add("Reshape", source, [-1])
        return self.add("StridedSlice", flat, [position], [position + 1], [1], shrink_axis_mask=1)

    def numbers(self, value: Any, kind: Any) -> Any:
        """A tensor of integers in a dtype, if it is no Python value."""
        if isinstance(value, Ref) and value.dtype is not kind:
            return self.add("Cast", value, DstT=kind)
        return value


Emitter = Callable[[View], Sequence[Ref]]
EMITTERS: dict[str, Emitter] = {}


def emits(*names: str) -> Callable[[Emitter], Emitter]:
    """The decorator of an emitter for some operations."""

    def register(emitter: Emitter) -> Emitter:
        EMITTERS.update(dict.fromkeys(names, emitter))
        return emitter

    return register


@functools.cache
def _register_more() -> None:
    for module in _MORE:
        module.__name__  # noqa: B018 - imports it


def emit(body: Any, node: Any, name: str) -> Sequence[Ref]:
    """Exports a node, and returns its results.

    Raises:
        NoSuchNodeError: if it is nothing that TensorFlow has.
    """
    view = View(body, node, name)
    _register_more()
    emitter = EMITTERS.get(node.op)
    if emitter is not None:
        return emitter(view)
    if node.op in inverse.table():
        return direct(view, inverse.table()[node.op])
    if node.op in lowering.LOWERED:
        return lowered(view)
    raise NoSuchNodeError("TensorFlow has no such operation")


def direct(view: View, found: inverse.Inverse) -> Sequence[Ref]:
    """Exports a node as the operation of its rule."""
    definition = found.definition
    inputs: list[Any] = []
    remaining = list(view.inputs)
    # The order of inputs may differ.
    ours = [key for key, _ in getattr(_core.ops, view.node.op).parameters]
    ours = [key for key in ours if key in found.parameters.values() and key not in view.attrs]
    by_name = dict(zip(ours, remaining, strict=True)) if len(ours) == len(remaining) else {}
    for argument in definition.inputs:
        parameter = found.parameters[argument.name]
        if parameter in view.attrs:
            value = view.tensor(parameter)
            if value is None:
                value = _default_of(view, parameter)
            if argument.type not in definition.attributes:
                value = view.numbers(value, dtypes.as_dtype(argument.type))
            inputs.append(value)
        elif argument.is_single:
            inputs.append(by_name.get(parameter) or remaining.pop(0))
        else:
            inputs.append(remaining)
            remaining = []
    attrs = {}
    for name, parameter in found.parameters.items():
        if name in definition.attributes and parameter in view.attrs:
            value = view.known(parameter)
            if value is not None:
                attrs[name] = value
    for name, attribute in definition.attributes.items():
        if attribute.required and name not in attrs and name not in definition.deduced():
            attrs[name] = _required(view, name)
    return view.last(definition.name, *inputs, **attrs)


def _required(view: View, name: str) -> Any:
    if name in ("num_split", "num"):
        return len(view.specs)
    if name == "element_dtype":
        return view.inputs[-1].dtype
    return view.specs[0][0]


def _default_of(view: View, parameter: str) -> list[int] | Ref:
    """All axes, for a reduction that names none; in reverse, for a transposition."""
    x = view.inputs[0]
    down = view.node.op == "transpose"
    if x.shape.rank is not None:
        axes = list(range(x.shape.rank))
        return axes[::-1] if down else axes
    rank = view.add("Rank", x)
    if down:
        return view.add("Range", view.add("Sub", rank, 1), -1, -1)
    return view.add("Range", 0, rank, 1)


def lowered(view: View) -> Sequence[Ref]:
    """The node as simpler operations."""
    late = [
        name for name, value in view.attrs.items() if isinstance(value, list) and view.late(name)
    ]
    attrs = {name: view.known(name) for name in view.attrs if name not in late}
    refs = [*view.inputs, *(view.tensor(name) for name in late)]
    specs = [TensorSpec(ref.shape, ref.dtype) for ref in refs]
    graph = lowering.traced(view.node.op, specs, attrs, late)
    # Frozen graphs are for converters, which look for loops in the graph itself.
    if view.node.op not in engine_functions.OPERATIONS or view.body.exporter.frozen:
        return view.body.inline(graph, refs, view.name)
    graph.function_attributes = engine_functions.described(view.node.op, attrs)
    function = FunctionName(view.body.exporter.function(graph))
    return view.last("PartitionedCall", refs, Tout=[dtype for dtype, _ in view.specs], f=function)


@emits("eye")
def _eye(view: View) -> Sequence[Ref]:
    dtype = view.specs[0][0]
    rows = view.tensor("num_rows")
    columns = view.tensor("num_columns")
    columns = rows if columns is None else columns
    batch = (view.known("batch_shape") or TensorShape([])).as_list()
    rows, columns = (view.numbers(size, dtypes.int32) for size in (rows, columns))
    least = view.add("Minimum", view.body.constant(rows, dtypes.int32) if isinstance(rows, int) else rows,
                     columns)  # fmt: skip
    sizes = [view.body.constant(size, dtypes.int32) for size in batch]
    one, zero = (view.body.constant(bool(k) if dtype is dtypes.bool else k, dtype) for k in (1, 0))
    ones = view.add("Fill", view.add("Pack", [*sizes, least]), one)
    return view.last("MatrixDiagV3", ones, 0, rows, columns, zero)


@emits("squeeze")
def _squeeze(view: View) -> Sequence[Ref]:
    return view.last("Squeeze", view.inputs[0], squeeze_dims=view.known("axis") or [])


@emits("equal")
def _equal(view: View) -> Sequence[Ref]:
    return view.last("Equal", *view.inputs)


@emits("not_equal", "logical_xor")
def _not_equal(view: View) -> Sequence[Ref]:
    return view.last("NotEqual", *view.inputs)


@emits("pad", "mirror_pad_grad")
def _pad(view: View) -> Sequence[Ref]:
    paddings = view.tensor("paddings")
    if isinstance(paddings, Ref):
        paddings = view.add("Reshape", paddings, [-1, 2])
    else:
        paddings = [paddings[k : k + 2] for k in range(0, len(paddings), 2)]
        if not paddings:
            paddings = view.add("Reshape", view.body.constant([], dtypes.int32), [0, 2])
    mode = view.known("mode")
    if view.node.op == "mirror_pad_grad":
        return view.last("MirrorPadGrad", view.inputs[0], paddings, mode=mode)
    if mode != "CONSTANT":
        return view.last("MirrorPad", view.inputs[0], paddings, mode=mode)
    value = view.known("constant_values")
    if not value:
        return view.last("Pad", view.inputs[0], paddings)
    kind = view.inputs[0].dtype
    if kind.is_integer or kind is dtypes.bool:
        value = int(value)
    return view.last("PadV2", view.inputs[0], paddings, value)


@emits("gather")
def _gather(view: View) -> Sequence[Ref]:
    return view.last(
        "GatherV2", *view.inputs, view.tensor("axis"), batch_dims=view.known("batch_dims")
    )


@emits("split")
def _split_up(view: View) -> Sequence[Ref]:
    sizes, axis = view.tensor("size_splits"), view.tensor("axis")
    count = len(view.specs)
    if not isinstance(sizes, Ref) and set(sizes) == {-1}:
        return view.last("Split", view.numbers(axis, dtypes.int32), view.inputs[0], num_split=count)
    axis = view.numbers(axis, dtypes.int32)
    return view.last("SplitV", view.inputs[0], sizes, axis, num_split=count)


@emits("transpose")
def _transpose(view: View) -> Sequence[Ref]:
    perm = view.tensor("perm")
    perm = _default_of(view, "perm") if perm is None else perm
    op = "ConjugateTranspose" if view.known("conjugate") else "Transpose"
    return view.last(op, view.inputs[0], perm)


@emits("avg_pool", "avg_pool_grad")
def _avg_pool(view: View) -> Sequence[Ref]:
    if view.known("padding") == "EXPLICIT":
        raise NoSuchNodeError("TensorFlow's AvgPool takes no explicit padding")
    attrs = {key: view.known(key) for key in ("ksize", "strides", "padding", "data_format")}
    if view.node.op == "avg_pool":
        return view.last("AvgPool", view.inputs[0], **attrs)
    shape = view.numbers(view.tensor("shape"), dtypes.int32)
    return view.last("AvgPoolGrad", shape, view.inputs[0], **attrs)


@emits("batch_norm_inference")
def _batch_norm_inference(view: View) -> Sequence[Ref]:
    x, scale = view.inputs[:2]
    axis = view.known("axis")
    images = x.shape.rank == 4 and axis in (-1, 3, 1) and scale.dtype is dtypes.float32
    if not images:
        return lowered(view)
    layout = "NCHW" if axis == 1 else "NHWC"
    return view.body.add(
        "FusedBatchNormV3", *view.inputs, name=view.name, outputs=view.specs,
        epsilon=view.known("epsilon"), data_format=layout, is_training=False,
    )  # fmt: skip


@emits("ensure_shape")
def _ensure_shape(view: View) -> Sequence[Ref]:
    sizes = view.known("shape")
    shape = TensorShape([None if size < 0 else size for size in sizes])
    return view.last("EnsureShape", view.inputs[0], shape=shape)


@emits("searchsorted")
def _searchsorted(view: View) -> Sequence[Ref]:
    rows, values = view.inputs
    op = "LowerBound" if view.known("side") == "left" else "UpperBound"
    out = view.known("output_type")
    if rows.shape.rank == 2 and values.shape.rank == 2:
        return view.last(op, rows, values, out_type=out)
    if rows.shape.rank != 1:
        raise NoSuchNodeError("TensorFlow searches rows of matrices")
    wide = [view.add("Reshape", ref, [1, -1]) for ref in (rows, values)]
    found = view.add(op, *wide, out_type=out)
    return view.last("Reshape", found, view.add("Shape", values))


@emits("diag")
def _diag(view: View) -> Sequence[Ref]:
    places = [view.numbers(view.tensor(key), dtypes.int32) for key in ("k", "num_rows", "num_cols")]
    return view.last("MatrixDiagV3", view.inputs[0], *places, _zero(view))


@emits("diag_part")
def _diag_part(view: View) -> Sequence[Ref]:
    return view.last("MatrixDiagPartV3", view.inputs[0], view.tensor("k"), _zero(view))


def _zero(view: View) -> Ref:
    """What stands beside a diagonal, in the dtype of the result; False is no number."""
    dtype = view.specs[0][0]
    return view.body.constant(False if dtype is dtypes.bool else 0, dtype)


# Factorizations.


def _named(operation: str, *attrs: str) -> Emitter:
    """The emitter of an operation that has the same inputs, and these attributes, under another name."""
    return lambda view: view.last(
        operation, *view.inputs, **{name: view.known(name) for name in attrs}
    )


EMITTERS |= {
    "cholesky_factor": _named("Cholesky"),
    "eigh_factors": _named("SelfAdjointEigV2", "compute_v"),
    "lu_determinant": _named("MatrixDeterminant"),
    "lu_inverse": _named("MatrixInverse", "adjoint"),
    "lu_log_determinant": _named("LogMatrixDeterminant"),
    "lu_solve": _named("MatrixSolve", "adjoint"),
    "qr_factors": _named("Qr", "full_matrices"),
    "triangle_solve": _named("MatrixTriangularSolve", "lower", "adjoint"),
    "tridiagonal_solve": _named("TridiagonalSolve"),
}


@emits("lu_factors")
def _lu(view: View) -> Sequence[Ref]:
    return view.last("Lu", *view.inputs, output_idx_type=dtypes.int32)


# Text.


@emits("string_case")
def _case(view: View) -> Sequence[Ref]:
    return view.last("StringUpper" if view.known("upper") else "StringLower", *view.inputs)


@emits("string_join")
def _join(view: View) -> Sequence[Ref]:
    separator = _core.static_value(view.node.inputs[0])
    if separator is None:
        raise NoSuchNodeError("the separator must be known when it is exported")
    return view.last("StringJoin", view.inputs[1:], separator=separator.numpy())


@emits("string_length")
def _length(view: View) -> Sequence[Ref]:
    unit = "UTF8_CHAR" if view.known("characters") else "BYTE"
    return view.last("StringLength", *view.inputs, unit=unit)


@emits("string_part")
def _part(view: View) -> Sequence[Ref]:
    unit = "UTF8_CHAR" if view.known("characters") else "BYTE"
    text, *places = view.inputs
    return view.last("Substr", text, *places, unit=unit)


@emits("string_strip")
def _strip(view: View) -> Sequence[Ref]:
    return view.last("StringStrip", *view.inputs)


@emits("string_to_number")
def _to_number(view: View) -> Sequence[Ref]:
    return view.last("StringToNumber", *view.inputs, out_type=view.specs[0][0])


@emits("string_hash")
def _hash(view: View) -> Sequence[Ref]:
    attrs = {"num_buckets": view.known("buckets")}
    method = view.known("method")
    if method == "sip":
        attrs["key"] = [view.known("key0"), view.known("key1")]
    ops = {"farm": "StringToHashBucketFast", "sip": "StringToHashBucketStrong"}
    return view.last(ops.get(method, "StringToHashBucket"), *view.inputs, **attrs)


@emits("string_of_number")
def _of_number(view: View) -> Sequence[Ref]:
    how = view.known("format")
    attrs = {} if how == "fixed" else {how: True}
    floating = view.inputs[0].dtype.is_floating
    precision = view.known("precision") if floating and how != "shortest" else -1
    return view.last("AsString", *view.inputs, precision=precision, **attrs)


@emits("base64_encode", "base64_decode")
def _base64(view: View) -> Sequence[Ref]:
    if view.node.op == "base64_decode":
        return view.last("DecodeBase64", *view.inputs)
    return view.last("EncodeBase64", *view.inputs, pad=view.known("pad"))


# Sparse and ragged values.


@emits("sparse_to_dense")
def _to_dense(view: View) -> Sequence[Ref]:
    values, default, indices = view.inputs
    shape = view.numbers(view.tensor("shape"), indices.dtype)
    if not isinstance(shape, Ref):
        shape = view.body.constant(shape, indices.dtype)
    return view.last("SparseToDense", indices, shape, values, default)


@emits("sparse_matmul")
def _sparse_matmul(view: View) -> Sequence[Ref]:
    values, indices, b = view.inputs[:3]  # the layout follows from the indices
    sizes = [view.tensor("rows"), view.tensor("columns")]
    if any(isinstance(size, Ref) for size in sizes):
        refs = [
            view.numbers(size, dtypes.int64) if isinstance(size, Ref)
            else view.body.constant(size, dtypes.int64)
            for size in sizes
        ]  # fmt: skip
        shape: Any = view.add("Pack", refs)
    else:
        shape = view.body.constant(sizes, dtypes.int64)
    return view.last(
        "SparseTensorDenseMatMul", indices, values, shape, b, adjoint_a=view.known("adjoint")
    )


@emits("sparse_segment_sum")
def _sparse_segment(view: View) -> Sequence[Ref]:
    kind = {"sum": "Sum", "mean": "Mean"}.get(view.known("scale"), "SqrtN")
    count = view.tensor("num_segments")
    if count is None:
        return view.last(f"SparseSegment{kind}", *view.inputs)
    return view.last(f"SparseSegment{kind}WithNumSegments", *view.inputs, count)


@emits("ragged_to_variant")
def _to_variant(view: View) -> Sequence[Ref]:
    values, *splits = view.inputs
    kind = {"Tsplits": splits[0].dtype if splits else dtypes.int64}
    return view.last(
        "RaggedTensorToVariant", splits, values, batched_input=view.known("batched_input"), **kind
    )


@emits("ragged_from_variant")
def _from_variant(view: View) -> Sequence[Ref]:
    ranks = {name: view.known(name) for name in ("input_ragged_rank", "output_ragged_rank")}
    kinds = {"Tvalues": view.known("values_dtype"), "Tsplits": view.known("splits_dtype")}
    return view.last("RaggedTensorFromVariant", view.inputs[0], **ranks, **kinds)


@emits("ragged_to_variant_grad")
def _to_variant_grad(view: View) -> Sequence[Ref]:
    dy, *splits = view.inputs
    batched = view.known("batched_input")
    kind = view.known("dtype")
    if not batched:
        ranks = {"input_ragged_rank": len(splits), "output_ragged_rank": len(splits)}
        kinds = {"Tvalues": kind, "Tsplits": splits[0].dtype if splits else dtypes.int64}
        outputs = [(each.dtype, each.shape) for each in splits] + view.specs
        return view.body.add(
            "RaggedTensorFromVariant", dy, name=view.name, outputs=outputs, **ranks, **kinds
        )[-1:]
    sizes = view.numbers(view.tensor("shape"), dtypes.int32)
    if not isinstance(sizes, Ref):
        sizes = view.body.constant(sizes, dtypes.int32)
    if splits:
        rows = splits[0]
        for level in splits[1:]:
            rows = view.add("GatherV2", level, rows, 0)
    else:
        count = view.add("StridedSlice", sizes, [0], [1], [1], shrink_axis_mask=1)
        rows = view.add("Range", 0, view.add("AddV2", count, 1), 1)
    return view.last("RaggedTensorToVariantGradient", dy, rows, sizes, Tvalues=kind)


# Lists of tensors.


def _element_shape(view: View) -> Any:
    sizes = view.tensor("element_shape")
    if sizes is None:
        return view.body.constant(-1, dtypes.int32)
    if isinstance(sizes, Ref):
        return sizes
    return view.body.constant([-1 if size is None else size for size in sizes], dtypes.int32)


@emits("variant_add")
def _add_variants(view: View) -> Sequence[Ref]:
    return view.last("AddN", view.inputs)


@emits("variant_zeros_like")
def _zero_variants(view: View) -> Sequence[Ref]:
    return view.last("ZerosLike", *view.inputs)


@emits("tensor_list_reserve")
def _reserve(view: View) -> Sequence[Ref]:
    dtype = view.known("element_dtype")
    return view.last("TensorListReserve", _element_shape(view), view.inputs[0], element_dtype=dtype)


@emits("tensor_list_from_tensor")
def _from_tensor(view: View) -> Sequence[Ref]:
    return view.last("TensorListFromTensor", view.inputs[0], _element_shape(view))


@emits("tensor_list_get_item", "tensor_list_gather")
def _get_item(view: View) -> Sequence[Ref]:
    op = "TensorListGetItem" if view.node.op.endswith("item") else "TensorListGather"
    dtype = view.known("element_dtype")
    return view.last(op, *view.inputs, _element_shape(view), element_dtype=dtype)


@emits("tensor_list_stack")
def _stack(view: View) -> Sequence[Ref]:
    return view.last(
        "TensorListStack", view.inputs[0], _element_shape(view),
        element_dtype=view.known("element_dtype"), num_elements=view.known("num_elements"),
    )  # fmt: skip


@emits("tensor_list_concat")
def _concat(view: View) -> Sequence[Ref]:
    lengths = view.body.constant([], dtypes.int64)
    return view.last(
        "TensorListConcatV2", view.inputs[0], _element_shape(view), lengths,
        element_dtype=view.known("element_dtype"),
    )  # fmt: skip


@emits("tensor_list_split")
def _split(view: View) -> Sequence[Ref]:
    tensor, lengths = view.inputs
    lengths = view.numbers(lengths, dtypes.int64)
    return view.last("TensorListSplit", tensor, _element_shape(view), lengths)


# Random operations: with a stream of the graph they are TensorFlow's operations with seeds, with a
# key they are the stateless ones.

_DRAWS = {
    "philox_uniform": ("RandomUniform", "StatelessRandomUniformV2"),
    "philox_normal": ("RandomStandardNormal", "StatelessRandomNormalV2"),
    "philox_truncated_normal": ("TruncatedNormal", "StatelessTruncatedNormalV2"),
    "philox_uniform_int": ("RandomUniformInt", "StatelessRandomUniformIntV2"),
    "philox_uniform_full_int": ("", "StatelessRandomUniformFullIntV2"),
    "philox_categorical": ("Multinomial", ""),
    "philox_shuffle": ("RandomShuffle", ""),
}


def _stream_of(view: View) -> _core.Node | None:
    """The node of the random stream that the key comes from; None if it is another."""
    for _, _, which, _ in view.late("key"):
        node = _core.node_of(view.node.inputs[which])
        if node.type == "RandomStream":
            return node
    return None


@emits(*_DRAWS)
def _draw(view: View) -> Sequence[Ref]:
    stateful, stateless = _DRAWS[view.node.op]
    stream = _stream_of(view)
    dtype = view.specs[0][0]
    if stream is not None:
        if not stateful:
            raise NoSuchNodeError("TensorFlow draws such values with a key only")
        seeds = dict(zip(("seed", "seed2"), stream.seeds, strict=False))
        if view.node.op == "philox_categorical":
            count = view.numbers(view.tensor("num_samples"), dtypes.int32)
            return view.last(stateful, view.inputs[0], count, output_dtype=dtype, **seeds)
        if view.node.op == "philox_shuffle":
            count = view.numbers(view.tensor("n"), dtypes.int64)
            count = count if isinstance(count, Ref) else view.body.constant(count, dtypes.int64)
            zero, one = (view.body.constant(n, dtypes.int64) for n in (0, 1))
            return view.last(stateful, view.add("Range", zero, count, one), **seeds)
        if view.node.op == "philox_uniform_int":
            bounds = [view.body.constant(view.known(key), dtype) for key in ("minval", "maxval")]
            return view.last(stateful, view.tensor("shape"), *bounds, **seeds)
        return view.last(stateful, view.tensor("shape"), dtype=dtype, **seeds)
    if not stateless:
        raise NoSuchNodeError("TensorFlow draws such values with a seed only")
    key = [view.tensor("key")]
    counter = [view.tensor("counter_low"), view.tensor("counter_high")]
    words = [_words(view, numbers) for numbers in (key, counter)]
    algorithm = view.body.constant(1, dtypes.int32)
    if view.node.op == "philox_uniform_int":
        bounds = [view.body.constant(view.known(key), dtype) for key in ("minval", "maxval")]
        return view.last(stateless, view.tensor("shape"), *words, algorithm, *bounds)
    return view.last(stateless, view.tensor("shape"), *words, algorithm, dtype=dtype)


def _words(view: View, numbers: list[Any]) -> Ref:
    """Integers of 64 bits as a vector of uint64."""
    if not any(isinstance(number, Ref) for number in numbers):
        unsigned = [struct.unpack("<Q", struct.pack("<q", number))[0] for number in numbers]
        return view.body.constant(unsigned, dtypes.uint64)
    return view.add("Pack", [_word(view, number) for number in numbers])


def _word(view: View, number: Any) -> Ref:
    ref = number if isinstance(number, Ref) else view.body.constant(number, dtypes.int64)
    if ref.dtype is dtypes.uint64:
        return ref
    if ref.dtype is not dtypes.int64:  # seeds may be shorter, and keep their sign
        ref = view.add("Cast", ref, DstT=dtypes.int64)
    return view.add("Bitcast", ref, type=dtypes.uint64)

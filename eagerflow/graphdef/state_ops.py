"""TensorFlow's operations on state and functions: variables, tables, conditionals, loops, calls.

A handler takes the builder, the node, its inputs by name and its attributes, and returns a value for
each output that the operation declares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.errors import OutOfRangeError, PermissionDeniedError, UnimplementedError
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.host_call import now_or_node
from eagerflow.util import lazy

# Imported when they are first used: few files need them.
composed = lazy.Module("eagerflow.graphdef.composed")
initializers = lazy.Module("eagerflow.lookup.initializers")

Handler = Callable[[Any, Any, dict[str, Any], dict[str, Any]], list[Any]]

HANDLERS: dict[str, Handler] = {}

# Stateful operations that only read: a function does not need them for their own sake.
READS = frozenset(
    "HashTableV2 MutableHashTableV2 MutableDenseHashTableV2 "
    "LookupTableFindV2 LookupTableSizeV2 LookupTableExportV2 "
    "ReadVariableOp ResourceGather ResourceGatherNd VarHandleOp VarIsInitializedOp "
    "VariableShape Placeholder VariableV2 GuaranteeConst RandomUniform RandomStandardNormal "
    "RandomUniformInt TruncatedNormal StatelessRandomGetAlg".split()
)

# Operations that reach files, processes or the network: a file may not make a program do that.
REFUSED = frozenset(
    "ReadFile WriteFile MatchingFiles InitializeTableFromTextFile InitializeTableFromTextFileV2 SaveV2 "
    "RestoreV2 MergeV2Checkpoints".split()
)

# Operations that read a file named by an attribute, and prefixes of values that are not files.
REFUSED_BY_ATTRIBUTE = {
    "DecodeProtoV2": ("descriptor_source", ("local://", "bytes://")),
    "EncodeProto": ("descriptor_source", ("local://", "bytes://")),
    "FixedUnigramCandidateSampler": ("vocab_file", ()),
    "PrintV2": ("output_stream", ("stdout", "stderr", "log(")),
}


def reaches_files(op: str, attrs: Mapping[str, Any]) -> bool:
    """Whether a node of an operation reaches files, processes or the network."""
    if op not in REFUSED_BY_ATTRIBUTE:
        return op in REFUSED
    name, harmless = REFUSED_BY_ATTRIBUTE[op]
    value = attrs.get(name) or ""
    text = value.decode(errors="replace") if isinstance(value, bytes) else value
    return bool(text) and not text.startswith(harmless)


def check_files(builder: Any, node: Any, inputs: dict[str, Any], where: str) -> None:
    """Refuses a node that reads or writes files other than the graph's own.

    Raises:
        PermissionDeniedError: if the file is another, or is known only when the graph runs.
    """
    name = inputs.get("filename")
    known = None if name is None else _core.static_value(name)
    if known is not None and known.numpy().decode() in builder.files:
        return
    raise PermissionDeniedError._of(
        f"Node '{node.name}'{where} is a {node.op}, which reaches files. Models from files may not; "
        "tf.saved_model.LoadOptions(allowed_operations=[...]) allows it by name."
    )


def handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = handler
        return handler

    return register


# Constants and what passes through.


@handles("Const")
def _const(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [tf.constant(attrs["value"])]


@handles("Identity", "ReadVariableOpIdentity")
def _identity(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [_passed(inputs["input"])]


@handles("IdentityN")
def _identity_n(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [[_passed(value) for value in inputs["input"]]]


def _passed(value: _core.Tensor) -> _core.Tensor:
    return tf.identity(value) if isinstance(value, _core.Tensor) else value


# Variables.


@handles("VarHandleOp", "VariableV2", "Variable", "HashTableV2", "MutableHashTableV2")
@handles("HashTable", "MutableHashTable", "AnonymousHashTable", "AnonymousMutableHashTable")
@handles("MutableHashTableOfTensors", "MutableHashTableOfTensorsV2")
@handles("AnonymousMutableHashTableOfTensors")
def _resource(builder: Any, node: Any, inputs: dict, attrs: dict) -> list[object]:
    if builder.resource is None:
        raise UnimplementedError._of(f"Node '{node.name}' ({node.op}) needs a SavedModel.")
    return [builder.resource(node, attrs)]


@handles("MutableDenseHashTableV2", "AnonymousMutableDenseHashTable")
def _dense_table(builder: Any, node: Any, inputs: dict, attrs: dict) -> list[object]:
    reserved = inputs["empty_key"], inputs["deleted_key"]
    return _resource(builder, node, inputs, {**attrs, "reserved": reserved})


@handles("ReadVariableOp")
def _read(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [inputs["resource"].read_value()]


@handles("DisableCopyOnRead", "DestroyResourceOp")
def _nothing(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return []


@handles("VariableShape")
def _variable_shape(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [tf.shape(inputs["input"].read_value(), attrs["out_type"])]


@handles("VarIsInitializedOp", "IsVariableInitialized")
def _is_initialized(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    (variable,) = inputs.values()
    if _core.building() is None:
        return [variable.is_initialized()]
    return [_core.variable_is_initialized(variable)]


@handles("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
def _assign(builder: object, node: Any, inputs: dict, attrs: dict) -> list[object]:
    _assignment(node.op, inputs["resource"])(inputs["value"], read_value=False)
    return []


@handles("Assign", "AssignAdd", "AssignSub")
def _assign_ref(builder: object, node: Any, inputs: dict, attrs: dict) -> list[object]:
    changed = _assignment(node.op, inputs["ref"])(inputs["value"])
    return [_core.as_tensor(changed)]


def _assignment(op: str, variable: Any) -> Callable[..., Any]:
    if op.startswith("AssignAdd"):
        return variable.assign_add
    if op.startswith("AssignSub"):
        return variable.assign_sub
    return variable.assign


@handles("ResourceGather")
def _gather(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    batch_dims = attrs["batch_dims"]
    return [
        tf.gather(inputs["resource"], inputs["indices"], axis=batch_dims, batch_dims=batch_dims)
    ]


@handles("ResourceGatherNd")
def _gather_nd(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [tf.gather_nd(inputs["resource"], inputs["indices"])]


@handles(*(f"ResourceScatter{how}" for how in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")))
def _scatter(builder: object, node: Any, inputs: dict, attrs: dict) -> list[object]:
    method = "scatter_" + node.op.removeprefix("ResourceScatter").lower()
    slices = tf.IndexedSlices(inputs["updates"], inputs["indices"])
    getattr(inputs["resource"], method)(slices)
    return []


@handles(*(f"Scatter{how}" for how in ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update")))
def _scatter_ref(builder: object, node: Any, inputs: dict, attrs: dict) -> list[object]:
    slices = tf.IndexedSlices(inputs["updates"], inputs["indices"])
    getattr(inputs["ref"], f"scatter_{node.op.removeprefix('Scatter').lower()}")(slices)
    return [inputs["ref"].read_value()]


@handles(*(f"ScatterNd{how}" for how in ("Add", "Sub", "Min", "Max", "Update")))
def _scatter_nd_ref(builder: object, node: Any, inputs: dict, attrs: dict) -> list[object]:
    method = "scatter_nd_" + node.op.removeprefix("ScatterNd").lower()
    getattr(inputs["ref"], method)(inputs["indices"], inputs["updates"])
    return [inputs["ref"].read_value()]


@handles("CountUpTo", "ResourceCountUpTo")
def _count_up_to(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    """Returns and increments an integer variable; raises at the limit."""
    (variable,) = inputs.values()
    before = variable.read_value()
    limit = attrs["limit"]

    def check(value: _core.Tensor) -> None:
        if int(value) >= limit:
            raise OutOfRangeError._of(f"Reached limit of {limit}")

    now_or_node(check, None, "CountUpTo", before)
    variable.assign_add(tf.ones_like(before), read_value=False)
    return [before]


@handles(*(f"ResourceScatterNd{how}" for how in ("Add", "Sub", "Min", "Max", "Update")))
def _scatter_nd(builder: object, node: Any, inputs: dict, attrs: dict) -> list[object]:
    method = "scatter_nd_" + node.op.removeprefix("ResourceScatterNd").lower()
    getattr(inputs["ref"], method)(inputs["indices"], inputs["updates"])
    return []


@handles("StridedSliceAssign")
def _assign_slice_of_ref(builder: Any, node: Any, inputs: dict, attrs: dict) -> list[object]:
    _assign_slice(builder, node, inputs, attrs)
    return [inputs["ref"].read_value()]


@handles("ResourceStridedSliceAssign")
def _assign_slice(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    variable = inputs["ref"]
    places = [inputs["begin"], inputs["end"], inputs["strides"]]
    chosen = (attrs[mask] for mask in masks)
    variable.assign(
        _core.ops.strided_slice_update(variable.read_value(), inputs["value"], *places, *chosen)
    )
    return []


def _drawn(op: str) -> Handler:
    """Draws random values with a generator whose state is a variable.

    Args:
        op: the operation of the engine.
    """

    def draw(builder: object, node: object, inputs: dict, attrs: dict) -> list[Any]:
        shape = inputs["shape"]
        limits = [inputs[key] for key in ("minval", "maxval") if key in inputs]
        dtype = limits[0].dtype if limits else attrs["dtype"]
        count = tf.cast(tf.reduce_prod(shape), tf.int64)
        state = _core.advance_state(inputs["resource"], count * random_seed.RESERVED_PER_OUTPUT)
        return [getattr(_core.ops, op)(shape, dtype, *state, *limits)]

    return draw


HANDLERS.update(
    StatefulStandardNormal=_drawn("philox_normal"),
    StatefulStandardNormalV2=_drawn("philox_normal"),
    StatefulTruncatedNormal=_drawn("philox_truncated_normal"),
    StatefulUniform=_drawn("philox_uniform"),
    StatefulUniformFullInt=_drawn("philox_uniform_full_int"),
    StatefulUniformInt=_drawn("philox_uniform_int"),
)


@handles("RngSkip")
def _skip_only(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    blocks = tf.cast(inputs["delta"], tf.int64) * random_seed.RESERVED_PER_OUTPUT
    _core.advance_state(inputs["resource"], blocks)
    return []


@handles("RngReadAndSkip")
def _skip(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    blocks = tf.cast(inputs["delta"], tf.int64) * random_seed.RESERVED_PER_OUTPUT
    key, low, high = _core.advance_state(inputs["resource"], blocks)
    return [tf.stack([low, high, key])]


# Tables.


@handles("LookupTableFindV2", "LookupTableFind")
def _find(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [inputs["table_handle"].lookup(inputs["keys"], inputs["default_value"])]


@handles("LookupTableImportV2", "LookupTableInsertV2", "InitializeTableV2")
@handles("LookupTableImport", "LookupTableInsert", "InitializeTable")
def _insert(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    inputs["table_handle"].import_pairs(inputs["keys"], inputs["values"])
    return []


@handles("InitializeTableFromTextFileV2", "InitializeTableFromTextFile")
def _insert_lines(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    table = inputs["table_handle"]
    known = _core.static_value(inputs["filename"])
    if known is None:
        raise ValueError("the name of the file must be known")
    lines = initializers.TextFileInitializer(
        known.numpy().decode(), table.key_dtype, attrs["key_index"], table.value_dtype,
        attrs["value_index"], attrs["vocab_size"] if attrs["vocab_size"] > 0 else None,
        attrs["delimiter"], value_index_offset=attrs["offset"],
    )  # fmt: skip
    pairs = list(lines.pairs())
    keys, values = ([pair[k] for pair in pairs] for k in range(2))
    table.import_pairs(tf.constant(keys, table.key_dtype), tf.constant(values, table.value_dtype))
    return []


@handles("ReadFile")
def _read_file(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [tf.io.read_file(inputs["filename"])]


@handles("WriteFile")
def _write_file(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    tf.io.write_file(inputs["filename"], inputs["contents"])
    return []


@handles("MatchingFiles")
def _matching_files(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [tf.io.matching_files(inputs["pattern"])]


@handles("LookupTableRemoveV2")
def _remove(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    inputs["table_handle"].remove(inputs["keys"])
    return []


@handles("LookupTableSizeV2", "LookupTableSize")
def _size(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [inputs["table_handle"].size()]


@handles("LookupTableExportV2", "LookupTableExport")
def _export(builder: object, node: object, inputs: dict, attrs: dict) -> list[object]:
    return list(inputs["table_handle"].export())


# Calls, choices, loops.


@handles("PartitionedCall", "StatefulPartitionedCall", "RemoteCall")
def _call(builder: Any, node: object, inputs: dict, attrs: dict) -> list[object]:
    return [builder.call(attrs["f"].name, inputs["args"])]


@handles("SymbolicGradient")
def _gradient(builder: Any, node: object, inputs: dict, attrs: dict) -> list[object]:
    """The gradients of a function, whose arguments come before the gradients of its results."""
    count = len(attrs["Tout"])
    # A tensor may be several arguments: each has a separate gradient.
    arguments = [_passed(value) for value in inputs["input"][:count]]
    watched = [k for k, x in enumerate(arguments) if isinstance(x, _core.Tensor) and _is_real(x)]
    with tf.GradientTape() as tape:
        tape.watch([arguments[k] for k in watched])
        results = builder.call(attrs["f"].name, arguments)
    found = tape.gradient(
        results,
        [arguments[k] for k in watched],
        inputs["input"][count:],
        tf.UnconnectedGradients.ZERO,
    )
    gradients = dict(zip(watched, found, strict=True))
    return [[gradients[k] if k in gradients else tf.zeros_like(x) for k, x in enumerate(arguments)]]


def _is_real(x: _core.Tensor) -> bool:
    return x.dtype.is_floating or x.dtype.is_complex


@handles("If", "StatelessIf")
def _if(builder: Any, node: object, inputs: dict, attrs: dict) -> list[object]:
    condition = inputs["cond"]
    if condition.dtype is not dtypes.bool:
        condition = composed.truth(condition)
    then, otherwise = attrs["then_branch"].name, attrs["else_branch"].name
    found = tf.cond(
        condition,
        lambda: builder.call(then, inputs["input"]),
        lambda: builder.call(otherwise, inputs["input"]),
    )
    return [found]


@handles("Case", "StatelessCase")
def _case(builder: Any, node: object, inputs: dict, attrs: dict) -> list[object]:
    branches = [
        lambda name=branch.name: builder.call(name, inputs["input"]) for branch in attrs["branches"]
    ]
    return [tf.switch_case(inputs["branch_index"], branches)]


@handles("While", "StatelessWhile")
def _while(builder: Any, node: object, inputs: dict, attrs: dict) -> list[object]:
    values = inputs["input"]
    # Resources are constant; only tensors are loop variables.
    places = [k for k, value in enumerate(values) if isinstance(value, _core.Tensor)]

    def complete(tensors: tuple[_core.Tensor, ...]) -> list[Any]:
        whole = list(values)
        for place, tensor in zip(places, tensors, strict=True):
            whole[place] = tensor
        return whole

    def holds(*tensors: _core.Tensor) -> _core.Tensor:
        found = builder.call(attrs["cond"].name, complete(tensors))[0]
        return found if found.dtype is dtypes.bool else composed.truth(found)

    def step(*tensors: _core.Tensor) -> list[Any]:
        results = builder.call(attrs["body"].name, complete(tensors))
        return [results[place] for place in places]

    begin = [values[place] for place in places]
    if attrs["output_shapes"]:
        declared = [attrs["output_shapes"][place] for place in places]
        invariants = [
            _invariant(value, shape) for value, shape in zip(begin, declared, strict=True)
        ]
    else:
        invariants = _lasting_shapes(step, begin)
    found = tf.while_loop(holds, step, begin, invariants)
    return [complete(tuple(found))]


def _lasting_shapes(step: Callable[..., list[Any]], values: list[_core.Tensor]) -> list[Any]:
    """The most specific shapes of a loop's tensors that hold in all iterations."""
    shapes = [value.shape for value in values]
    while True:
        specs = [
            tf.TensorSpec(shape, value.dtype) for shape, value in zip(shapes, values, strict=True)
        ]
        graph = FuncGraph("iteration")
        with graph.as_default():
            given = [graph.placeholder(spec.dtype, dims_of(spec.shape), "") for spec in specs]
            results = step(*given)
        common = [
            shape.most_specific_compatible_shape(result.shape)
            for shape, result in zip(shapes, results, strict=True)
        ]
        if all(map(_same, common, shapes)):
            return shapes
        shapes = common


def _same(a: Any, b: Any) -> bool:
    return a.rank == b.rank and (a.rank is None or a.as_list() == b.as_list())


def _invariant(value: _core.Tensor, shape: Any) -> Any:
    if value.dtype is dtypes.variant:
        return value.shape
    return shape if value.shape.is_compatible_with(shape) else tf.TensorShape(None)

"""Exports nodes that are not operations of the engine: variables, calls, conditionals, loops."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.data.graph_iterators import NextElement
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graphdef import function_gradients, host_lowering
from eagerflow.graphdef.attributes import FunctionName
from eagerflow.graphdef.emitters import NoSuchNodeError
from eagerflow.graphdef.table_nodes import vocabulary_ids
from eagerflow.graphdef.writer import GraphWriter, Ref
from eagerflow.lookup.tables import StaticVocabularyTable
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.graphdef.exporting import Body

# It imports this module.
exporting = lazy.Module("eagerflow.graphdef.exporting")

_SCALAR = (dtypes.bool, TensorShape([]))


TABLE_NODES = "LookupTable"  # the prefix of the types of nodes that use tables


def resources(node: _core.Node) -> list[Any]:
    """The tables that a node uses."""
    function = getattr(node.host_function, "function", None)
    table = getattr(function, "__self__", None)
    return [table] if node.type.startswith(TABLE_NODES) and table is not None else []


def emit(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """Exports a node, and returns its results.

    Raises:
        NoSuchNodeError: if it is nothing that TensorFlow has.
    """
    if node.host_function is not None:
        return _host_call(body, node, name)
    emitter = _EMITTERS.get(node.type)
    if emitter is None and node.type.startswith(("ResourceApply", "Apply")):
        emitter = _update
    if emitter is None:
        raise NoSuchNodeError("TensorFlow has no such operation")
    return emitter(body, node, name)


def _host_call(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """A call of Python is exported if the function consists of operations of TensorFlow."""
    refs = [body.ref(tensor) for tensor in node.inputs]
    if node.type == "Assert":
        message = body.constant(b"assertion failed:", dtypes.string)
        return body.add("Assert", refs[0], [message, *refs[1:]], name=name)
    if resources(node):
        return _table_call(body, node, name)
    if isinstance(node.host_function, host_lowering.TensorflowOperation):
        return node.host_function.emit(body, node, name)
    if isinstance(node.host_function, NextElement):
        return _next_element(body, node, name)
    if node.type in _PROGRAM_FUNCTIONS:
        return _program_function(body, node, name)
    if host_lowering.find(node) is None:
        raise NoSuchNodeError("it calls Python")
    return body.inline(host_lowering.traced(node), refs, name)


def _table_call(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """A call of a table's method."""
    table = resources(node)[0]
    handle = body.handle(table)
    refs = [body.ref(tensor) for tensor in node.inputs]
    is_vocabulary = isinstance(table, StaticVocabularyTable)
    if node.type == "LookupTableFind" and is_vocabulary:
        if refs[0].dtype is not table.export()[0].dtype:
            raise NoSuchNodeError("the vocabulary has keys of another dtype")
        return vocabulary_ids(body, table, refs[0], name)
    if node.type == "LookupTableFind":
        default = refs[1] if len(refs) > 1 else body.constant(table.default_value)
        return body.add(
            "LookupTableFindV2", handle, refs[0], default, name=name, outputs=_specs(node)
        )
    if node.type == "LookupTableInsert":
        return body.add("LookupTableInsertV2", handle, *refs, name=name)
    if node.type == "LookupTableRemove":
        return body.add("LookupTableRemoveV2", handle, *refs, name=name)
    if node.type == "LookupTableExport":
        return body.add(
            "LookupTableExportV2", handle, name=name, outputs=_specs(node), Tkeys=table.key_dtype,
            Tvalues=table.value_dtype,
        )  # fmt: skip
    if node.type == "LookupTableSize" and not is_vocabulary:
        return body.add("LookupTableSizeV2", handle, name=name)
    raise NoSuchNodeError("TensorFlow has no such method of tables")


# What `tf.numpy_function` and `tf.py_function` add to a graph.
_PROGRAM_FUNCTIONS = ("PyFunc", "EagerPyFunc")
_tokens = itertools.count()


def _program_function(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """A call of a program's Python function, of which a file has only the name."""
    op = "PyFuncStateless" if node.type == "PyFunc" and not node.has_effects else node.type
    outputs = _specs(node)
    return body.add(
        op, [body.ref(tensor) for tensor in node.inputs], name=name, outputs=outputs,
        token=f"pyfunc_{next(_tokens)}", Tout=[dtype for dtype, _ in outputs],
    )  # fmt: skip


def _next_element(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """The next element of an iterator, whose handle is an argument."""
    if not all(
        isinstance(spec, TensorSpec) for spec in nest.flatten(node.host_function.element_spec)
    ):
        raise NoSuchNodeError("elements of iterators in files are tensors")
    outputs = _specs(node)
    return body.add(
        "IteratorGetNext", body.ref(node.inputs[0]), name=name, outputs=outputs,
        output_types=[dtype for dtype, _ in outputs], output_shapes=[shape for _, shape in outputs],
    )  # fmt: skip


def _specs(node: _core.Node) -> list[tuple[Any, TensorShape]]:
    return [(tensor.dtype, tensor.shape) for tensor in node.outputs]


def _read(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    variable = node.variables[0]
    if body.exporter.frozen:
        value = _core.as_tensor(variable)
        return body.add("Const", name=name, outputs=_specs(node), value=value, dtype=value.dtype)
    return body.add(
        "ReadVariableOp", body.handle(variable), name=name, outputs=_specs(node),
        dtype=variable.dtype,
    )  # fmt: skip


def _assign(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    variable = node.variables[0]
    if body.exporter.frozen:
        raise NoSuchNodeError("it changes a variable that is to become a constant")
    value = body.ref(node.inputs[0])
    return body.add(node.type, body.handle(variable), value, name=name, dtype=variable.dtype)


def _identity_n(body: Any, node: _core.Node, name: str) -> Sequence[Ref]:
    """A custom gradient: an `IdentityN` of the results, then of the tensors to differentiate by."""
    found = node.custom_gradient
    refs = [body.ref(tensor) for tensor in node.inputs]
    if found is None or not body.keeps_gradient(node):
        return body.add("IdentityN", refs[: len(node.outputs)], name=name)
    _, count, kinds, variables = found
    arguments = count + len(kinds) - len(variables)
    exchanged = {id(traced): actual for traced, actual in node.exchanged}
    reads = [
        body.add("ReadVariableOp", body.handle(exchanged.get(id(v), v)), dtype=v.dtype)[0]
        for v in variables
    ]
    written = body.add("IdentityN", [*refs[:arguments], *reads], name=name)
    body.add_gradient(node, written, refs[arguments:])
    return written[:count]


def _no_op(body: Body, node: object, name: str) -> Sequence[Ref]:
    return body.add("NoOp", name=name)


def _with_default(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    value = body.ref(node.inputs[0])
    shape = node.outputs[0].shape
    return body.add("PlaceholderWithDefault", value, name=name, outputs=_specs(node), shape=shape)


def _is_initialized(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    return body.add("VarIsInitializedOp", body.handle(node.variables[0]), name=name)


def _stream(body: GraphWriter, node: Any, name: str) -> Sequence[Ref]:
    """A random stream is part of the operation that draws from it."""
    return body.results(name, _specs(node))


def _gradient(body: Any, node: Any, name: str) -> Sequence[Ref]:
    """The gradient of an operation, or of a node that runs functions."""
    refs = [body.ref(tensor) for tensor in function_gradients.needed_by(node)]
    run, written = node.taped_run, None
    if run is not None and not run[3]:
        raise NoSuchNodeError(function_gradients.OF_ANOTHER_FUNCTION)
    if run is not None:
        written = body.written_calls.get(run[0].id)
    if written is not None:
        refs += written.refs
    return body.inline(function_gradients.traced(node, written), refs, name)


def _rows(body: Any, node: _core.Node, name: str) -> Sequence[Ref]:
    """A graph that runs for many rows, as a loop over these."""
    needed = function_gradients.needed_by(node)
    graph = FuncGraph(node.type)
    with graph.as_default():
        values = [graph.placeholder(t.dtype, dims_of(t.shape), "x") for t in needed]
        graph.finish(function_gradients.rows_of(node, values))
    return body.inline(graph, [body.ref(tensor) for tensor in needed], name)


def _update(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """An optimizer's update of many variables, as the operations that its rule consists of."""
    graph = FuncGraph(node.type)
    with graph.as_default():
        inputs = [graph.placeholder(t.dtype, dims_of(t.shape), "x") for t in node.inputs]
        graph.finish(node.replay(inputs))
    return body.inline(graph, [body.ref(tensor) for tensor in node.inputs], name)


def _equality(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """A comparison that is a scalar where the shapes do not broadcast."""
    inputs = map(body.ref, node.inputs)
    return body.add(
        node.type, *inputs, name=name, outputs=_specs(node), incompatible_shape_error=False
    )


def _mask_check(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """A mask of checked sizes: a reshape to them fails where they do not have as many elements."""
    mask, sizes = map(body.ref, node.inputs)
    return body.add("Reshape", mask, sizes, name=name, outputs=_specs(node))


def _skip(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """The state of a generator, which moves on."""
    blocks = body.ref(node.inputs[0])
    delta = body.add("FloorDiv", blocks, 256)[0]
    delta = body.add("Cast", delta, DstT=dtypes.uint64)[0]
    algorithm = body.constant(1, dtypes.int32)
    state = body.add("RngReadAndSkip", body.handle(node.variables[0]), algorithm, delta, name=name)[
        0
    ]
    low, high, key = (
        body.add("StridedSlice", state, [k], [k + 1], [1], shrink_axis_mask=1)[0] for k in range(3)
    )
    return [key, low, high]


def _call(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    callee = node.callees[0]
    if node.id in body.differentiated and callee.has_effects:
        written = function_gradients.to_write(node)
        if written is not None:
            return _written_in_place(body, node, name, written)
    function = body.exporter.function(callee)
    exchanged = {id(traced): actual for traced, actual in node.exchanged}
    handles = [
        body.handle(exchanged.get(id(item), item)) for item in body.exporter.variables_of(callee)
    ]
    if exchanged and body.exporter.frozen:
        raise NoSuchNodeError("it takes variables that are to become constants")
    refs = [*(body.ref(tensor) for tensor in node.inputs), *handles]
    return body.add(
        _stateful("PartitionedCall", body, callee), refs, name=name, outputs=_specs(node),
        Tout=[tensor.dtype for tensor in node.outputs], f=FunctionName(function),
    )  # fmt: skip


def _written_in_place(body: Body, node: _core.Node, name: str, call: Any) -> Sequence[Ref]:
    """Inlines a call; its gradients use the results of its effects."""
    count = len(node.outputs)
    graph, kept = call.graphs[0], call.kept[0]
    refs = body.inline(graph, [body.ref(tensor) for tensor in node.inputs], name, kept)
    # Unused random values have no tensor.
    needed = {k: ref for k, ref in enumerate(refs[count:]) if ref is not None}
    body.written_calls[node.id] = call._replace(
        kept=[[kept[k] for k in needed]], refs=list(needed.values())
    )
    return refs[:count]


def _stateful(op: str, body: Body, *callees: FuncGraph) -> str:
    """The name of an operation that runs functions with effects or variables, or without."""
    state = any(callee.has_effects for callee in callees)
    state = state or bool(body.exporter.variables_of(*callees))
    if op == "PartitionedCall":
        return "StatefulPartitionedCall" if state else op
    return op if state else f"Stateless{op}"


def _arguments(
    node: _core.Node, which: int, places: Sequence[int], branch: FuncGraph | None = None
) -> list[Any]:
    """The tensors in its graph of the arguments of a branch, or of a loop's condition or body.

    Args:
        node: the node.
        which: which of its graphs.
        places: the indices of the node's inputs that follow the graph's own.
        branch: a graph to export instead, whose inputs are the other graph's captures.
    """
    callee = node.callees[which]
    if branch is None or branch is callee:
        own = callee.inputs
        captured = [inner for _, inner in callee.captures]
    else:
        own, captured = [], branch.inputs
    of_place = dict(zip(node.captures[which], captured, strict=True))
    return [*own, *(of_place.get(k, tensor_spec(node.inputs[k])) for k in places)]


def tensor_spec(tensor: Any) -> TensorSpec:
    """The spec of an argument that a function does not use."""
    return TensorSpec(tensor.shape, tensor.dtype)


def _choice(body: Any, node: Any, name: str) -> Sequence[Ref]:
    index, *tensors = node.inputs
    graphs, written = node.callees, None
    if node.id in body.differentiated and any(callee.has_effects for callee in graphs):
        written = function_gradients.to_write(node)
    if written is not None:
        graphs = written.graphs
    variables = body.exporter.variables_of(*graphs)
    functions = [
        body.exporter.function(
            graph,
            arguments=_arguments(node, k, range(1, len(tensors) + 1), graph),
            variables=variables,
        )
        for k, graph in enumerate(graphs)
    ]
    refs = [*(body.ref(tensor) for tensor in tensors), *map(body.handle, variables)]
    outputs = _specs(node)
    if written is not None:
        outputs += [(t.dtype, TensorShape(None)) for tensors in written.kept for t in tensors]
    common = {
        "name": name,
        "outputs": outputs,
        "Tout": [dtype for dtype, _ in outputs],
        "output_shapes": [shape for _, shape in outputs],
    }
    if node.type.endswith("If"):
        then, otherwise = map(FunctionName, functions)
        found = body.add(
            _stateful("If", body, *graphs), body.ref(index), refs, then_branch=then,
            else_branch=otherwise, **common,
        )  # fmt: skip
    else:
        branches = [FunctionName(function) for function in functions]
        found = body.add(
            _stateful("Case", body, *graphs), body.ref(index), refs, branches=branches, **common
        )
    count = len(node.outputs)
    if written is not None:
        body.written_calls[node.id] = written._replace(refs=found[count:])
    return found[:count]


def _while(body: Body, node: _core.Node, name: str) -> Sequence[Ref]:
    """A loop as TensorFlow writes it: a counter and a limit come before its variables."""
    condition, step = node.callees
    count = len(node.outputs)
    captured = {place for places in node.captures for place in places}
    limited = len(node.inputs) > count and count not in captured
    counted = _counts(node)
    places = range(count + limited, len(node.inputs))
    tensors = [*node.inputs[:count], *(node.inputs[place] for place in places)]
    variables = body.exporter.variables_of(*node.callees)
    refs = [*(body.ref(tensor) for tensor in tensors), *map(body.handle, variables)]
    first: list[Ref] = []
    if limited:
        limit = body.ref(node.inputs[count])
        first = [body.constant(0, limit.dtype), limit]
    elif not counted:
        first = [body.constant(0, dtypes.int32), body.constant(-1, dtypes.int32)]
    functions = [
        _loop_function(body, node, which, places, variables, first, limited) for which in range(2)
    ]
    shapes = [
        *(TensorShape([]) for _ in first), *(tensor.shape for tensor in node.outputs),
        *(tensor.shape for tensor in tensors[count:]), *(TensorShape([]) for _ in variables),
    ]  # fmt: skip
    results = body.add(
        _stateful("While", body, condition, step), [*first, *refs], name=name,
        outputs=[*((ref.dtype, ref.shape) for ref in first), *_specs(node)],
        cond=FunctionName(functions[0]), body=FunctionName(functions[1]), output_shapes=shapes,
    )  # fmt: skip
    return results[len(first) : len(first) + count]


def _counts(node: _core.Node) -> bool:
    """Whether the first variables of a loop are a counter and a limit, as in an imported loop."""
    if len(node.outputs) < 2:
        return False
    begin, limit = (_core.node_of(tensor) for tensor in node.inputs[:2])
    step = node.callees[1]
    if begin.constant is None or begin.constant.shape.rank != 0 or int(begin.constant) != 0:
        return False
    counter, kept = (_through_identities(tensor) for tensor in step.outputs[:2])
    arguments = [_core.node_of(tensor).id for tensor in step.inputs[:2]]
    if _core.node_of(kept).id != arguments[1] or _core.node_of(counter).type not in (
        "Add",
        "AddV2",
    ):
        return False
    addends = {_core.node_of(tensor).id for tensor in _core.node_of(counter).inputs}
    if arguments[0] not in addends:
        return False
    if limit.constant is not None and limit.constant.shape.rank == 0 and int(limit.constant) == -1:
        return True
    # Some loops end before the limit.
    condition = node.callees[0]
    ends = _core.node_of(_through_identities(condition.outputs[0]))
    bounds = [_core.node_of(tensor) for tensor in ends.inputs if ends.type == "LogicalAnd"]
    given = [_core.node_of(tensor).id for tensor in condition.inputs[:2]]
    return any(
        bound.type == "Less" and [_core.node_of(tensor).id for tensor in bound.inputs] == given
        for bound in bounds
    )


def _through_identities(tensor: _core.Tensor) -> _core.Tensor:
    """Follows identities to their input."""
    while _core.node_of(tensor).type == "Identity":
        tensor = _core.node_of(tensor).inputs[0]
    return tensor


def _loop_function(
    body: Body, node: _core.Node, which: int, places: Sequence[int], variables: Sequence[object],
    first: Sequence[Ref], limited: bool,
) -> str:  # fmt: skip
    """The function of a loop's condition or body, between all loop variables."""
    exporter = body.exporter
    callee = node.callees[which]
    name = exporter.name_of(callee)
    inner = exporting.FunctionBody(exporter, name)
    names = ("while_loop_counter", "while_maximum_iterations")
    counters = [
        inner.argument(text, ref.dtype, ref.shape) for text, ref in zip(names, first, strict=False)
    ]
    inner.begin(callee, _arguments(node, which, places), variables)
    inner.write(callee)
    results = [inner.ref(tensor) for tensor in callee.outputs]
    if which == 1:
        if counters:
            results = [inner.add("AddV2", counters[0], 1)[0], counters[1], *results]
        signature = inner.message.signature.input_arg
        results += [
            Ref(argument.name, dtypes.as_dtype(argument.type), TensorShape(None), argument.name)
            for argument in signature[len(results) :]
        ]
    elif limited:
        in_time = inner.add("Less", *counters)[0]
        results = inner.add("LogicalAnd", results[0], in_time)
    inner.finish(results)
    exporter.functions.append(inner.message)
    return name


Emitter = Callable[[Any, Any, str], Sequence[Ref]]
_EMITTERS: dict[str, Emitter] = {
    "ReadVariableOp": _read,
    "CheckedMask": _mask_check,
    "Equal": _equality,
    "NotEqual": _equality,
    "AssignVariableOp": _assign,
    "AssignAddVariableOp": _assign,
    "AssignSubVariableOp": _assign,
    "IdentityN": _identity_n,
    "NoOp": _no_op,
    "PlaceholderWithDefault": _with_default,
    "VarIsInitializedOp": _is_initialized,
    "RandomStream": _stream,
    "RngReadAndSkip": _skip,
    "SymbolicGradient": _gradient,
    "RowsOf": _rows,
    "PartitionedCall": _call,
    "StatefulPartitionedCall": _call,
    "If": _choice,
    "StatelessIf": _choice,
    "Case": _choice,
    "StatelessCase": _choice,
    "While": _while,
    "StatelessWhile": _while,
}

"""Gradients of calls, conditionals and loops in exported graphs, for known and unknown sizes.

Our gradient nodes read the tape of the forward run. TensorFlow has no such tape, so an exported gradient
runs the function again under a tape. If a function or a branch assigns variables or draws random values,
the results of these effects are kept from the first run: a call is inlined, and a conditional returns
them after its results.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.graphdef import composed, gradients, host_gradients, host_lowering
from eagerflow.graphdef.emitters import NoSuchNodeError

_ops = _core.ops
Tensor = _core.Tensor

OF_ANOTHER_FUNCTION = (
    "it is a gradient of a call, choice or loop of another function; trace it with known shapes"
)

_READS_OF_LISTS = frozenset(
    "tensor_list_get_item tensor_list_gather tensor_list_stack tensor_list_concat".split()
)
# The gradient of a written element reads the list's gradient, also in branches and loops.
_WRITES_OF_LISTS = frozenset("tensor_list_set_item tensor_list_scatter".split())


def _reads_its_lists(step: FuncGraph) -> bool:
    """Whether a loop reads lists that it writes, whose elements it could replace."""
    captured = {inner.name for _, inner in step.captures}

    def reads(node: _core.Node) -> bool:
        forward = node.differentiated and node.differentiated[0]
        if node.taped_run or (forward and (forward.callees or forward.op in _WRITES_OF_LISTS)):
            return any(t.dtype is tf.variant and t.name not in captured for t in node.inputs)
        return node.op in _READS_OF_LISTS and node.inputs[0].name not in captured

    return any(map(reads, step.nodes))


def refusal(node: _core.Node) -> str:
    """Why the gradient of a node that runs functions cannot be exported; empty if it can."""
    if "While" in node.type and _reads_its_lists(node.callees[1]):
        return (
            "it is a gradient of a loop that reads TensorArrays that it writes; trace the function with "
            "known shapes"
        )
    host = node.host_function
    if isinstance(host, host_lowering.TensorflowOperation):
        known = host.definition.name in host_gradients.RULES
        return "" if known else f"it is a gradient of {host.definition.name}"
    if host is not None and not _is_lowered(node):
        return "it is a gradient of a call of Python"
    if any(callee.has_effects for callee in node.callees):
        return (
            f"it is a gradient of a {node.type} that changes variables or draws random numbers, and "
            "would do so once more; trace the function with known shapes"
        )
    return ""


class WrittenRun(NamedTuple):
    """A call or conditional with effects, exported so that the results of the effects are kept.

    Args:
        graphs: the graphs of the functions, with calls inlined.
        kept: for each graph, the tensors that a second run would not compute again.
        places: for each graph, the indices of the node's inputs that it reads.
        refs: the exported tensors of the kept ones.
    """

    graphs: Sequence[FuncGraph]
    kept: Sequence[Sequence[Any]]
    places: Sequence[Sequence[int]]
    refs: Sequence[Any] = ()


def to_write(node: Any) -> WrittenRun | None:
    """How a call or choice is written; None if a choice or loop inside of it has effects, too."""
    if node.exchanged or "While" in node.type:
        return None
    places = node.captures or [range(len(node.inputs))]
    graphs, outputs = [], []
    for callee, own in zip(node.callees, places, strict=True):
        graph = FuncGraph(callee.name)
        with graph.as_default():
            inputs = (node.inputs[place] for place in own)
            x = [graph.placeholder(t.dtype, dims_of(t.shape), "x") for t in inputs]
            outputs.append(_replayed(callee, x))
        if any(inner.has_effects and inner.callees for inner in graph.nodes):
            return None
        graphs.append(graph)
    kept = [_results_of_effects(graph) for graph in graphs]
    for which, (graph, own) in enumerate(zip(graphs, outputs, strict=True)):
        if not node.captures:
            graph.finish(own)
            continue
        # Branches return equal structures: a placeholder value for each tensor that another branch keeps.
        with graph.as_default():
            others = [
                tensors if k == which else [tf.zeros([0], t.dtype) for t in tensors]
                for k, tensors in enumerate(kept)
            ]
            graph.finish([*own, *itertools.chain(*others)])
    return WrittenRun(graphs, kept, places)


def _results_of_effects(graph: FuncGraph) -> list[Tensor]:
    """The tensors of a graph that a second run would not compute again."""
    changed = {id(v) for node in graph.nodes if node.has_effects for v in node.variables}
    streams = {t.name for n in graph.nodes if n.type == _STREAM for t in n.outputs}
    found = []
    for node in graph.nodes:
        draws = any(tensor.name in streams for tensor in node.inputs)
        stale = any(id(variable) in changed for variable in node.variables)
        if node.type != _STREAM and (node.has_effects or draws or stale):
            found += node.outputs
    return found


# A stream of random values: part of the operation that draws from it.
_STREAM = "RandomStream"


def needed_by(node: Any) -> list[Any]:
    """The tensors that a node needs to run once more, and to be written.

    For a gradient node they are the inputs of the differentiated node, and the gradients of its outputs.
    """
    if node.type == "RowsOf":
        return [*node.inputs, *_needed_outside(node.callees[0], node.graph)]
    if node.taped_run is not None:
        run, _, _, is_local = node.taped_run
        return [*needed_by(run), *node.inputs] if is_local else node.inputs
    if node.differentiated is None or node.differentiated[3] is not None:
        return node.inputs
    forward = node.differentiated[0]
    return [*node.inputs, *forward.inputs, *forward.outputs]


def _needed_outside(callee: Any, graph: Any) -> list[Any]:
    """What gradients in a graph need of runs of the graph that it belongs to."""
    runs = [node.taped_run for node in callee.nodes if node.taped_run is not None]
    outside = [run for run, _, _, is_local in runs if not is_local]
    if any(run.graph is not graph for run in outside):
        raise NoSuchNodeError(OF_ANOTHER_FUNCTION)
    return [tensor for run in outside for tensor in needed_by(run)]


def _sources(node: _core.Node) -> list[Any]:
    """The sources of a run's gradient: indices of its arguments, and variables that it reads."""
    if node.taped_run is None:
        return [*range(len(node.inputs)), *node.reads]
    run = node.taped_run[0]
    first = len(needed_by(run))
    return [*_sources(run), *range(first, first + len(node.inputs)), *node.reads]


def traced(node: _core.Node, written: WrittenRun | None = None) -> FuncGraph:
    """The graph of a gradient.

    Args:
        node: the gradient.
        written: the run, if it is written in place.

    Its inputs are those of the gradient, and the tensors that a written run keeps.

    Raises:
        NoSuchNodeError: if the gradient cannot be exported.
    """
    kept = [] if written is None else [*itertools.chain(*written.kept)]
    graph = FuncGraph(node.name.rpartition("/")[2])
    with graph.as_default():
        values = [graph.placeholder(t.dtype, dims_of(t.shape), "x") for t in needed_by(node)]
        # If another branch ran, these are placeholder values of unknown shape.
        known = [graph.placeholder(t.dtype, None, "kept") for t in kept]
        if written is None:
            graph.finish(_gradient_again(node, values))
        else:
            graph.finish(_back_through(node, values, written, known))
    return graph


def _back_through(
    node: Any,
    values: list[Tensor],
    written: WrittenRun | None = None,
    known: Sequence[Tensor] = (),
) -> list[Tensor]:
    """Adds what a gradient computes to the graph that is being built; its results.

    Args:
        node: the gradient.
        values: its arguments.
        written: the run, if it is written in place.
        known: the kept tensors of a written run.
    """
    forward, wanted, given, _ = node.taped_run
    if written is None and (reason := refusal(forward)):
        raise NoSuchNodeError(reason)
    count = len(values) - len(node.inputs)
    x, dy = values[:count], dict(zip(given, values[count:], strict=True))
    sources = [source for source, _ in wanted]
    if written is None:
        found = _of(forward, x, sources, dy)
    else:
        found = _of_written(forward, written, x, known, sources, dy)
    results = []
    for gradient, (_, is_rows) in zip(found, wanted, strict=True):
        results.append(gradient)
        if is_rows:  # the gradient of all rows
            results.append(tf.range(tf.shape(gradient)[0], dtype=_index_dtype(node, results)))
    return results


def _gradient_again(node: Any, values: list[Tensor]) -> list[Tensor]:
    """Adds what a gradient computes to the graph that is being built; its results.

    A tape may watch its arguments: the added operations have gradients.
    """
    if node.taped_run is not None:
        return _back_through(node, values)
    if node.differentiated is None:
        raise NoSuchNodeError(OF_ANOTHER_FUNCTION)
    forward, wanted, given, operands = node.differentiated
    if operands is None:
        # The gradient depends on its own inputs.
        by_name: dict[str, Tensor] = {}
        for tensor, value in zip(needed_by(node), values, strict=True):
            by_name.setdefault(tensor.name, value)
        x, y = ([by_name[t.name] for t in tensors] for tensors in (forward.inputs, forward.outputs))
    else:
        x, y = _operands(forward, operands, values)
    dy = [values[k] if k >= 0 else tf.zeros_like(value) for k, value in zip(given, y, strict=True)]
    return gradients.of_operation(forward, wanted, dy, x, y)


def _operands(
    forward: _core.Node, operands: Sequence[tuple[int, int, int]], values: Sequence[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """The inputs and outputs of an operation of another graph: zeros for values that nothing reads."""
    count = forward.num_op_inputs
    tensors = [*forward.inputs[:count], *forward.outputs]
    found = []
    for tensor, (value, like, sizes) in zip(tensors, operands, strict=False):
        if value >= 0:
            found.append(values[value])
            continue
        shape: Any = tensor.shape
        if like >= 0 or sizes >= 0:
            shape = tf.shape(values[like]) if like >= 0 else values[sizes]
        found.append(tf.ensure_shape(tf.zeros(shape, tensor.dtype), tensor.shape))
    late: dict[int, Tensor] = {}
    for (_, _, which, _), (value, _, _) in zip(forward.late, operands[len(tensors) :], strict=True):
        late[which] = values[value]
    rest = [late.get(k, found[0]) for k in range(count, len(forward.inputs))]
    return [*found[:count], *rest], found[count:]


def _index_dtype(node: _core.Node, results: list[Tensor]) -> Any:
    return node.outputs[len(results)].dtype


def _is_lowered(node: _core.Node) -> bool:
    """Whether a node calls Python that consists of operations of TensorFlow."""
    host = node.host_function
    return (
        host is not None
        and not isinstance(host, host_lowering.TensorflowOperation)
        and host_lowering.find(node) is not None
    )


def _of_operation(
    forward: _core.Node, x: list[Tensor], wanted: list[int], dy: dict[int, Tensor]
) -> list[Tensor]:
    """The gradients of an operation that only TensorFlow has."""
    operation = forward.host_function
    y = forward.replay(x)
    given = [dy[k] if k in dy else tf.zeros_like(value) for k, value in enumerate(y)]
    rule = host_gradients.RULES[operation.definition.name]
    found = rule(given, x, y, operation.attrs)
    return [tf.zeros_like(x[k]) if found[k] is None else found[k] for k in wanted]


def _replayed(
    graph: Any, arguments: Sequence[Tensor], known: Mapping[str, Tensor] | None = None,
    outside: Mapping[str, Tensor] | None = None,
) -> list[Tensor]:  # fmt: skip
    """Copies a graph's nodes into the graph that is being built, and returns its results.

    Args:
        graph: the graph.
        arguments: tensors for its inputs, then for its captures.
        known: results of effects by name, which are not repeated.
        outside: tensors of the outer graph's runs that gradients read, by name.
    """
    captured = [inner for _, inner in graph.captures if outside is None or not _is_tape(inner)]
    given = [*graph.inputs, *captured]
    values = {inner.name: value for inner, value in zip(given, arguments, strict=True)}
    values.update(known or {})
    for node in graph.nodes:
        if node.type == "Placeholder" or (node.outputs and node.outputs[0].name in values):
            continue
        if known is not None and (node.has_effects or node.type == _STREAM):
            continue
        if node.constant is not None:
            found = [node.constant]
        else:
            needed = [values[tensor.name] for tensor in needed_by(node)]
            run = node.taped_run
            if run is not None and not run[3]:
                if outside is None:
                    raise NoSuchNodeError(OF_ANOTHER_FUNCTION)
                needed = [*(outside[tensor.name] for tensor in needed_by(run[0])), *needed]
            found = _node_again(node, needed)
        values.update((old.name, new) for old, new in zip(node.outputs, found, strict=True))
    return [values[tensor.name] for tensor in graph.outputs]


def _is_tape(tensor: Tensor) -> bool:
    """Whether a captured tensor is an internal tape, not an output that programs see."""
    return not _core.node_of(tensor).outputs


def _node_again(node: _core.Node, inputs: list[Tensor]) -> list[Tensor]:
    """Repeats a node in the graph that is being built, and returns its results."""
    if node.type == "SymbolicGradient":
        return _gradient_again(node, inputs)
    if _is_lowered(node):
        return host_lowering.lowered(node, inputs)
    if node.op is not None or not node.callees or node.exchanged:
        return node.replay(inputs)
    if node.type == "RowsOf":
        return rows_of(node, inputs)
    if not node.captures:
        return _replayed(node.callees[0], inputs)
    parts = [[inputs[place] for place in places] for places in node.captures]
    if "While" in node.type:
        condition, step = node.callees
        count = len(node.outputs)
        return _as_list(
            tf.while_loop(
                lambda *values: _is_true(_replayed(condition, [*values, *parts[0]])[0]),
                lambda *values: _replayed(step, [*values, *parts[1]]),
                inputs[:count],
                [output.shape for output in node.outputs],
                maximum_iterations=_limit(node, inputs),
            )
        )
    branches = [
        lambda callee=callee, part=part: _replayed(callee, part)
        for callee, part in zip(node.callees, parts, strict=True)
    ]
    return _choose(node, inputs[0], branches)


def rows_of(node: Any, inputs: list[Tensor]) -> list[Tensor]:
    """A graph's results for each row of its inputs."""
    callee = node.callees[0]
    count, own = len(callee.inputs), len(node.inputs)
    needed = (tensor.name for tensor in needed_by(node)[own:])
    outside = dict(zip(needed, inputs[own:], strict=True))
    return tf.map_fn(
        lambda row: _replayed(callee, [*row, *inputs[count:own]], None, outside),
        inputs[:count],
        fn_output_signature=[tf.TensorSpec(t.shape, t.dtype) for t in callee.outputs],
    )


def _choose(
    node: _core.Node, chosen: Tensor, branches: Sequence[Callable[..., list[Tensor]]]
) -> list[Tensor]:
    """The results of a node's selected branch."""
    if node.type.endswith("If"):
        return _as_list(tf.cond(_is_true(chosen), branches[0], branches[1]))
    return _as_list(tf.switch_case(chosen, branches))


def _is_true(value: Tensor) -> Tensor:
    return value if value.dtype is tf.bool else composed.truth(value)


def _limit(node: _core.Node, inputs: Sequence[Tensor]) -> Tensor | None:
    """The most iterations of a loop: it comes after the variables, and belongs to no function."""
    count = len(node.outputs)
    captured = {place for places in node.captures for place in places}
    return inputs[count] if len(inputs) > count and count not in captured else None


def _of(forward: Any, x: list[Tensor], wanted: list[int], dy: dict[int, Tensor]) -> list[Tensor]:
    """The gradients of a run with respect to `wanted` sources.

    Args:
        forward: the node of the run.
        x: its arguments.
        wanted: which sources.
        dy: the gradients of outputs by index.
    """
    if isinstance(forward.host_function, host_lowering.TensorflowOperation):
        return _of_operation(forward, x, wanted, dy)
    if "While" in forward.type:
        return _of_loop(forward, x, wanted, dy)
    if forward.type.endswith(("If", "Case")):
        return _of_choice(forward, x, wanted, dy)
    sources = _sources(forward)
    variables = [source for source in sources if not isinstance(source, int)]
    # Variables follow the arguments.
    behind = itertools.count(len(x))
    places = [source if isinstance(source, int) else next(behind) for source in sources]
    return _pulled(
        lambda inputs: _node_again(forward, inputs), x, variables, [places[k] for k in wanted], dy
    )


def _pulled(
    run: Callable[[list[Tensor]], list[Tensor]], x: Sequence[Tensor], variables: Sequence[Any],
    wanted: Sequence[int], dy: dict[int, Tensor], element_dtypes: Mapping[int, Any] | None = None,
) -> list[Tensor]:  # fmt: skip
    """The gradients of a function with respect to `wanted` inputs and variables, as dense tensors.

    Args:
        run: the function.
        x: its inputs.
        variables: variables that it reads.
        wanted: which of the inputs and then variables.
        dy: the gradients of outputs by index.
        element_dtypes: the dtypes of lists among the inputs, float32 by default.
    """
    arguments = [_ops.identity(value) for value in x]
    sources = [[*arguments, *variables][source] for source in wanted]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        outputs = run(arguments)
    targets = [outputs[k] for k in dy]
    found = tape.gradient(targets, sources, list(dy.values()))
    results = []
    for k, gradient, source in zip(wanted, found, sources, strict=True):
        if gradient is not None:
            results.append(tf.convert_to_tensor(gradient))
        elif _core.as_tensor(source).dtype is tf.variant:
            results.append(_empty_list(source, (element_dtypes or {}).get(k, tf.float32)))
        else:
            results.append(tf.zeros_like(source))
    return results


def _of_written(
    forward: _core.Node, written: WrittenRun, x: list[Tensor], known: Sequence[Tensor], wanted: list[int],
    dy: dict[int, Tensor],
) -> list[Tensor]:  # fmt: skip
    """The gradients of a call or conditional that was exported with kept tensors."""
    rest = iter(known)
    parts = [list(itertools.islice(rest, len(tensors))) for tensors in written.kept]
    branches = [
        functools.partial(_of_part, forward.reads, written, which, x, part, wanted, dy)
        for which, part in enumerate(parts)
    ]
    return _choose(forward, x[0], branches) if forward.captures else branches[0]()


def _of_part(
    reads: Sequence[object], written: WrittenRun, which: int, x: list[Tensor], known: list[Tensor],
    wanted: list[int], dy: dict[int, Tensor],
) -> list[Tensor]:  # fmt: skip
    """The gradients of one function of a written run, with the kept tensors `known`."""
    count = len(x)
    kept = written.kept[which]
    known = [tf.ensure_shape(v, t.shape) for v, t in zip(known, kept, strict=True)]

    def run(arguments: list[Tensor]) -> list[Tensor]:
        names = (tensor.name for tensor in kept)
        values = dict(zip(names, arguments[count:], strict=True))
        own = [arguments[place] for place in written.places[which]]
        return _replayed(written.graphs[which], own, values)

    # A kept value of a variable that the function assigns replaces the variable.
    nodes = [_core.node_of(tensor) for tensor in kept]
    read = {k: n.variables[0] for k, n in enumerate(nodes) if n.type == "ReadVariableOp"}
    asked = [source if source < count else source + len(known) for source in wanted]
    found = _pulled(run, [*x, *known], reads, [*asked, *(count + k for k in read)], dy)
    totals = found[: len(wanted)]
    for variable, more in zip(read.values(), found[len(wanted) :], strict=True):
        for k, source in enumerate(wanted):
            if source >= count and reads[source - count] is variable:
                totals[k] = totals[k] + more
    return totals


def _of_choice(
    forward: _core.Node, x: list[Tensor], wanted: list[int], dy: dict[int, Tensor]
) -> list[Tensor]:
    """The gradients of the branch that was chosen."""

    def branch(which: int) -> Callable[[], list[Tensor]]:
        callee, places = forward.callees[which], forward.captures[which]

        def run(arguments: list[Tensor]) -> list[Tensor]:
            return _replayed(callee, [arguments[place] for place in places])

        return lambda: _pulled(run, x, forward.reads, wanted, dy)

    return _choose(forward, x[0], [branch(k) for k in range(len(forward.callees))])


def _as_list(found: Any) -> list[Tensor]:
    return list(found) if isinstance(found, list | tuple) else [found]


def _of_loop(
    forward: _core.Node, x: list[Tensor], wanted: list[int], dy: dict[int, Tensor]
) -> list[Tensor]:
    """The gradients of a loop: runs it, keeps the inputs of each iteration, and iterates backwards."""
    condition, step = forward.callees
    count = len(forward.outputs)
    shapes = [output.shape for output in forward.outputs]
    outer = [[x[place] for place in places] for places in forward.captures]
    limit = _limit(forward, x)

    def goes_on(k: Tensor, values: list[Tensor], kept: object) -> Tensor:
        more = _is_true(_replayed(condition, [*values, *outer[0]])[0])
        return more if limit is None else tf.logical_and(more, k < tf.cast(limit, tf.int32))

    # The lengths of lists are kept in place of lists: elements that are written later are not read.
    lengths = {k for k in range(count) if x[k].dtype is tf.variant}

    def keep(k: Tensor, values: list[Tensor], kept: list[Tensor]) -> Any:
        kept = [
            _ops.tensor_list_set_item(
                items, k, _ops.tensor_list_length(value) if place in lengths else value, True
            )
            for place, (items, value) in enumerate(zip(kept, values, strict=True))
        ]
        return k + 1, _replayed(step, [*values, *outer[1]]), kept

    kinds = [tf.int32 if k in lengths else x[k].dtype for k in range(count)]
    sizes = [[] if k in lengths else gradients.element_sizes(shapes[k]) for k in range(count)]
    lists = [_ops.tensor_list_reserve(0, *one) for one in zip(kinds, sizes, strict=True)]
    zero = tf.constant(0)
    scalar = tf.TensorShape([])
    last, results, kept = tf.while_loop(
        goes_on, keep, (zero, x[:count], lists), (scalar, shapes, [scalar] * count)
    )
    real = [k for k in range(count) if _is_real(x[k]) and (k not in lengths or k in dy)]
    rest = [source for source in wanted if source >= count]
    begin = [dy[k] if k in dy else tf.zeros_like(results[k]) for k in real]
    sources = [*x, *forward.reads]
    read_lists = {
        source: _element_dtype(forward, source)
        for source in rest
        if source < len(x) and x[source].dtype is tf.variant
    }
    totals = [
        _empty_list(x[source], read_lists[source])
        if source in read_lists
        else tf.zeros_like(sources[source])
        for source in rest
    ]

    def back(k: Tensor, dys: Any, totals: Any) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        values = [
            _ops.tensor_list_get_item(items, k - 1, kind, size)
            for items, kind, size in zip(kept, kinds, sizes, strict=True)
        ]
        for place in lengths:
            values[place] = _ops.tensor_list_resize(results[place], values[place])

        def run(arguments: list[Tensor]) -> list[Tensor]:
            captures = (arguments[place] for place in forward.captures[1])
            return _replayed(step, [*arguments[:count], *captures])

        given = dict(zip(real, dys, strict=True))
        found = _pulled(
            run, [*values, *x[count:]], forward.reads, [*real, *rest], given, read_lists
        )
        added = [_sum(a, b) for a, b in zip(totals, found[len(real) :], strict=True)]
        return k - 1, found[: len(real)], added

    _, dys, totals = tf.while_loop(
        lambda k, *rest: k > 0,
        back,
        (last, begin, totals),
        (scalar, [shapes[k] for k in real], [total.shape for total in totals]),
    )
    by_source = dict(zip([*real, *rest], [*dys, *totals], strict=True))
    return [by_source[source] for source in wanted]


def _element_dtype(forward: _core.Node, source: int) -> Any:
    """The dtype of the elements of a list that a loop reads."""
    step = forward.callees[1]
    names = {
        inner.name
        for place, (_, inner) in zip(forward.captures[1], step.captures, strict=True)
        if place == source
    }
    for node in step.nodes:
        if "element_dtype" in node.attrs and node.inputs[0].name in names:
            return node.attrs["element_dtype"]
        if node.op is None and any(tensor.name in names for tensor in node.inputs):
            raise NoSuchNodeError(
                "it is a gradient of a loop that reads TensorArrays in calls, choices or loops of its "
                "own; trace the function with known shapes"
            )
    return tf.float32


def _sum(a: Tensor, b: Tensor) -> Tensor:
    return _ops.variant_add(a, b) if a.dtype is tf.variant else a + b


def _empty_list(items: Tensor, dtype: Any) -> Tensor:
    """A list of zeros with the length of another list."""
    return _ops.tensor_list_reserve(_ops.tensor_list_length(items), dtype, None)


def _is_real(tensor: Tensor) -> bool:
    return tensor.dtype.is_floating or tensor.dtype.is_complex or tensor.dtype is tf.variant

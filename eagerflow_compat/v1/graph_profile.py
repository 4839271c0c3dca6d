"""tf.profiler of version 1: how many parameters and float operations the nodes of a graph have."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from eagerflow.errors import InvalidArgumentError, UnimplementedError
from eagerflow.framework import context
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.protos import tensor
from eagerflow.protos.schema import Schema
from eagerflow.strings.regular_expressions import compiled

__all__ = [
    "ProfileOptionBuilder",
    "Profiler",
    "profile",
]

_MESSAGES = Schema(
    "tensorflow",
    """
    message GraphNodeProto {
      string name = 1;
      int64 run_count = 21; int64 exec_micros = 2;
      int64 accelerator_exec_micros = 17; int64 cpu_exec_micros = 18;
      int64 requested_bytes = 3; int64 peak_bytes = 24; int64 residual_bytes = 25;
      int64 output_bytes = 26; int64 parameters = 4; int64 float_ops = 13;
      repeated string devices = 10;
      int64 total_definition_count = 23; int64 total_run_count = 22; int64 total_exec_micros = 6;
      int64 total_accelerator_exec_micros = 19; int64 total_cpu_exec_micros = 20;
      int64 total_requested_bytes = 7; int64 total_peak_bytes = 27;
      int64 total_residual_bytes = 28; int64 total_output_bytes = 29;
      int64 total_parameters = 8; int64 total_float_ops = 14;
      repeated TensorShapeProto shapes = 11;
      map<int32, TensorShapeProto> input_shapes = 16;
      repeated GraphNodeProto children = 12;
    }
    message MultiGraphNodeProto {
      string name = 1;
      int64 exec_micros = 2; int64 accelerator_exec_micros = 12; int64 cpu_exec_micros = 13;
      int64 requested_bytes = 3; int64 peak_bytes = 16; int64 residual_bytes = 17;
      int64 output_bytes = 18; int64 parameters = 4; int64 float_ops = 5;
      int64 total_exec_micros = 6; int64 total_accelerator_exec_micros = 14;
      int64 total_cpu_exec_micros = 15; int64 total_requested_bytes = 7;
      int64 total_peak_bytes = 19; int64 total_residual_bytes = 20; int64 total_output_bytes = 21;
      int64 total_parameters = 8; int64 total_float_ops = 9;
      repeated GraphNodeProto graph_nodes = 10;
      repeated MultiGraphNodeProto children = 11;
    }
    """,
    tensor.MESSAGES,
)
_ROOT = "_TFProfRoot"
_TRAINABLE = "_trainable_variables"


def __getattr__(name: str) -> Any:
    if name in ("GraphNodeProto", "MultiGraphNodeProto"):
        return _MESSAGES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _size(tensor: Any) -> int:
    return int(tensor.shape.num_elements())


def _of_elements(each: int) -> Callable[..., int]:
    return lambda op: each * _size(op.outputs[0])


def _reduction(of_results: int) -> Callable[..., int]:
    """One operation for each element, and some for each result."""
    return lambda op: _size(op.inputs[0]) + of_results * _size(op.outputs[0])


def _product(op: Any) -> int:
    transposed = any(_attribute(op, name) for name in ("transpose_a", "adj_x"))
    depth = op.inputs[0].shape[-2 if transposed else -1]
    return 2 * _size(op.outputs[0]) * int(depth)


def _window(filters: Any, depthwise: bool) -> int:
    """The elements of a filter that give one element of the result."""
    sizes = filters.shape.as_list()
    return math.prod(sizes[: -2 if depthwise else -1])


def _convolution(op: Any) -> int:
    depthwise = op.type == "DepthwiseConv2dNative"
    return 2 * _size(op.outputs[0]) * _window(op.inputs[1], depthwise)


def _convolution_by_input(op: Any) -> int:
    filters, gradient = op.inputs[-2], op.inputs[-1]
    return 2 * _size(gradient) * _window(filters, op.type.startswith("Depthwise"))


def _convolution_by_filters(op: Any) -> int:
    return 2 * _size(op.inputs[-1]) * _window(op.outputs[0], op.type.startswith("Depthwise"))


def _dilation(op: Any) -> int:
    return 2 * _size(op.outputs[0]) * math.prod(op.inputs[1].shape.as_list()[:2])


def _pooling(op: Any) -> int:
    return _size(op.outputs[0]) * math.prod(_attribute(op, "ksize"))


def _pooling_gradient(op: Any) -> int:
    count = _size(op.inputs[-1])
    return count * math.prod(_attribute(op, "ksize")) + count


def _attribute(op: Any, name: str) -> Any:
    try:
        return op.get_attr(name)
    except ValueError:
        return None


# What nodes cost, as TensorFlow counts it: elementwise functions such as tanh, relu and exp are free.
_FLOPS: dict[str, Callable[[Any], int]] = {
    **dict.fromkeys(
        "Add AddV2 Sub Mul RealDiv Pow Maximum Minimum Greater GreaterEqual Less LessEqual Equal "
        "NotEqual Square Log Neg Reciprocal BiasAdd AssignAdd AssignSub AssignAddVariableOp "
        "AssignSubVariableOp".split(),
        _of_elements(1),
    ),
    **dict.fromkeys(("Rsqrt", "SquaredDifference"), _of_elements(2)),
    "Softmax": _of_elements(5),
    "AddN": lambda op: (len(op.inputs) - 1) * _size(op.outputs[0]),
    "L2Loss": lambda op: 3 * _size(op.inputs[0]) - 1,
    **dict.fromkeys(("Sum", "ArgMax", "ArgMin", "BiasAddGrad"), _reduction(-1)),
    "Mean": _reduction(0),
    **dict.fromkeys(("MatMul", "BatchMatMul", "BatchMatMulV2"), _product),
    **dict.fromkeys(("Conv2D", "Conv3D", "DepthwiseConv2dNative"), _convolution),
    **dict.fromkeys(
        ("Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput"), _convolution_by_input
    ),
    **dict.fromkeys(
        ("Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter"), _convolution_by_filters
    ),
    "Dilation2D": _dilation,
    **dict.fromkeys(("AvgPool", "MaxPool"), _pooling),
    **dict.fromkeys(("AvgPoolGrad", "MaxPoolGrad"), _pooling_gradient),
}


def _flops(op: Any) -> int:
    """How many float operations a node makes; -1 if a size is not known."""
    count = _FLOPS.get(op.type)
    if count is None:
        return 0
    tensors = [*op.inputs, *op.outputs]
    if any(tensor.shape.num_elements() is None for tensor in tensors):
        return -1
    return count(op)


class ProfileOptionBuilder:
    """Makes the options of `profile`, a dictionary.

    Args:
        options: options to begin with.

    >>> builder = tf.compat.v1.profiler.ProfileOptionBuilder
    >>> options = builder(builder.float_operation()).with_empty_output().build()
    >>> options["select"], options["output"]
    (['float_ops'], 'none')
    """

    _DEFAULTS: Mapping[str, Any] = {
        "max_depth": 100,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": False,
        "select": ["micros"],
        "step": -1,
        "output": "stdout",
    }

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self._options = dict(self._DEFAULTS if options is None else options)

    @classmethod
    def _displayed(cls, **changes: Any) -> dict[str, Any]:
        shared = {"max_depth": 10000, "account_displayed_op_only": True}
        return {**cls._DEFAULTS, **shared, **changes}

    @classmethod
    def trainable_variables_parameter(cls) -> dict[str, Any]:
        """Options that count the elements of trainable variables."""
        return cls._displayed(account_type_regexes=[_TRAINABLE], select=["params"])

    @classmethod
    def float_operation(cls) -> dict[str, Any]:
        """Options that count float operations."""
        return cls._displayed(min_float_ops=1, order_by="float_ops", select=["float_ops"])

    @classmethod
    def time_and_memory(
        cls, min_micros: int = 1, min_bytes: int = 1, **minima: int
    ) -> dict[str, Any]:
        """Options for times and memory, which graphs do not have: see `tf.profiler.experimental`."""
        zeros = dict.fromkeys(
            "min_peak_bytes min_residual_bytes min_output_bytes min_accelerator_micros "
            "min_cpu_micros".split(),
            0,
        )
        return cls._displayed(
            order_by="micros",
            select=["micros", "bytes"],
            **{**zeros, "min_micros": min_micros, "min_bytes": min_bytes, **minima},
        )

    def build(self) -> dict[str, Any]:
        """The options."""
        return dict(self._options)

    def _with(self, **changes: Any) -> ProfileOptionBuilder:
        self._options.update(changes)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Shows scopes down to this depth."""
        return self._with(max_depth=max_depth)

    def with_min_memory(self, min_bytes: int = 0, **minima: int) -> ProfileOptionBuilder:
        """Shows nodes that need so many bytes."""
        return self._with(min_bytes=min_bytes, **minima)

    def with_min_execution_time(self, min_micros: int = 0, **minima: int) -> ProfileOptionBuilder:
        """Shows nodes that run so long."""
        return self._with(min_micros=min_micros, **minima)

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Shows variables of so many elements."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Shows kinds of operations that occur so often."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Shows nodes that make so many float operations."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: list[str]) -> ProfileOptionBuilder:
        """Counts only operations of these kinds."""
        return self._with(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: list[str] | None = None,
        show_name_regexes: list[str] | None = None,
        hide_name_regexes: list[str] | None = None,
        trim_name_regexes: list[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Chooses nodes by regular expressions for their names."""
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(
            **{name: list(value) for name, value in given.items() if value is not None}
        )

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Whether scopes count only the nodes that are shown."""
        return self._with(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints nothing."""
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints a report."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the report to a file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Chooses the run that is profiled."""
        return self._with(step=step)

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Orders nodes by "name", "params" or "float_ops"."""
        return self._with(order_by=attribute)

    def select(self, attributes: list[str]) -> ProfileOptionBuilder:
        """What is shown: "params", "float_ops", "op_types", "occurrence"."""
        return self._with(select=list(attributes))


class _Entry:
    """A node or a scope of a graph, with what is inside."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.kinds: set[str] = set()
        self.flops = self.parameters = 0
        self.shape: list[int] | None = None
        self.input_shapes: list[list[int]] = []
        self.children: dict[str, _Entry] = {}

    def all(self) -> Iterator[_Entry]:
        yield self
        for child in self.children.values():
            yield from child.all()


def _entries(graph: Any) -> tuple[list[_Entry], int]:
    """What a graph's operations and variables cost, and how many have unknown sizes."""
    found: dict[str, _Entry] = {}
    unknown = 0
    for op in graph.get_operations():
        entry = found.setdefault(op.name, _Entry(op.name))
        entry.kinds.add(op.type)
        entry.input_shapes = [t.shape.as_list() for t in op.inputs if t.shape.is_fully_defined()]
        flops = _flops(op)
        unknown += flops < 0
        entry.flops = max(flops, 0)
    for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
        name = variable.name.split(":")[0]
        entry = found.setdefault(name, _Entry(name))
        entry.kinds.add(_TRAINABLE)
        entry.shape = variable.shape.as_list()
        entry.parameters = math.prod(entry.shape)
    return list(found.values()), unknown


def _matches(patterns: list[str], text: str) -> bool:
    return any(compiled(pattern.encode()).matches(text.encode()) for pattern in patterns)


class _Report:
    """The tree of a profile as messages and as text."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = {**ProfileOptionBuilder._DEFAULTS, **options}

    def _counted(self, entry: _Entry) -> bool:
        kinds = self._options["account_type_regexes"]
        return any(_matches(kinds, kind) for kind in entry.kinds)

    def message(self, entry: _Entry, depth: int = 0) -> Any:
        """A message, or None for what is hidden."""
        options = self._options
        result = _MESSAGES["GraphNodeProto"](name=entry.name)
        counted = self._counted(entry)
        if counted:
            result.float_ops, result.parameters = entry.flops, entry.parameters
            for k, shape in enumerate(entry.input_shapes):
                for size in shape or [1]:
                    result.input_shapes[k].dim.add().size = size
        hidden = _matches(options["trim_name_regexes"], entry.name)
        children = [] if hidden else [self.message(c, depth + 1) for c in entry.children.values()]
        children = [child for child in children if child is not None]
        result.total_float_ops = result.float_ops + sum(c.total_float_ops for c in children)
        result.total_parameters = result.parameters + sum(c.total_parameters for c in children)
        result.total_definition_count = 1 + sum(c.total_definition_count for c in children)
        if depth < options["max_depth"]:
            result.children.extend(sorted(children, key=self._order))
        shown = (
            (counted or children)
            and result.total_float_ops >= options["min_float_ops"]
            and result.total_parameters >= options["min_params"]
            and not _matches(options["hide_name_regexes"], entry.name)
            and (children or _matches(options["show_name_regexes"], entry.name))
        )
        return result if shown or not depth else None

    def _order(self, message: Any) -> Any:
        by = {"float_ops": "total_float_ops", "params": "total_parameters"}
        field = by.get(self._options["order_by"])
        return message.name if field is None else (-getattr(message, field), message.name)

    def lines(self, message: Any, shapes: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
        """A line for each node: what it costs itself, and with what is inside."""
        parts = [_text(shapes[message.name])] if shapes.get(message.name) else []
        for choice, field, unit in (
            ("params", "parameters", "params"),
            ("float_ops", "float_ops", "flops"),
        ):
            if choice in self._options["select"]:
                own, total = getattr(message, field), getattr(message, f"total_{field}")
                parts.append(f"{_short(own) if own else '--'}/{_short(total)} {unit}")
        yield f"{'  ' * depth}{message.name} ({', '.join(parts)})"
        for child in message.children:
            yield from self.lines(child, shapes, depth + 1)

    def write(self, text: str) -> None:
        """Prints a report, or writes it where the options say."""
        kind, _, rest = self._options["output"].partition(":")
        if kind == "stdout":
            print(text)
        elif kind == "file":
            path = dict(part.split("=", 1) for part in rest.split(","))["outfile"]
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")


def _text(shape: list[int]) -> str:
    return "x".join(map(str, shape))


def _short(count: int) -> str:
    """A number with a unit of thousands, millions or billions."""
    for limit, unit in ((1e9, "b"), (1e6, "m"), (1e3, "k")):
        if count >= limit:
            return f"{count / limit:.2f}{unit}"
    return str(count)


def _tree(entries: list[_Entry]) -> _Entry:
    """Entries in their scopes, which may be entries themselves."""
    root = _Entry(_ROOT)
    known = {entry.name: entry for entry in entries}
    for entry in list(known.values()):
        path = entry.name
        while True:
            outer = path.rpartition("/")[0]
            parent = root if not outer else known.setdefault(outer, _Entry(outer))
            parent.children.setdefault(path, known[path])
            if not outer:
                break
            path = outer
    return root


def profile(
    graph: Any = None,
    run_meta: object = None,
    op_log: object = None,
    cmd: str = "scope",
    options: Any = None,
) -> Any:
    """Counts the parameters and float operations of a graph, and prints a report.

    Nodes of unknown sizes count nothing, which the report says.

    Args:
        graph: the graph; by default the default one.
        run_meta: ignored: graphs have no times; see `tf.profiler.experimental`.
        op_log: ignored.
        cmd: "scope" for the scopes of names, "graph" for the nodes, "op" for kinds of operations.
        options: see `ProfileOptionBuilder`.

    Returns:
        A `GraphNodeProto`, or for "op" a `MultiGraphNodeProto`.

    Raises:
        tf.errors.InvalidArgumentError: for another command.
        tf.errors.UnimplementedError: for "code".

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.matmul(tf.zeros([8, 10]), v1.get_variable("w", initializer=tf.zeros([10, 3])))
    >>> builder = v1.profiler.ProfileOptionBuilder
    >>> options = builder(builder.float_operation()).with_empty_output().build()
    >>> v1.profiler.profile(graph, options=options).total_float_ops
    480
    """
    if cmd == "code":
        raise UnimplementedError._of(
            'Profiles by lines of code are not made here; use cmd="scope" or "op".'
        )
    if cmd not in ("scope", "graph", "op"):
        raise InvalidArgumentError._of(f"unknown cmd: {cmd}")
    entries, unknown = _entries(context.default_graph() if graph is None else graph)
    report = _Report(options or {})
    if cmd == "op":
        return _by_kinds(report, entries, unknown)
    if cmd == "scope":
        root = _tree(entries)
    else:
        root = _Entry(_ROOT)
        root.children = {entry.name: entry for entry in entries}
    result = report.message(root)
    shapes = {entry.name: entry.shape for entry in entries}
    report.write("\n".join([*_note(unknown), *report.lines(result, shapes)]))
    return result


def _note(unknown: int) -> list[str]:
    return [f"{unknown} ops no flops stats due to incomplete shapes."] if unknown else []


def _by_kinds(report: _Report, entries: list[_Entry], unknown: int) -> Any:
    groups: dict[str, list[_Entry]] = {}
    for entry in entries:
        for kind in sorted(entry.kinds):
            groups.setdefault(kind, []).append(entry)
    listed = []
    for kind, members in groups.items():
        own = _Entry(kind)
        own.kinds = {kind}
        own.parameters = sum(each.parameters for each in members)
        own.flops = 0 if kind == _TRAINABLE else sum(each.flops for each in members)
        if report.message(own, 1) is None:
            continue
        listed.append((own, [each.name for each in members]))
    listed.sort(key=lambda pair: (-pair[0].flops, -pair[0].parameters, pair[0].name))
    # Each kind is inside of the one before: its totals are of all that follow.
    flops, parameters = sum(e.flops for e, _ in listed), sum(e.parameters for e, _ in listed)
    result = _MESSAGES["MultiGraphNodeProto"](
        name=_ROOT, total_float_ops=flops, total_parameters=parameters
    )
    lines, message = [f"{_ROOT} (--/{_short(flops)} flops)"], result
    for own, names in listed:
        message = message.children.add(
            name=own.name,
            float_ops=own.flops,
            parameters=own.parameters,
            total_float_ops=flops,
            total_parameters=parameters,
        )
        for name in names:
            message.graph_nodes.add(name=name)
        lines.append(f"{own.name} ({_short(own.flops)}/{_short(flops)} flops)")
        flops, parameters = flops - own.flops, parameters - own.parameters
    report.write("\n".join([*_note(unknown), *lines]))
    return result


class Profiler:
    """Profiles one graph several times; see `profile`.

    Args:
        graph: the graph; by default the default one.
        op_log: ignored.
    """

    def __init__(self, graph: Any = None, op_log: Any = None) -> None:
        self._graph = context.default_graph() if graph is None else graph

    def add_step(self, step: int, run_meta: Any) -> None:
        """Does nothing: graphs have no times; see `tf.profiler.experimental`."""

    def profile_name_scope(self, options: Any) -> Any:
        """A profile by the scopes of names."""
        return profile(self._graph, cmd="scope", options=options)

    def profile_graph(self, options: Any) -> Any:
        """A profile by nodes."""
        return profile(self._graph, cmd="graph", options=options)

    def profile_operations(self, options: Any) -> Any:
        """A profile by kinds of operations."""
        return profile(self._graph, cmd="op", options=options)

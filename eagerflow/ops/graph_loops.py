"""Map, fold and scan in functions that are being traced: loops with lists as nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes, func_graph
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.mapped_slices import MappedSlices
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec, weak_as
from eagerflow.ops import graph_control_flow
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.typing import Structure, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


class _Slices:
    """The slices of the tensors in a structure along their first axis.

    Args:
        elems: a tensor, a composite tensor with rows, or a nested structure of them.
    """

    def __init__(self, elems: TensorLike) -> None:
        self._elems = elems
        self._columns: list[Any] = []
        flat = nest.flatten(elems)
        if not flat:
            raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors.")
        size = TensorShape([None])
        for value in flat:
            if not getattr(type(value), "_is_composite_tensor", False):
                value = _core.as_tensor(value)
            shape = _shape_of(value)
            if shape.rank == 0:
                raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
            size = size.merge_with(shape[:1] if shape.rank is not None else [None])
            if isinstance(value, Tensor):
                if not self._columns:
                    count = _ops.shape(value)[0]
                inner = None if shape.rank is None else shape[1:]
                array = TensorArray(value.dtype, count, element_shape=inner)
                self._columns.append(array.unstack(value).read)
            else:
                if not value._type_spec._is_batchable:
                    raise TypeError(f"map_fn can not consume {value._type_spec} inputs.")
                if not self._columns:
                    count = _ops.cast(_count_of(value), dtypes.int32)
                self._columns.append(value._type_spec._slices(value).__getitem__)
        static = size.as_list()[0]
        # The number of slices: a Python integer if it is known, else a tensor.
        self.count: Any = count if static is None else static

    def at(self, index: TensorLike) -> Any:
        """A structure like the elements that holds their slices at an index."""
        return nest.pack_sequence_as(self._elems, [column(index) for column in self._columns])


def _shape_of(value: Any) -> TensorShape:
    shape = getattr(value, "shape", None)
    return value._type_spec._slices(value).shape if shape is None else shape


def _count_of(value: TensorLike) -> Tensor:
    """The number of slices of a composite tensor."""
    if hasattr(value, "nrows"):
        return value.nrows()
    if hasattr(value, "dense_shape"):
        return value.dense_shape[0]
    return _ops.shape(nest.flatten(value, expand_composites=True)[0])[0]


def _loop(
    count: Any, body: Callable, loop_vars: tuple, start: int, backwards: bool, name: str
) -> Any:
    """Calls body(index, *variables) for all indices from `start` on; returns the last values.

    Args:
        count: where the indices end.
        body: a function that returns the next values.
        loop_vars: the first values.
        start: how many leading indices are skipped.
        backwards: whether the order is reversed.
        name: the node's name.
    """

    def step(i: Any, *variables: Any) -> tuple:
        index = count - 1 - i if backwards else i
        return (i + 1, *body(index, *variables))

    first = (_core.convert(start, None, dtypes.int32), *loop_vars)
    return graph_control_flow.while_loop(
        lambda i, *_: _ops.less(i, count), step, first, None, None, name
    )[1:]


def _stopped(value: TensorLike) -> Tensor:
    return _ops.stop_gradient(value)


def _is_composite(spec: Any) -> bool:
    """Whether the spec itself stacks the results, which are not plain tensors."""
    if not isinstance(spec, TypeSpec) or isinstance(spec, TensorSpec):
        return False
    # Scalars are stacked into a vector, not a ragged tensor.
    shape = getattr(spec, "shape", None)
    return not hasattr(spec, "ragged_rank") or shape is None or shape.rank != 0


def _arrays(specs: list[Any], count: Any, infer_shape: bool = True) -> list[TensorArray]:
    """The arrays that a loop keeps results in."""
    arrays = []
    for spec in specs:
        if _is_composite(spec):
            arrays += [
                TensorArray(part.dtype, count, infer_shape=not joined, element_shape=part.shape)
                for part, joined in spec._row_parts()
            ]
            continue
        shape = getattr(spec, "shape", None) if isinstance(spec, TypeSpec) else None
        dtype = dtypes.dtype_of(spec)
        arrays.append(TensorArray(dtype, count, infer_shape=infer_shape, element_shape=shape))
    return arrays


def _written(specs: list[Any], arrays: Any, i: TensorLike, leaves: list[Any]) -> list[TensorArray]:
    """The arrays after the results of an iteration have been written."""
    tensors: list[Any] = []
    for spec, leaf in zip(specs, leaves, strict=True):
        tensors += spec._row_tensors(leaf, i) if _is_composite(spec) else [leaf]
    return [array.write(i, tensor) for array, tensor in zip(arrays, tensors, strict=True)]


def _stacked(
    structure: Structure, specs: list[Any], arrays: Any, count: TensorLike, back_prop: bool = True
) -> Any:
    """The results of all iterations."""
    remaining = iter(arrays)
    results: list[Any] = []
    for spec in specs:
        if _is_composite(spec):
            tensors = []
            for _, joined in spec._row_parts():
                array = next(remaining)
                tensors.append(array.concat() if joined else array.stack())
            results.append(spec._from_rows(tensors, count))
        else:
            results.append(next(remaining).stack())
    if not back_prop:
        results = [nest.map_structure(_stopped, r, expand_composites=True) for r in results]
    return nest.pack_sequence_as(structure, results)


def map_fn(
    fn: Callable, elems: Any, signature: Any, back_prop: bool, infer_shape: bool, name: str | None
) -> Any:
    """`tf.map_fn` as a loop; see there."""
    slices = _Slices(elems)
    specs = nest.flatten(signature)

    def body(i: Tensor, *arrays: TensorArray) -> list[TensorArray]:
        value = fn(nest.map_structure(weak_as, slices.at(i), elems))
        nest.assert_same_structure(signature, value, check_types=False)
        return _written(specs, arrays, i, nest.flatten(value))

    first = tuple(_arrays(specs, slices.count, infer_shape))
    arrays = _loop(slices.count, body, first, 0, False, name or "map")
    return _stacked(signature, specs, arrays, slices.count, back_prop)


def vectorized_map(
    fn: Callable,
    elems: Structure,
    fallback: bool,
    randomness: str = "different",
    at_once: bool = True,
) -> Any:
    """`tf.vectorized_map` as one node, or as a loop; see there.

    Args:
        randomness: the random values of slices: "different", the "same", or an "error".
        at_once: whether draws may count on running once for all slices.
    """
    flat = nest.flatten(elems)
    leaves = _with_one_count([_core.as_tensor(leaf) for leaf in flat])
    graph = func_graph.FuncGraph("vectorized_map")
    graph.slices = MappedSlices(graph, _number_of(leaves), randomness, at_once)
    with graph.as_default():
        slices = [
            graph.placeholder(
                leaf.dtype, None if leaf.ndim is None else leaf.shape[1:].as_list(), "elems"
            )
            for leaf in leaves
        ]
        slices = list(map(weak_as, slices, flat))
        result = nest.map_structure(_dense, fn(nest.pack_sequence_as(elems, slices)))
        func_graph.finish(graph, result)
    if not graph.outputs:
        return func_graph.pack_outputs(graph, ())
    if randomness != "different" and _core.draws(graph):
        raise ValueError(_REFUSED_DRAWS[randomness])
    indices = graph.slices.indices()
    if _core.can_run_rows(graph):
        return func_graph.pack_outputs(graph, _core.rows_node(graph, leaves + indices))
    if indices:
        return vectorized_map(fn, elems, fallback, randomness, at_once=False)
    if not fallback:
        raise ValueError(
            f"vectorized_map cannot run {fn} for all elements at once, as it has effects, control "
            "flow or Python code that depends on an element. Pass fallback_to_while_loop=True."
        )

    def call(value: tuple) -> tuple:
        return tuple(graph.run(list(value)))

    specs = tuple(TensorSpec(output.shape, output.dtype) for output in graph.outputs)
    results = map_fn(call, tuple(leaves), specs, True, True, "vectorized_map")
    return func_graph.pack_outputs(graph, results)


def _dense(value: Any) -> Any:
    """The sum of rows as a tensor: those of several slices cannot be stacked."""
    return _core.as_tensor(value) if isinstance(value, IndexedSlices) else value


_REFUSED_DRAWS = {
    "error": "The function draws random values, which randomness='error' refuses. Pass randomness="
    "'different' or 'same', or draw outside and pass the values as an argument.",
    "same": "The function draws random values in a loop, a conditional or a tf.function, where they cannot "
    "be the same for all slices. Draw them outside and pass them as an argument, or pass "
    "randomness='different'.",
}


def _number_of(leaves: list[Tensor]) -> Any:
    """How many slices there are: an integer, or a scalar of the graph."""
    known = [leaf._shape_tuple()[0] for leaf in leaves if leaf.ndim is not None]
    return next((count for count in known if count is not None), None) or _ops.shape(leaves[0])[0]


def _with_one_count(leaves: list[Tensor]) -> list[Tensor]:
    """The tensors, those with one slice repeated for all slices of the others.

    Raises:
        ValueError: if the numbers of slices are known to differ.
    """
    if not leaves:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors.")
    for leaf in leaves:
        if leaf.ndim == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
    counts = {None if leaf.ndim is None else leaf._shape_tuple()[0] for leaf in leaves}
    known = {count for count in counts if count not in (None, 1)}
    if len(known) > 1:
        raise ValueError(f"Expected the first sizes of elems to be equal or 1, got {known}")
    if not known or 1 not in counts:
        return leaves
    (count,) = known
    return [
        _ops.broadcast_to(leaf, [count, *leaf._sizes()[1:]])
        if leaf.ndim is not None and leaf._shape_tuple()[0] == 1
        else leaf
        for leaf in leaves
    ]


def fold(
    fn: Callable, elems: Structure, initializer: Any, backwards: bool, back_prop: bool, name: str
) -> Any:
    """`tf.foldl` and `tf.foldr` as loops; see there."""
    slices = _Slices(elems)
    value, start = _beginning(slices, initializer, backwards)

    def body(i: Any, *leaves: object) -> list[Any]:
        before = nest.pack_sequence_as(value, list(leaves))
        after = fn(before, slices.at(i))
        nest.assert_same_structure(value, after, check_types=False)
        return nest.flatten(after)

    leaves = _loop(slices.count, body, tuple(nest.flatten(value)), start, backwards, name)
    result = nest.pack_sequence_as(value, list(leaves))
    return result if back_prop else nest.map_structure(_stopped, result)


def _beginning(slices: _Slices, initializer: Structure, backwards: bool) -> tuple[Any, int]:
    """The initial accumulated value, and how many slices it consumes."""
    if initializer is None:
        return slices.at(slices.count - 1 if backwards else 0), 1
    return nest.map_structure(_core.as_tensor, initializer), 0


def scan(
    fn: Callable,
    elems: Structure,
    initializer: Structure,
    back_prop: bool,
    infer_shape: bool,
    backwards: bool,
    name: str,
) -> Any:
    """`tf.scan` as a loop; see there."""
    slices = _Slices(elems)
    value, start = _beginning(slices, initializer, backwards)
    first = nest.flatten(value)
    specs = [leaf.dtype for leaf in first]
    arrays = _arrays(specs, slices.count, infer_shape)
    if start:
        arrays = _written(specs, arrays, slices.count - 1 if backwards else 0, first)

    def body(i: Tensor, *variables: Any) -> list[Any]:
        leaves, written = variables[: len(first)], variables[len(first) :]
        after = fn(nest.pack_sequence_as(value, list(leaves)), slices.at(i))
        nest.assert_same_structure(value, after, check_types=False)
        flat = nest.flatten(after)
        return [*flat, *_written(specs, written, i, flat)]

    final = _loop(slices.count, body, (*first, *arrays), start, backwards, name)
    return _stacked(value, specs, final[len(first) :], slices.count, back_prop)

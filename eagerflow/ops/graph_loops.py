"""Map, fold and scan in functions that are being traced: loops with lists as nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes, func_graph
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ops import graph_control_flow
from eagerflow.ops.tensor_array import TensorArray

_ops = _core.ops
Tensor = _core.Tensor


class _Slices:
    """The slices of the tensors in a structure along their first axis.

    Args:
        elems: a tensor, a composite tensor with rows, or a nested structure of them.
    """

    def __init__(self, elems: Any) -> None:
        self._elems = elems
        self._columns: list[Any] = []
        flat = nest.flatten(elems)
        if not flat:
            raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors.")
        size = TensorShape([None])
        for value in flat:
            if not getattr(type(value), "_is_composite_tensor", False):
                value = _core.as_tensor(value)
            shape = value.shape
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
                    count = _core.convert(value.nrows(), None, dtypes.int32)
                self._columns.append(value._type_spec._slices(value).__getitem__)
        static = size.as_list()[0]
        # How many there are: a number if it is known, else a tensor.
        self.count: Any = count if static is None else static

    def at(self, index: Any) -> Any:
        """A structure like the elements that holds their slices at an index."""
        return nest.pack_sequence_as(self._elems, [column(index) for column in self._columns])


def _loop(
    count: Any, body: Callable, loop_vars: tuple, start: Any, backwards: bool, name: str
) -> Any:
    """The last values of variables for body(index, *variables) at all indices from `start` on.

    Args:
        count: where the indices end.
        body: a function that returns the next values.
        loop_vars: the first values.
        start: how many indices are left out at the beginning.
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


def _stopped(value: Any) -> Any:
    return _ops.stop_gradient(value)


def _arrays(specs: list[Any], count: Any, infer_shape: bool = True) -> tuple[TensorArray, ...]:
    arrays = []
    for spec in specs:
        if isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec):
            raise NotImplementedError(
                f"Results of map_fn with {spec} are not available in functions yet: return tensors "
                "of one shape."
            )
        shape = spec.shape if isinstance(spec, TensorSpec) else None
        dtype = dtypes.as_dtype(getattr(spec, "dtype", spec))
        arrays.append(TensorArray(dtype, count, infer_shape=infer_shape, element_shape=shape))
    return tuple(arrays)


def map_fn(
    fn: Callable, elems: Any, signature: Any, back_prop: bool, infer_shape: bool, name: str | None
) -> Any:
    """`tf.map_fn` as a loop; see there."""
    slices = _Slices(elems)
    if signature is None:
        signature = nest.map_structure(lambda value: _core.as_tensor(value).dtype, elems)

    def body(i: Any, *arrays: TensorArray) -> list[TensorArray]:
        value = fn(slices.at(i))
        nest.assert_same_structure(signature, value, check_types=False)
        return [a.write(i, leaf) for a, leaf in zip(arrays, nest.flatten(value), strict=True)]

    arrays = _arrays(nest.flatten(signature), slices.count, infer_shape)
    arrays = _loop(slices.count, body, arrays, 0, False, name or "map")
    return _stacked(signature, arrays, back_prop)


def _stacked(structure: Any, arrays: tuple[TensorArray, ...], back_prop: bool) -> Any:
    results = [array.stack() for array in arrays]
    if not back_prop:
        results = [_stopped(result) for result in results]
    return nest.pack_sequence_as(structure, results)


def vectorized_map(fn: Callable, elems: Any) -> Any:
    """`tf.vectorized_map` as a loop that calls the graph of `fn`; see there."""
    graph = func_graph.FuncGraph("vectorized_map")
    with graph.as_default():
        leaves = [
            graph.placeholder(
                leaf.dtype,
                None if leaf.shape.rank is None else leaf.shape[1:].as_list(),
                "elems",
            )
            for leaf in map(_core.as_tensor, nest.flatten(elems))
        ]
        func_graph.finish(graph, fn(nest.pack_sequence_as(elems, leaves)))

    def call(value: Any) -> Any:
        return tuple(graph.run(nest.flatten(value)))

    specs = tuple(TensorSpec(output.shape, output.dtype) for output in graph.outputs)
    results = map_fn(call, elems, specs, True, True, "vectorized_map") if specs else ()
    return func_graph.pack_outputs(graph, results)


def fold(
    fn: Callable, elems: Any, initializer: Any, backwards: bool, back_prop: bool, name: str
) -> Any:
    """`tf.foldl` and `tf.foldr` as loops; see there."""
    slices = _Slices(elems)
    value, start = _beginning(slices, initializer, backwards)

    def body(i: Any, *leaves: Any) -> list[Any]:
        before = nest.pack_sequence_as(value, list(leaves))
        after = fn(before, slices.at(i))
        nest.assert_same_structure(value, after, check_types=False)
        return nest.flatten(after)

    leaves = _loop(slices.count, body, tuple(nest.flatten(value)), start, backwards, name)
    result = nest.pack_sequence_as(value, list(leaves))
    return result if back_prop else nest.map_structure(_stopped, result)


def _beginning(slices: _Slices, initializer: Any, backwards: bool) -> tuple[Any, int]:
    """The accumulated value at the start, and how many slices it has used up."""
    if initializer is None:
        return slices.at(slices.count - 1 if backwards else 0), 1
    return nest.map_structure(_core.as_tensor, initializer), 0


def scan(
    fn: Callable,
    elems: Any,
    initializer: Any,
    back_prop: bool,
    infer_shape: bool,
    backwards: bool,
    name: str,
) -> Any:
    """`tf.scan` as a loop; see there."""
    slices = _Slices(elems)
    value, start = _beginning(slices, initializer, backwards)
    first = nest.flatten(value)
    arrays = _arrays([leaf.dtype for leaf in first], slices.count, infer_shape)
    if start:
        index = slices.count - 1 if backwards else 0
        arrays = tuple(a.write(index, leaf) for a, leaf in zip(arrays, first, strict=True))

    def body(i: Any, *variables: Any) -> list[Any]:
        leaves, written = variables[: len(first)], variables[len(first) :]
        after = fn(nest.pack_sequence_as(value, list(leaves)), slices.at(i))
        nest.assert_same_structure(value, after, check_types=False)
        flat = nest.flatten(after)
        return [*flat, *(a.write(i, leaf) for a, leaf in zip(written, flat, strict=True))]

    final = _loop(slices.count, body, (*first, *arrays), start, backwards, name)
    return _stacked(value, final[len(first) :], back_prop)

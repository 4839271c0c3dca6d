"""Functions of one example, applied to all examples of a batch at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes, func_graph
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.mapped_slices import MappedSlices
from eagerflow.framework.sizes import rank_of, sizes_in
from eagerflow.framework.type_spec import TensorSpec, weak_as
from eagerflow.func.transformed import like, program
from eagerflow.util import lazy

# They trace functions, which happens when a mapped function is called.
functions = lazy.Module("eagerflow.functions.function")
graph_loops = lazy.Module("eagerflow.ops.graph_loops")

_ops = _core.ops
Tensor = _core.Tensor

_RANDOMNESS = ("different", "same", "error")


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "different",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """The function that applies another one along an axis of its arguments, all slices at once.

    The function is traced, as by `tf.function`, whenever it is called: within a `tf.function` only once.
    What cannot run for all slices at once, such as control flow that depends on a slice, runs in a loop.

    Args:
        func: a function of slices. It returns a tensor, or a nested structure of them.
        in_dims: the axis of each argument along which the slices lie, or None for what all calls share. An
            integer is that of all arguments; a tuple has an item for each, which is an integer, None, or
            the outer part of a structure like the argument. Arguments by name are sliced along axis 0,
            but for Python's numbers, texts and truth values, which all calls share. None stays None.
        out_dims: the axis along which the results are stacked: an integer, or the outer part of a structure
            like the result. None is for results that are the same for all slices.
        randomness: whether random operations draw "different" values for each slice, as in
            `tf.vectorized_map`, the "same" for all, or raise an "error".
        chunk_size: how many slices run at once, which limits memory; by default all that fit.

    Returns:
        A function of arguments that have the axis.

    Raises:
        ValueError: when it is called, if no argument is sliced, an argument lacks the axis, the numbers
            of slices differ, or the function draws random values that `randomness` refuses.

    >>> dot = lambda a, b: tf.reduce_sum(a * b)
    >>> tf.func.vmap(dot, in_dims=(0, None))(tf.eye(2), tf.constant([3.0, 4.0])).numpy()
    array([3., 4.], dtype=float32)

    The gradient of each example:

    >>> loss = lambda w, x: tf.reduce_sum(w * x) ** 2
    >>> gradients = tf.func.vmap(tf.func.grad(loss), in_dims=(None, 0))
    >>> gradients(tf.constant([1.0, 1.0]), tf.constant([[1.0, 2.0], [3.0, 0.0]])).numpy()
    array([[ 6., 12.],
           [18.,  0.]], dtype=float32)
    """
    if randomness not in _RANDOMNESS:
        raise ValueError(f"randomness must be one of {_RANDOMNESS}, got {randomness!r}.")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"chunk_size must be at least 1, got {chunk_size}.")

    @like(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        values = (args, kwargs)
        leaves = nest.flatten(values)
        dims = _flat_dims(in_dims, args) + _dims_by_name(kwargs)
        dims = [None if leaf is None else dim for leaf, dim in zip(leaves, dims, strict=True)]
        sliced = [
            _leading(leaf, dim) for leaf, dim in zip(leaves, dims, strict=True) if dim is not None
        ]
        _check_counts(sliced)

        def of_slices(slices: list[Tensor]) -> Any:
            rest = iter(slices)
            own = [
                leaf if dim is None else next(rest) for leaf, dim in zip(leaves, dims, strict=True)
            ]
            args, kwargs = nest.pack_sequence_as(values, own)
            result = program(func)(*args, **kwargs)
            for part, dim in zip(
                nest.flatten(result), _prefixed(out_dims, result, "out_dims"), strict=True
            ):
                _check_dense(part, "returned")
                if dim is None and _core.depends_on_inputs(_core.as_tensor(part)):
                    raise ValueError(
                        "out_dims is None for a result that differs from slice to slice. Pass the axis "
                        "along which to stack it."
                    )
            return result

        def of_all(sliced: list[Tensor]) -> Any:
            if chunk_size is not None:
                return _in_chunks(of_slices, sliced, randomness, chunk_size)
            return graph_loops.vectorized_map(of_slices, sliced, True, randomness)

        if _core.building() is None:
            traced = functions.Function(of_all).get_concrete_function(sliced)
            result = traced(sliced)
        else:
            result = of_all(sliced)
        parts = zip(nest.flatten(result), _prefixed(out_dims, result, "out_dims"), strict=True)
        return nest.pack_sequence_as(result, [_placed(part, dim) for part, dim in parts])

    return mapped


def _in_chunks(
    function: Callable[..., Any], sliced: list[Tensor], randomness: str, size: int
) -> Any:
    """The function for a number of slices at once, in a loop.

    The last chunk is filled with copies of the last slice, so that one graph serves all chunks.
    """
    count: Any = sliced[0]._sizes()[0] if sliced[0].ndim is not None else _ops.shape(sliced[0])[0]
    if isinstance(count, int) and count <= size:
        return graph_loops.vectorized_map(function, sliced, True, randomness)
    graph = func_graph.FuncGraph("chunk")
    graph.slices = MappedSlices(graph, 1, randomness, at_once=False)
    with graph.as_default():
        chunk = [
            graph.placeholder(
                part.dtype, None if part.ndim is None else [size, *part.shape[1:]], "chunk"
            )
            for part in sliced
        ]
        func_graph.finish(graph, graph_loops.vectorized_map(function, chunk, True, randomness))
    places = _ops.range(0, size, 1)

    def of_chunk(number: Tensor) -> tuple[Tensor, ...]:
        rows = _ops.minimum(number * size + places, count - 1)
        return tuple(graph.run([_rows(part, rows) for part in sliced]))

    specs = tuple(TensorSpec(output.shape, output.dtype) for output in graph.outputs)
    chunks = _ops.range(0, _chunks_in(count, size), 1)
    results = graph_loops.map_fn(of_chunk, chunks, specs, True, True, "vmap")
    return func_graph.pack_outputs(graph, [_joined(result)[:count] for result in results])


def _chunks_in(count: Any, size: int) -> Any:
    """How many chunks there are, at least one: without a slice, it has zeros."""
    chunks = -(-count // size)
    return max(chunks, 1) if isinstance(chunks, int) else _ops.maximum(chunks, 1)


def _rows(part: Tensor, rows: Tensor) -> Tensor:
    """Rows of a tensor, whose gradient is dense; zeros where it has none, to learn the results' shapes."""
    if part.dtype.is_bool or part.dtype is dtypes.string:
        return _ops.gather(part, rows)
    return _ops.gather_or_zero(part, rows)


def _joined(chunks: Tensor) -> Tensor:
    """The slices of all chunks, which become one axis."""
    sizes = _ops.shape(chunks)
    shape = _ops.concat([sizes[:1] * sizes[1:2], sizes[2:]], 0)
    return _ops.reshape(chunks, shape if chunks.ndim is None else sizes_in(shape, chunks.ndim - 1))


def _flat_dims(in_dims: Any, args: tuple[Any, ...]) -> list[int | None]:
    if not isinstance(in_dims, list | tuple):
        return _prefixed(in_dims, args, "in_dims") if _is_dim(in_dims) else _refuse(in_dims)
    if len(in_dims) != len(args):
        raise ValueError(
            f"in_dims={in_dims} has {len(in_dims)} items, but there are {len(args)} arguments by "
            "position. It needs one for each, and none for arguments by name."
        )
    pairs = zip(in_dims, args, strict=True)
    return [dim for own, arg in pairs for dim in _prefixed(own, arg, "in_dims")]


def _refuse(in_dims: Any) -> Any:
    raise TypeError(
        f"in_dims must be an integer, None, or a tuple of one item for each argument, got {in_dims!r}."
    )


def _dims_by_name(kwargs: dict[str, Any]) -> list[int | None]:
    plain = (bool, int, float, complex, str, bytes)
    return [None if isinstance(leaf, plain) else 0 for leaf in nest.flatten(kwargs)]


def _is_dim(value: Any) -> bool:
    return value is None or (hasattr(value, "__index__") and not isinstance(value, bool))


def _prefixed(dims: Any, value: Any, name: str) -> list[int | None]:
    """The axis of each leaf of a structure, from the outer part of such a structure."""
    try:
        parts = nest.flatten_up_to(dims, value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} does not fit: {error}") from None
    flat = []
    for dim, part in zip(nest.flatten(dims), parts, strict=True):
        if not _is_dim(dim):
            raise TypeError(f"{name} must consist of integers and None, got {dim!r}.")
        flat += [None if dim is None else int(dim)] * len(nest.flatten(part))
    return flat


def _check_dense(value: Any, what: str) -> None:
    """Refuses a value of several tensors, whose slices are not the slices of its parts."""
    if isinstance(value, CompositeTensor) and value._stands_for_tensor:
        if len(nest.flatten(value, expand_composites=True)) > 1:
            raise TypeError(
                f"vmap slices and stacks dense tensors, but it {what} a {type(value).__name__}. Convert "
                "it to a tensor, as by to_tensor(), or use tf.map_fn."
            )


def _leading(value: Any, dim: int) -> Tensor:
    """A tensor with an axis as its first."""
    _check_dense(value, "got")
    tensor = weak_as(_core.as_tensor(value), value)
    if tensor.ndim is not None and not -tensor.ndim <= dim < tensor.ndim:
        raise ValueError(
            f"An argument of shape {tensor.shape} has no axis {dim} to be sliced along. Pass None for it "
            "in in_dims if all calls share it."
        )
    return _moved(tensor, dim, 0)


def _placed(result: Tensor, dim: int | None) -> Tensor:
    """A result for all slices, whose first axis becomes another one."""
    if dim is None:
        return result[0]
    if result.ndim is not None and not -result.ndim <= dim < result.ndim:
        raise ValueError(
            f"out_dims has the axis {dim}, but the stacked result has the shape {result.shape}."
        )
    return _moved(result, 0, dim)


def _moved(tensor: Tensor, source: int, target: int) -> Tensor:
    """A tensor with an axis in another place; the first or the last counts in any rank."""
    if source == target:
        return tensor
    if tensor.ndim is None:
        return _moved_of_unknown_rank(tensor, source, target)
    order = list(range(tensor.ndim))
    order.insert(target % tensor.ndim, order.pop(source % tensor.ndim))
    return _ops.transpose(tensor, order)


def _moved_of_unknown_rank(tensor: Tensor, source: int, target: int) -> Tensor:
    rank = rank_of(tensor)
    axes = _ops.range(0, rank, 1)
    first, second = source % rank, target % rank
    rest = _ops.concat([axes[:first], axes[first + 1 :]], 0)
    return _ops.transpose(tensor, _ops.concat([rest[:second], [first], rest[second:]], 0))


def _check_counts(sliced: list[Tensor]) -> None:
    if not sliced:
        raise ValueError(
            "No argument is sliced: in_dims is None for all of them, or there are none. Slice at least one."
        )
    counts = {None if tensor.ndim is None else tensor._shape_tuple()[0] for tensor in sliced} - {
        None
    }
    if len(counts) > 1:
        raise ValueError(f"The arguments have different numbers of slices: {sorted(counts)}.")

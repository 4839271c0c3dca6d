"""Keras 3's operations for conversion, slicing, scattering and control flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.autodiff.custom_gradient import custom_gradient as _custom_gradient
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.ops import control_flow, conversion, indexing, norms, segment
from eagerflow.ops.numpy_functions.rules import sizes
from eagerflow.typing import Array, DTypeLike, ShapeLike, Structure, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.keras.ops.promotion import floating, tensor

# Imported when they are first used: few programs need them.
fourier = lazy.Module("eagerflow.signal.fourier")
signal = lazy.Module("eagerflow.signal")
sparse_conversion = lazy.Module("eagerflow.sparse.conversion")
sparse_tensor = lazy.Module("eagerflow.sparse.tensor")

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """Values in another dtype."""
    return conversion.cast(x, dtypes.as_dtype(dtype))


@op_function
def saturate_cast(x: TensorLike, dtype: DTypeLike | None) -> Tensor:
    """Values in another dtype, clipped to its range."""
    return conversion.saturate_cast(tensor(x), dtypes.as_dtype(dtype))


def convert_to_tensor(x: Any, dtype: Any = None, sparse: Any = None, ragged: object = None) -> Any:
    """A tensor of anything; sparse tensors become dense with `sparse=False`."""
    if isinstance(x, sparse_tensor.SparseTensor):
        if sparse is False:
            x = sparse_conversion.to_dense(x)
        else:
            return x if dtype is None else conversion.cast(x, dtypes.as_dtype(dtype))
    return tensor(x, dtype)


@op_function
def convert_to_numpy(x: TensorLike) -> np.ndarray:
    """A NumPy array of a tensor or of anything else."""
    return np.asarray(tensor(x).numpy())


def is_tensor(x: object) -> bool:
    """Whether it is a tensor."""
    return isinstance(x, _core.Tensor) or isinstance(x, KerasTensor) or hasattr(x, "dense_shape")


def dtype(x: Any) -> str:
    """The name of a tensor's dtype."""
    return (x if hasattr(x, "dtype") else tensor(x)).dtype.name


@op_function
def stop_gradient(variable: TensorLike) -> Tensor:
    """The values, as a constant for gradients."""
    return _ops.stop_gradient(tensor(variable))


def custom_gradient(f: Callable[..., tuple[Structure, Callable[..., Structure]]]) -> Any:
    """A function with a gradient of its own, which it returns beside its values."""
    return _custom_gradient(f)


@op_function
def slice(inputs: TensorLike, start_indices: TensorLike, shape: ShapeLike | None) -> Tensor:
    """A slice of a tensor, by its start and its shape."""
    return _ops.slice(tensor(inputs), sizes(start_indices), sizes(shape))


@op_function
def slice_update(inputs: TensorLike, start_indices: TensorLike, updates: TensorLike) -> Tensor:
    """A tensor with a slice replaced by other values."""
    inputs = tensor(inputs)
    updates = tensor(updates, inputs.dtype)
    starts = sizes(start_indices)
    lines = [
        np.arange(start, start + length)
        for start, length in zip(starts, updates._shape_tuple(), strict=True)
    ]
    indices = np.stack(np.meshgrid(*lines, indexing="ij"), -1).reshape(-1, len(starts))
    return _ops.tensor_scatter_nd_update(
        inputs, _core.as_tensor(indices.astype("int32")), _ops.reshape(updates, [-1])
    )


@op_function
def scatter(indices: TensorLike, values: TensorLike, shape: ShapeLike | None) -> Tensor:
    """Zeros, to which values are added at index vectors."""
    return indexing.scatter_nd(tensor(indices), tensor(values), sizes(shape))


@op_function
def scatter_update(
    inputs: TensorLike, indices: TensorLike, updates: TensorLike, reduction: str | None = None
) -> Tensor:
    """A tensor with other values at index vectors; `reduction` says how the old ones count."""
    inputs = tensor(inputs)
    functions: dict[str | None, Any] = {
        None: _ops.tensor_scatter_nd_update,
        "add": _ops.tensor_scatter_nd_add,
        "max": _ops.tensor_scatter_nd_max,
        "min": _ops.tensor_scatter_nd_min,
        "mul": _scatter_products,
    }
    if reduction not in functions:
        raise ValueError(
            f"`reduction` must be one of {list(functions)}. Received: reduction={reduction}"
        )
    return functions[reduction](inputs, tensor(indices), tensor(updates, inputs.dtype))


def _scatter_products(inputs: Tensor, indices: Tensor, updates: TensorLike) -> Tensor:
    """A tensor whose slices at index vectors are multiplied by others, again where vectors repeat."""
    width = indices._sizes()[-1]
    vectors = _ops.unstack(_ops.reshape(indices, [-1, width]), axis=0)
    inner = inputs._sizes()[indices._shape_tuple()[-1] :]
    factors = _ops.unstack(_ops.reshape(updates, [-1, *inner]), axis=0)
    for vector, factor in zip(vectors, factors, strict=True):
        here = _ops.expand_dims(vector, 0)
        product = _ops.multiply(indexing.gather_nd(inputs, here), factor)
        inputs = _ops.tensor_scatter_nd_update(inputs, here, product)
    return inputs


def _count(segment_ids: TensorLike, num_segments: int | None) -> int:
    if num_segments is not None:
        return num_segments
    return int(_ops.reduce_max(segment_ids)) + 1


def _segments(name: str, reduce: Callable[..., Any], doc: str) -> Callable[..., Tensor]:
    def function(
        data: Array, segment_ids: TensorLike, num_segments: int | None = None, sorted: bool = False
    ) -> Any:
        ids = _ops.cast(tensor(segment_ids), dtypes.int32)
        return reduce(tensor(data), ids, _count(ids, num_segments))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc} of the rows with the same segment id."
    return op_function(function)


segment_sum = _segments("segment_sum", segment.unsorted_segment_sum, "Sums")
segment_max = _segments("segment_max", segment.unsorted_segment_max, "The largest elements")
segment_min = _segments("segment_min", segment.unsorted_segment_min, "The smallest elements")
segment_prod = _segments("segment_prod", segment.unsorted_segment_prod, "Products")


@op_function
def cond(pred: TensorLike, true_fn: Any, false_fn: Callable[[], Structure]) -> float:
    """The result of one of two functions."""
    return control_flow.cond(pred, true_fn, false_fn)


@op_function
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    """The result of one of several functions of the operands."""
    return branches[min(max(int(index), 0), len(branches) - 1)](*operands)


@op_function
def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: int | None = None) -> Any:
    """Repeats `body` on the loop's variables as long as `cond` holds."""
    several = isinstance(loop_vars, tuple | list)
    values = tuple(loop_vars) if several else (loop_vars,)
    values = tuple(nest.map_structure(tensor, value) for value in values)
    count = 0
    while (maximum_iterations is None or count < maximum_iterations) and bool(cond(*values)):
        result = body(*values)
        values = tuple(result) if isinstance(result, tuple | list) else (result,)
        count += 1
    return values if several else values[0]


@op_function
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Structure) -> Tensor:
    """Repeats `value = body_fun(i, value)` for the integers from lower to upper."""
    value = init_val
    for i in range(int(lower), int(upper)):
        value = body_fun(_core.as_tensor(i), value)
    return value


@op_function
def map(f: Callable[..., Structure], xs: TensorLike) -> Tensor:
    """A function mapped over the first axis of tensors, its results stacked."""
    return scan(lambda _, x: (None, f(x)), None, xs)[1]


def _check_function(f: object) -> None:
    if not callable(f):
        raise TypeError(f"`f` should be a callable. Received: f={f}")


@op_function
def scan(
    f: Callable[..., Structure],
    init: Structure,
    xs: TensorLike | None = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: object = 1,
) -> tuple[Structure, Structure]:
    """A scan: `carry, output = f(carry, x)` for each x.

    Args:
        f: the function.
        init: the first carry.
        xs: tensors with the x along their first axis; None if there are none.
        length: the number of steps, if there are no `xs`.
        reverse: whether the last x comes first.
        unroll: ignored.

    Returns:
        The last carry, and the outputs, stacked.
    """
    _check_function(f)
    leaves = [] if xs is None else [tensor(x) for x in nest.flatten(xs)]
    count = int(length if length is not None else leaves[0]._shape_tuple()[0])
    carry, outputs = init, []
    for i in reversed(range(count)) if reverse else range(count):
        x = None if xs is None else nest.pack_sequence_as(xs, [leaf[i] for leaf in leaves])
        carry, output = f(carry, x)
        outputs.append(output)
    if reverse:
        outputs.reverse()
    if not outputs or outputs[0] is None:
        return carry, None
    return carry, nest.map_structure(lambda *parts: _ops.stack(list(parts)), *outputs)


@op_function
def associative_scan(f: Any, elems: Structure, reverse: bool = False, axis: int = 0) -> Any:
    """Cumulative results of an associative function.

    Raises:
        TypeError: if `f` is no function.
        ValueError: if the tensors have not the same size along the axis.
    """
    _check_function(f)
    leaves = [tensor(x) for x in nest.flatten(elems)]
    lengths = [leaf._shape_tuple()[axis] for leaf in leaves]
    if len(set(lengths)) > 1:
        raise ValueError(
            "The arguments of `associative_scan` must have the same first dimension, that of "
            f"`axis`={axis}. Received sizes: {lengths}"
        )
    rows = [list(_ops.unstack(leaf, axis=axis)) for leaf in leaves]
    if reverse:
        rows = [row[::-1] for row in rows]
    carried = [nest.pack_sequence_as(elems, [row[0] for row in rows])]
    for k in range(1, len(rows[0])):
        here = nest.pack_sequence_as(elems, [row[k] for row in rows])
        carried.append(f(carried[-1], here))
    if reverse:
        carried.reverse()
    return nest.map_structure(lambda *parts: _ops.stack(list(parts), axis=axis), *carried)


def _transformed(x: Any, name: str, *args: Any) -> tuple[Tensor, Tensor]:
    real, imaginary = x
    values = _ops.complex(floating(real), floating(imaginary))
    result = getattr(fourier, name)(values, *args)
    return _ops.real(result), _ops.imag(result)


@op_function
def fft(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The Fourier transform along the last axis, of real and imaginary parts."""
    return _transformed(x, "fft")


@op_function
def fft2(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The Fourier transform along the last two axes, of real and imaginary parts."""
    return _transformed(x, "fft2d")


@op_function
def ifft2(x: TensorLike) -> tuple[Tensor, Tensor]:
    """The inverse of `fft2`."""
    return _transformed(x, "ifft2d")


@op_function
def rfft(x: TensorLike, fft_length: int | None = None) -> tuple[Tensor, Tensor]:
    """The Fourier transform of real values along the last axis."""
    result = fourier.rfft(floating(x), None if fft_length is None else [fft_length])
    return _ops.real(result), _ops.imag(result)


@op_function
def irfft(x: Any, fft_length: int | None = None) -> tuple[Tensor, Tensor]:
    """The inverse of `rfft`."""
    values = _ops.complex(floating(x[0]), floating(x[1]))
    return fourier.irfft(values, None if fft_length is None else [fft_length])


@op_function
def extract_sequences(x: TensorLike, sequence_length: int, sequence_stride: int) -> Tensor:
    """Windows along the last axis."""
    return signal.frame(tensor(x), sequence_length, sequence_stride)


@op_function
def cdist(x: TensorLike, y: TensorLike) -> Tensor:
    """Distances of each row of x from each row of y."""
    x, y = floating(x), floating(y)
    differences = _ops.expand_dims(x, -2) - _ops.expand_dims(y, -3)
    return norms.euclidean_norm(differences, axis=-1)


@op_function
def unique(
    x: TensorLike,
    sorted: bool = True,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    size: int | None = None,
    fill_value: TensorLike | None = None,
) -> tuple[Tensor, ...] | Tensor:
    """The unique elements in ascending order, their indices and their counts."""
    values, index, inverse, counts = np.unique(tensor(x).numpy(), True, True, True, axis)
    if size is not None:
        missing = size - len(counts)
        if missing > 0:
            filler = values[:1] if fill_value is None else np.full_like(values[:1], fill_value)
            values = np.concatenate([values, np.repeat(filler, missing, 0)])
            index = np.concatenate([index, np.repeat(index[:1], missing)])
            counts = np.concatenate([counts, np.zeros(missing, counts.dtype)])
        values, index, counts = values[:size], index[:size], counts[:size]
    chosen = [values]
    for is_returned, array in (
        (return_index, index),
        (return_inverse, inverse),
        (return_counts, counts),
    ):
        if is_returned:
            chosen.append(array.astype("int32"))
    tensors = tuple(_core.as_tensor(np.ascontiguousarray(part)) for part in chosen)
    return tensors if len(tensors) > 1 else tensors[0]

"""Special functions, `nextafter`, and Sobol sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import on_host
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import broadcast_static_shape, invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.ops.numpy_ops import array_of, checked, differentiable, on_values, summed
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util.optional import optional

_ops = _core.ops
Tensor = _core.Tensor

_WIDE = (dtypes.float32, dtypes.float64)


@composed_op(
    "NextAfter",
    elementwise=2,
    x1=Input("float32", "float64", prefer="float32"),
    x2=Input("float32", "float64", prefer="float32"),
)
def nextafter(x1: TensorLike, x2: TensorLike, name: str | None = None) -> Tensor:
    """The next value after `x1` that its dtype can represent, in the direction of `x2`.

    Args:
        x1: float32 or float64.
        x2: of the same dtype; the shapes broadcast.

    Raises:
        tf.errors.InvalidArgumentError: if dtypes or shapes do not fit.

    >>> tf.math.nextafter(1.0, 2.0).numpy()
    np.float32(1.0000001)
    """
    hint = dtypes.result_dtype(x1) or dtypes.result_dtype(x2) or dtypes.float32
    x1, x2 = checked(x1, _WIDE, "NextAfter", hint), checked(x2, _WIDE, "NextAfter", hint)
    if x1.dtype is not x2.dtype:
        _core.refuse_input("NextAfter", 1, x1.dtype, x2.dtype)

    if _core.building() is not None:
        spec = TensorSpec(broadcast_static_shape(x1.shape, x2.shape), x1.dtype)
        return on_values(nextafter, [x1, x2], [spec])[0]

    def backward(dy: Tensor) -> list[Tensor]:
        return [summed(dy, x1), _ops.zeros_like(x2)]

    (y,) = differentiable(
        [np.nextafter(array_of(x1, "NextAfter"), array_of(x2))], [x1, x2], backward
    )
    return y


def _known(size: object) -> Tensor | None:
    """An argument of `sobol_sample` whose value is known, or None."""
    return _core.static_value(_core.convert(size, dtypes.int32, None))


def _points(
    dim: object, num_results: object, _: object = 0, dtype: DTypeLike = dtypes.float32, **__: object
) -> TensorSpec:
    sizes = [None if size is None else int(size) for size in map(_known, (num_results, dim))]
    return TensorSpec(sizes, dtype)


def _unless_known(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The `in_graph` of `sobol_sample`: a constant, or what is drawn when the graph runs."""
    later = on_host(_points)(function)

    def call(
        dim: object, num_results: object, skip: object = 0, *args: object, **kwargs: object
    ) -> Tensor:
        sizes = [_known(size) for size in (dim, num_results, skip)]
        if any(size is None for size in sizes):
            return later(dim, num_results, skip, *args, **kwargs)
        return function(*sizes, *args, **kwargs)

    return call


@composed_op(
    "SobolSample",
    in_graph=_unless_known,
    dim=Input("int32"),
    num_results=Input("int32"),
    skip=Input("int32"),
    dtype=DType,
)
def sobol_sample(
    dim: Any,
    num_results: Any,
    skip: Any = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Points of the Sobol sequence, which fill a cube evenly.

    Args:
        dim: the number of dimensions.
        num_results: the number of points.
        skip: the number of leading points to skip.
        dtype: float32 or float64.

    Returns:
        `[num_results, dim]`, within [0, 1).

    Raises:
        tf.errors.InvalidArgumentError: if a value is out of range.

    >>> tf.math.sobol_sample(2, 3).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]], dtype=float32)
    """
    import warnings

    qmc = optional("scipy.stats.qmc", "tf.math.sobol_sample")
    sizes = {"dim": dim, "num_results": num_results, "skip": skip}
    for name, value in sizes.items():
        tensor = _core.convert(value, dtypes.int32, None)
        if tensor.ndim:
            raise invalid_argument(f"{name} must be a scalar [Op:SobolSample]")
        sizes[name] = int(tensor)
    dim, num_results, skip = sizes.values()
    if dim < 1:
        raise invalid_argument(f"dim must be at least one, got {dim} [Op:SobolSample]")
    if num_results < 1:
        raise invalid_argument(
            f"num_results must be at least one, got {num_results} [Op:SobolSample]"
        )
    if skip < 0:
        raise invalid_argument(f"skip must be non-negative, got {skip} [Op:SobolSample]")
    if dim > 2560:
        raise invalid_argument(f"dim must be at most 2560, got {dim} [Op:SobolSample]")
    sequence = qmc.Sobol(dim, scramble=False, bits=32)
    # The sequence begins after the origin. Point `skip` is the sum of the directions that its Gray code
    # selects; `fast_forward` would take a step for each point.
    code = skip ^ skip >> 1
    chosen = [bit for bit in range(code.bit_length()) if code >> bit & 1]
    sequence._quasi = np.bitwise_xor.reduce(sequence._sv[:, chosen], axis=1)
    sequence.num_generated = skip + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points = sequence.random(num_results)
    return _core.as_tensor(points.astype(dtypes.as_dtype(dtype).as_numpy_dtype))

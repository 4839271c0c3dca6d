"""Gamma, Poisson, binomial and truncated normal samples, and shuffled indices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import host_call, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import broadcast_dynamic_shape, invalid_argument
from eagerflow.ops.composed_op import INDEX_TYPES, Input, composed_op
from eagerflow.ops.numpy_ops import array_of, differentiable
from eagerflow.ops.random.stateful import check_sizes, elements_in, known_sizes, sizes_of
from eagerflow.ops.random.stateless import start_of
from eagerflow.typing import DTypeLike, ShapeLike, Sizes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def _parameter(value: TensorLike, dtype: DType) -> Tensor:
    tensor = _core.convert(value, dtype, None)
    if tensor.dtype not in _FLOATS:
        raise invalid_argument(
            f"A distribution's parameters must be floating, got {tensor.dtype.name}"
        )
    return tensor


def _spread(parameters: np.ndarray, copies: int) -> np.ndarray:
    """Each parameter repeated for each of its samples."""
    return np.repeat(parameters.reshape(-1).astype(np.float64), copies)


def _arranged(samples: np.ndarray, parameters: int, shape: tuple[int, ...]) -> np.ndarray:
    """The samples in an array whose last axes are those of the parameters."""
    return samples.reshape(parameters, -1).T.reshape(shape)


def _with_sizes_of(sizes: TensorLike, tensor: Tensor) -> Any:
    """The sizes of samples for each parameter, followed by the sizes of the parameters."""
    if isinstance(sizes, tuple) and tensor.shape.is_fully_defined():
        return (*sizes, *tensor._shape_tuple())
    front = _core.convert(sizes, dtypes.int64) if isinstance(sizes, tuple) else sizes
    return _ops.concat([_ops.cast(front, dtypes.int64), _ops.shape(tensor, dtypes.int64)], 0)


def sampled(
    sampler: Callable[..., Tensor], name: str, sizes: Any, dtype: Any, start: Any, *arguments: Any
) -> Tensor:
    """The result of `sampler(start, sizes, *arguments)`, which reads the values of all of these."""
    if _core.building() is None:
        return sampler(start, sizes, *arguments)

    def sample(start: Any, sizes: Sizes, *arguments: object) -> Tensor:
        if isinstance(sizes, Tensor):
            sizes = tuple(sizes.numpy().tolist())
            check_sizes(sizes, name)
        words = tuple(random_seed.signed(int(word)) for word in start)
        return sampler(words, sizes, *arguments)

    spec = TensorSpec(known_sizes(sizes), dtype)
    return host_call(sample, spec, (start, sizes, *arguments), name=name)


def _gamma_tensor(start: tuple[int, int, int], shape: tuple[int, ...], alpha: Tensor) -> Tensor:
    """Gamma samples, differentiable with respect to their shape parameters.

    The derivative with respect to a parameter is that of the inverse distribution function, by M.
    Figurnov et al., "Implicit reparameterization gradients" (2018).
    """
    parameters = array_of(alpha, "RandomGamma")
    copies = math.prod(shape) // max(parameters.size, 1)
    spread = _spread(parameters, copies)
    samples = np.asarray(_ops.philox_gamma(spread, *start))
    values = _arranged(samples, max(parameters.size, 1), shape)
    kind = alpha.dtype.as_numpy_dtype
    extra = len(shape) - alpha.ndim

    def backward(dy: Tensor) -> Tensor:
        slopes = np.asarray(_ops.random_gamma_grad(spread, samples))
        factor: Any = _arranged(slopes, max(parameters.size, 1), shape).astype(kind)
        weighted = dy * _core.convert(factor, alpha.dtype, None)
        return _ops.reduce_sum(weighted, axis=list(range(extra))) if extra else weighted

    array = _core.convert(values.astype(kind), alpha.dtype, None)
    (result,) = differentiable([array], [alpha], backward)
    return result


def _tiny(dtype: DType) -> Tensor:
    if dtype is dtypes.bfloat16:
        return _core.convert(float(np.finfo(np.float32).tiny), dtype, None)
    return _core.convert(np.finfo(dtype.as_numpy_dtype).tiny, dtype, None)


@composed_op("RandomGamma", shape=Input("int32", converts="alone"))
def gamma(
    shape: ShapeLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Gamma distributed values.

    Args:
        shape: the shape of the samples for each pair of parameters.
        alpha: the shape parameters, positive.
        beta: the inverse scales; 1 by default. It broadcasts with `alpha`.
        dtype: a floating dtype, that of the parameters and of the result.
        seed: makes the values reproducible, together with `tf.random.set_seed`.

    Returns:
        Values of shape `shape + shape(alpha + beta)`, differentiable with respect to both.

    >>> tf.random.gamma([5], [0.5, 2.0]).shape
    TensorShape([5, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    sizes, size_dtype = sizes_of(shape, "RandomGamma")
    alpha = _parameter(alpha, dtype)
    beta = _parameter(1 if beta is None else beta, dtype)
    alpha = alpha + _ops.zeros_like(beta)
    check_sizes(sizes, "RandomGamma")
    sample_sizes = _with_sizes_of(sizes, alpha)
    blocks = random_seed.RESERVED_PER_OUTPUT * elements_in(sample_sizes)
    start = random_seed.draw(("RandomGamma", dtype, size_dtype), seed, blocks)
    samples = sampled(_gamma_tensor, "RandomGamma", sample_sizes, dtype, start, alpha)
    return _ops.maximum(_tiny(dtype), samples / beta)


@op_function
def stateless_gamma(
    shape: ShapeLike,
    seed: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Gamma distributed values determined by the arguments alone.

    Args:
        shape: the shape of the result, which ends with that of the parameters.
        seed: two integers.
        alpha: the shape parameters, positive.
        beta: the inverse scales; 1 by default. It broadcasts with `alpha`.
        dtype: a floating dtype.

    Raises:
        tf.errors.InvalidArgumentError: if the shape does not end with that of the parameters.

    >>> tf.random.stateless_gamma([5, 2], seed=[1, 2], alpha=[0.5, 2.0]).shape
    TensorShape([5, 2])
    """
    dtype = dtypes.as_dtype(dtype)
    sizes, _ = sizes_of(shape, "StatelessRandomGammaV3")
    alpha = _parameter(alpha, dtype)
    beta = _parameter(1 if beta is None else beta, dtype)
    alpha = alpha + _ops.zeros_like(beta)
    samples = gamma_from(start_of(seed, "auto_select"), sizes, alpha)
    return _ops.maximum(_tiny(dtype), samples / beta)


def gamma_from(start: tuple[Any, Any, Any], sizes: TensorLike, alpha: Tensor) -> Tensor:
    """Gamma distributed values from a position of a stream; their scale is 1.

    Raises:
        tf.errors.InvalidArgumentError: if the shape does not end with that of the parameters.
    """
    op = "StatelessRandomGammaV3"
    check_sizes(sizes, op)
    return sampled(_stateless_gamma_tensor, op, sizes, alpha.dtype, start, alpha)


def _stateless_gamma_tensor(start: Any, sizes: tuple[int, ...], alpha: Tensor) -> Tensor:
    _ends_with(sizes, alpha._shape_tuple())
    return _gamma_tensor(start, sizes, alpha)


def _ends_with(sizes: tuple[int, ...], inner: tuple[int, ...]) -> None:
    if inner and sizes[-len(inner) :] != inner:
        raise invalid_argument("Shape passed in must end with broadcasted shape.")


def _highest(dtype: DType) -> float:
    highest = float(dtype.max)  # one too high for int64
    return math.nextafter(highest, 0) if highest > dtype.max else highest


def _counts(samples: np.ndarray, dtype: DType) -> Tensor:
    with np.errstate(invalid="ignore"):
        return _core.convert(samples.astype(dtype.as_numpy_dtype), dtype, None)


_COUNT_DTYPES = (*_FLOATS, dtypes.int32, dtypes.int64)


def _count_dtype(dtype: DType, op: str) -> DType:
    dtype = dtypes.as_dtype(dtype)
    if dtype not in _COUNT_DTYPES:
        _core.refuse_attr("dtype", dtype, _COUNT_DTYPES, op)
    return dtype


_RATES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


@composed_op(
    "RandomPoissonV2",
    shape=Input(INDEX_TYPES, type="S", prefer="int32"),
    lam=Input(INDEX_TYPES, "float16", "float32", "float64", type="R", prefer="float64"),
    dtype=DType,
)
def poisson(
    shape: ShapeLike,
    lam: TensorLike,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Poisson distributed values.

    Args:
        shape: the shape of the samples for each rate.
        lam: the rates, not negative.
        dtype: the dtype of the result, floating, int32 or int64.
        seed: makes the values reproducible, together with `tf.random.set_seed`.

    Returns:
        Values of shape `shape + shape(lam)`.

    >>> tf.random.poisson([5], [0.5, 20.0]).shape
    TensorShape([5, 2])
    """
    dtype = _count_dtype(dtype, "RandomPoissonV2")
    sizes, size_dtype = sizes_of(shape, "RandomPoissonV2")
    rate = _core.as_tensor(lam)
    if rate.dtype not in _RATES:
        raise invalid_argument(
            f"lam must have one of the dtypes {', '.join(kind.name for kind in _RATES)}, got "
            f"{rate.dtype.name} [Op:RandomPoissonV2]"
        )
    check_sizes(sizes, "RandomPoissonV2")
    sample_sizes = _with_sizes_of(sizes, rate)
    blocks = random_seed.RESERVED_PER_OUTPUT * elements_in(sample_sizes)
    start = random_seed.draw(("RandomPoissonV2", rate.dtype, dtype, size_dtype), seed, blocks)
    return sampled(_poisson_tensor, "RandomPoissonV2", sample_sizes, dtype, start, rate, dtype)


def _poisson_tensor(
    start: tuple[int, int, int], shape: tuple[int, ...], rate: Tensor, dtype: DType
) -> Tensor:
    _ends_with(shape, rate._shape_tuple())
    rates = array_of(rate, "RandomPoissonV2")
    copies = math.prod(shape) // max(rates.size, 1)
    samples = _ops.philox_poisson(_spread(rates, copies), *start, _highest(dtype))
    return _counts(_arranged(np.asarray(samples), max(rates.size, 1), shape), dtype)


@composed_op(
    "StatelessRandomPoisson",
    checked_first=True,
    shape=Input(INDEX_TYPES, prefer="int32"),
    seed=Input(INDEX_TYPES, type="Tseed", prefer="int64"),
    lam=Input(INDEX_TYPES, "float16", "float32", "float64", type="R"),
    dtype=DType,
)
def stateless_poisson(
    shape: ShapeLike, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Poisson distributed values determined by the arguments alone.

    Args:
        shape: the shape of the result, which ends with that of the rates.
        seed: two integers.
        lam: the rates, not negative.
        dtype: the dtype of the result, floating, int32 or int64.

    Raises:
        tf.errors.InvalidArgumentError: if the shape does not end with that of the rates.

    >>> tf.random.stateless_poisson([5, 2], seed=[1, 2], lam=[0.5, 20.0]).shape
    TensorShape([5, 2])
    """
    op = "StatelessRandomPoisson"
    dtype = _count_dtype(dtype, op)
    sizes, _ = sizes_of(shape, op)
    check_sizes(sizes, op)
    rate = _core.as_tensor(lam)
    start = start_of(seed, "auto_select")
    return sampled(_poisson_tensor, op, sizes, dtype, start, rate, dtype)


def binomial_size(counts: TensorLike, probs: TensorLike) -> int | Tensor:
    """How many pairs of parameters there are, at least 1; in a graph it may be a scalar."""
    tensors = [_core.as_tensor(value) for value in (counts, probs)]
    shapes = [tensor.shape for tensor in tensors]
    try:
        if all(shape.is_fully_defined() for shape in shapes):
            return max(math.prod(np.broadcast_shapes(*map(tuple, shapes))), 1)
    except ValueError:
        return 1  # the sampler reports it
    sizes = [_ops.shape(tensor, dtypes.int64) for tensor in tensors]
    return _ops.maximum(elements_in(broadcast_dynamic_shape(*sizes)), 1)


def binomial_tensor(
    start: tuple[Any, Any, Any], sizes: Any, counts: TensorLike, probs: TensorLike, dtype: DTypeLike
) -> Tensor:
    """Binomially distributed values from a position of a stream.

    Raises:
        tf.errors.InvalidArgumentError: if the shape does not end with that of the parameters.
    """
    chance = _core.convert(probs, None, dtypes.float32)
    count = _core.convert(counts, None, chance.dtype)
    name = "StatelessRandomBinomial"
    return sampled(_binomial_tensor, name, sizes, dtype, start, count, chance, dtype)


def _binomial_tensor(
    start: Any, sizes: tuple[int, ...], count: Tensor, chance: Tensor, dtype: DType
) -> Tensor:
    try:
        many, chances = np.broadcast_arrays(
            array_of(count, "StatelessRandomBinomial"), array_of(chance)
        )
    except ValueError:
        raise invalid_argument(
            f"Shapes of counts {count.shape} and probs {chance.shape} do not broadcast"
        ) from None
    _ends_with(sizes, many.shape)
    copies = math.prod(sizes) // max(many.size, 1)
    samples = _ops.philox_binomial(_spread(many, copies), _spread(chances, copies), *start)
    return _counts(_arranged(np.asarray(samples), max(many.size, 1), sizes), dtype)


@composed_op(
    "StatelessRandomBinomial",
    checked_first=True,
    shape=Input(INDEX_TYPES, type="S", prefer="int32"),
    seed=Input(INDEX_TYPES, type="Tseed", prefer="int64"),
    counts=Input(INDEX_TYPES, "float16", "float32", "float64", type="R", prefer="float64"),
    probs=Input(INDEX_TYPES, "float16", "float32", "float64", type="R", prefer="float64"),
    output_dtype=DType,
)
def stateless_binomial(
    shape: ShapeLike,
    seed: TensorLike,
    counts: TensorLike,
    probs: TensorLike,
    output_dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Binomially distributed values determined by the arguments alone.

    Args:
        shape: the shape of the result, which ends with that of the parameters.
        seed: two integers.
        counts: the number of trials.
        probs: the probabilities of success, which broadcast with `counts`.
        output_dtype: the dtype of the result, floating, int32 or int64.

    Raises:
        tf.errors.InvalidArgumentError: if the shape does not end with that of the parameters.

    >>> tf.random.stateless_binomial([5], seed=[1, 2], counts=10.0, probs=0.5).shape
    TensorShape([5])
    """
    op = "StatelessRandomBinomial"
    dtype = _count_dtype(output_dtype, op)
    sizes, _ = sizes_of(shape, op)
    check_sizes(sizes, op)
    return binomial_tensor(start_of(seed, "auto_select"), sizes, counts, probs, dtype)


_SHUFFLE_CONSTANTS = 0x7369F885192C0EF5
# The first element of seeds that are pairs.
_SHUFFLE_SEED = 498247692


def _rotated(x: np.ndarray, by: int, width: int) -> np.ndarray:
    """Words of `width` bits rotated to the left."""
    mask = np.uint64(2**width - 1)
    return (x << np.uint64(by) | x >> np.uint64(width - by)) & mask


def _mixed(x: np.ndarray, width: int) -> np.ndarray:
    return (_rotated(x, 1, width) & _rotated(x, 8, width)) ^ _rotated(x, 2, width)


def _shuffled_spec(
    index: TensorLike, seed: int, max_index: TensorLike, rounds: int = 4, name: str | None = None
) -> TensorSpec:
    positions = _core.convert(index, None, dtypes.int32)
    shapes = [positions.shape, _core.as_tensor(max_index).shape, _core.as_tensor(seed).shape[:-1]]
    known = next((shape for shape in shapes if shape.rank != 0), shapes[0])
    return TensorSpec(known, positions.dtype)


@composed_op(
    "RandomIndexShuffle",
    checked_first=True,
    in_graph=on_host(_shuffled_spec),
    index=Input(INDEX_TYPES, "uint32", "uint64", type="dtype"),
    seed=Input(INDEX_TYPES, "uint32", "uint64", type="Tseed"),
    max_index=Input(INDEX_TYPES, "uint32", "uint64", type="dtype"),
)
def random_index_shuffle(
    index: Any, seed: TensorLike, max_index: TensorLike, rounds: int = 4, name: str | None = None
) -> Tensor:
    """The positions of indices in a random permutation of 0 to `max_index`.

    The permutation is the Simon block cipher on words just long enough, walked until an index in
    range comes up (R. Beaulieu et al., 2013; J. Black, P. Rogaway, 2002).

    Args:
        index: int32, int64, uint32 or uint64; a scalar or a vector.
        seed: three integers `[3]`, or one row of them for each index.
        max_index: the largest index; a scalar or one for each index.
        rounds: the number of cipher rounds: even, at least 4.

    Raises:
        tf.errors.InvalidArgumentError: if an argument does not fit.

    >>> order = tf.random_index_shuffle(tf.range(5), [1, 2, 3], 4)
    >>> sorted(order.numpy().tolist())
    [0, 1, 2, 3, 4]
    """
    op = "RandomIndexShuffle"
    positions = _core.convert(index, None, dtypes.int32)
    limits = np.asarray(_core.convert(max_index, positions.dtype, None))
    keys = np.asarray(_core.convert(seed, None, dtypes.int32))
    if keys.ndim not in (1, 2) or keys.shape[-1] != 3:
        raise invalid_argument(f"seed must be [3] or [n, 3], got {list(keys.shape)} [Op:{op}]")
    if rounds < 4 or rounds % 2:
        raise invalid_argument(f"rounds must be even and at least 4, got {rounds} [Op:{op}]")
    array = np.asarray(positions)
    if array.ndim > 1 or limits.ndim > 1:
        raise invalid_argument(f"index and max_index must be scalars or vectors [Op:{op}]")
    shape = np.broadcast_shapes(array.shape, limits.shape, keys.shape[:-1])
    indices = np.broadcast_to(array, shape).reshape(-1)
    largest = np.broadcast_to(limits, shape).reshape(-1)
    if (indices < 0).any() or (largest < 0).any() or (indices > largest).any():
        raise invalid_argument(f"index must lie within [0, max_index] [Op:{op}]")
    rows = np.broadcast_to(keys, (*shape, 3)).reshape(-1, 3)
    result = np.zeros(indices.size, np.uint64)
    groups = np.concatenate([largest[:, None].astype(np.int64), rows.astype(np.int64)], axis=1)
    for group in np.unique(groups, axis=0) if indices.size else ():
        chosen = np.flatnonzero((groups == group).all(axis=1))
        result[chosen] = _shuffled(indices[chosen], group[1:], int(group[0]), rounds)
    return _core.convert(result.reshape(shape).astype(array.dtype), positions.dtype, None)


def _shuffled(indices: np.ndarray, key: np.ndarray, limit: int, rounds: int) -> np.ndarray:
    if limit == 0:
        return np.zeros(indices.size, np.uint64)
    bits = math.ceil(math.log2(limit))
    width = min(max(bits + bits % 2, 16), 64) // 2
    mask = 2**width - 1
    keys = [int(word) & 0xFFFFFFFF & mask for word in key]
    constants = _SHUFFLE_CONSTANTS & mask

    def turned(word: int, by: int) -> int:
        return (word >> by | word << (width - by)) & mask

    for k in range(3, rounds):
        bit = constants & 1
        keys.append(
            (0xFFFFFFFC & mask)
            ^ bit
            ^ keys[k - 3]
            ^ turned(keys[k - 1], 3)
            ^ turned(keys[k - 1], 4)
        )
        constants >>= 1

    def encrypted(values: np.ndarray) -> np.ndarray:
        left, right = values >> np.uint64(width), values & np.uint64(mask)
        for k in range(0, len(keys), 2):
            left = left ^ _mixed(right, width) ^ np.uint64(keys[k])
            right = right ^ _mixed(left, width) ^ np.uint64(keys[k + 1])
        return left << np.uint64(width) | right

    values = indices.astype(np.uint64)
    active = np.arange(values.size)
    for _ in range(16 if width <= 10 else 2**63):
        if not active.size:
            return values
        values[active] = encrypted(values[active])
        active = active[values[active] > limit]
    # In a small set, few values may be in range: walk all at once and double each step.
    following = encrypted(np.arange(4**width, dtype=np.uint64))
    while (far := values[active] > limit).any():
        active = active[far]
        values[active] = following[values[active]]
        following = np.where(following > limit, following[following], following)
    return values


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """The positions of indices in a random permutation of 0 to `max_index`.

    Args:
        index: int32, int64, uint32 or uint64; a scalar or a vector.
        seed: two integers, or one row of them for each index.
        max_index: the largest index; a scalar or one for each index.

    >>> order = tf.random.experimental.index_shuffle(tf.range(5), [1, 2], 4)
    >>> sorted(order.numpy().tolist())
    [0, 1, 2, 3, 4]
    """
    seed = _core.as_tensor(seed)
    first = _core.convert(np.full((*seed._shape_tuple()[:-1], 1), _SHUFFLE_SEED), seed.dtype, None)
    seed = _ops.concat([first, seed], seed.ndim - 1)
    return random_index_shuffle(index, seed, max_index)

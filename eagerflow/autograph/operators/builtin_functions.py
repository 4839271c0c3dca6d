"""Python's builtin functions, for tensors and datasets in functions that are traced."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from eagerflow import _core
from eagerflow.autograph.operators.staging import Tensor, is_staged
from eagerflow.framework import dtypes
from eagerflow.ops import array, creation
from eagerflow.util import lazy

# Few programs need them.
assertions = lazy.Module("eagerflow.ops.assertions")
indexing = lazy.Module("eagerflow.ops.indexing")
loops = lazy.Module("eagerflow.ops.loops")

_ops = _core.ops

_NOT_GIVEN: Any = object()


def is_dataset(value: object) -> bool:
    """Whether a value is a `tf.data.Dataset`."""
    return getattr(type(value), "_is_dataset", False)


def is_dataset_iterator(value: object) -> bool:
    """Whether a value is a dataset's iterator."""
    return getattr(type(value), "_is_dataset_iterator", False)


def is_ragged(value: object) -> bool:
    """Whether a value is a ragged tensor."""
    return hasattr(value, "ragged_rank") and hasattr(value, "nrows")


def abs_(x: Any) -> _core.Tensor:
    """`abs(x)`; for a dataset, that of its elements."""
    if is_dataset(x):
        return x.map(abs)
    return abs(x)


def float_(x: Any = 0) -> float | Tensor:
    """`float(x)`."""
    if not is_staged(x):
        return float(x)
    return _number(x, dtypes.float32)


def int_(x: Any = 0, base: Any = _NOT_GIVEN) -> int | Tensor:
    """`int(x)` or `int(x, base)`."""
    if not is_staged(x):
        return int(x) if base is _NOT_GIVEN else int(x, base)
    if base not in (_NOT_GIVEN, 10):
        raise NotImplementedError(f"base {base} not supported for int")
    return _number(x, dtypes.int32)


def _number(x: _core.Tensor, dtype: dtypes.DType) -> Tensor:
    x = _core.as_tensor(x)
    return _ops.string_to_number(x, dtype) if x.dtype is dtypes.string else _ops.cast(x, dtype)


def len_(s: Any) -> Any:
    """`len(s)`; that of a tensor is the size of its first axis.

    Raises:
        ValueError: if a tensor is a scalar.
    """
    if is_staged(s):
        return _first_size(_core.as_tensor(s))
    if _core.building() is not None:
        if is_dataset(s):
            count = s.cardinality()
            text = "len requires dataset with definitive cardinality, got "
            assertions.Assert(_ops.greater_equal(count, 0), [text, count])
            return count
        if is_ragged(s):
            size = s.shape.as_list()[0]
            return _ops.cast(s.nrows(), dtypes.int32) if size is None else size
        if hasattr(s, "unstack") and hasattr(s, "size"):
            return s.size()
    return len(s)


def _first_size(tensor: Tensor) -> Any:
    shape = tensor.shape
    if shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {shape}")
    if shape.rank is not None and shape[0] is not None:
        return shape[0]
    sizes = array.shape(tensor)
    if shape.rank is None:
        text = "len requires non-zero rank, got "
        assertions.Assert(_ops.greater(array.size(sizes), 0), [text, sizes])
    return sizes[0]


def print_(*objects: Any, **kwargs: Any) -> None:
    """`print`; tensors print their values when the function runs.

    Raises:
        TypeError: if there is another keyword than Python's `print` has.
    """
    if not any(is_staged(value) for value in objects):
        print(*objects, **kwargs)
        return
    places = [k for k, value in enumerate(objects) if is_staged(value)]

    def printed(*values: _core.Tensor) -> None:
        texts = list(objects)
        for k, tensor in zip(places, values, strict=True):
            value = tensor.numpy()
            texts[k] = value.decode() if isinstance(value, bytes) else value
        print(*texts, **kwargs)

    tensors = [_core.as_tensor(objects[k]) for k in places]
    _core.host_node(printed, tensors, [], "PyFunc", effects=True)


def range_(start_or_stop: Any, stop: Any = _NOT_GIVEN, step: Any = _NOT_GIVEN) -> range | Tensor:
    """`range`; a `tf.range` if a limit is a tensor."""
    arguments = [value for value in (start_or_stop, stop, step) if value is not _NOT_GIVEN]
    if not any(is_staged(value) for value in arguments):
        return range(*arguments)
    if step is not _NOT_GIVEN:
        return creation.range(*arguments)
    # An empty range of Python's is none that `tf.range` admits.
    start = 0 if stop is _NOT_GIVEN else start_or_stop
    return creation.range(start, _ops.maximum(start, arguments[-1]))


def enumerate_(s: Any, start: Any = 0) -> Any:
    """`enumerate`."""
    return s.enumerate(start) if is_dataset(s) else enumerate(s, start)


def zip_(*iterables: Any, strict: bool = False) -> Any:
    """`zip`."""
    if iterables and all(map(is_dataset, iterables)):
        return type(iterables[0]).zip(iterables)
    return zip(*iterables, strict=strict)


def map_(fn: Callable[..., Any], *iterables: Any) -> Any:
    """`map`."""
    if iterables and all(map(is_dataset, iterables)):
        return zip_(*iterables).map(fn) if len(iterables) > 1 else iterables[0].map(fn)
    return map(fn, *iterables)


def filter_(function: Any, iterable: Any) -> Any:
    """`filter`."""
    return iterable.filter(function) if is_dataset(iterable) else filter(function, iterable)


def any_(iterable: Any) -> Any:
    """`any`; a dataset's elements are boolean scalars."""
    if is_dataset(iterable):
        return iterable.reduce(False, _ops.logical_or)
    return any(iterable)


def all_(iterable: Any) -> Any:
    """`all`; a dataset's elements are boolean scalars."""
    if is_dataset(iterable):
        return iterable.reduce(True, _ops.logical_and)
    return all(iterable)


def sorted_(iterable: Iterable[Any], key: Any = _NOT_GIVEN, reverse: Any = _NOT_GIVEN) -> Any:
    """`sorted`; a tensor is sorted along its only axis."""
    if not is_staged(iterable):
        given = {"key": key, "reverse": reverse}
        return sorted(iterable, **{k: v for k, v in given.items() if v is not _NOT_GIVEN})
    tensor = _core.as_tensor(iterable)
    if tensor.shape.rank != 1:
        raise ValueError("sorted currently supports only tensors of rank 1")
    direction = "DESCENDING" if reverse not in (_NOT_GIVEN, False) else "ASCENDING"
    if key is _NOT_GIVEN or key is None:
        return indexing.sort(tensor, direction=direction)
    keys = loops.vectorized_map(key, tensor)
    return _ops.gather(tensor, indexing.argsort(keys, direction=direction, stable=True))


# Builtin objects live as long as the program, and some others cannot be hashed.
_OVERLOADS: dict[int, Callable[..., Any]] = {
    id(function): overload
    for function, overload in (
        (abs, abs_),
        (all, all_),
        (any, any_),
        (enumerate, enumerate_),
        (filter, filter_),
        (float, float_),
        (int, int_),
        (len, len_),
        (map, map_),
        (print, print_),
        (range, range_),
        (sorted, sorted_),
        (zip, zip_),
    )
}


def overload_of(function: object) -> Callable[..., Any] | None:
    """What converted code calls for a builtin function; None for every other."""
    return _OVERLOADS.get(id(function))

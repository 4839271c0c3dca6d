"""Assertions on values, shapes and types of tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.host_call import host_call
from eagerflow.framework.op_function import op_function
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import FLOAT_TYPES, Input, composed_op
from eagerflow.typing import DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _count(summarize: int | None, default: int = 3) -> int | None:
    """How many elements messages show; None for all."""
    if summarize is None:
        return default
    return None if summarize < 0 else summarize


def _first(value: Tensor, count: int | None) -> np.ndarray:
    return np.asarray(value.numpy()).reshape(-1)[:count]


def _listed(value: Any, count: int | None) -> str:
    """The first elements, separated by commas."""
    elements = np.asarray(_core.as_tensor(value).numpy()).reshape(-1)
    parts = [str(element) for element in elements[:count]]
    if len(parts) < len(elements):
        parts.append("...")
    return ", ".join(parts)


def _summarized(value: Any, count: int | None) -> str:
    """The first elements as graphs' errors show them: separated by spaces, rows in brackets."""
    array = np.asarray(_core.as_tensor(value).numpy())
    left = [array.size if count is None else count]

    def shown(part: Any) -> str:
        if part.ndim == 0:
            left[0] -= 1
            item = part.item()
            return item.decode(errors="replace") if isinstance(item, bytes) else str(item)
        if part.ndim > 1:
            return "".join(f"[{shown(row)}]" for row in part if left[0] > 0)
        found = [shown(part[k]) for k in range(min(len(part), left[0]))]
        return " ".join(found) + ("..." if len(found) < len(part) else "")

    return shown(array)


def require(flags: TensorLike, refuse: Callable[..., None], *values: object) -> None:
    """Calls `refuse(*values)`, which raises, unless all flags are true.

    In a graph this is a node, unless all values are known while tracing.
    """
    holds = _ops.reduce_all(flags)
    if _core.building() is None:
        if not bool(holds):
            refuse(*values)
        return
    known = [
        _core.static_value(tensor) for tensor in (holds, *values) if isinstance(tensor, Tensor)
    ]
    if len(known) > len(values) and all(value is not None for value in known):
        if not bool(known[0]):
            with eagerly():
                refuse(*known[1:])
        return
    host_call(refuse, None, values, name="Assert", effects=True, unless=holds)


def _awaited(body: Callable[..., object]) -> Callable[..., Any]:
    """An assertion that returns its operation while a program builds a graph, for control dependencies.

    In a traced function it runs anyway.
    """

    def in_graph(*args: object, **kwargs: str) -> Any:
        graph = context.building_graph()
        return body(*args, **kwargs) if graph is None else graph.with_effects(body, *args, **kwargs)

    return in_graph


def _prefix(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _compare(
    op: Callable, sign: str, x: Tensor, y: Tensor, message: Any, summarize: int | None
) -> None:
    x, y = (v if isinstance(v, CompositeTensor) else _core.as_tensor(v) for v in (x, y))
    count = _count(summarize)

    def refuse(x: Tensor, y: Tensor, *texts: Tensor) -> None:
        prefix = _summarized(texts[0], count) if texts else message
        raise invalid_argument(_difference(op(x, y), sign, x, y, prefix, count))

    # A message may be a tensor, such as one of `tf.strings.format`.
    require(op(x, y), refuse, x, y, *([message] if isinstance(message, Tensor) else []))


def _difference(
    holds: Tensor, sign: str, x: Tensor, y: Tensor, message: str | None, count: int | None
) -> str:
    """The part of a message about two tensors whose comparison fails."""
    lines = [message] if message else []
    lines.append(f"Condition x {sign} y did not hold.")
    if x.ndim and x._shape_tuple() == y._shape_tuple():
        wrong = np.argwhere(~holds.numpy())[:count]
        positions = tuple(wrong.T)
        lines += [f"Indices of first {len(wrong)} different values:", str(wrong)]
        lines += ["Corresponding x values:", str(x.numpy()[positions])]
        lines += ["Corresponding y values:", str(y.numpy()[positions])]
    for label, value in (("x", x), ("y", y)):
        first = _first(value, count)
        lines += [f"First {len(first)} elements of {label}:", str(first)]
    return "\n".join(lines)


@op_function(in_graph=_awaited)
def assert_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: Any = None
) -> None:
    """Checks that elements are equal.

    Args:
        x: a tensor or a value that can be converted to one.
        y: another one of the same dtype; shapes broadcast.
        message: the prefix of the error's message, a string or a string tensor.
        summarize: how many elements the message shows, 3 by default; -1 shows all.

    Raises:
        tf.errors.InvalidArgumentError: if they are not. The message shows where.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])
    >>> tf.debugging.assert_equal([1, 2], [1, 3])
    Traceback (most recent call last):
        ...
    eagerflow.errors.InvalidArgumentError: Condition x == y did not hold.
    Indices of first 1 different values:
    [[1]]
    Corresponding x values:
    [2]
    Corresponding y values:
    [3]
    First 2 elements of x:
    [1 2]
    First 2 elements of y:
    [1 3]
    """
    if x is not y:
        _compare(_ops.equal, "==", x, y, message, summarize)


@op_function(in_graph=_awaited)
def assert_none_equal(
    x: Any, y: Any, summarize: int | None = None, message: str | None = None, name: Any = None
) -> None:
    """Checks that no elements are equal; see `assert_equal`."""
    _compare(_ops.not_equal, "!=", x, y, message, summarize)


@op_function(in_graph=_awaited)
def assert_less(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: Any = None
) -> None:
    """Checks x < y for all elements; see `assert_equal`."""
    _compare(_ops.less, "<", x, y, message, summarize)


@op_function(in_graph=_awaited)
def assert_less_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: Any = None
) -> None:
    """Checks x <= y for all elements; see `assert_equal`."""
    _compare(_ops.less_equal, "<=", x, y, message, summarize)


@op_function(in_graph=_awaited)
def assert_greater(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: Any = None
) -> None:
    """Checks x > y for all elements; see `assert_equal`."""
    _compare(_ops.greater, ">", x, y, message, summarize)


@op_function(in_graph=_awaited)
def assert_greater_equal(
    x: Any, y: Any, message: str | None = None, summarize: int | None = None, name: Any = None
) -> None:
    """Checks x >= y for all elements; see `assert_equal`."""
    _compare(_ops.greater_equal, ">=", x, y, message, summarize)


def _against_zero(
    op: Callable, sign: str, x: Tensor, message: str | None, summarize: int | None
) -> None:
    x = _core.as_tensor(x)

    def refuse(x: Tensor) -> None:
        raise invalid_argument(
            f"{_prefix(message)}\nCondition x {sign} 0 did not hold element-wise:\n"
            f"x (shape={x.shape} dtype={x.dtype.name}) = \n[{_listed(x, _count(summarize))}]"
        )

    require(op(x, _core.convert(0, x.dtype, None)), refuse, x)


@op_function(in_graph=_awaited)
def assert_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Checks x > 0 for all elements.

    Raises:
        tf.errors.InvalidArgumentError: if one is not.

    >>> tf.debugging.assert_positive([1.0, 2.0])
    """
    _against_zero(_ops.greater, ">", x, message, summarize)


@op_function(in_graph=_awaited)
def assert_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Checks x < 0 for all elements; see `assert_positive`."""
    _against_zero(_ops.less, "<", x, message, summarize)


@op_function(in_graph=_awaited)
def assert_non_negative(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Checks x >= 0 for all elements; see `assert_positive`."""
    _against_zero(_ops.greater_equal, ">=", x, message, summarize)


@op_function(in_graph=_awaited)
def assert_non_positive(
    x: Any, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> None:
    """Checks x <= 0 for all elements; see `assert_positive`."""
    _against_zero(_ops.less_equal, "<=", x, message, summarize)


@op_function(in_graph=_awaited)
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: Any = None,
    atol: Any = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> None:
    """Checks |x - y| <= atol + rtol * |y| for all elements.

    Args:
        x: floating.
        y: of the same dtype; shapes broadcast.
        rtol: by default ten times the distance between 1 and the next representable value.
        atol: as `rtol`.
        message: the prefix of the error's message.
        summarize: how many elements the message shows, 3 by default; -1 shows all.

    Raises:
        tf.errors.InvalidArgumentError: if two elements differ by more.
        ValueError: if the dtypes differ or are not floating.

    >>> tf.debugging.assert_near([1.0], [1.0 + 1e-7])
    """
    x = _core.as_tensor(x)
    y = _core.convert(y, x.dtype, None)
    if not (x.dtype.is_floating or x.dtype.is_complex):
        raise ValueError(f"assert_near compares floating dtypes, got {x.dtype.name}")
    real = x.dtype.real_dtype
    precision = 0.0078125 if real is dtypes.bfloat16 else float(np.finfo(real.as_numpy_dtype).eps)
    rtol = _core.convert(10 * precision if rtol is None else rtol, real, None)
    atol = _core.convert(10 * precision if atol is None else atol, real, None)
    distance = _ops.abs(x - y)
    count = _count(summarize)

    def refuse(x: Tensor, y: Tensor, rtol: Tensor, atol: Tensor) -> None:
        raise invalid_argument(
            f"{_prefix(message)}x and y not equal to tolerance rtol = {rtol.numpy()}, "
            f"atol = {atol.numpy()}\n"
            f"x (shape={x.shape} dtype={x.dtype.name}) = \n{_listed(x, count)}\n"
            f"y (shape={y.shape} dtype={y.dtype.name}) = \n{_listed(y, count)}"
        )

    near = _ops.less_equal(distance, atol + rtol * _ops.abs(y))
    require(near, refuse, x, y, rtol, atol)


def _wanted_rank(rank: Any, message: str | None) -> Any:
    """The rank as an integer, or as a scalar tensor if it is known only when the graph runs."""
    rank = _core.as_tensor(rank)
    if rank.dtype is not dtypes.int32:
        raise TypeError(
            f"{_prefix(message)}tensor must be of type {dtypes.int32!r}; got {rank.dtype!r}"
        )
    if rank.ndim != 0:
        raise ValueError("Rank must be a scalar.")
    known = _core.static_value(rank)
    return rank if known is None else int(known)


def _at_least(rank: int) -> str:
    return f"at least {rank}"


def _assert_rank(
    x: Tensor, ranks: Sequence[Any], holds: Callable, text: Callable, message: str | None
) -> None:
    """Checks a rank.

    Args:
        x: the tensor.
        ranks: the ranks it is compared with.
        holds: returns whether the rank of `x` is valid, from that rank and these as integers.
        text: describes the valid ranks, from these integers.
        message: precedes the error's.
    """
    x = _core.as_tensor(x)
    wanted = [_wanted_rank(rank, message) for rank in ranks]
    if x.shape.rank is None or any(isinstance(rank, Tensor) for rank in wanted):

        def refuse(x: Tensor, *ranks: Any) -> None:
            known_ranks = [int(rank) for rank in ranks]
            if not holds(x.ndim, *known_ranks):
                raise invalid_argument(
                    f"assertion failed: [{_prefix(message)}] [Tensor must have rank "
                    f"{text(*known_ranks)}] [Received shape: ] {list(x.shape)}"
                )

        host_call(refuse, None, (x, *map(_core.as_tensor, wanted)), name="Assert", effects=True)
    elif not holds(x.ndim, *wanted):
        raise ValueError(
            f"{_prefix(message)}Tensor  must have rank {text(*wanted)}.  "
            f"Received rank {x.ndim}, shape {x.shape}"
        )


@op_function(in_graph=_awaited)
def assert_rank(x: Any, rank: Any, message: str | None = None, name: str | None = None) -> None:
    """Checks the number of axes.

    Raises:
        ValueError: if `x` has another one.

    >>> tf.debugging.assert_rank([[1, 2]], 2)
    """
    _assert_rank(x, [rank], operator.eq, str, message)


@op_function(in_graph=_awaited)
def assert_rank_at_least(x: Any, rank: Any, message: str | None = None, name: Any = None) -> None:
    """Checks the minimum number of axes; raises a ValueError if not."""
    _assert_rank(x, [rank], operator.ge, _at_least, message)


@op_function(in_graph=_awaited)
def assert_rank_in(
    x: Any, ranks: Iterable[object], message: str | None = None, name: str | None = None
) -> None:
    """Checks that the number of axes is one of several; raises a ValueError if not."""
    _assert_rank(
        x,
        list(ranks),
        lambda rank, *wanted: rank in wanted,
        lambda *wanted: f"in {wanted}",
        message,
    )


@op_function
def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Checks that a tensor has no axes; raises a ValueError if it has."""
    tensor = _core.as_tensor(tensor)
    if tensor.shape.rank != 0:
        raise ValueError(f"{_prefix(message)}Expected scalar shape, saw shape: {tensor.shape}.")


@op_function
def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Checks that elements are integers; raises a TypeError if not."""
    dtype = _core.as_tensor(x).dtype
    if not dtype.is_integer:
        raise TypeError(
            f'{_prefix(message)}Expected "x" to be integer type.  Found: tensor of dtype {dtype}'
        )


@op_function
def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: Any = None) -> None:
    """Checks the element type; raises a TypeError if it is another one.

    >>> tf.debugging.assert_type(tf.constant(1.0), tf.float32)
    """
    wanted = dtypes.as_dtype(tf_type)
    dtype = _core.as_tensor(tensor).dtype
    if dtype is not wanted:
        raise TypeError(f"{_prefix(message)}tensor must be of type {wanted!r}; got {dtype!r}")


@op_function
def assert_same_float_dtype(tensors: Any = None, dtype: DTypeLike | None = None) -> dtypes.DType:
    """Checks that tensors have one floating type, and returns it; float32 if there are none.

    Raises:
        ValueError: if types differ or are not floating.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0)])
    tf.float32
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if wanted is None:
            wanted, first = tensor.dtype, tensor
        elif tensor.dtype is not wanted:
            source = "." if first is None else f" as {first}."
            raise ValueError(
                f"{tensor}, type={tensor.dtype}, must be of the same type ({wanted}){source}"
            )
    wanted = dtypes.float32 if wanted is None else wanted
    if not wanted.is_floating:
        raise ValueError(f"Expected floating point type, got {wanted}.")
    return wanted


@op_function
def assert_proper_iterable(values: object) -> None:
    """Checks that `values` is a list or the like, not a tensor, array or string.

    Raises:
        TypeError: if it is not.
    """
    if isinstance(values, Tensor | np.ndarray | bytes | str):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not hasattr(values, "__iter__") or isinstance(values, CompositeTensor):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


@op_function
def assert_shapes(
    shapes: Any,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Checks the shapes of several tensors, and that sizes with the same name agree.

    Args:
        shapes: pairs of a tensor and a shape, or a dictionary. A shape is a list of sizes, names,
            and "." or None for any size; an ellipsis or "*" may come first, for any number of
            axes. A string of letters is a list of names.
        data: ignored.
        summarize: ignored.
        message: the prefix of the error's message.

    Raises:
        ValueError: if a size or a rank is wrong.

    >>> x, y = tf.zeros([2, 3]), tf.zeros([3])
    >>> tf.debugging.assert_shapes([(x, ("N", "D")), (y, ("D",))])
    >>> tf.debugging.assert_shapes([(x, ("D", "D"))])
    Traceback (most recent call last):
        ...
    ValueError: Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(2, 3) \
dtype=float32 dimension 1 must have size 2.  Received size 3, shape (2, 3)
    """
    pairs = list(shapes.items()) if isinstance(shapes, Mapping) else list(shapes)
    known: dict[Any, tuple[int, str]] = {}
    tensors = [_core.as_tensor(value) for value, _ in pairs]
    names = [symbols for _, symbols in pairs]
    for tensor, symbols in zip(tensors, names, strict=True):
        _assert_one_shape(tensor, symbols, known, message)

    def check(*tensors: Tensor) -> None:
        try:
            assert_shapes(list(zip(tensors, names, strict=True)), message=message)
        except ValueError as error:
            raise invalid_argument(f"assertion failed: {error}") from None

    if not all(tensor.shape.is_fully_defined() for tensor in tensors):
        host_call(check, None, tuple(tensors), name="Assert", effects=True)


def _assert_one_shape(tensor: Tensor, symbols: Any, known: dict, message: str | None) -> None:
    label = f"shape={tensor.shape} dtype={tensor.dtype.name}"
    if not (hasattr(symbols, "__iter__") or hasattr(symbols, "__getitem__")):
        raise ValueError(
            f"{_prefix(message)}Tensor {label}.  Specified shape must be an iterable.  An iterable "
            "has the attribute `__iter__` or `__getitem__`.  "
            f"Received specified shape: {symbols}"
        )
    symbols = list(symbols)
    sizes = [None] * len(symbols) if tensor.shape.rank is None else list(tensor._shape_tuple())
    for k, symbol in enumerate(symbols[1:], start=1):
        if symbol is Ellipsis or symbol == "*":
            raise ValueError(
                f"{_prefix(message)}Tensor {label} specified shape index {k}.  Symbol `...` or `*` "
                "for a variable number of unspecified dimensions is only allowed as the first entry"
            )
    offset = 0
    if symbols and (symbols[0] is Ellipsis or symbols[0] == "*"):
        symbols = symbols[1:]
        offset = len(sizes) - len(symbols)
        if offset < 0:
            _assert_rank(tensor, [len(symbols)], operator.ge, _at_least, message)
    else:
        if len(symbols) <= 1 and (not symbols or len(sizes) == 0):
            # A scalar counts as a vector of one element.
            symbols = symbols or [1]
            sizes = sizes or [1]
        wanted = len(symbols)
        if len(sizes) != wanted:
            _assert_rank(tensor, [wanted], operator.eq, str, message)
    for k, symbol in enumerate(symbols, start=offset):
        size = sizes[k]
        if size is None or symbol is None or (isinstance(symbol, str) and symbol == "."):
            continue
        if isinstance(symbol, int):
            expected, source = symbol, "Specified explicitly"
        else:
            expected, source = known.setdefault(
                symbol, (size, f"Specified by tensor {label} dimension {k}")
            )
        if size != expected:
            raise ValueError(
                f"{_prefix(message)}{source}.  Tensor {label} dimension {k} must have size "
                f"{expected}.  Received size {size}, shape {tensor.shape}"
            )


@op_function(in_graph=_awaited)
def Assert(condition: Any, data: Any, summarize: int | None = None, name: Any = None) -> None:
    """Checks a condition.

    Args:
        condition: a boolean, or a tensor of one element.
        data: the values that the message shows if it is false, a list.
        summarize: how many elements of each value, 3 by default; -1 shows all.

    Raises:
        tf.errors.InvalidArgumentError: if the condition is false.

    >>> tf.debugging.Assert(tf.constant(2) > 1, ["two is more than one"])
    """
    count = _count(summarize)
    if _core.building() is None:
        if condition:
            return
        shown = "\n".join(_listed(value, count) for value in data)
        raise invalid_argument(f"Expected '{condition}' to be true. Summarized data: {shown}")

    def refuse(*data: object) -> None:
        shown = " ".join(f"[{_summarized(value, count)}]" for value in data)
        raise invalid_argument(f"assertion failed: {shown}")

    holds = _core.convert(condition, dtypes.bool, None)
    host_call(refuse, None, tuple(data), name="Assert", effects=True, unless=holds)


@composed_op("CheckNumerics", elementwise=1, in_graph=_awaited, tensor=Input(FLOAT_TYPES))
def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Checks that no element is NaN or infinite, and returns the tensor.

    Args:
        tensor: floating.
        message: the prefix of the error's message.

    Raises:
        tf.errors.InvalidArgumentError: if one is.

    >>> tf.debugging.check_numerics([1.0, float("nan")], "the loss")
    Traceback (most recent call last):
        ...
    eagerflow.errors.InvalidArgumentError: the loss : Tensor had NaN values [Op:CheckNumerics]
    """
    x = _core.as_tensor(tensor)
    if not isinstance(message, str | bytes):
        raise TypeError(f"Expected string for argument 'message' not {message!r}.")
    if not x.dtype.is_floating:
        _core.refuse_attr("T", x.dtype, FLOAT_TYPES, "CheckNumerics")

    def refuse(x: Tensor) -> None:
        kinds = []
        if bool(_ops.reduce_any(_ops.is_inf(x))):
            kinds.append("Inf")
        if bool(_ops.reduce_any(_ops.is_nan(x))):
            kinds.append("NaN")
        raise invalid_argument(
            f"{message} : Tensor had {' and '.join(kinds)} values [Op:CheckNumerics]"
        )

    require(_ops.is_finite(x), refuse, x)
    return _ops.identity(x)


@composed_op("CheckNumerics", checked_first=True, in_graph=_awaited, x=Input(FLOAT_TYPES))
def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """Checks that no element is NaN or infinite; the same as `check_numerics`."""
    return check_numerics(x, message)


def is_numeric_tensor(tensor: object) -> bool:
    """Whether this is a numeric tensor; variables are not.

    >>> tf.debugging.is_numeric_tensor(tf.constant("a"))
    False
    """
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


def get_log_device_placement() -> bool:
    """Whether the operations that run are written to standard error with their devices.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _core.logs_placement()


def set_log_device_placement(enabled: bool) -> None:
    """Writes operations that run, also those of functions, and their devices to standard error.

    Args:
        enabled: whether to write.
    """
    _core.log_placement(bool(enabled))

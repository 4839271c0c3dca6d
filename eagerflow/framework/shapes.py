"""TensorShape: the sizes of a tensor, any of which may be unknown."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from eagerflow import _core


class Dimension:
    """One size, or None if unknown: an element of `TensorShape.dims`.

    Arithmetic with unknown sizes returns unknown ones; comparisons return None.

    Args:
        value: an integer that is not negative, another dimension, or None.

    >>> tf.compat.v1.Dimension(3) * 2, tf.compat.v1.Dimension(None) + 1
    (Dimension(6), Dimension(None))
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = _size(value)

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __int__(self) -> int | None:
        return self.value

    __index__ = __int__

    def __bool__(self) -> bool:
        return bool(self.value)

    def __reduce__(self) -> tuple:
        return Dimension, (self.value,)

    def is_compatible_with(self, other: object) -> bool:
        """Whether two sizes may be the same."""
        other = _size(other)
        return self.value is None or other is None or self.value == other

    def assert_is_compatible_with(self, other: object) -> None:
        """Raises a ValueError unless two sizes may be the same."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: object) -> Dimension:
        """The size that both describe.

        Raises:
            ValueError: if they differ.
        """
        self.assert_is_compatible_with(other)
        return Dimension(other if self.value is None else self.value)

    def _with(self, other: object, compute: Callable[[int, int], Any], turned: bool = False) -> Any:
        """The result of an operator, None if a size is not known."""
        try:
            size = _size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self.value is None or size is None:
            return None
        return compute(size, self.value) if turned else compute(self.value, size)

    def _sized(self, other: Any, compute: Callable[[int, int], Any], turned: bool = False) -> Any:
        result = self._with(other, compute, turned)
        return result if result is NotImplemented else Dimension(result)

    def __eq__(self, other: object) -> Any:
        return self._with(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._with(other, operator.ne)

    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: object) -> Any:
        return self._with(Dimension(other), operator.lt)

    def __le__(self, other: object) -> Any:
        return self._with(Dimension(other), operator.le)

    def __gt__(self, other: object) -> Any:
        return self._with(Dimension(other), operator.gt)

    def __ge__(self, other: object) -> Any:
        return self._with(Dimension(other), operator.ge)

    def __add__(self, other: Any) -> Any:
        return self._sized(other, operator.add)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._sized(other, operator.sub)

    def __rsub__(self, other: object) -> Any:
        return self._sized(other, operator.sub, turned=True)

    def __mul__(self, other: object) -> Dimension:
        return self._sized(other, operator.mul)

    __rmul__ = __mul__

    def __floordiv__(self, other: object) -> Any:
        return self._sized(other, operator.floordiv)

    def __rfloordiv__(self, other: object) -> Any:
        return self._sized(other, operator.floordiv, turned=True)

    def __mod__(self, other: object) -> Any:
        return self._sized(other, operator.mod)

    def __rmod__(self, other: object) -> Any:
        return self._sized(other, operator.mod, turned=True)

    def _no_division(self, first: str, second: str) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: '{first}' and '{second}', please use // instead"
        )

    def __truediv__(self, other: object) -> Any:
        return self._no_division("Dimension", type(other).__name__)

    def __rtruediv__(self, other: object) -> Any:
        return self._no_division(type(other).__name__, "Dimension")


class Size(int):
    """A size with version 1's attribute `value`."""

    @property
    def value(self) -> int:
        """The size itself."""
        return int(self)

    def __repr__(self) -> str:
        return f"Dimension({int(self)})"

    __str__ = int.__repr__


class _Version:
    """The form of the sizes that programs read from shapes."""

    dimensions = False


def show_dimensions(show: bool) -> None:
    """Chooses whether sizes have an attribute `value`, as those of TensorFlow 1 do."""
    _Version.dimensions = show


def _as_dimension(size: int | None) -> Dimension | Size:
    return Dimension(None) if size is None else Size(size)


def _size(value: Any) -> int | None:
    """Checks one entry of a shape."""
    if value is None or type(value) is int:
        size = value
    elif isinstance(value, Dimension):
        return value.value
    else:
        try:
            size = value.__index__()
        except (AttributeError, TypeError):
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, "
                f"got value '{value!r}' with type '{type(value)!r}'"
            ) from None
    if size is not None and size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


class TensorShape:
    """The sizes of a tensor along its axes; None means an unknown size or rank.

    Args:
        dims: a list of sizes, a single size, another shape, or None if the rank is unknown.

    Raises:
        TypeError: if an entry is not an integer.
        ValueError: if a size is negative.

    >>> shape = tf.TensorShape([2, None])
    >>> shape.rank, shape.as_list(), shape.is_compatible_with([2, 3])
    (2, [2, None], True)
    """

    __slots__ = ("_dims",)

    _dims: tuple[int | None, ...] | None

    def __init__(self, dims: Any) -> None:
        kind = type(dims)
        if kind is tuple or kind is list:
            for size in dims:
                if type(size) is not int or size < 0:
                    dims = [_size(size) for size in dims]
                    break
            self._dims = tuple(dims)
        elif dims is None:
            self._dims = None
        elif kind is TensorShape:
            self._dims = dims._dims
        else:
            self._dims = _dims_of(dims)

    @classmethod
    def _of(cls, dims: tuple[int | None, ...] | None) -> TensorShape:
        """A shape of sizes that need no check."""
        self = super().__new__(cls)
        self._dims = dims
        return self

    @property
    def rank(self) -> int | None:
        """The number of axes, or None if unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as `Dimension` objects, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[int | None]:
        """The sizes as a list.

        Raises:
            ValueError: if the rank is unknown.

        >>> tf.zeros([2, 3]).shape.as_list()
        [2, 3]
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The number of elements of such a tensor, or None if a size is unknown."""
        if self._dims is None or None in self._dims:
            return None
        return math.prod(self._dims)  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether all sizes are known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: object) -> bool:
        """Whether a tensor could have both shapes; an unknown size matches any."""
        other = as_shape(other)
        if self._dims is None or other._dims is None or self._dims == other._dims:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def merge_with(self, other: object) -> TensorShape:
        """The shape with the known sizes of two compatible shapes.

        Raises:
            ValueError: if they are not compatible.

        >>> tf.TensorShape([None, 3]).merge_with([2, None])
        TensorShape([2, 3])
        """
        other = as_shape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        return TensorShape._of(
            tuple(b if a is None else a for a, b in zip(self._dims, other._dims, strict=True))
        )

    def concatenate(self, other: object) -> TensorShape:
        """The axes of this shape followed by those of the other one."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return TensorShape._of(None)
        return TensorShape._of(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have that rank.

        Raises:
            ValueError: if it has another one.
        """
        if self._dims is None:
            return TensorShape._of((None,) * rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; a ValueError is raised if its rank is smaller."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; a ValueError is raised if its rank is larger."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int | None) -> None:
        """Raises a ValueError if the rank is known and differs."""
        if self._dims is not None and rank is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: object) -> None:
        """Raises a ValueError if both ranks are known and differ."""
        other = as_shape(other)
        if self._dims is not None and other._dims is not None and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: object) -> None:
        """Raises a ValueError unless a tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises a ValueError if a size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def most_specific_compatible_shape(self, other: object) -> TensorShape:
        """The common shape of both; sizes in which they differ become unknown.

        >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
        TensorShape([2, None])
        """
        other = as_shape(other)
        if self._dims is None or other._dims is None or self.rank != other.rank:
            return TensorShape._of(None)
        pairs = zip(self._dims, other._dims, strict=True)
        return TensorShape._of(tuple(a if a == b else None for a, b in pairs))

    def most_specific_common_supertype(self, others: Iterable[object]) -> TensorShape:
        """The common shape of this one and all the others."""
        shape = self
        for other in others:
            shape = shape.most_specific_compatible_shape(other)
        return shape

    def is_subtype_of(self, other: object) -> bool:
        """Whether every tensor of this shape has the other shape too."""
        other = as_shape(other)
        if other._dims is None:
            return True
        if self._dims is None or self.rank != other.rank:
            return False
        return all(b is None or a == b for a, b in zip(self._dims, other._dims, strict=True))

    def as_proto(self) -> Any:
        """The shape as a `TensorShapeProto`, with -1 for unknown sizes.

        >>> tf.TensorShape(tf.TensorShape([2, None]).as_proto())
        TensorShape([2, None])
        """
        message = self.experimental_type_proto()()
        fill_message(message, self)
        return message

    def experimental_as_proto(self) -> Any:
        """The same as `as_proto`."""
        return self.as_proto()

    @classmethod
    def experimental_from_proto(cls, proto: object) -> TensorShape:
        """The shape that a `TensorShapeProto` describes."""
        return cls(proto)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of messages that describe shapes."""
        # Imported here for start-up: few programs make messages.
        from eagerflow.protos.tensor import MESSAGES

        return MESSAGES["TensorShapeProto"]

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        if _Version.dimensions:  # unknown ones stay None, which the package's code asks for
            return iter([size if size is None else Size(size) for size in self._dims])
        return iter(self._dims)

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            selected = self._dims[key]
            if isinstance(key, slice):
                return TensorShape._of(selected)
            return _as_dimension(selected) if _Version.dimensions else selected
        if not isinstance(key, slice):
            return None
        start, stop = key.start or 0, key.stop
        if key.step is None and stop is not None and 0 <= start <= stop:
            return TensorShape._of((None,) * (stop - start))
        return TensorShape._of(None)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: object) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not TensorShape:
            try:
                other = TensorShape(other)
            except (TypeError, ValueError):
                return False
        return self._dims == other._dims

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple:
        return TensorShape, (self._dims,)

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        text = str(self._dims)
        return text.replace("None", "?") if _Version.dimensions else text

    def __repr__(self) -> str:
        if self._dims is None:
            return "TensorShape(None)"
        sizes = [Dimension(size) for size in self._dims] if _Version.dimensions else self._dims
        return f"TensorShape({list(sizes)})"


def _dims_of(dims: Any) -> tuple[int | None, ...] | None:
    """The sizes in anything but a plain tuple or list."""
    if isinstance(dims, TensorShape):
        return dims._dims
    if isinstance(dims, str | bytes):
        raise TypeError(
            f"Failed to convert '{dims!r}' to a shape: '{dims!r}'"
            "could not be converted to a dimension. A shape should either be single dimension "
            "(e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
        )
    if hasattr(dims, "unknown_rank"):
        if dims.unknown_rank:
            return None
        return tuple(None if dim.size == -1 else _size(dim.size) for dim in dims.dim)
    try:
        entries = iter(dims)
    except TypeError:
        return (_size(dims),)
    return tuple(_size(entry) for entry in entries)


def fill_message(message: Any, shape: TensorShape) -> None:
    """Sets an empty `TensorShapeProto`, with -1 for unknown sizes."""
    message.SetInParent()
    if shape._dims is None:
        message.unknown_rank = True
        return
    for size in shape._dims:
        message.dim.add(size=-1 if size is None else size)


def as_shape(shape: Any) -> TensorShape:
    """The shape itself, or a new one made from a list, a size or None."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


_core.register_shape_class(TensorShape)

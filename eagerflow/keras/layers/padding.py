"""Zero padding and cropping along spatial axes."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import data_format_of, integers, sizes_of
from eagerflow.keras.typing import LayerOptions, Unpack
from eagerflow.typing import ShapeLike

_ops = _core.ops
_FORMS = {
    1: "an int or a tuple of 2 ints (left, right)",
    2: "either an int, a tuple of 2 ints (symmetric_height, symmetric_width), or a tuple of 2 "
    "tuples of 2 ints ((top, bottom), (left, right)).",
    3: "either an int, a tuple of 3 ints (symmetric_dim1, symmetric_dim2, symmetric_dim3), or a "
    "tuple of 3 tuples of 2 ints ((left_dim1, right_dim1), (left_dim2, right_dim2), "
    "(left_dim3, right_dim3))",
}
_ORDINALS = ("1st", "2nd", "3rd")


def _pairs(value: Any, rank: int, name: str) -> tuple[tuple[int, int], ...]:
    """The amounts before and after along each spatial axis."""
    if isinstance(value, int):
        return ((value, value),) * rank
    if not hasattr(value, "__len__"):
        raise ValueError(f"`{name}` should be {_FORMS[rank]}. Received: {value}.")
    if len(value) != rank:
        count = "two" if rank == 2 else rank
        raise ValueError(f"`{name}` should have {count} elements. Received: {value}.")
    result = []
    for index, entry in enumerate(value):
        pair = integers(entry, 2, f"{_ORDINALS[index]} entry of {name}", allow_zero=True)
        result.append((pair[0], pair[1]))
    return tuple(result)


class _Border(Layer):
    """A layer that changes the lengths of the spatial axes."""

    _rank: int
    _sign: int

    def __init__(self, data_format: str | None, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)
        self._start = 2 if self.data_format == "channels_first" else 1

    def _set(self, pairs: tuple[tuple[int, int], ...]) -> None:
        ends = ([0, 0], [0, 0])
        before, after = (ends, ()) if self._start == 2 else (ends[:1], ends[1:])
        self._amounts = [*before, *(list(pair) for pair in pairs), *after]
        self._flat = [amount for pair in self._amounts for amount in pair]

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        return TensorShape(
            [
                None if size is None else size + self._sign * sum(pair)
                for size, pair in zip(sizes_of(input_shape), self._amounts, strict=True)
            ]
        )


class _ZeroPadding(_Border):
    padding: Any
    _sign = 1

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        return _ops.pad(inputs, self._flat)


class _Cropping(_Border):
    cropping: Any
    _sign = -1

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        shape = inputs._sizes()
        sizes = []
        for size, (before, after) in zip(shape, self._amounts, strict=True):
            sizes.append(size - before - after)
            if type(size) is int and sizes[-1] <= 0 < before + after:
                raise ValueError(
                    "Argument `cropping` must be greater than the input shape. Received: "
                    f"inputs.shape={inputs.shape}, and cropping={self.cropping}"
                )
        return _ops.slice(inputs, [before for before, _ in self._amounts], sizes)


class ZeroPadding1D(_ZeroPadding):
    """Zeros before and after sequences `[batch, length, channels]`.

    Args:
        padding: how many: one number, or one for each end.

    >>> tf.keras.layers.ZeroPadding1D(2)(tf.ones([1, 3, 2])).shape
    TensorShape([1, 7, 2])
    """

    _rank = 1

    def __init__(self, padding: Any = 1, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__("channels_last", **kwargs)
        self.padding = integers(padding, 2, "padding", allow_zero=True)
        self._set((self.padding,))


class ZeroPadding2D(_ZeroPadding):
    """Zeros around images.

    Args:
        padding: one number, one for rows and one for columns, or a pair for each.

    >>> tf.keras.layers.ZeroPadding2D(((1, 0), (2, 2)))(tf.ones([1, 3, 3, 2])).shape
    TensorShape([1, 4, 7, 2])
    """

    _rank = 2

    def __init__(
        self, padding: Any = (1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = _pairs(padding, 2, "padding")
        self._set(self.padding)


class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes.

    Args:
        padding: one number, one for each axis, or a pair for each.

    >>> tf.keras.layers.ZeroPadding3D()(tf.ones([1, 3, 3, 3, 2])).shape
    TensorShape([1, 5, 5, 5, 2])
    """

    _rank = 3

    def __init__(
        self, padding: Any = (1, 1, 1), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = _pairs(padding, 3, "padding")
        self._set(self.padding)


class Cropping1D(_Cropping):
    """Sequences `[batch, length, channels]` without their ends.

    Args:
        cropping: how many steps: one number, or one for each end.

    Raises:
        ValueError: if nothing would be left.

    >>> tf.keras.layers.Cropping1D((1, 0))(tf.ones([1, 3, 2])).shape
    TensorShape([1, 2, 2])
    """

    _rank = 1

    def __init__(self, cropping: Any = (1, 1), **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__("channels_last", **kwargs)
        self.cropping = integers(cropping, 2, "cropping", allow_zero=True)
        self._set((self.cropping,))


class Cropping2D(_Cropping):
    """Images without their borders.

    Args:
        cropping: one number, one for rows and one for columns, or a pair for each.

    Raises:
        ValueError: if nothing would be left.

    >>> tf.keras.layers.Cropping2D(1)(tf.ones([1, 4, 5, 2])).shape
    TensorShape([1, 2, 3, 2])
    """

    _rank = 2

    def __init__(
        self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = _pairs(cropping, 2, "cropping")
        self._set(self.cropping)


class Cropping3D(_Cropping):
    """Volumes without their borders.

    Args:
        cropping: one number, one for each axis, or a pair for each.

    Raises:
        ValueError: if nothing would be left.

    >>> tf.keras.layers.Cropping3D()(tf.ones([1, 4, 5, 6, 2])).shape
    TensorShape([1, 2, 3, 4, 2])
    """

    _rank = 3

    def __init__(
        self,
        cropping: Any = ((1, 1), (1, 1), (1, 1)),
        data_format: str | None = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = _pairs(cropping, 3, "cropping")
        self._set(self.cropping)

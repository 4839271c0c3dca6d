"""InputSpec: the rank, dtype and shape that a layer requires of an input."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.keras.typing import Config


class InputSpec:
    """Rank, dtype and shape that an input of a layer must have; None where anything is allowed.

    Args:
        dtype: the dtype.
        shape: the shape, whose sizes may be None.
        ndim: the rank.
        max_ndim: the largest rank.
        min_ndim: the smallest rank.
        axes: sizes by axis, of the axes that are checked.
        allow_last_axis_squeeze: whether a last axis of size one may be missing or superfluous.
        name: the key of the input, where inputs come in a dictionary.
        optional: whether None may come in.

    Raises:
        ValueError: for an axis that the rank does not have.

    >>> layer = tf.keras.layers.Flatten()
    >>> layer.input_spec = tf.keras.layers.InputSpec(ndim=4)
    """

    def __init__(
        self,
        dtype: object = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
        allow_last_axis_squeeze: bool = False,
        name: str | None = None,
        optional: bool = False,
    ) -> None:
        self.optional = optional
        self.dtype = dtypes.as_dtype(dtype).name if dtype is not None else None
        shape = as_shape(shape)
        self.shape: tuple | None
        if shape.rank is None:
            self.shape = None
            self.ndim = ndim
        else:
            self.shape = tuple(shape.as_list())
            self.ndim = shape.rank
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.name = name
        self.allow_last_axis_squeeze = allow_last_axis_squeeze
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (TypeError, ValueError):
            raise TypeError(
                f"Argument `axes` must be a dict with integer keys. Received: axes={axes}"
            ) from None
        limit = self.ndim if self.ndim is not None else self.max_ndim
        if self.axes and limit is not None and max(self.axes) > limit - 1:
            raise ValueError(
                f"Axis {max(self.axes)} is greater than the maximum allowed value: {limit - 1}"
            )

    def __repr__(self) -> str:
        fields = {
            "dtype": self.dtype,
            "shape": self.shape,
            "ndim": self.ndim,
            "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim,
            "axes": self.axes or None,
        }
        given = [f"{name}={value}" for name, value in fields.items() if value]
        return f"InputSpec({', '.join(given)})"

    def get_config(self) -> Config:
        """The arguments that make a spec like this one."""
        return {
            "dtype": self.dtype,
            "shape": self.shape,
            "ndim": self.ndim,
            "max_ndim": self.max_ndim,
            "min_ndim": self.min_ndim,
            "axes": self.axes,
        }

    @classmethod
    def from_config(cls, config: Config) -> InputSpec:
        """A spec from what `get_config` returned."""
        return cls(**config)


def display_shape(shape: TensorShape) -> str:
    """A shape in the form of messages."""
    return str(tuple(shape.as_list()))


def _in_order(input_spec: Any, inputs: object) -> Any:
    """The values of a dictionary of inputs in the order of the specs' names."""
    if isinstance(inputs, dict):
        names = [spec.name for spec in input_spec]
        if all(names):
            missing = [name for name in names if name not in inputs]
            if missing:
                raise ValueError(
                    f'Missing data for input "{missing[0]}". You passed a data dictionary with '
                    f"keys {list(inputs)}. Expected the following keys: {names}"
                )
            return [inputs[name] for name in names]
    return nest.flatten(inputs)


def assert_input_compatibility(input_spec: object, inputs: Any, layer_name: str) -> None:
    """Raises a ValueError if inputs do not fit a layer's specs.

    Args:
        input_spec: one spec, or a structure of them.
        inputs: one input, or a structure of them.
        layer_name: for the message.
    """
    if not input_spec:
        return
    specs = nest.flatten(input_spec)
    inputs = _in_order(specs, inputs)
    for index, x in enumerate(inputs):
        if not hasattr(x, "shape") and not (x is None and _is_optional(specs, index)):
            raise TypeError(
                f"Inputs to a layer should be tensors. Got '{x}' (of type {type(x)}) as input for "
                f"layer '{layer_name}'."
            )
    if len(inputs) != len(specs):
        raise ValueError(
            f'Layer "{layer_name}" expects {len(specs)} input(s), but it received {len(inputs)} '
            f"input tensors. Inputs received: {inputs}"
        )
    for index, (x, spec) in enumerate(zip(inputs, specs, strict=True)):
        if spec is not None and x is not None:
            _check(index, x, spec, layer_name)


def _is_optional(specs: list[InputSpec], index: int) -> bool:
    return index < len(specs) and specs[index] is not None and specs[index].optional


def _check(index: int, x: Any, spec: InputSpec, layer_name: str) -> None:
    shape = as_shape(x.shape)
    if shape.rank is None:
        return
    start = f'Input {index} of layer "{layer_name}" is incompatible with the layer: '
    rank = shape.rank
    if spec.ndim is not None and not spec.allow_last_axis_squeeze and rank != spec.ndim:
        raise ValueError(
            f"{start}expected ndim={spec.ndim}, found ndim={rank}. "
            f"Full shape received: {display_shape(shape)}"
        )
    if spec.max_ndim is not None and rank > spec.max_ndim:
        raise ValueError(f"{start}expected max_ndim={spec.max_ndim}, found ndim={rank}")
    if spec.min_ndim is not None and rank < spec.min_ndim:
        raise ValueError(
            f"{start}expected min_ndim={spec.min_ndim}, found ndim={rank}. "
            f"Full shape received: {display_shape(shape)}"
        )
    if spec.dtype is not None and dtypes.as_dtype(x.dtype).name != spec.dtype:
        raise ValueError(
            f"{start}expected dtype={spec.dtype}, found dtype={dtypes.as_dtype(x.dtype).name}"
        )
    sizes = shape.as_list()
    for axis, size in spec.axes.items():
        if size is not None and sizes[axis] not in (size, None):
            raise ValueError(
                f"{start}expected axis {axis} of input shape to have value {size}, but received "
                f"input with shape {display_shape(shape)}"
            )
    if spec.shape is None:
        return
    expected = list(spec.shape)
    if spec.allow_last_axis_squeeze:
        sizes = sizes[:-1] if sizes[-1:] == [1] else sizes
        expected = expected[:-1] if expected[-1:] == [1] else expected
    if not _fits(sizes, expected):
        raise ValueError(f"{start}expected shape={spec.shape}, found shape={display_shape(shape)}")


def _fits(sizes: list, expected: list) -> bool:
    """Whether the common axes of two shapes have the same sizes."""
    return all(
        wanted is None or size is None or wanted == size
        for wanted, size in zip(expected, sizes, strict=False)
    )

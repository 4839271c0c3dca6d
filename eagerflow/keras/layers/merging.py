"""Layers that merge several tensors into one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import as_bool, is_shape_list
from eagerflow.ops.linalg import products as linalg
from eagerflow.typing import Structure

_ops = _core.ops
Sizes = tuple[int | None, ...]


def _shapes(input_shape: Any, kind: str = "A merge layer") -> list[Sizes | None]:
    """The sizes of every input, None where a rank is unknown."""
    if not is_shape_list(input_shape):
        raise ValueError(
            f"{kind} should be called on a list of inputs. "
            f"Received: input_shape={input_shape} (not a list of shapes)"
        )
    shapes = [as_shape(shape) for shape in input_shape]
    return [None if shape.rank is None else tuple(shape.as_list()) for shape in shapes]


def _broadcast(one: Sizes, other: Sizes) -> Sizes:
    """The sizes, without the batch's, of an elementwise result."""
    if len(one) < len(other):
        one, other = other, one
    result = list(one[: len(one) - len(other)])
    for a, b in zip(one[len(one) - len(other) :], other, strict=True):
        if a is None or b is None:
            result.append(None)
        elif a == 1:
            result.append(b)
        elif b in (1, a):
            result.append(a)
        else:
            raise ValueError(f"Inputs have incompatible shapes. Received shapes {one} and {other}")
    return tuple(result)


def _checked_masks(inputs: object, mask: object) -> list[Any]:
    if not isinstance(mask, (tuple, list)):
        raise ValueError(f"`mask` should be a list. Received: mask={mask}")
    if not isinstance(inputs, (tuple, list)):
        raise ValueError(f"`inputs` should be a list. Received: inputs={inputs}")
    if len(mask) != len(inputs):
        raise ValueError(
            "The lists `inputs` and `mask` should have the same length. "
            f"Received: inputs={inputs} of length {len(inputs)}, and mask={mask} "
            f"of length {len(mask)}"
        )
    return [None if one is None else as_bool(one) for one in mask]


class Merge(Layer):
    """An elementwise function of several inputs, which are broadcast."""

    _composite_call = "several"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self._masks_only_from_masks = True

    def _merge_function(self, inputs: object) -> Any:
        raise NotImplementedError

    def build(self, input_shape: Any) -> None:
        shapes = _shapes(input_shape)
        if len({shape[0] for shape in shapes if shape} - {None}) > 1:
            raise ValueError(
                f"Cannot merge tensors with different batch sizes. Got tensors with shapes {shapes}"
            )
        self.compute_output_shape(input_shape)
        Layer.build(self, input_shape)

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(
                "A merge layer should be called on a list of inputs. "
                f"Received: inputs={inputs} (not a list of tensors)"
            )
        rank = inputs[0].ndim
        for x in inputs:
            if x.ndim != rank:
                return self._merge_function(_same_rank(inputs))
        return self._merge_function(inputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        shapes = _shapes(input_shape)
        known = [shape for shape in shapes if shape is not None]
        batches = {shape[0] for shape in known if shape} - {None}
        if len(known) < len(shapes):
            return TensorShape(None)
        rest = known[0][1:]
        for shape in known[1:]:
            rest = _broadcast(rest, shape[1:])
        return TensorShape([batches.pop() if len(batches) == 1 else None, *rest])

    def compute_mask(self, inputs: Structure, mask: Structure = None) -> Structure:
        if mask is None:
            return None
        masks = [one for one in _checked_masks(inputs, mask) if one is not None]
        result = None
        for one in masks:
            result = one if result is None else _ops.logical_and(result, one)
        return result


def _same_rank(inputs: Any) -> list[_core.Tensor]:
    """Inputs with axes of size one after the batch's, so that all have the same rank."""
    rank = max(x.ndim for x in inputs)
    result = []
    for x in inputs:
        shape = x._sizes()
        ones = [1] * (rank - len(shape))
        result.append(_ops.reshape(x, [*shape[:1], *ones, *shape[1:]]))
    return result


def _folded(function: Callable, inputs: Any) -> _core.Tensor:
    result = inputs[0]
    for x in inputs[1:]:
        result = function(result, x)
    return result


class Add(Merge):
    """The sum of a list of inputs.

    >>> tf.keras.layers.Add()([tf.ones([2, 3]), tf.ones([2, 1])]).shape
    TensorShape([2, 3])
    """

    def _merge_function(self, inputs: object) -> _core.Tensor:
        return _folded(_ops.add, inputs)


class Subtract(Merge):
    """The first of two inputs minus the second.

    Raises:
        ValueError: unless there are two.

    >>> tf.keras.layers.Subtract()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
    array([[2.]], dtype=float32)
    """

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        if len(input_shape) != 2:
            raise ValueError(
                "A `Subtract` layer should be called on exactly 2 inputs. "
                f"Received: input_shape={input_shape}"
            )

    def _merge_function(self, inputs: Any) -> _core.Tensor:
        if len(inputs) != 2:
            raise ValueError(
                "A `Subtract` layer should be called on exactly 2 inputs. "
                f"Received: inputs={inputs}"
            )
        return _ops.subtract(inputs[0], inputs[1])


class Multiply(Merge):
    """The product of a list of inputs.

    >>> tf.keras.layers.Multiply()([tf.constant([[3.0]]), tf.constant([[2.0]])]).numpy()
    array([[6.]], dtype=float32)
    """

    def _merge_function(self, inputs: object) -> _core.Tensor:
        return _folded(_ops.multiply, inputs)


class Average(Merge):
    """The mean of a list of inputs.

    >>> tf.keras.layers.Average()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
    array([[2.]], dtype=float32)
    """

    def _merge_function(self, inputs: Any) -> _core.Tensor:
        return _folded(_ops.add, inputs) / len(inputs)


class Maximum(Merge):
    """The largest of a list of inputs, element by element.

    >>> tf.keras.layers.Maximum()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
    array([[3.]], dtype=float32)
    """

    def _merge_function(self, inputs: object) -> _core.Tensor:
        return _folded(_ops.maximum, inputs)


class Minimum(Merge):
    """The smallest of a list of inputs, element by element.

    >>> tf.keras.layers.Minimum()([tf.constant([[3.0]]), tf.constant([[1.0]])]).numpy()
    array([[1.]], dtype=float32)
    """

    def _merge_function(self, inputs: object) -> _core.Tensor:
        return _folded(_ops.minimum, inputs)


class Concatenate(Merge):
    """Concatenates inputs along an axis.

    Args:
        axis: the axis; the batch is axis 0.

    Raises:
        ValueError: if the shapes differ along another axis.

    >>> tf.keras.layers.Concatenate()([tf.ones([2, 3]), tf.ones([2, 1])]).shape
    TensorShape([2, 4])
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def build(self, input_shape: Any) -> None:
        if not is_shape_list(input_shape):
            raise ValueError(
                "A `Concatenate` layer should be called on a list of at least 1 input. "
                f"Received: input_shape={input_shape}"
            )
        known = [list(shape) for shape in _shapes(input_shape) if shape is not None]
        for shape in known:
            del shape[self.axis]
        for shape in known[1:]:
            if len(shape) != len(known[0]) or any(
                None not in (a, b) and a != b for a, b in zip(shape, known[0], strict=True)
            ):
                raise ValueError(
                    "A `Concatenate` layer requires inputs with matching shapes except for the "
                    f"concatenation axis. Received: input_shape={[*map(tuple, input_shape)]}"
                )
        Layer.build(self, input_shape)

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)):
            raise ValueError(
                "A merge layer should be called on a list of inputs. "
                f"Received: inputs={inputs} (not a list of tensors)"
            )
        return _ops.concat(inputs, self.axis)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        shapes = _shapes(input_shape, "A `Concatenate` layer")
        if any(shape is None for shape in shapes):
            return TensorShape(None)
        result = list(shapes[0] or ())
        lengths = [shape[self.axis] for shape in shapes]  # type: ignore[index]
        result[self.axis] = None if None in lengths else sum(lengths)  # type: ignore[arg-type]
        return TensorShape(result)

    def compute_mask(self, inputs: Structure, mask: Structure = None) -> _core.Tensor | None:
        if mask is None:
            return None
        masks = _checked_masks(inputs, mask)
        if all(one is None for one in masks):
            return None
        parts = []
        for x, one in zip(inputs, masks, strict=True):
            if one is None:
                one = _ops.cast(_ops.ones_like(x), dtypes.bool)
            elif one.ndim < x.ndim:
                one = _ops.expand_dims(one, -1)
            parts.append(one)
        return _ops.reduce_all(_ops.concat(parts, self.axis), axis=-1)


class Dot(Merge):
    """The scalar products of examples' vectors along an axis of each of two inputs.

    Args:
        axes: the axis, or one for each input.
        normalize: whether vectors are divided by their length first: the cosine of their angle.

    Raises:
        TypeError: if `axes` is neither a number nor a list.
        ValueError: if it has no two entries, or the sizes differ.

    >>> tf.keras.layers.Dot(1)([tf.ones([2, 3]), tf.ones([2, 3])]).numpy()
    array([[3.],
           [3.]], dtype=float32)
    """

    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(axes, int):
            if not isinstance(axes, (list, tuple)):
                raise TypeError(
                    "Invalid type for argument `axes`: it should be a list or an int. "
                    f"Received: axes={axes}"
                )
            if len(axes) != 2:
                raise ValueError(
                    "Invalid format for argument `axes`: it should contain two elements. "
                    f"Received: axes={axes}"
                )
            if not all(isinstance(axis, int) for axis in axes):
                raise ValueError(
                    "Invalid format for argument `axes`: list elements should be integers. "
                    f"Received: axes={axes}"
                )
        self.axes = axes
        self.normalize = normalize

    def _two(self, input_shape: Any) -> tuple[Sizes, Sizes]:
        if not is_shape_list(input_shape) or len(input_shape) != 2:
            raise ValueError(
                "A `Dot` layer should be called on a list of 2 inputs. "
                f"Received: input_shape={input_shape}"
            )
        one, two = _shapes(input_shape)
        return one or (), two or ()

    def _axes(self, ranks: tuple[int, int]) -> tuple[int, int]:
        axes = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        return axes[0] % ranks[0], axes[1] % ranks[1]

    def build(self, input_shape: Any) -> None:
        one, two = self._two(input_shape)
        first, second = self._axes((len(one), len(two)))
        if one[first] != two[second]:
            raise ValueError(
                f"Incompatible input shapes: axis values {one[first]} (at axis {first}) != "
                f"{two[second]} (at axis {second}). Full input shapes: {one}, {two}"
            )
        Layer.build(self, input_shape)

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, (list, tuple)) or len(inputs) != 2:
            raise ValueError(
                f"A `Dot` layer should be called on exactly 2 inputs. Received: inputs={inputs}"
            )
        one, two = inputs
        first, second = self._axes((one.ndim, two.ndim))
        if self.normalize:
            one = linalg.l2_normalize(one, axis=first)
            two = linalg.l2_normalize(two, axis=second)
        return batch_dot(one, two, first, second)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        one, two = self._two(input_shape)
        first, second = self._axes((len(one), len(two)))
        rest = [size for axis, size in enumerate(one) if axis != first]
        rest += [size for axis, size in enumerate(two) if axis not in (0, second)]
        return TensorShape(rest if len(rest) > 1 else [*rest, 1])

    def compute_mask(self, inputs: Structure, mask: Structure = None) -> None:
        return None


def batch_dot(one: Any, two: Any, first: int, second: int) -> _core.Tensor:
    """Sums products along axis `first` of one tensor and `second` of another, for each example."""
    if 0 in (first, second):
        raise ValueError(
            "Cannot perform batch_dot over axis 0. If your inputs are not batched, add a dummy "
            "batch dimension to your inputs using K.expand_dims(x, 0)"
        )
    shape_one, shape_two = one._sizes(), two._sizes()
    if shape_one[first] != shape_two[second]:
        raise ValueError(
            f"Cannot do batch_dot on inputs with shapes {shape_one} and {shape_two} with "
            f"axes={[first, second]}. x.shape[{first}] != y.shape[{second}] "
            f"({shape_one[first]} != {shape_two[second]})."
        )
    rows = [axis for axis in range(1, one.ndim) if axis != first]
    columns = [axis for axis in range(1, two.ndim) if axis != second]
    one = _ops.transpose(one, [0, *rows, first]) if first != one.ndim - 1 else one
    two = _ops.transpose(two, [0, second, *columns]) if second != 1 else two
    batch, length = shape_one[0], shape_one[first]
    row_sizes = [shape_one[axis] for axis in rows]
    column_sizes = [shape_two[axis] for axis in columns]
    one = _ops.reshape(one, [batch, _product(row_sizes), length])
    two = _ops.reshape(two, [batch, length, _product(column_sizes)])
    result = [batch, *row_sizes, *column_sizes]
    return _ops.reshape(_ops.matmul(one, two), result if len(result) > 1 else [batch, 1])


def _product(sizes: list[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def add(inputs: Any, **kwargs: Any) -> Any:
    """The sum of a list of tensors, by a layer `Add`."""
    return Add(**kwargs)(inputs)


def subtract(inputs: Any, **kwargs: Any) -> Any:
    """The first of two tensors minus the second, by a layer `Subtract`."""
    return Subtract(**kwargs)(inputs)


def multiply(inputs: Any, **kwargs: Any) -> Any:
    """The product of a list of tensors, by a layer `Multiply`."""
    return Multiply(**kwargs)(inputs)


def average(inputs: Any, **kwargs: Any) -> Any:
    """The mean of a list of tensors, by a layer `Average`."""
    return Average(**kwargs)(inputs)


def maximum(inputs: Any, **kwargs: Any) -> Any:
    """The largest of a list of tensors, by a layer `Maximum`."""
    return Maximum(**kwargs)(inputs)


def minimum(inputs: Any, **kwargs: Any) -> Any:
    """The smallest of a list of tensors, by a layer `Minimum`."""
    return Minimum(**kwargs)(inputs)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """A list of tensors concatenated along an axis, by a layer `Concatenate`.

    >>> tf.keras.layers.concatenate([tf.ones([2, 1]), tf.zeros([2, 2])]).shape
    TensorShape([2, 3])
    """
    return Concatenate(axis=axis, **kwargs)(inputs)


def dot(inputs: Any, axes: object, normalize: bool = False, **kwargs: Any) -> Any:
    """The scalar products of examples' vectors, by a layer `Dot`."""
    return Dot(axes=axes, normalize=normalize, **kwargs)(inputs)

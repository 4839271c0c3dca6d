"""A layer, applied to each step of sequences."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.wrapper import Wrapper
from eagerflow.keras.typing import LayerOptions, Unpack

_ops = _core.ops


class TimeDistributed(Wrapper):
    """Applies a layer to each step of `[batch, steps, ...]`.

    Raises:
        ValueError: if `layer` is no layer, or there are no steps in the input.

    >>> layer = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(4))
    >>> layer(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 4])
    """

    _composite_call = "each step"

    def __init__(self, layer: Layer, **kwargs: Unpack[LayerOptions]) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `TimeDistributed` layer with a `tf.keras.layers.Layer` "
                f"instance. Received: {layer}"
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any = None) -> None:
        steps = _mapped(_without_steps, input_shape)
        self.input_spec = _mapped(
            lambda shape: InputSpec(shape=[None, None, *shape.as_list()[2:]]), input_shape
        )
        if not self.layer.built:
            self.layer.build(steps)
            Layer.build(self.layer, steps)
        Layer.build(self, input_shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        kwargs: dict[str, Any] = {}
        spec = self.layer._call_spec
        if spec.expects_training:
            kwargs["training"] = training
        if mask is not None and spec.expects_mask:
            kwargs["mask"] = nest.map_structure(_joined, mask)
        batch, steps = nest.flatten(inputs)[0]._sizes()[:2]
        outputs = self.layer(nest.map_structure(_joined, inputs), **kwargs)
        return nest.map_structure(
            lambda y: _ops.reshape(y, [batch, steps, *y._sizes()[1:]]), outputs
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        first = _first(input_shape)
        inner = self.layer.compute_output_shape(_mapped(_without_steps, input_shape))
        batch, steps = first.as_list()[:2]
        return _mapped(lambda shape: TensorShape([batch, steps, *shape.as_list()[1:]]), inner)

    def compute_mask(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> Any:
        tensors = nest.flatten(inputs)
        batch, steps = tensors[0]._sizes()[:2]
        inner_mask = None if mask is None else nest.map_structure(_joined, mask)
        computed = None
        if self.layer.supports_masking or inner_mask is None:
            computed = self.layer.compute_mask(nest.map_structure(_joined, inputs), inner_mask)
        if computed is not None:
            return nest.map_structure(
                lambda m: _ops.reshape(m, [batch, steps, *m._sizes()[1:]]), computed
            )
        if mask is None:
            return None
        mask = nest.flatten(mask)[0]
        while mask.ndim > 2:
            mask = _ops.reduce_any(mask, axis=-1)
        return mask


def _joined(x: _core.Tensor) -> _core.Tensor:
    """A tensor with the steps' axis merged into the batch's."""
    shape = x._sizes()
    return _ops.reshape(x, [shape[0] * shape[1], *shape[2:]])


def _without_steps(shape: TensorShape) -> TensorShape:
    if shape.rank is not None and shape.rank < 3:
        raise ValueError(
            "`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 "
            f"dimensions, received: {shape}"
        )
    sizes = shape.as_list()
    return TensorShape([sizes[0], *sizes[2:]])


def _mapped(function: Any, shape: TensorShape) -> Any:
    """`function` of each shape in a structure."""
    if isinstance(shape, TensorShape):
        return function(shape)
    if isinstance(shape, dict):
        return {key: _mapped(function, value) for key, value in shape.items()}
    if isinstance(shape, (list, tuple)) and any(
        isinstance(entry, (list, tuple, dict, TensorShape)) for entry in shape
    ):
        return [_mapped(function, value) for value in shape]
    return function(TensorShape(shape))


def _first(shape: TensorShape) -> TensorShape:
    shapes: list[TensorShape] = []
    _mapped(shapes.append, shape)
    return shapes[0]

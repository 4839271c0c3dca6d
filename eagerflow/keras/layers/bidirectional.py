"""A recurrent layer in both directions."""

from __future__ import annotations

import copy
import inspect
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.rnn import check_steps
from eagerflow.keras.layers.wrapper import Wrapper
from eagerflow.keras.saving import serialization
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.typing import ShapeLike, Structure

_ops = _core.ops
# Attributes that both directions must agree on.
_NEEDED = ("go_backwards", "return_sequences", "return_state")
_MODES = ("sum", "mul", "ave", "concat", None)


def _copied(layer: Layer, backwards: bool) -> Any:
    """A copy of a layer, optionally in the other direction."""
    config = layer.get_config()
    if backwards:
        config["go_backwards"] = not config["go_backwards"]
    if "custom_objects" not in inspect.signature(type(layer).from_config).parameters:
        return type(layer).from_config(config)
    cell = getattr(layer, "cell", None)
    cells = [] if cell is None else [cell, *getattr(cell, "cells", [])]
    known = {type(one).__name__: type(one) for one in cells}
    return type(layer).from_config(config, custom_objects=known)  # type: ignore[call-arg]


class Bidirectional(Wrapper):
    """Runs a recurrent layer forwards, and a copy of it backwards.

    Args:
        layer: the recurrent layer.
        merge_mode: how the two outputs are combined: "concat", "sum", "mul" or "ave"; None for a
            list of both.
        weights: the weights of both, as a list of arrays.
        backward_layer: the layer for the other direction; by default a copy of `layer`.

    A call takes `mask`, `training`, and `initial_state`: the forward layer's states, then the
    backward layer's.

    Raises:
        ValueError: for another mode, or layers that do not belong together.

    >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4, return_sequences=True))
    >>> layer(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 8])
    """

    _unsaved_arguments = frozenset({"weights", "backward_layer"})

    _composite_call = "steps"

    _backward_layer_config: Any = None

    _further_inputs = ("initial_state", "constants")

    def __init__(
        self,
        layer: Layer,
        merge_mode: str | None = "concat",
        weights: Any = None,
        backward_layer: Layer | None = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                "Please initialize `Bidirectional` layer with a `tf.keras.layers.Layer` instance. "
                f"Received: {layer}"
            )
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(
                "`backward_layer` need to be a `tf.keras.layers.Layer` instance. "
                f"Received: {backward_layer}"
            )
        for one in (layer, backward_layer):
            lacking = [name for name in _NEEDED if one is not None and not hasattr(one, name)]
            if lacking:
                raise ValueError(
                    "`Bidirectional` wraps recurrent layers (`LSTM`, `GRU`, `SimpleRNN`, `RNN` with "
                    "a cell, or a layer that processes sequences likewise). Received a "
                    f"{type(one).__name__}, which has no attribute {', '.join(map(repr, lacking))}: "
                    f"{one}"
                )
        if merge_mode not in _MODES:
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                '{"sum", "mul", "ave", "concat", None}'
            )
        super().__init__(layer, **kwargs)
        # Only the two copies run and have weights.
        del self.layer
        self.__dict__["layer"] = layer
        self.merge_mode = merge_mode
        self.forward_layer: Any = _copied(layer, backwards=False)
        if backward_layer is None:
            self.backward_layer: Any = _copied(layer, backwards=True)
        else:
            self.backward_layer = backward_layer
            self.__dict__["_backward_layer_config"] = serialization.serialize_keras_object(
                backward_layer
            )
        self.forward_layer._init_set_name(f"forward_{self.forward_layer.name}")
        self.backward_layer._init_set_name(f"backward_{self.backward_layer.name}")
        self._check_layers()
        self.stateful = layer.stateful
        self.return_sequences = layer.return_sequences  # type: ignore[attr-defined]
        self.return_state = layer.return_state  # type: ignore[attr-defined]
        for one in (self.forward_layer, self.backward_layer):
            # Reversed outputs of masked steps must not hold those of other steps.
            if hasattr(one, "zero_output_for_mask"):
                one.zero_output_for_mask = one.return_sequences
        if weights:
            half = len(weights) // 2
            self.forward_layer.__dict__["_initial_weights"] = weights[:half]
            self.backward_layer.__dict__["_initial_weights"] = weights[half:]
        self.supports_masking = True
        self._masks_only_from_masks = True
        self.trainable = kwargs.get("trainable", layer.trainable)
        self._num_constants = 0
        self.input_spec = layer.input_spec

    _passes_dtype_policy = True

    def _set_dtype_policy(self, dtype: object) -> None:
        super()._set_dtype_policy(dtype)
        policy = self.dtype_policy
        if policy.quantization_mode is None or "layer" not in self.__dict__:
            return
        # The configuration is that of the layer which was copied.
        for part in self.layer._flatten_layers():
            part._set_dtype_policy(policy)
        if self._backward_layer_config is not None:
            self._backward_layer_config["config"]["dtype"] = policy.name

    def _check_layers(self) -> None:
        one, other = self.forward_layer, self.backward_layer
        if one.go_backwards == other.go_backwards:
            raise ValueError(
                "Forward layer and backward layer should have different `go_backwards` value."
                f"forward_layer.go_backwards = {one.go_backwards},"
                f"backward_layer.go_backwards = {other.go_backwards}"
            )
        for name in ("stateful", "return_sequences", "return_state"):
            if getattr(one, name) != getattr(other, name):
                raise ValueError(
                    "Forward layer and backward layer are expected to have the same value for "
                    f'attribute "{name}", got "{getattr(one, name)}" for forward layer and '
                    f'"{getattr(other, name)}" for backward layer'
                )

    def build(self, input_shape: ShapeLike | None = None) -> None:
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                with name_scope(layer.name):
                    layer.build(input_shape)
                    Layer.build(layer, input_shape)
                if layer._initial_weights is not None:
                    layer.set_weights(layer._initial_weights)
        Layer.build(self, input_shape)

    def __call__(
        self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any
    ) -> Any:
        if isinstance(inputs, list):
            rest = inputs[1:]
            if self._num_constants and rest:
                rest, constants = rest[: -self._num_constants], rest[-self._num_constants :]
            if rest:
                initial_state = rest
            inputs = inputs[0]
        if initial_state is not None:
            if not isinstance(initial_state, (list, tuple)):
                initial_state = [initial_state]
            if len(initial_state) % 2:
                raise ValueError(
                    "When passing `initial_state` to a Bidirectional RNN, the state should be a "
                    "list containing the states of the underlying RNNs. "
                    f"Received: {initial_state}"
                )
            kwargs["initial_state"] = list(initial_state)
        if constants is not None:
            constants = list(constants) if isinstance(constants, (list, tuple)) else [constants]
            self._num_constants = len(constants)
            kwargs["constants"] = constants
        if getattr(self.forward_layer, "unroll", False):
            check_steps(self.forward_layer, inputs)
        return super().__call__(inputs, **kwargs)

    def call(
        self,
        inputs: Any,
        training: bool | _core.Tensor | None = None,
        mask: Any = None,
        initial_state: Structure | None = None,
        constants: Any = None,
    ) -> Any:
        kwargs: dict[str, Any] = {}
        takes = self.forward_layer._call_spec
        if takes.expects_training:
            kwargs["training"] = training
        if takes.expects_mask:
            kwargs["mask"] = mask
        if constants is not None:
            kwargs["constants"] = constants
        forward, backward = dict(kwargs), dict(kwargs)
        if initial_state is not None:
            half = len(initial_state) // 2
            forward["initial_state"] = initial_state[:half]
            backward["initial_state"] = initial_state[half:]
        y = self.forward_layer(inputs, **forward)
        y_rev = self.backward_layer(inputs, **backward)
        states = []
        if self.return_state:
            states = list(y[1:]) + list(y_rev[1:])
            y, y_rev = y[0], y_rev[0]
        if self.return_sequences:
            axis = 0 if getattr(self.forward_layer, "time_major", False) else 1
            y_rev = nest.map_structure(lambda part: _ops.reverse(part, [axis]), y_rev)
        output = self._merged(y, y_rev)
        if not self.return_state:
            return output
        return output + states if self.merge_mode is None else [output, *states]

    def _merged(self, one: object, other: object) -> Any:
        if self.merge_mode is None:
            return [one, other]
        if self.merge_mode == "concat":
            return nest.map_structure(lambda a, b: _ops.concat([a, b], -1), one, other)
        if self.merge_mode == "sum":
            return nest.map_structure(_ops.add, one, other)
        if self.merge_mode == "mul":
            return nest.map_structure(_ops.multiply, one, other)
        return nest.map_structure(lambda a, b: _ops.add(a, b) / 2, one, other)

    def reset_states(self, states: Structure | None = None) -> None:
        """Sets the states of stateful layers: zeros, or the forward layer's, then the other's.

        Raises:
            AttributeError: if the layer is not stateful.
            ValueError: if `states` is no list.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        if states is None:
            self.forward_layer.reset_states()
            self.backward_layer.reset_states()
            return
        if not isinstance(states, (list, tuple)):
            raise ValueError(
                "Unrecognized value for `states`. Expected `states` to be list or tuple. "
                f"Received: {states}"
            )
        half = len(states) // 2
        self.forward_layer.reset_states(states[:half])
        self.backward_layer.reset_states(states[half:])

    def compute_mask(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> Structure:
        if isinstance(mask, list):
            mask = mask[0]
        result: Any = None
        if self.return_sequences:
            result = [mask, mask] if self.merge_mode is None else mask
        elif self.merge_mode is None:
            result = [None, None]
        if self.return_state:
            states = [None] * (2 * len(self.forward_layer.states))
            return [*result, *states] if isinstance(result, list) else [result, *states]
        return result

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        shape = self.forward_layer.compute_output_shape(input_shape)
        states = []
        if self.return_state:
            shape, *states = shape
        result: Any = shape
        if self.merge_mode == "concat":
            sizes = TensorShape(shape).as_list()
            result = TensorShape([*sizes[:-1], 2 * sizes[-1]])  # type: ignore[operator]
        elif self.merge_mode is None:
            result = [shape, shape]
        if not self.return_state:
            return result
        return [*(result if self.merge_mode is None else [result]), *states, *states]

    def get_config(self) -> Config:
        config = super().get_config()
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self._backward_layer_config is not None:
            config["backward_layer"] = self._backward_layer_config
        return config

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Layer:
        """A layer from what `get_config` returned, the layers inside included."""
        config = copy.deepcopy(config)
        constants = config.pop("num_constants", 0)
        for name in ("layer", "backward_layer"):
            if config.get(name) is not None:
                config[name] = serialization.deserialize_as(
                    "layer", config[name], custom_objects=custom_objects
                )
        layer = cls(**config)
        layer._num_constants = constants
        return layer

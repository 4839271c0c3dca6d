"""Names of Keras 2's layers and models that are not public, and that subclasses and packages use."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from eagerflow.framework import distribution_state
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.functional.node import LayerNodes
from eagerflow.keras.engine.layer_losses import add_regularizer
from eagerflow.keras.engine.tracking import OwnList, unique


class LayerMembers(LayerNodes):
    """What a layer's methods are made of."""

    built: bool
    _activity_regularizer: Any
    _add_activity_loss: Callable[[Any], None]
    _build_for: Callable[[Any], None]
    _call_spec: Any

    _self_tracked_trackables = OwnList()
    _callable_losses = OwnList()
    _updates: list[Any] = []

    def _maybe_build(self, inputs: Any) -> None:
        """Makes the weights for inputs, if they were not made yet; the first call calls this."""
        if self.built:
            return
        layers = context.layers
        if layers and layers[-1] is self:
            self._build_for(inputs)
            return
        layers.append(self)
        try:
            self._build_for(inputs)
        finally:
            layers.pop()

    @property
    def _expects_training_arg(self) -> bool:
        """Whether `call` takes `training`."""
        return self._call_spec.expects_training

    @property
    def _expects_mask_arg(self) -> bool:
        """Whether `call` takes `mask`."""
        return self._call_spec.expects_mask

    @property
    def _eager_losses(self) -> list[Any]:
        """The losses that the last call added."""
        return self._list("_losses")

    def _handle_weight_regularization(self, name: str, variable: Any, regularizer: Any) -> None:
        """Adds a regularizer's value for a weight to the losses."""
        add_regularizer(self, variable, regularizer)  # type: ignore[arg-type]

    def _handle_activity_regularization(self, inputs: Any, outputs: Any) -> None:
        """Adds the activity regularizer's value for the outputs to the losses, if there is one."""
        if self._activity_regularizer is not None:
            self._add_activity_loss(outputs)

    def _get_existing_metric(self, name: str | None = None) -> Any:
        """The metric of a name that `add_metric` made, or None."""
        return next((metric for metric in self._metrics if metric.name == name), None)

    def _maybe_create_attribute(self, name: str, default_value: Any) -> None:
        """Sets an attribute that does not exist yet."""
        if not hasattr(self, name):
            setattr(self, name, default_value)

    def _dedup_weights(self, weights: list[Any]) -> list[Any]:
        """Each variable once, in order."""
        return unique(weights)

    def _gather_children_attribute(self, attribute: str) -> list[Any]:
        """The variables of the layers directly inside.

        Args:
            attribute: "variables", "trainable_variables" or "non_trainable_variables".
        """
        known = ("variables", "trainable_variables", "non_trainable_variables")
        assert attribute in known, f"attribute must be one of {known}, and is {attribute!r}"
        inner = self._flatten_layers(include_self=False, recursive=False)
        return list(itertools.chain.from_iterable(getattr(layer, attribute) for layer in inner))

    def _get_trainable_state(self) -> weakref.WeakKeyDictionary[Any, bool]:
        """Whether this layer and each inside is to be trained."""
        return weakref.WeakKeyDictionary(
            {layer: layer.trainable for layer in self._flatten_layers()}
        )

    def _set_trainable_state(self, trainable_state: Any) -> None:
        """Sets for this layer and those inside what `_get_trainable_state` returned."""
        # An outer layer's setting reaches those inside, which come after it.
        for layer in self._flatten_layers():
            if layer in trainable_state:
                layer.trainable = trainable_state[layer]


class ModelMembers(LayerMembers):
    """What a model's methods are made of."""

    optimizer: Any
    save_spec: Callable[[bool], Any]
    _assert_compile_was_called: Callable[[], None]
    _compile_arguments: Any
    _is_compiled: bool
    _require_weights: Callable[[], None]

    _training_state: Any = None
    _cluster_coordinator: Any = None

    @property
    def _undeduplicated_weights(self) -> list[Any]:
        """All variables, those of a shared layer once for each of its places."""
        self._assert_weights_created()
        inner = self._gather_children_attribute("variables")
        return inner + self._list("_trainable_weights") + self._list("_non_trainable_weights")

    def _assert_weights_created(self) -> None:
        """Raises a ValueError for a model whose weights will be made later."""
        if not self.built:
            self._require_weights()

    @property
    def _compile_was_called(self) -> bool:
        return self._is_compiled

    @property
    def _distribution_strategy(self) -> Any:
        """The strategy in whose scope the model was compiled, or None."""
        strategy = self.distribute_strategy  # type: ignore[attr-defined]
        return strategy if distribution_state.num_replicas() > 1 else None

    def _in_multi_worker_mode(self) -> bool:
        """Whether several workers train the model."""
        return bool(self.distribute_strategy.extended._in_multi_worker_mode())  # type: ignore[attr-defined]

    def _get_callback_model(self) -> Any:
        """The model that callbacks get: this one."""
        return self

    def _get_compile_args(self, user_metrics: bool = True) -> dict[str, Any]:
        """What `compile` was called with: the optimizer as an object, and the losses and metrics.

        Raises:
            RuntimeError: if the model was not compiled.
        """
        self._assert_compile_was_called()
        given = self._compile_arguments
        names = ("loss", "metrics", "weighted_metrics", "loss_weights")
        return {"optimizer": self.optimizer, **{name: given[name] for name in names}}

    def _get_save_spec(self, dynamic_batch: bool = True, inputs_only: bool = True) -> Any:
        """The specs of the inputs with which the model is saved, or of all arguments.

        Args:
            dynamic_batch: whether the batch size is None if only a call has set it.
            inputs_only: whether only the inputs' are returned.
        """
        spec = self.save_spec(dynamic_batch)
        return spec[0][0] if inputs_only and spec is not None else spec

"""Losses and metrics that layers add to the model they are in."""

from __future__ import annotations

import contextlib
import importlib
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.checkpoint.trackable import walk
from eagerflow.framework.composite import CompositeTensor
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.functional.node import symbols

if TYPE_CHECKING:
    from eagerflow.keras.engine.layer import Layer
    from eagerflow.keras.regularizers import Regularizer

_LISTS = "_losses", "_symbolic_losses", "_callable_losses"


class _WeightPenalty:
    """The value of one weight's regularizer."""

    def __init__(self, variable: object, regularizer: Regularizer) -> None:
        self.variable = variable
        self._regularizer = regularizer

    def __call__(self) -> Any:
        return _core.as_tensor(self._regularizer(self.variable))


def add_regularizer(layer: Layer, variable: _core.Variable, regularizer: Any) -> None:
    """Adds a regularizer's value for a weight to the layer's losses."""
    layer._list("_callable_losses").append(_WeightPenalty(variable, regularizer))


def add_activity_loss(layer: Layer, outputs: object) -> None:
    """Adds the activity regularizer's value for the outputs, divided by the batch size."""
    for output in nest.flatten(outputs):
        if context.inferring:
            context.inferred_losses.append((layer, output.dtype))
            continue
        loss = _core.as_tensor(layer._activity_regularizer(output))
        if not isinstance(output, _core.Tensor | CompositeTensor):  # what is only converted to one
            output = _core.as_tensor(output)
        batch = output._sizes()[0] if output.ndim else 1
        layer.add_loss(loss / _core.ops.cast(batch, loss.dtype))


def add_loss(layer: Layer, loss: object) -> None:
    """Adds one loss to a layer; see `Layer.add_loss`."""
    if not context.layers:
        loss = symbols(loss)
    if isinstance(loss, KerasTensor):
        layer._add_symbolic_loss(loss)
    elif callable(loss) and not isinstance(loss, _core.Variable):
        layer._list("_callable_losses").append(loss)
    elif context.inferring:
        context.inferred_losses.append((layer, getattr(loss, "dtype", "float32")))
    elif not context.layers:
        raise ValueError(
            "Expected a symbolic Tensors or a callable for the loss value. Please wrap "
            "your loss computation in a zero argument `lambda`."
        )
    else:
        layer._list("_losses").append(_core.as_tensor(loss))
        if id(layer) not in context.layers_with_losses:
            context.layers_with_losses[id(layer)] = weakref.ref(layer)


def collect_losses(layers: list[object]) -> list[_core.Tensor]:
    """The losses of the last call, or symbolic ones before the first, and those of regularizers."""
    losses = []
    for layer in layers:
        attributes = layer.__dict__
        losses.extend(attributes.get("_losses") or attributes.get("_symbolic_losses", ()))
        for penalty in attributes.get("_callable_losses", ()):
            value = penalty()
            if value is not None:
                losses.append(value)
    return losses


def clear_losses(layers: list[object]) -> None:
    """Clears the losses that the last call added to layers."""
    with_losses = context.layers_with_losses
    cleared = {id(layer) for layer in layers}
    for key, reference in list(with_losses.items()):
        layer = reference()
        if layer is None or key in cleared:
            del with_losses[key]
            if layer is not None:
                layer._list("_losses").clear()


@contextlib.contextmanager
def unchanged(*roots: object) -> Iterator[None]:
    """A context that traces calls of layers for a file, and leaves their losses and seeds as they are.

    Args:
        *roots: layers, models, or objects that have some.
    """
    objects = {id(item): item for root in roots for item, _ in walk(root)}
    layers = [item for item in objects.values() if hasattr(type(item), "add_loss")]
    before = [
        (layer, name, list(layer.__dict__.get(name, ()))) for layer in layers for name in _LISTS
    ]
    generators = [vars(layer).get("_random_generator") for layer in layers]
    seeds = [(each, each._seed) for each in generators if each is not None]
    noted = dict(context.layers_with_losses)
    try:
        yield
    finally:
        for layer, name, losses in before:
            if name in layer.__dict__:
                layer.__dict__[name][:] = losses
        for generator, seed in seeds:
            generator._seed = seed
        context.layers_with_losses.clear()
        context.layers_with_losses.update(noted)


def add_metric(layer: Layer, value: object, name: str | None, aggregation: str | None) -> None:
    """Averages a value over batches as one of a layer's metrics; see `Layer.add_metric`."""
    if aggregation not in (None, "mean"):
        raise ValueError(
            "We currently support only `mean` sample-wise metric aggregation. "
            f"You provided aggregation=`{aggregation}`."
        )
    source = getattr(value, "_metric_obj", None)
    if source is not None:
        name = source.name
    if name is None:
        raise ValueError(
            "Please provide a name for your metric like "
            "`self.add_metric(tf.reduce_sum(inputs), name='mean_activation')`"
        )
    if not context.layers:
        value = symbols(value)
    if isinstance(value, KerasTensor):
        layer._add_symbolic_metric(value, name)
        return
    if not context.layers and not context.inferring:
        raise ValueError(f"Expected a symbolic Tensor for the metric value, received: {value}")
    known = [metric for metric in layer._list("_metrics") if metric.name == name]
    if len(known) > 1:
        raise ValueError(
            "Please provide different names for the metrics you have added. "
            f'We found {len(known)} metrics with the name: "{name}"'
        )
    if context.inferring:
        return
    if not known:
        if source is None:
            mean = importlib.import_module("eagerflow.keras.metrics").Mean
            known = [mean(name=name, dtype=getattr(value, "dtype", None))]
        else:
            known = [source]
        layer._list("_metrics").extend(known)
    if source is None:
        known[0](value)

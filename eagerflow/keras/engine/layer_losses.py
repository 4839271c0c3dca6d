"""What a layer adds to a model's loss and metrics."""

from __future__ import annotations

import importlib
import weakref
from typing import Any

from eagerflow import _core, nest
from eagerflow.keras.engine.call_context import context
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.tracking import TrackedModule

_ops = _core.ops


class _WeightPenalty:
    """The term of one weight's regularizer."""

    def __init__(self, variable: Any, regularizer: Any) -> None:
        self._variable = variable
        self._regularizer = regularizer

    def __call__(self) -> Any:
        value = self._regularizer(self._variable)
        return _core.as_tensor(value)


class LayerLosses(TrackedModule):
    """Losses and metrics that layers keep, and those of the layers inside."""

    _activity_regularizer: Any = None

    def _add_regularizer(self, variable: Any, regularizer: Any) -> None:
        """Makes a regularizer's value for a weight one of the losses."""
        self._list("_callable_losses").append(_WeightPenalty(variable, regularizer))

    def _add_activity_loss(self, outputs: Any) -> None:
        for output in nest.flatten(outputs):
            if context.inferring:
                context.inferred_losses.append((self, output.dtype))
                continue
            loss = self._activity_regularizer(output)
            batch = output.shape[0] if output.ndim else 1
            self.add_loss(loss / _core.convert(batch, loss.dtype, None))

    def add_loss(self, losses: Any, **kwargs: Any) -> None:
        """Adds terms to the loss of the model this layer is in.

        Args:
            losses: a tensor or a list of them, which count for the present call; or functions
                without arguments, which are asked whenever the loss is needed. Outside of a call a
                model accepts symbolic tensors, too.
            **kwargs: `inputs` is ignored.

        Raises:
            TypeError: for other keyword arguments.
            ValueError: for a tensor with a value outside of a call.

        >>> class Small(tf.keras.layers.Layer):
        ...     def call(self, inputs):
        ...         self.add_loss(0.01 * tf.reduce_sum(inputs))
        ...         return inputs
        >>> layer = Small()
        >>> _ = layer(tf.ones([2, 2]))
        >>> print(round(float(layer.losses[0]), 4))
        0.04
        """
        kwargs.pop("inputs", None)
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {list(kwargs)}")
        for loss in nest.flatten(losses):
            if loss is None:
                continue
            if isinstance(loss, KerasTensor):
                self._add_symbolic_loss(loss)
            elif callable(loss) and not isinstance(loss, _core.Variable):
                self._list("_callable_losses").append(loss)
            elif context.inferring:
                context.inferred_losses.append((self, getattr(loss, "dtype", "float32")))
            elif not context.layers:
                raise ValueError(
                    "Expected a symbolic Tensors or a callable for the loss value. Please wrap "
                    "your loss computation in a zero argument `lambda`."
                )
            else:
                self._list("_losses").append(_core.as_tensor(loss))
                if id(self) not in context.layers_with_losses:
                    context.layers_with_losses[id(self)] = weakref.ref(self)

    def _add_symbolic_loss(self, loss: Any) -> None:
        raise ValueError(
            "Expected concrete values for the loss inside of a layer's call, got the symbolic "
            f"tensor {loss}."
        )

    @property
    def losses(self) -> list[Any]:
        """The terms added by the last call, and those of regularizers, of all layers inside.

        Where nothing was added yet, there are symbolic tensors for what calls with symbolic tensors
        will add.
        """
        collected: list[Any] = []
        for layer in self._all_inner_layers():
            own = layer.__dict__
            collected.extend(own.get("_losses") or own.get("_symbolic_losses", ()))
            for penalty in own.get("_callable_losses", ()):
                value = penalty()
                if value is not None:
                    collected.append(value)
        return collected

    def _clear_losses(self) -> None:
        """Drops the terms added by the last call, which the next one adds anew."""
        waiting = context.layers_with_losses
        inside = {id(layer) for layer in self._all_inner_layers()}
        for key, reference in list(waiting.items()):
            layer = reference()
            if layer is None or key in inside:
                del waiting[key]
                if layer is not None:
                    layer._list("_losses").clear()

    def add_metric(self, value: Any, name: str | None = None, **kwargs: Any) -> None:
        """Adds a value to be averaged over batches and reported with the model's metrics.

        Args:
            value: a tensor, or what a metric object returned.
            name: the metric's name.
            **kwargs: `aggregation` may be "mean".

        Raises:
            ValueError: without a name, for another aggregation or several metrics of that name, or
                for a tensor with a value outside of a call.
        """
        aggregation = kwargs.pop("aggregation", None)
        unknown = [key for key in kwargs if key != "inputs"]
        if unknown:
            raise TypeError(f"Unknown keyword arguments: {unknown}")
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
        if isinstance(value, KerasTensor):
            self._add_symbolic_metric(value, name)
            return
        if not context.layers and not context.inferring:
            raise ValueError(f"Expected a symbolic Tensor for the metric value, received: {value}")
        known = [metric for metric in self._list("_metrics") if metric.name == name]
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
            self._list("_metrics").extend(known)
        if source is None:
            known[0](value)

    def _add_symbolic_metric(self, value: Any, name: str) -> None:
        raise ValueError(
            "Expected concrete values for the metric inside of a layer's call, got the symbolic "
            f"tensor {value}."
        )

    @property
    def metrics(self) -> list[Any]:
        """The metric objects of this layer and of the layers inside."""
        collected: list[Any] = []
        for layer in self._flatten_layers():
            collected.extend(layer.__dict__.get("_metrics", ()))
        return collected

"""Layers that add losses and metrics to functional models."""

from __future__ import annotations

from typing import Any

from eagerflow.keras.engine.layer import Layer


class AddLoss(Layer):
    """Adds its input to the losses, and returns it.

    Args:
        unconditional: accepted, for saved models.
        **kwargs: arguments of `Layer`.
    """

    def __init__(self, unconditional: bool = True, **kwargs: Any) -> None:
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self.unconditional = unconditional

    def call(self, inputs: Any) -> Any:
        """Adds the loss."""
        self.add_loss(inputs)
        return inputs


class AddMetric(Layer):
    """Adds its input to the metrics, and returns it.

    Args:
        aggregation: "mean" or None.
        metric_name: the metric's name.
        **kwargs: arguments of `Layer`.
    """

    def __init__(
        self, aggregation: str | None = None, metric_name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.aggregation = aggregation
        self.metric_name = metric_name

    def call(self, inputs: Any) -> Any:
        """Adds the value to the metric."""
        self.add_metric(inputs, aggregation=self.aggregation, name=self.metric_name)
        return inputs

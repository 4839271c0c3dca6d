"""SharpnessAwareMinimization: training that seeks flat minima."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.autodiff.tape import GradientTape
from eagerflow.keras.engine.functional.functional import deserialize_layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.engine.training import data_adapter
from eagerflow.keras.saving.serialization import serialize_keras_object
from eagerflow.keras.typing import Config, CustomObjects, Logs
from eagerflow.ops import norms
from eagerflow.ops.array import split

_ops = _core.ops


class SharpnessAwareMinimization(Model):
    """Wraps a model whose gradients are taken where the loss nearby is largest.

    Foret et al., "Sharpness-aware minimization for efficiently improving generalization" (2020).

    Args:
        model: the model.
        rho: how far away gradients are taken.
        num_batch_splits: into how many parts batches are split, each of which goes its own way.
        name: the model's name.

    >>> inner = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model = tf.keras.models.experimental.SharpnessAwareMinimization(inner)
    >>> model.compile("sgd", "mse")
    >>> history = model.fit(tf.ones([8, 2]), tf.ones([8, 1]), verbose=0)
    """

    def __init__(
        self,
        model: Model,
        rho: float = 0.05,
        num_batch_splits: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        self.model = model
        self.rho = rho
        self.num_batch_splits = num_batch_splits

    def train_step(self, data: Any) -> Logs:
        """One step of training."""
        x, y, sample_weight = data_adapter.unpack_x_y_sample_weight(data)
        parts = self._parts(x), self._parts(y), self._parts(sample_weight)
        sums: list[Any] = []
        predictions = []
        variables: list[Any] = []
        for one_x, one_y, one_weight in zip(*parts, strict=True):
            with GradientTape() as tape:
                prediction = self(one_x)
                loss = self.compiled_loss(one_y, prediction, one_weight)
            predictions.append(prediction)
            variables = self.model.trainable_variables
            ways = self._ways(tape.gradient(loss, variables))
            for variable, way in zip(variables, ways, strict=True):
                variable.assign_add(way)
            with GradientTape() as tape:
                prediction = self(one_x, training=True)
                loss = self.compiled_loss(one_y, prediction, one_weight)
            gradients = tape.gradient(loss, variables)
            for variable, way in zip(variables, ways, strict=True):
                variable.assign_sub(way)
            sums = [a + b for a, b in zip(sums, gradients, strict=True)] if sums else gradients
        self.optimizer.apply_gradients(zip(sums, variables, strict=True))
        whole = predictions[0] if len(predictions) == 1 else _ops.concat(predictions, 0)
        self.compiled_metrics.update_state(y, whole, sample_weight)
        return {metric.name: metric.result() for metric in self.metrics}

    def _parts(self, values: object) -> list[Any]:
        count = self.num_batch_splits
        if count is None:
            return [values]
        return [None] * count if values is None else list(split(values, count))

    def _ways(self, gradients: list[_core.Tensor]) -> list[_core.Tensor]:
        """The perturbation of each variable along its gradient, of norm `rho` in total."""
        _, length, inverse = norms.joint_norm(gradients)
        scale = self.rho / (length + 1e-12 * inverse)
        return [gradient * inverse * scale for gradient in gradients]

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """The output of the wrapped model."""
        return self.model(inputs, **kwargs)

    def get_config(self) -> Config:
        """The arguments that make a model like this one."""
        return {
            **super().get_config(),
            "model": serialize_keras_object(self.model),
            "rho": self.rho,
        }

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A model from what `get_config` returned."""
        config = dict(config)
        config["model"] = deserialize_layer(config["model"], custom_objects)
        known = {key: config[key] for key in ("model", "rho", "name") if key in config}
        return cls(**known)

"""Callback: methods that are called when training, epochs and batches begin and end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow.keras.typing import Logs
from eagerflow.util.program_warnings import warn


def plain(value: object) -> Any:
    """A structure of logs with tensors as arrays, and scalars as Python numbers."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(entry) for entry in value)
    if isinstance(value, _core.Tensor | _core.Variable):
        value = value.numpy()
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    return value


def warn_of_unknown(callback: str, arguments: Iterable[str]) -> None:
    """Warns of arguments that a callback accepts and has no use for."""
    for name in sorted(arguments):
        warn(f"{callback} has no argument `{name}`: it is ignored. Check its spelling.")


class Callback:
    """Base class of callbacks; a subclass overrides the methods it needs.

    Attributes:
        model: the model that is trained.
        params: `verbose`, `epochs` and `steps` of the training.

    At the end of batches and epochs, `logs` holds the loss and metrics by name.

    >>> class Losses(tf.keras.callbacks.Callback):
    ...     def on_train_begin(self, logs=None):
    ...         self.losses = []
    ...
    ...     def on_train_batch_end(self, batch, logs=None):
    ...         self.losses.append(logs["loss"])
    >>> callback = Losses()
    >>> callbacks = tf.keras.callbacks.CallbackList([callback])
    >>> callbacks.on_train_begin()
    >>> callbacks.on_train_batch_end(0, {"loss": tf.constant(0.5)})
    >>> callback.losses
    [0.5]
    """

    _supports_tf_logs = False
    _chief_worker_only: bool | None = None
    validation_data: Any = None
    model: Any = None
    params: Any = None

    def __init__(self) -> None:
        self.validation_data = None
        self.model = None

    def set_params(self, params: dict[str, Any]) -> None:
        """Stores the parameters of the training."""
        self.params = params

    def _writes(self) -> bool:
        """Whether this process writes files; of several that train a model together, the first does."""
        strategy = getattr(self.model, "distribute_strategy", None)
        return strategy is None or bool(strategy.extended.should_checkpoint)

    def set_model(self, model: Any) -> None:
        """Stores the model."""
        self.model = model

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """The deprecated name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """The deprecated name of `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Called when an epoch of training begins; epochs count from 0."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Called when an epoch of training has ended, validation included."""

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Called before a batch of training."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Called after a batch of training."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Called before a batch of evaluation or validation."""

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Called after a batch of evaluation or validation."""

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Called before a batch of prediction."""

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Called after a batch of prediction; the logs have its `outputs`."""

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Called once before training."""

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Called once after training."""

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Called once before evaluation."""

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Called once after evaluation."""

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Called once before prediction."""

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Called once after prediction."""

    # The attributes that change while training goes on.
    _kept: tuple[str, ...] = ()

    def training_state(self) -> dict[str, Any]:
        """What `BackupAndRestore` saves of this callback: plain values, arrays and tensors in structures."""
        return {name: getattr(self, name) for name in self._kept}

    def restore_training_state(self, state: dict[str, Any]) -> None:
        """Goes on with what `training_state` returned, after `on_train_begin`; tensors are arrays here."""
        for name, value in state.items():
            setattr(self, name, value)

    def _defines(self, *names: str) -> bool:
        """Whether a subclass, or the instance, overrides one of these methods."""
        return any(
            getattr(getattr(self, name), "__func__", None) is not getattr(Callback, name)
            for name in names
        )

    def _implements_train_batch_hooks(self) -> bool:
        return self._defines(
            "on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end"
        )

    def _implements_test_batch_hooks(self) -> bool:
        return self._defines("on_test_batch_begin", "on_test_batch_end")

    def _implements_predict_batch_hooks(self) -> bool:
        return self._defines("on_predict_batch_begin", "on_predict_batch_end")

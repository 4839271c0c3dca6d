"""EarlyStopping and TerminateOnNaN: callbacks that stop training."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow.keras.callbacks.callback import Callback
from eagerflow.keras.typing import Logs
from eagerflow.keras.utils import io_utils
from eagerflow.util.program_warnings import warn


def has_invalid_loss(logs: Logs | None) -> bool:
    """Whether the loss in a batch's or an epoch's values is NaN or infinite."""
    loss = (logs or {}).get("loss")
    return loss is not None and not math.isfinite(float(loss))


class EarlyStopping(Callback):
    """Stops training when a monitored value no longer improves.

    Args:
        monitor: the name of the value.
        min_delta: the least change that counts as an improvement.
        patience: the number of epochs without improvement that are allowed.
        verbose: 1 to print messages.
        mode: "min" or "max": whether lower or higher is better; "auto" infers it from the name.
        baseline: the value that must be exceeded.
        restore_best_weights: whether the weights of the best epoch are restored at the end.
        start_from_epoch: the first epoch that is monitored.

    >>> stop = tf.keras.callbacks.EarlyStopping("loss", patience=1)
    >>> model = type("Model", (), {"stop_training": False})()
    >>> stop.set_model(model)
    >>> stop.on_train_begin()
    >>> for epoch, loss in enumerate([1.0, 0.5, 0.6]):
    ...     stop.on_epoch_end(epoch, {"loss": loss})
    >>> model.stop_training, stop.stopped_epoch
    (True, 2)
    """

    _kept = ("wait", "stopped_epoch", "best", "best_weights", "best_epoch")

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:
        super().__init__()
        self.monitor = monitor
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.wait = 0
        self.stopped_epoch = 0
        self.best_epoch = 0
        self.restore_best_weights = restore_best_weights
        self.best_weights: Any = None
        self.start_from_epoch = start_from_epoch
        if mode not in ("auto", "min", "max"):
            warn(f"EarlyStopping mode {mode} is unknown, fallback to auto mode.")
            mode = "auto"
        higher = mode == "max" or (mode == "auto" and monitor.endswith(("acc", "accuracy", "auc")))
        self.monitor_op: Any = np.greater if higher else np.less
        self.min_delta = abs(min_delta) if higher else -abs(min_delta)
        self.best: float = -np.inf if higher else np.inf

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Resets the state of an earlier training."""
        self.wait = 0
        self.stopped_epoch = 0
        self.best = np.inf if self.monitor_op is np.less else -np.inf
        self.best_weights = None
        self.best_epoch = 0

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Checks the monitored value."""
        current = self.get_monitor_value(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None and current == current:
            # The first epoch may remain the best one, unless its value is NaN.
            self.best_weights = self.model.get_weights()
            self.best_epoch = epoch
        self.wait += 1
        if self._is_improvement(current, self.best):
            self.best = current
            self.best_epoch = epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._is_improvement(current, self.baseline):
                self.wait = 0
            return
        if self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Restores the best weights if `restore_best_weights` is set."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            io_utils.print_msg(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                io_utils.print_msg(
                    "Restoring model weights from the end of the best epoch: "
                    f"{self.best_epoch + 1}."
                )
            self.model.set_weights(self.best_weights)

    def get_monitor_value(self, logs: Logs | None) -> Any:
        """The monitored value, or None with a warning."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            warn(
                f"Early stopping conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs)}"
            )
        return value

    def _is_improvement(self, value: Any, reference: float) -> bool:
        return bool(self.monitor_op(value - self.min_delta, reference))


class TerminateOnNaN(Callback):
    """Stops training when the loss is not finite.

    `BackupAndRestore` then keeps its folder, with the last state before.

    Args:
        raise_error: whether to raise an error, so that no `on_train_end` runs.

    Raises:
        RuntimeError: with `raise_error`, in `fit`, for a loss that is not finite.

    >>> callback = tf.keras.callbacks.TerminateOnNaN()
    >>> model = type("Model", (), {"stop_training": False})()
    >>> callback.set_model(model)
    >>> callback.on_batch_end(3, {"loss": float("nan")})
    Batch 3: Invalid loss, terminating training
    >>> model.stop_training
    True
    """

    _supports_tf_logs = True

    def __init__(self, raise_error: bool = False) -> None:
        super().__init__()
        self.raise_error = raise_error

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Checks the loss."""
        if has_invalid_loss(logs):
            if self.raise_error:
                loss = float((logs or {})["loss"])
                raise RuntimeError(
                    f"NaN or Inf loss encountered at batch {batch}. Loss value: {loss}. Terminating "
                    "training immediately."
                )
            io_utils.print_msg(f"Batch {batch}: Invalid loss, terminating training")
            self.model.stop_training = True

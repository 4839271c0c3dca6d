"""Callbacks that change the learning rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.keras.callbacks.callback import Callback, warn_of_unknown
from eagerflow.keras.typing import Logs
from eagerflow.keras.utils import io_utils
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")


def _rate(model: Any) -> Any:
    """The learning rate as a NumPy scalar."""
    rate = model.optimizer.lr
    return rate.numpy() if hasattr(rate, "numpy") else rate


def _set_rate(model: Any, rate: object) -> None:
    """Sets the learning rate, which may be a variable of a program's own optimizer."""
    known = model.optimizer.lr
    if isinstance(known, _core.Variable):
        known.assign(rate)
    else:
        model.optimizer.lr = rate


class LearningRateScheduler(Callback):
    """Sets the learning rate at the beginning of each epoch.

    Args:
        schedule: called with the epoch, from 0, and the learning rate; returns the new one.
        verbose: 1 to print messages.

    >>> halve = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    >>> model = type("Model", (), {"optimizer": tf.keras.optimizers.SGD(0.5)})()
    >>> halve.set_model(model)
    >>> halve.on_epoch_begin(0)
    >>> float(model.optimizer.learning_rate)
    0.25
    """

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        super().__init__()
        self.schedule = schedule
        self.verbose = verbose

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Sets the learning rate that the schedule returns.

        Raises:
            ValueError: if it is no float.
        """
        if not hasattr(self.model.optimizer, "lr"):
            raise ValueError('Optimizer must have a "lr" attribute.')
        try:
            rate = self.schedule(epoch, float(_rate(self.model)))
        except TypeError:  # a schedule of the epoch alone
            rate = self.schedule(epoch)
        if not isinstance(rate, _core.Tensor | float | np.float32 | np.float64):
            raise ValueError(f'The output of the "schedule" function should be float. Got: {rate}')
        if isinstance(rate, _core.Tensor):
            if not rate.dtype.is_floating:
                raise ValueError(f"The dtype of `lr` Tensor should be float. Got: {rate.dtype}")
            rate = rate.numpy()
        _set_rate(self.model, rate)
        if self.verbose > 0:
            io_utils.print_msg(
                f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}."
            )

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Adds the learning rate to the epoch's values."""
        if logs is not None:
            logs["lr"] = _rate(self.model)


class ReduceLROnPlateau(Callback):
    """Reduces the learning rate when a monitored value no longer improves.

    Args:
        monitor: the name of the value.
        factor: the factor of a reduction; below 1.
        patience: the number of epochs without improvement that are allowed.
        verbose: 1 to print messages.
        mode: "min" or "max": whether lower or higher is better; "auto" infers it from the name.
        min_delta: the least change that counts as an improvement.
        cooldown: the number of epochs after a reduction that are not monitored.
        min_lr: the lower bound of the rate.
        **kwargs: `epsilon`, the deprecated name of `min_delta`.

    Raises:
        ValueError: if `factor` is not below 1.
    """

    _kept = ("best", "cooldown_counter", "wait")

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau does not support a factor >= 1.0. Got {factor}")
        self.monitor = monitor
        self.factor = factor
        self.min_lr = min_lr
        if "epsilon" in kwargs:
            min_delta = kwargs.pop("epsilon")
            logging.warning(
                "`epsilon` argument is deprecated and will be removed, use `min_delta` instead."
            )
        warn_of_unknown("ReduceLROnPlateau", kwargs)
        self.min_delta = min_delta
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.cooldown_counter = 0
        self.wait = 0
        self.best: Any = 0
        self.mode = mode
        self._reset()

    def _reset(self) -> None:
        if self.mode not in ("auto", "min", "max"):
            warn(f"Learning rate reduction mode {self.mode} is unknown, fallback to auto mode.")
            self.mode = "auto"
        lower = self.mode == "min" or (self.mode == "auto" and "acc" not in self.monitor)
        self._lower_is_better = lower
        self.best = np.inf if lower else -np.inf
        self.cooldown_counter = 0
        self.wait = 0

    def monitor_op(self, value: Any, best: Any) -> bool:
        """Whether a value improves on the best."""
        if self._lower_is_better:
            return bool(value < best - self.min_delta)
        return bool(value > best + self.min_delta)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Resets the state of an earlier training."""
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Checks the monitored value."""
        logs = {} if logs is None else logs
        logs["lr"] = _rate(self.model)
        current = logs.get(self.monitor)
        if current is None:
            warn(
                f"Learning rate reduction is conditioned on metric `{self.monitor}` which is not "
                f"available. Available metrics are: {','.join(logs)}"
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch: int) -> None:
        before = _rate(self.model)
        if not before > np.float32(self.min_lr):
            return
        rate = max(before * self.factor, self.min_lr)
        _set_rate(self.model, rate)
        if self.verbose > 0:
            io_utils.print_msg(
                f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}."
            )
        self.cooldown_counter = self.cooldown
        self.wait = 0

    def in_cooldown(self) -> bool:
        """Whether the last reduction is at most `cooldown` epochs ago."""
        return self.cooldown_counter > 0

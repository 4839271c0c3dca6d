"""Callbacks of Keras for trainings of several processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.keras.callbacks.callback import Callback
from eagerflow.keras.callbacks.model_checkpoint import ModelCheckpoint
from eagerflow.keras.typing import Logs
from eagerflow_compat.horovod import operations, processes, state
from eagerflow_compat.horovod.processes import ProcessSet, global_process_set


class BroadcastGlobalVariablesCallback(Callback):
    """Gives weights and the optimizer's variables, after the first batch, the values of one process.

    Args:
        root_rank: the number of that process.
        device: ignored.
        local_variables: ignored.
    """

    def __init__(self, root_rank: int, device: str = "", local_variables: object = None) -> None:
        super().__init__()
        self.root_rank = root_rank
        self.broadcast_done = False

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Broadcasts once; the optimizer has made its variables by now."""
        if self.broadcast_done:
            return
        state.broadcast_variables(self.model.variables, self.root_rank)
        own = self.model.optimizer.variables
        state.broadcast_variables(own() if callable(own) else own, self.root_rank)
        self.broadcast_done = True


class MetricAverageCallback(Callback):
    """Has the values of an epoch be the means of all processes'; put it before those that use them.

    Args:
        device: ignored.
        process_set: the processes.
    """

    def __init__(self, device: str = "", process_set: ProcessSet = global_process_set) -> None:
        super().__init__()
        self._process_set = process_set

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Replaces the values."""
        if not logs or self._process_set.size() == 1:
            return
        names = sorted(logs)
        means = operations.grouped_allreduce(
            [_core.convert(float(logs[name]), "float64", None) for name in names],
            process_set=self._process_set,
        )
        for name, mean in zip(names, means, strict=True):
            logs[name] = float(mean)


class LearningRateScheduleCallback(Callback):
    """Multiplies the learning rate with a factor in some epochs.

    Args:
        initial_lr: the rate at factor 1.
        multiplier: the factor, or a function of the epoch.
        start_epoch: the first epoch.
        end_epoch: the epoch after the last one; None if there is none.
        staircase: whether the rate changes with epochs, not with batches.
        momentum_correction: whether the momentum is scaled like the rate for a batch where that changes.
        steps_per_epoch: how many batches an epoch has; by default as Keras says.

    Raises:
        ValueError: in the training, if the number of batches is needed and not known.
    """

    def __init__(
        self,
        initial_lr: float,
        multiplier: float | Callable[[float], float],
        start_epoch: int = 0,
        end_epoch: int | None = None,
        staircase: bool = True,
        momentum_correction: bool = True,
        steps_per_epoch: int | None = None,
    ) -> None:
        super().__init__()
        if initial_lr is None:
            raise ValueError("Parameter `initial_lr` is required")
        self.initial_lr = initial_lr
        self.start_epoch = start_epoch
        self.end_epoch = end_epoch
        self.staircase = staircase if callable(multiplier) else True
        self.momentum_correction = momentum_correction
        self.steps_per_epoch = steps_per_epoch
        self.multiplier: Callable[[float], float] = (
            multiplier if callable(multiplier) else lambda epoch: multiplier
        )
        self.current_epoch = 0
        self._momentum: Any = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Finds out how many batches an epoch has."""
        if not self.staircase and not self.steps_per_epoch:
            self.steps_per_epoch = (self.params or {}).get("steps")
            if not self.steps_per_epoch:
                raise ValueError(
                    "Could not autodetect the number of steps per epoch. Please specify the "
                    f"steps_per_epoch parameter to the {type(self).__name__}()."
                )

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Stores the epoch."""
        self.current_epoch = epoch

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Sets the rate."""
        epoch = self.current_epoch
        if epoch < self.start_epoch or (self.end_epoch is not None and epoch >= self.end_epoch):
            return
        if self.staircase and batch == 0:
            self._adjust(epoch)
        elif not self.staircase:
            self._adjust(epoch + batch / (self.steps_per_epoch or 1))

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Sets the momentum back."""
        if self._momentum is not None:
            self.model.optimizer.momentum = self._momentum
            self._momentum = None

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Adds the rate to the values of the epoch."""
        if logs is not None:
            logs["lr"] = float(self.model.optimizer.learning_rate)

    def _adjust(self, epoch: float) -> None:
        optimizer = self.model.optimizer
        before = float(optimizer.learning_rate)
        rate = self.initial_lr * self.multiplier(epoch)
        optimizer.learning_rate = rate
        momentum = getattr(optimizer, "momentum", 0.0)
        if self.momentum_correction and momentum and before and self.model.run_eagerly:
            # A traced step would keep the momentum that it has been traced with.
            self._momentum = momentum
            optimizer.momentum = momentum * rate / before


class LearningRateWarmupCallback(LearningRateScheduleCallback):
    """Raises the learning rate, in the first epochs, from a process's share to the whole.

    Goyal et al., "Accurate, Large Minibatch SGD" (2017).

    Args:
        initial_lr: the rate after them, which has been multiplied with the number of processes.
        warmup_epochs: how many epochs.
        momentum_correction: see `LearningRateScheduleCallback`.
        steps_per_epoch: how many batches an epoch has; by default as Keras says.
        verbose: 1 prints the rate at the end.
    """

    def __init__(
        self,
        initial_lr: float,
        warmup_epochs: float = 5,
        momentum_correction: bool = True,
        steps_per_epoch: int | None = None,
        verbose: int = 0,
    ) -> None:
        def multiplier(epoch: float) -> float:
            epoch += 1.0 / (self.steps_per_epoch or 1)  # so that the last batch has the whole rate
            size = processes.size()
            return 1.0 / size * (epoch * (size - 1) / warmup_epochs + 1)

        super().__init__(
            initial_lr,
            multiplier,
            start_epoch=0,
            end_epoch=int(warmup_epochs),
            staircase=False,
            momentum_correction=momentum_correction,
            steps_per_epoch=steps_per_epoch,
        )
        self.verbose = verbose

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Says when the rate is reached."""
        super().on_epoch_end(epoch, logs)
        if self.end_epoch is not None and epoch == self.end_epoch - 1 and self.verbose > 0:
            rate = float(self.model.optimizer.learning_rate)
            print(f"\nEpoch {epoch + 1}: finished gradual learning rate warmup to {rate:g}.")


class BestModelCheckpoint(ModelCheckpoint):
    """A `tf.keras.callbacks.ModelCheckpoint` that keeps the best model.

    Args:
        filepath: the file.
        monitor: see `ModelCheckpoint`, as all others.
        verbose: whether it prints.
        mode: what is better.
        save_freq: how often.
    """

    def __init__(
        self,
        filepath: str,
        monitor: str = "val_loss",
        verbose: int = 0,
        mode: str = "auto",
        save_freq: Any = "epoch",
    ) -> None:
        super().__init__(
            filepath,
            monitor=monitor,
            verbose=verbose,
            save_best_only=True,
            mode=mode,
            save_freq=save_freq,
        )

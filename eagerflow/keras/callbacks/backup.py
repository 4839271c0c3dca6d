"""BackupAndRestore: resumes interrupted training."""

from __future__ import annotations

import os
import shutil
from typing import Any

import numpy as np

from eagerflow.io.array_files import read_archive
from eagerflow.io.replacing import replaced
from eagerflow.keras.callbacks.callback import Callback
from eagerflow.keras.callbacks.early_stopping import has_invalid_loss
from eagerflow.keras.engine.training import replicas
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

# Imported when training begins.
training_state = lazy.Module("eagerflow.keras.callbacks.training_state")
# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")


class BackupAndRestore(Callback):
    """Saves the state of training in a folder, and restores it when `fit` starts again.

    The state is that of the model, the optimizer, the metrics and the callbacks, the position in the
    data, and the positions of random values: those of operations, layers and shuffles that follow from
    seeds, of Python's `random` and of NumPy. Training that is killed and resumed, by the same program with
    the same seeds, ends with the same bits as training that was not. Callbacks keep what their
    `training_state` returns; let this one be the last in the list, so that the others have seen the
    batch or the epoch. Functions of a dataset that draw random values of their own are not resumed,
    which warns, and with `run_eagerly` the metrics of the epoch begin anew. Where several processes
    train, only models, optimizers and the index of the batch are resumed.

    When training ends normally, the folder is removed. A state whose loss is NaN or infinite is not saved,
    and the folder stays if training is stopped with such a loss, as `TerminateOnNaN` does.

    Args:
        backup_dir: the folder; one for each model.
        save_freq: "epoch", or the number of batches between backups.
        delete_checkpoint: whether the folder is removed at the end.
        save_before_preemption: ignored with a warning: nobody announces preemption.

    Raises:
        ValueError: if neither `save_freq` nor `save_before_preemption` is set.

    >>> import tempfile
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    >>> model.compile("sgd", "mse")
    >>> backup = tf.keras.callbacks.BackupAndRestore(tempfile.mkdtemp())
    >>> history = model.fit(tf.ones([4, 2]), tf.ones([4]), epochs=2, verbose=0, callbacks=[backup])
    >>> history.epoch
    [0, 1]
    """

    _supports_tf_logs = True

    def __init__(
        self,
        backup_dir: str | os.PathLike[str],
        save_freq: str | int = "epoch",
        delete_checkpoint: bool = True,
        save_before_preemption: bool = False,
    ) -> None:
        super().__init__()
        if not save_freq and not save_before_preemption:
            raise ValueError("Either `save_freq` or `save_before_preemption` must be set.")
        if save_before_preemption:
            warn(
                "BackupAndRestore(save_before_preemption=True) has no effect: nobody announces preemption "
                "here. Let `save_freq` be the number of batches between backups."
            )
        self.backup_dir = os.fspath(backup_dir)
        self.save_freq: Any = save_freq
        self.delete_checkpoint = delete_checkpoint
        self.save_before_preemption = save_before_preemption
        self._batches = 0
        self._current_epoch = 0
        self._restored: Any = None  # the arrays of a backup
        self._metrics_are_old = False  # whether those of the backup belong to the next epoch
        self._training: Any = None

    @property
    def _path(self) -> str:
        return os.path.join(self.backup_dir, "chief", "training_state.npz")

    def _implements_train_batch_hooks(self) -> bool:
        return self.save_freq != "epoch"

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Restores the state from the folder, if there is one."""
        self._restored = None
        if not self.model.built:
            warn(
                "To use the BackupAndRestore callback, you model must be built before you call "
                f"`fit()`. Model {self.model} is unbuilt. You can build it beforehand by calling "
                "it on a batch of data."
            )
            return
        if hasattr(self.model.optimizer, "build"):
            self.model.optimizer.build(self.model.trainable_variables)
        if os.path.exists(self._path):
            self._restore()
        self.model.__dict__["_maybe_load_initial_epoch_from_callbacks"] = self._initial_epoch

    def _initial_epoch(self, callbacks: Any, data: Any, validation: Any) -> tuple[int, int]:
        """The epoch and the step at which training resumes."""
        # Several processes have positions of their own, and may be as many as they like when they resume.
        if replicas.communicator_of(self.model) is None:
            self._training = training_state.TrainingState(self.model, callbacks, data, validation)
        if self._restored is None:
            return int(data._initial_epoch), 0
        epoch, step = int(self._restored["epoch"]), int(self._restored["step"])
        if "stopped" in self._restored:  # by a callback: what is left is to end
            self.model.stop_training = data.resumed_stopped = True
        if self._training is None or "training" not in self._restored:
            return (epoch + 1, 0) if step and step == data.inferred_steps else (epoch, step)
        self._training.restore(self._restored, epoch, step)
        self._metrics_are_old = step > 0
        return epoch, step

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Stores the epoch, and resumes its metrics."""
        self._current_epoch = epoch
        if self._metrics_are_old:
            self._training.restore_metrics(self._restored)
        self._metrics_are_old, self._restored = False, None

    def on_train_batch_end(self, batch: int, logs: dict[str, Any] | None = None) -> None:
        """Saves every `save_freq` batches; training would resume with the next batch."""
        if self.save_freq == "epoch" or not self.save_freq:
            return
        self._batches += 1
        if self._batches >= self.save_freq and not has_invalid_loss(logs):
            self._batches = 0
            self._save(self._current_epoch, int(batch) + 1, {})

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Saves, also if the last batch was saved; training would resume with the next epoch."""
        due = self.save_freq == "epoch" or (self.save_freq and self._batches == 0)
        if due and not has_invalid_loss(logs):
            self._save(epoch + 1, 0, logs or {})

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Removes the folder, unless training was stopped with a loss that is NaN or infinite."""
        failed = self.model.stop_training and has_invalid_loss(logs)
        if self._writes() and not failed:
            if self.delete_checkpoint:
                shutil.rmtree(os.path.dirname(self._path), ignore_errors=True)
            elif self.model.stop_training and os.path.exists(self._path):
                state = read_archive(self._path)
                self._write({name: state[name] for name in state if name != "stopped"})
        self.model.__dict__.pop("_maybe_load_initial_epoch_from_callbacks", None)
        if self._training is not None:
            self.model.train_function = self._training = None

    def _save(self, epoch: int, step: int, logs: dict[str, Any]) -> None:
        state = {"epoch": np.asarray(epoch), "step": np.asarray(step)}
        state["train_counter"] = self.model._train_counter.numpy()
        for index, weight in enumerate(self.model.weights):
            state[f"model/{index}"] = weight.numpy()
        for index, weight in enumerate(self.model.optimizer.variables):
            state[f"optimizer/{index}"] = weight.numpy()
        if self._training is not None:
            state |= self._training.arrays(logs)
        if self.model.stop_training:
            state["stopped"] = np.asarray(True)
        if self._writes():  # others have only taken part in joining the weights
            self._write(state)

    def _write(self, state: dict[str, Any]) -> None:
        with replaced(self._path) as temporary, open(temporary, "wb") as file:
            np.savez(file, **state)

    def _restore(self) -> None:
        state = read_archive(self._path)
        for index, weight in enumerate(self.model.weights):
            weight.assign(state[f"model/{index}"])
        for index, weight in enumerate(self.model.optimizer.variables):
            weight.assign(state[f"optimizer/{index}"])
        self.model._train_counter.assign(state["train_counter"])
        self._restored = state


class ExperimentalBackupAndRestore(BackupAndRestore):
    """`BackupAndRestore` by the name that it had first; warns, and does the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        logging.warning(
            "`tf.keras.callbacks.experimental.BackupAndRestore` endpoint is deprecated and will be "
            "removed in a future release. Please use `tf.keras.callbacks.BackupAndRestore`."
        )
        super().__init__(*args, **kwargs)

"""ModelCheckpoint: saves the model during training."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from eagerflow import errors
from eagerflow.checkpoint.checkpoint import CheckpointOptions
from eagerflow.keras.callbacks.callback import Callback, plain, warn_of_unknown
from eagerflow.keras.typing import Logs
from eagerflow.keras.utils import io_utils
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn

saved_model_options = lazy.Module("eagerflow.saved_model.options")


class ModelCheckpoint(Callback):
    """Saves the model, or its weights, after each epoch or after a number of batches.

    Args:
        filepath: the path, which may contain fields such as `{epoch:02d}` and `{val_loss:.2f}`.
        monitor: the name of the value to compare.
        verbose: 1 to print messages.
        save_best_only: whether to save only when the value improves.
        save_weights_only: whether to call `model.save_weights` rather than `model.save`.
        mode: "min" or "max": whether lower or higher is better; "auto" infers it from the name.
        save_freq: "epoch", or the number of batches between saves.
        options: passed to the saving method.
        initial_value_threshold: the value that the first epoch must improve on; NaN counts as None.
        **kwargs: the deprecated `period` (a number of epochs) and `load_weights_on_restart`.

    Raises:
        ValueError: for another `save_freq`.
        TypeError: if `options` has the wrong class: weights and models need different ones.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "best.keras")
    >>> best = tf.keras.callbacks.ModelCheckpoint(path, monitor="loss", save_best_only=True)
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> history = model.fit(tf.ones([4, 2]), tf.ones([4]), verbose=0, callbacks=[best])
    >>> os.path.exists(path)
    True
    """

    _supports_tf_logs = True

    _kept = ("best", "epochs_since_last_save", "_batches_seen", "_last_batch")

    def __init__(
        self,
        filepath: str | os.PathLike[str],
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: str | int = "epoch",
        options: object = None,
        initial_value_threshold: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.monitor = monitor
        self.verbose = verbose
        self.filepath = io_utils.path_to_string(filepath)
        self.save_best_only = save_best_only
        self.save_weights_only = save_weights_only
        self.save_freq: Any = save_freq
        self.epochs_since_last_save = 0
        self._batches_seen = 0
        self._last_batch = -1
        self._current_epoch = 0
        self._options = options
        if options is not None and not save_weights_only and self.filepath.endswith(".keras"):
            raise ValueError(
                "The native TF-Keras format does not support the `options` argument. Please remove "
                "the `options` argument, or use the SavedModel format by removing the `.keras` "
                "extension from the model filepath."
            )
        wanted = CheckpointOptions if save_weights_only else saved_model_options.SaveOptions
        if options is not None and not isinstance(options, wanted):
            name = (
                "tf.train.CheckpointOptions" if save_weights_only else "tf.saved_model.SaveOptions"
            )
            raise TypeError(
                f"If save_weights_only is {bool(save_weights_only)}, then `options` must be either "
                f"None or a {name}. Got {options}."
            )
        self.load_weights_on_restart = kwargs.pop("load_weights_on_restart", False)
        self.period = kwargs.pop("period", 1)
        warn_of_unknown("ModelCheckpoint", kwargs)
        if mode not in ("auto", "min", "max"):
            warn(f"ModelCheckpoint mode {mode} is unknown, fallback to auto mode.")
            mode = "auto"
        higher = mode == "max" or (
            mode == "auto" and ("acc" in monitor or monitor.startswith("fmeasure"))
        )
        self.monitor_op: Any = np.greater if higher else np.less
        self.best: Any = initial_value_threshold
        if self.best is None or self.best != self.best:  # nothing compares with NaN
            self.best = -np.inf if higher else np.inf
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(
                f'Unrecognized save_freq: {save_freq}. Expected save_freq are "epoch" or integer'
            )

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Loads the newest file if `load_weights_on_restart` is set."""
        if self.load_weights_on_restart:
            newest = self._newest()
            if newest is not None:
                self.model.load_weights(newest)

    def _implements_train_batch_hooks(self) -> bool:
        return self.save_freq != "epoch"

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Stores the epoch."""
        self._current_epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Saves every `save_freq` batches."""
        if self.save_freq == "epoch":
            return
        new = batch + 1 if batch <= self._last_batch else batch - self._last_batch
        self._batches_seen += new
        self._last_batch = batch
        if self._batches_seen >= self.save_freq:
            self._batches_seen = 0
            self._save_model(self._current_epoch, batch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Saves unless `save_freq` counts batches."""
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch":
            self._save_model(epoch, None, logs)

    def _save_model(self, epoch: int, batch: int | None, logs: dict[str, Any] | None) -> None:
        if not isinstance(self.save_freq, int) and self.epochs_since_last_save < self.period:
            return
        values = plain(logs or {})
        self.epochs_since_last_save = 0
        filepath = self._path(epoch, batch, values)
        directory = os.path.dirname(filepath)
        if directory:
            os.makedirs(directory, exist_ok=True)
        try:
            self._save_if_better(filepath, epoch, values)
        except (IsADirectoryError, errors.FailedPreconditionError) as error:
            if not os.path.isdir(filepath):
                raise
            raise OSError(
                "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an "
                f"existing directory: {filepath}"
            ) from error

    def _save_if_better(self, filepath: str, epoch: int, values: dict[str, object]) -> None:
        if not self.save_best_only:
            if self.verbose > 0:
                io_utils.print_msg(f"\nEpoch {epoch + 1}: saving model to {filepath}")
            self._save(filepath)
            return
        current = values.get(self.monitor)
        if current is None:
            warn(f"Can save best model only with {self.monitor} available, skipping.")
        elif self.monitor_op(current, self.best):
            if self.verbose > 0:
                io_utils.print_msg(
                    f"\nEpoch {epoch + 1}: {self.monitor} improved from {self.best:.5f} to "
                    f"{current:.5f}, saving model to {filepath}"
                )
            self.best = current
            self._save(filepath)
        elif self.verbose > 0:
            io_utils.print_msg(
                f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {self.best:.5f}"
            )

    def _save(self, filepath: str) -> None:
        if self._writes():
            self._save_to(filepath)
            return
        # Reading some weights is a collective call: all processes save, and one keeps the file.
        with tempfile.TemporaryDirectory() as folder:
            self._save_to(os.path.join(folder, os.path.basename(filepath)))

    def _save_to(self, filepath: str) -> None:
        save = self.model.save_weights if self.save_weights_only else self.model.save
        if self._options is None:
            save(filepath, overwrite=True)
        else:
            save(filepath, overwrite=True, options=self._options)

    def _path(self, epoch: int, batch: int | None, values: dict[str, object]) -> str:
        """The path with its fields filled in.

        Raises:
            KeyError: for a field without a value.
        """
        fields = dict(values, epoch=epoch + 1)
        if batch is not None and "batch" not in values:
            fields["batch"] = batch + 1
        try:
            return self.filepath.format(**fields)
        except KeyError as error:
            raise KeyError(
                f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}'
            ) from error

    def _newest(self) -> str | None:
        """The most recently written file that matches the path, or None."""
        directory = Path(os.path.dirname(self.filepath) or ".")
        if not directory.is_dir():
            return None
        name = os.path.basename(self.filepath)
        pattern = re.compile("^" + re.sub("{.*}", ".*", name) + r"(\.index)?$")
        matches = [path for path in directory.iterdir() if pattern.match(path.name)]
        if not matches:
            return None
        newest = max(matches, key=lambda path: (path.stat().st_mtime, path.name))
        return str(newest).removesuffix(".index")

"""ProgbarLogger: shows a progress bar."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow.keras.callbacks.callback import Callback, plain
from eagerflow.keras.typing import Logs
from eagerflow.keras.utils import io_utils
from eagerflow.keras.utils.progbar import Progbar


class ProgbarLogger(Callback):
    """Shows a progress bar with the loss and metrics.

    Args:
        count_mode: whether the bar counts "samples" or "steps".
        stateful_metrics: names of values that are already means, as the model's metrics are.

    Raises:
        ValueError: for another `count_mode`.
    """

    _supports_tf_logs = True

    def __init__(
        self, count_mode: str = "samples", stateful_metrics: Iterable[str] | None = None
    ) -> None:
        super().__init__()
        if count_mode not in ("samples", "steps"):
            raise ValueError(
                f'Unknown `count_mode`: {count_mode}. Expected values are ["samples", "steps"]'
            )
        self.use_steps = count_mode == "steps"
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen = 0
        self.progbar: Any = None
        self.target: int | None = None
        self.verbose = 1
        self.epochs = 1
        self._call_batch_hooks = True
        self._called_in_fit = False

    def set_params(self, params: dict[str, Any]) -> None:
        """Takes the number of steps, the number of epochs and the verbosity."""
        self.params = params
        self.verbose = params["verbose"]
        self.epochs = params["epochs"]
        self.target = params.get("steps" if self.use_steps else "samples")
        self._call_batch_hooks = self.verbose == 1

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Notes that validation is part of training."""
        self._called_in_fit = True

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Starts a bar."""
        if not self._called_in_fit:
            self._start()
            self._count_by("_test_counter")

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Starts a bar."""
        self._start()
        self._count_by("_predict_counter")

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Starts a bar, under the number of the epoch."""
        self._start()
        self._count_by("_train_counter")
        if self.verbose and self.epochs > 1:
            io_utils.print_msg(f"Epoch {epoch + 1}/{self.epochs}")

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Moves the bar."""
        self._move(batch, logs)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Moves the bar."""
        if not self._called_in_fit:
            self._move(batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Moves the bar."""
        self._move(batch, None)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Ends the bar with the epoch's values."""
        self._finish(logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Ends the bar."""
        if not self._called_in_fit:
            self._finish(logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Ends the bar."""
        self._finish(logs)

    def _implements_train_batch_hooks(self) -> bool:
        return self._call_batch_hooks

    _implements_test_batch_hooks = _implements_train_batch_hooks
    _implements_predict_batch_hooks = _implements_train_batch_hooks

    _metrics_known = False
    _counter: Any = None  # counts the steps, for bars over unknown numbers of samples

    def _start(self) -> None:
        self.seen = 0
        self._metrics_known = False
        if self.model is not None:
            self.stateful_metrics |= {metric.name for metric in self.model.metrics}
        self.progbar = Progbar(
            target=self.target,
            verbose=self.verbose,
            stateful_metrics=self.stateful_metrics,
            unit_name="step" if self.use_steps else "sample",
        )

    def _count_by(self, name: str) -> None:
        self._counter = None if self.use_steps else getattr(self.model, name, None)

    def _move(self, batch: int, logs: dict[str, Any] | None) -> None:
        if self.progbar is None:
            self._start()
        if not self._metrics_known and self.model is not None:
            # The first batches build the metrics.
            self._metrics_known = True
            self.stateful_metrics |= {metric.name for metric in self.model.metrics}
            self.progbar._update_stateful_metrics(self.stateful_metrics)
        values = logs or {}
        if self.use_steps:
            self.seen = batch + 1
        else:
            values = dict(values)
            self.seen += values.pop("num_steps", 1) * values.pop("size", 0)
            values.pop("batch", None)
        if self.verbose == 1:
            self.progbar.update(self.seen, values.items(), finalize=False)

    def _finish(self, logs: Logs | None) -> None:
        if self.progbar is None:
            self._start()
        if self.model is not None:
            names = {metric.name for metric in self.model.metrics}
            self.progbar._update_stateful_metrics(names)
        if self.target is None:
            self.target = (0 if self._counter is None else int(self._counter)) or self.seen
            self.progbar.target = self.target
        self.progbar.update(self.target, plain(logs or {}).items(), finalize=True)

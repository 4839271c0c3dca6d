"""History and BaseLogger: the values of the epochs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from eagerflow.keras.callbacks.callback import Callback, plain
from eagerflow.util import lazy
from eagerflow.util.text import Pictured

if TYPE_CHECKING:
    from eagerflow.util.pictures import Picture

# Imported when it is first used: few programs need it.
curves = lazy.Module("eagerflow.keras.callbacks.curves")


class History(Pictured, Callback):
    """Records the loss and metrics of each epoch; `fit` adds a `History` and returns it.

    Notebooks show a plot of the values, `print` a table. `tf.debug.picture(history)` returns the
    plot; its `save("loss.png")` writes a file.

    Attributes:
        history: lists of values by name.
        epoch: the indices of the epochs.

    >>> history = tf.keras.callbacks.History()
    >>> history.set_model(type("Model", (), {})())
    >>> history.on_train_begin()
    >>> history.on_epoch_end(0, {"loss": 0.5})
    >>> history.history
    {'loss': [0.5]}
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: dict[str, float] | None = None) -> None:
        """Clears the list of epochs; the values of earlier trainings remain."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Adds the epoch's values."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self

    def _picture(self) -> Picture | None:
        """A plot of each value over the epochs, before the first epoch nothing."""
        return curves.plot(self.history) if self.history else None

    def __str__(self) -> str:
        return str(self._picture() or repr(self))


class BaseLogger(Callback):
    """Averages the values of batches over an epoch, weighted by the batch sizes.

    Args:
        stateful_metrics: names of values that are already means.
    """

    def __init__(self, stateful_metrics: Iterable[str] | None = None) -> None:
        super().__init__()
        self.stateful_metrics = set(stateful_metrics or ())
        self.seen: float = 0
        self.totals: dict[str, float] = {}

    def on_epoch_begin(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Resets the sums."""
        self.seen = 0
        self.totals = {}

    def on_batch_end(self, batch: int, logs: dict[str, float] | None = None) -> None:
        """Adds a batch's values."""
        logs = plain(logs or {})
        size = logs.get("size", 0)
        self.seen += size * logs.get("num_steps", 1)
        for name, value in logs.items():
            if name in self.stateful_metrics:
                self.totals[name] = value
            else:
                self.totals[name] = self.totals.get(name, 0) + value * size

    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        """Adds the means to the epoch's values."""
        if logs is None:
            return
        for name in self.params["metrics"]:
            if name in self.totals:
                total = self.totals[name]
                logs[name] = total if name in self.stateful_metrics else total / self.seen

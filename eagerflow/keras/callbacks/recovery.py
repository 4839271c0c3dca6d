"""RestoreOnNaN: training goes on from its last good state when the loss is no longer finite."""

from __future__ import annotations

from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.keras.callbacks.callback import Callback
from eagerflow.keras.callbacks.early_stopping import has_invalid_loss
from eagerflow.keras.typing import Logs
from eagerflow.keras.utils import io_utils

_ops = _core.ops


class Restoration(NamedTuple):
    """What `RestoreOnNaN` did once; `variable` is the first that was not finite, or None."""

    epoch: int
    batch: int
    loss: float
    variable: str | None
    learning_rate: float | None


class _State(NamedTuple):
    epoch: int
    batch: int
    values: list[tuple[Any, Any]]  # variables and their values


class RestoreOnNaN(Callback):
    """Restores the last good weights when the loss is NaN or infinite, and lowers the learning rate.

    Every few batches, the weights of the model and the state of the optimizer are noted, if they and the
    loss are finite; this needs memory for one more copy of them. After a batch whose loss is not finite, or
    above a limit, they are restored, the learning rate is multiplied, the metrics begin anew, and
    training goes on with the next batch. A message names the batch and the first variable that is not
    finite. The loss is read after each batch.

    Args:
        factor: what the learning rate is multiplied by; a schedule stays as it is.
        every: the number of batches between two notes.
        limit: the largest loss that is good; by default any finite one.
        max_restorations: after so many restorations, the next bad batch stops training, with the
            last good state restored.
        verbose: 0 for no messages.

    Attributes:
        restorations: a list of what was done in the last `fit`: epochs, batches, losses, names of
            variables and learning rates.

    Raises:
        ValueError: if `factor` is not above 0 and at most 1, or `every` is less than 1.

    >>> model = tf.keras.Sequential([tf.keras.Input([1]), tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> x = tf.constant([[1.0], [2.0], [float("nan")], [3.0]])
    >>> callback = tf.keras.callbacks.RestoreOnNaN(every=1, verbose=0)
    >>> _ = model.fit(x, tf.ones([4]), batch_size=1, shuffle=False, verbose=0, callbacks=[callback])
    >>> callback.restorations[0].batch, bool(tf.reduce_all(tf.math.is_finite(model.weights[0])))
    (2, True)
    """

    _supports_tf_logs = True

    def __init__(
        self,
        factor: float = 0.5,
        every: int = 100,
        limit: float | None = None,
        max_restorations: int = 10,
        verbose: int = 1,
    ) -> None:
        super().__init__()
        if not 0 < factor <= 1:
            raise ValueError(f"`factor` must be above 0 and at most 1, got {factor}.")
        if every < 1:
            raise ValueError(f"`every` must be at least 1, got {every}.")
        self.factor = factor
        self.every = every
        self.limit = limit
        self.max_restorations = max_restorations
        self.verbose = verbose
        self.restorations: list[Restoration] = []
        self._epoch = 0
        self._since = 0  # batches since the last note
        self._state: _State | None = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Notes the first state, if the model has been built."""
        self.restorations = []
        self._state, self._epoch, self._since = None, 0, 0
        if self.model.built:
            if hasattr(self.model.optimizer, "build"):
                self.model.optimizer.build(self.model.trainable_variables)
            self._note(-1)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Stores the epoch."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Notes a good state, or restores the last one."""
        if has_invalid_loss(logs) or self._is_above(logs):
            self._restore(batch, float((logs or {})["loss"]))
            return
        self._since += 1
        if self._since >= self.every or self._state is None:
            self._note(batch)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Forgets the noted state."""
        self._state = None

    def training_state(self) -> dict[str, Any]:
        """The noted state."""
        if self._state is None:
            return {}
        epoch, batch, values = self._state
        return {"at": [epoch, batch, self._since], "values": [value for _, value in values]}

    def restore_training_state(self, state: dict[str, Any]) -> None:
        """Notes the state that was noted."""
        if state:
            epoch, batch, self._since = state["at"]
            values = map(_core.as_tensor, state["values"])
            self._state = _State(epoch, batch, list(zip(self._variables(), values, strict=True)))

    def _is_above(self, logs: Logs | None) -> bool:
        return self.limit is not None and float((logs or {}).get("loss", 0.0)) > self.limit

    def _variables(self) -> list[Any]:
        optimizer = self.model.optimizer
        own = getattr(optimizer, "variables", ())
        return [
            *self.model.variables,
            *(own() if callable(own) and not isinstance(own, list) else own),
        ]

    def _note(self, batch: int) -> None:
        values = [(variable, variable.read_value()) for variable in self._variables()]
        if _first_bad(values) is None:
            self._state = _State(self._epoch, batch, values)
            self._since = 0

    def _restore(self, batch: int, loss: float) -> None:
        bad = _first_bad([(variable, variable.read_value()) for variable in self._variables()])
        state = self._state
        if state is None:
            self._say(
                f"Epoch {self._epoch + 1}, batch {batch}: the loss is {loss}, and was never good."
            )
            self.model.stop_training = True
            return
        for variable, value in state.values:
            variable.assign(value)
        self._since = 0
        self.model.reset_metrics()
        stops = len(self.restorations) >= self.max_restorations
        rate = None if stops else self._lowered_rate()
        self.restorations.append(Restoration(self._epoch, batch, loss, bad, rate))
        self._say(
            f"Epoch {self._epoch + 1}, batch {batch}: the loss is {loss}"
            + (f"; {bad} is the first variable that is not finite" if bad else "")
            + ". Restored "
            + (
                "the first state"
                if state.batch < 0
                else f"batch {state.batch} of epoch {state.epoch + 1}"
            )
            + ("" if rate is None else f"; the learning rate is now {rate:g}")
            + (". Training stops, as this happened too often." if stops else ".")
        )
        self.model.stop_training = self.model.stop_training or stops

    def _lowered_rate(self) -> float | None:
        rate = self.model.optimizer.learning_rate
        if not isinstance(rate, _core.Variable):
            return None
        rate.assign(rate * self.factor)
        return float(rate)

    def _say(self, text: str) -> None:
        if self.verbose:
            io_utils.print_msg(text)


def _first_bad(values: list[tuple[Any, Any]]) -> str | None:
    """The name of the first variable that has a NaN or an infinity."""
    for variable, value in values:
        if value.dtype.is_floating and not bool(_ops.reduce_all(_ops.is_finite(value))):
            return variable.name
    return None

"""CallbackList: calls several callbacks in order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import nest
from eagerflow.keras.callbacks.callback import Callback, plain
from eagerflow.keras.callbacks.history import History
from eagerflow.keras.callbacks.progbar_logger import ProgbarLogger
from eagerflow.keras.typing import Logs
from eagerflow.util import lazy, own_code

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_Hooks = list[Callable[..., None]]


class _Timing:
    """Times of the first batches and of their hooks; warns once if the hooks are slow."""

    _COUNT = 5  # of batches

    def __init__(self) -> None:
        self._batches: list[float] = []
        self._hooks: dict[str, list[float]] = {}
        self._start: float | None = None

    def call(self, name: str, hooks: _Hooks, batch: int, logs: Any) -> bool:
        """Calls hooks; whether enough has been measured.

        Args:
            name: the method that they are.
            hooks: the methods of the callbacks that have it.
            batch: the index of the batch.
            logs: its logs.
        """
        before = time.perf_counter()
        ends = name.endswith("_end")
        if ends and batch and self._start is not None:
            self._batches.append(before - self._start)
        for hook in hooks:
            hook(batch, logs)
        after = time.perf_counter()
        self._hooks.setdefault(name, []).append(after - before)
        self._start = after
        if len(self._batches) < self._COUNT:
            return False
        usual = sum(self._batches) / len(self._batches)
        for hook_name in (name.replace("_end", "_begin"), name):
            times = self._hooks.get(hook_name, [0.0])
            mean = sum(times) / len(times)
            if mean > usual:
                logging.warning(
                    f"Callback method `{hook_name}` is slow compared to the batch time (batch "
                    f"time: {usual:.4f}s vs `{hook_name}` time: {mean:.4f}s). Check your callbacks."
                )
        return True


class CallbackList:
    """Calls several callbacks, in their order.

    Args:
        callbacks: a callback or a structure of callbacks.
        add_history: whether to add a `History` if there is none.
        add_progbar: whether to add a `ProgbarLogger` if there is none.
        model: the model that is trained.
        **params: the `params` of the callbacks.

    >>> callbacks = tf.keras.callbacks.CallbackList(add_history=True)
    >>> [type(callback).__name__ for callback in callbacks]
    ['History']
    """

    # Whether a callback has hooks for batches.
    _should_call_train_batch_hooks: bool
    _should_call_test_batch_hooks: bool
    _should_call_predict_batch_hooks: bool

    def __init__(
        self,
        callbacks: Any = None,
        add_history: bool = False,
        add_progbar: bool = False,
        model: object = None,
        **params: Any,
    ) -> None:
        self.callbacks: list[Any] = nest.flatten(callbacks) if callbacks else []
        self.model: Any = None
        self.params: dict[str, Any] = {}
        self._progbar: Any = None
        self._history: Any = None
        for callback in self.callbacks:
            if isinstance(callback, ProgbarLogger):
                self._progbar = callback
            elif isinstance(callback, History):
                self._history = callback
        if add_history and self._history is None:
            self._history = History()
            self.callbacks.append(self._history)
        if add_progbar and self._progbar is None:
            self._progbar = ProgbarLogger(count_mode="steps")
            self.callbacks.append(self._progbar)
        if model:
            self.set_model(model)
        if params:
            self.set_params(params)
        self._look_up_hooks()

    def make_logs(
        self, model: Any, logs: Logs, outputs: Any, mode: str, prefix: str = ""
    ) -> dict[str, Any]:
        """Adds a batch's outputs to the logs.

        Args:
            model: the model, whose metrics name the outputs.
            logs: the dictionary to add to.
            outputs: a value for each metric, or predictions.
            mode: "train", "test" or "predict".
            prefix: the prefix of each name.
        """
        if self.callbacks:
            names = model.metrics_names if mode in ("train", "test") else []
            named = {prefix + name: value for name, value in zip(names, outputs, strict=False)}
            logs |= named or {"outputs": outputs}
        return logs

    def _look_up_hooks(self) -> None:
        """Finds the callbacks that override batch hooks: usually few do."""
        self._hooks: dict[str, _Hooks] = {}
        takes_tensors = True
        all_active = []
        for mode in ("train", "test", "predict"):
            active = [c for c in self.callbacks if getattr(c, f"_implements_{mode}_batch_hooks")()]
            all_active += active
            takes_tensors &= all(getattr(c, "_supports_tf_logs", False) for c in active)
            setattr(self, f"_should_call_{mode}_batch_hooks", bool(active))
            for point in ("begin", "end"):
                names = [f"on_{mode}_batch_{point}"]
                if mode == "train":
                    names.append(f"on_batch_{point}")
                self._hooks[names[0]] = [
                    getattr(c, names[0]) for c in active if Callback._defines(c, *names)
                ]
        # The callbacks of this package are fast: only others are timed.
        timed = any(not own_code.is_own(type(c).__module__) for c in all_active)
        self._timing = _Timing() if timed else None
        self._batch_hooks_support_tf_logs = takes_tensors
        self._supports_tf_logs = all(
            getattr(callback, "_supports_tf_logs", False) for callback in self.callbacks
        )

    def append(self, callback: Any) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)
        self._look_up_hooks()

    def set_params(self, params: dict[str, Any]) -> None:
        """Sets the parameters of all callbacks."""
        self.params = params
        for callback in self.callbacks:
            callback.set_params(params)
        self._look_up_hooks()

    def set_model(self, model: Any) -> None:
        """Sets the model of all callbacks."""
        self.model = model
        if self._history is not None:
            model.history = self._history
        for callback in self.callbacks:
            callback.set_model(model)

    def _logs(self, logs: object) -> Any:
        if logs is None:
            return {}
        return logs if self._supports_tf_logs else plain(logs)

    def _call_batch_hooks(self, name: str, batch: int, logs: object) -> None:
        hooks = self._hooks[name]
        if not hooks:
            return
        if logs is None:
            logs = {}
        elif not self._batch_hooks_support_tf_logs:
            logs = plain(logs)
        if self._timing is None:
            for hook in hooks:
                hook(batch, logs)
        elif self._timing.call(name, hooks, batch, logs):
            self._timing = None

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """The deprecated name of `on_train_batch_begin`."""
        self._call_batch_hooks("on_train_batch_begin", batch, logs)

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """The deprecated name of `on_train_batch_end`."""
        self._call_batch_hooks("on_train_batch_end", batch, logs)

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        if self._should_call_train_batch_hooks:
            self._call_batch_hooks("on_train_batch_begin", batch, logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        if self._should_call_train_batch_hooks:
            self._call_batch_hooks("on_train_batch_end", batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        if self._should_call_test_batch_hooks:
            self._call_batch_hooks("on_test_batch_begin", batch, logs)

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        if self._should_call_test_batch_hooks:
            self._call_batch_hooks("on_test_batch_end", batch, logs)

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        if self._should_call_predict_batch_hooks:
            self._call_batch_hooks("on_predict_batch_begin", batch, logs)

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        if self._should_call_predict_batch_hooks:
            self._call_batch_hooks("on_predict_batch_end", batch, logs)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_epoch_begin(epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_epoch_end(epoch, logs)

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_train_begin(logs)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_train_end(logs)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_test_begin(logs)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_test_end(logs)

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_predict_begin(logs)

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """Calls the method of all callbacks."""
        logs = self._logs(logs)
        for callback in self.callbacks:
            callback.on_predict_end(logs)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.callbacks)

"""StepsPerExecutionTuner: finds how many steps to run at a time."""

from __future__ import annotations

import threading
import time
from typing import Any

from eagerflow.framework.variable import Variable


class StepsPerExecutionTuner:
    """Tunes the steps per execution in a thread while a program trains, for the highest speed.

    Args:
        optimizer: its iterations measure the speed.
        spe_variable: an integer variable, the number of steps.
        interval: the seconds between measurements.
        change_spe_interval: the number of measurements between changes.
        change_threshold: the smallest relative change of speed that counts.

    >>> steps = tf.Variable(1, dtype=tf.int64)
    >>> tuner = tf.keras.utils.StepsPerExecutionTuner(tf.keras.optimizers.SGD(), steps)
    >>> _ = tuner.start()
    >>> tuner.stop()
    """

    def __init__(
        self,
        optimizer: Any,
        spe_variable: Variable,
        interval: float = 5,
        change_spe_interval: int = 10,
        change_threshold: float = 0.1,
    ) -> None:
        self.optimizer = optimizer
        self.interval = interval
        self.change_spe_interval = change_spe_interval
        self.spe_change_threshold = change_threshold
        self.steps_per_execution_stop_event = threading.Event()
        self.thread: threading.Thread | None = None
        self.init_spe = 1
        self._steps_per_execution = spe_variable
        self._begin()

    @property
    def steps_per_execution(self) -> Variable:
        """The number of steps, a variable."""
        return self._steps_per_execution

    @steps_per_execution.setter
    def steps_per_execution(self, value: int) -> None:
        self._steps_per_execution.assign(value)
        self.init_spe = value

    def start(self) -> threading.Thread:
        """Starts the thread, or returns the one that runs."""
        if self.thread is None or not self.thread.is_alive():
            self._begin()
            self.thread = threading.Thread(target=self._run, daemon=True)
            self.thread.start()
        return self.thread

    def stop(self) -> None:
        """Ends the thread."""
        self.steps_per_execution_stop_event.set()

    def _begin(self) -> None:
        self.init_spe = int(self._steps_per_execution)
        self._seen = (int(self.optimizer.iterations), time.monotonic())
        self._speeds: list[float] = []
        self._speed = 0.0
        self._last_was_more = True
        self._looks = 0

    def _run(self) -> None:
        while not self.steps_per_execution_stop_event.is_set():
            self._look(int(self.optimizer.iterations), time.monotonic())
            self.steps_per_execution_stop_event.wait(self.interval)

    def _look(self, iteration: int, now: float) -> None:
        """Updates the measured speed with the steps since the last call."""
        self._looks += 1
        before, then = self._seen
        speed = (iteration - before) / max(now - then, 1e-9)
        self._speeds = [*self._speeds, speed][-self.change_spe_interval :]
        if not iteration:
            return
        self._seen = (iteration, now)
        # No steps: between epochs.
        if speed and self._looks % self.change_spe_interval == 0:
            self._tune()

    def _tune(self) -> None:
        """Changes the count in the direction that made the program faster."""
        mean = sum(self._speeds) / len(self._speeds)
        more, less = (1.5, 0.5) if self._last_was_more else (0.5, 1.5)
        count = int(self._steps_per_execution)
        changed = float(count)
        if mean > (1 + self.spe_change_threshold) * self._speed:
            changed = count * more
        elif mean < (1 - self.spe_change_threshold) * self._speed:
            changed = count * less
            self._last_was_more = not self._last_was_more
        if count <= 0:
            changed = self.init_spe
        elif count >= self._steps_per_execution.dtype.max / 1.5:
            changed = count
        self._steps_per_execution.assign(round(changed))
        self._speed = mean

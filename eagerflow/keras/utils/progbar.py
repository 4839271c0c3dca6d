"""The progress bar of `fit`, `evaluate` and `predict`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from eagerflow.keras.utils import io_utils
from eagerflow.util.notebooks import runs_unattended


class Progbar:
    """A progress bar that shows the step, the time and the values so far.

    Args:
        target: how many steps there will be; None if that is unknown.
        width: the length of the bar, in characters.
        verbose: 0 shows nothing, 1 the bar, 2 one line at the end.
        interval: the least time between two changes of the bar, in seconds.
        stateful_metrics: names of values that are shown as they are; others are averaged.
        unit_name: the name of a step.

    >>> bar = tf.keras.utils.Progbar(2, verbose=2)
    >>> bar.update(1, [("loss", 0.5)])
    >>> bar.update(2, [("loss", 0.25)])
    2/2 - 0s - loss: 0.3750 - .../epoch - .../step
    """

    def __init__(
        self,
        target: int | None,
        width: int = 30,
        verbose: int = 1,
        interval: float = 0.05,
        stateful_metrics: Iterable[str] | None = None,
        unit_name: str = "step",
    ) -> None:
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        terminal = hasattr(sys.stdout, "isatty") and sys.stdout.isatty()
        self._dynamic_display = (
            terminal
            or "ipykernel" in sys.modules
            or "posix" in sys.modules
            or "PYCHARM_HOSTED" in os.environ
        )
        # Only the last bar of each epoch is printed where nobody sees it grow.
        self._only_last = runs_unattended()
        self._total_width = 0
        self._seen_so_far = 0
        # By name, the weighted sum of a value and the sum of the weights.
        self._values: dict[str, list[float]] = {}
        self._start = time.time()
        self._last_update = 0.0
        self._time_at_epoch_start = self._start
        self._time_at_epoch_end: float | None = None
        self._time_after_first_step: float | None = None

    def update(
        self,
        current: int,
        values: Iterable[tuple[str, Any]] | None = None,
        finalize: bool | None = None,
    ) -> None:
        """Updates the values and shows the bar.

        Args:
            current: the number of steps done.
            values: names, each with its value in the last step.
            finalize: whether this is the last call; by default when the target is reached.
        """
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        self._note(current, values or ())
        now = time.time()
        if current == self.target:
            self._time_at_epoch_end = now
        if self.verbose == 1:
            early = self._only_last or now - self._last_update < self.interval
            if early and not finalize:
                return
            io_utils.print_msg(self._bar_message(current, now, finalize), line_break=False)
        elif self.verbose == 2 and finalize:
            io_utils.print_msg(self._line_message(current, now), line_break=False)
        self._last_update = now

    def add(self, n: int, values: Iterable[tuple[str, Any]] | None = None) -> None:
        """Shows the bar `n` steps further; see `update`."""
        self.update(self._seen_so_far + n, values)

    def _note(self, current: int, values: Iterable[tuple[str, Any]]) -> None:
        # One step counts at least: the last call of an epoch of unknown length repeats its step.
        steps = max(current - self._seen_so_far, 1)
        for name, value in values:
            if name in self.stateful_metrics:
                self._values[name] = [value, 1]
                continue
            entry = self._values.get(name)
            if entry is None:
                self._values[name] = [value * steps, steps]
            else:
                entry[0] += value * steps
                entry[1] += steps
        self._seen_so_far = current

    def _bar_message(self, current: int, now: float, finalize: bool) -> str:
        width_before = self._total_width
        start = "\n"
        if self._dynamic_display:
            # Notebooks and what exports them know a carriage return, and not all know backspaces.
            start = "\r" if width_before else ""
        bar = self._bar(current)
        step_time = self._estimate_step_duration(current, now)
        if self.target is None or finalize:
            info = f" - {now - self._start:.0f}s" + self._format_time(step_time, self.unit_name)
        else:
            info = f" - ETA: {_remaining(step_time * (self.target - current))}"
        for name, (total, weight) in self._values.items():
            mean = np.mean(total / max(1, weight))
            info += f" - {name}: " + (f"{mean:.4f}" if abs(mean) > 1e-3 else f"{mean:.4e}")
        self._total_width = len(bar) + len(info)
        info += " " * (width_before - self._total_width)
        return start + bar + info + ("\n" if finalize else "")

    def _bar(self, current: int) -> str:
        if self.target is None:
            return f"{current:7d}/Unknown"
        count = f"{current:{_digits(self.target)}d}/{self.target:d} ["
        length = int(self.width * (float(current) / self.target))
        done = ""
        if length > 0:
            done = "=" * (length - 1) + (">" if current < self.target else "=")
        return count + done + "." * (self.width - length) + "]"

    def _line_message(self, current: int, now: float) -> str:
        target = self.target or 1
        message = f"{current:{_digits(target)}d}/{self.target} - {now - self._start:.0f}s"
        for name, (total, weight) in self._values.items():
            mean = np.mean(total / max(1, weight))
            message += f" - {name}: " + (f"{mean:.4f}" if mean > 1e-3 else f"{mean:.4e}")
        if self._time_at_epoch_end:
            epoch = self._time_at_epoch_end - self._time_at_epoch_start
            self._time_at_epoch_start = now
            self._time_at_epoch_end = None
            message += " -" + self._format_time(epoch, "epoch")
            message += " -" + self._format_time(epoch / target, self.unit_name)
            message += "\n"
        return message

    def _format_time(self, seconds: float, unit_name: str) -> str:
        """A duration in a suitable unit."""
        if seconds >= 1 or seconds == 0:
            return f" {seconds:.0f}s/{unit_name}"
        if seconds >= 1e-3:
            return f" {seconds * 1e3:.0f}ms/{unit_name}"
        return f" {seconds * 1e6:.0f}us/{unit_name}"

    def _estimate_step_duration(self, current: int, now: float) -> float:
        """The time of one step, without the first one, which does more."""
        if not current:
            return 0.0
        if self._time_after_first_step is not None and current > 1:
            duration = (now - self._time_after_first_step) / (current - 1)
        else:
            duration = (now - self._start) / current
        if current == 1:
            self._time_after_first_step = now
        return duration

    def _update_stateful_metrics(self, stateful_metrics: Iterable[str]) -> None:
        self.stateful_metrics = self.stateful_metrics.union(stateful_metrics)


def _digits(value: int) -> int:
    return int(np.log10(value)) + 1


def _remaining(seconds: float) -> str:
    if seconds > 3600:
        return f"{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d}:{int(seconds % 60):02d}"
    if seconds > 60:
        return f"{int(seconds // 60)}:{int(seconds % 60):02d}"
    return f"{int(seconds)}s"

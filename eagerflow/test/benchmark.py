"""Benchmark: classes whose methods measure, and report what they have measured."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eagerflow.protos.benchmark import MESSAGES
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
messages = lazy.Module("eagerflow.graph.session_settings")


def benchmark_config() -> Any:
    """Settings of a session under which operations are not left out for one another.

    >>> tf.test.benchmark_config().graph_options.rewrite_options.dependency_optimization
    2
    """
    config = messages.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = 2  # off
    return config


class Benchmark:
    """The base of classes whose methods measure, and report what they have measured.

    A report is printed; where the environment variable `TEST_REPORT_FILE_PREFIX` is set, it is
    written to a file of that prefix and the name of class and method, as a `BenchmarkEntries`
    message.

    >>> class Sums(tf.test.Benchmark):
    ...     def benchmark_ones(self):
    ...         self.report_benchmark(iters=10, wall_time=0.5)
    >>> Sums().benchmark_ones()
    entry {
      name: "Sums.benchmark_ones"
      iters: 10
      wall_time: 0.5
    }
    <BLANKLINE>
    """

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether it is the base itself."""
        return cls is Benchmark

    def _get_name(self, overwrite_name: str | None = None) -> str:
        """The name of the class and of the method whose name begins with "benchmark"."""
        method = overwrite_name
        frame = sys._getframe(1)
        while method is None and frame is not None:
            if frame.f_locals.get("self") is self and frame.f_code.co_name.startswith("benchmark"):
                method = frame.f_code.co_name
            frame = frame.f_back  # type: ignore[assignment]
        if method is None:
            raise ValueError("Unable to determine calling Benchmark class.")
        return f"{type(self).__name__}.{method}"

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Reports the measurements of a method.

        Args:
            iters: the number of repetitions.
            cpu_time: how many seconds of the processor that took, by repetition.
            wall_time: how many seconds it took, by repetition.
            throughput: the throughput in MB per second.
            extras: numbers or strings by name.
            name: replaces the name of the calling method.
            metrics: dictionaries with `name`, `value`, and maybe `min_value` and `max_value`.

        Raises:
            ValueError: if no method whose name begins with "benchmark" calls it.
            TypeError: if a metric has no name or value.
        """
        entries = MESSAGES["BenchmarkEntries"]()
        entry = entries.entry.add(name=self._get_name(name), iters=iters or 0)
        entry.cpu_time = cpu_time or 0.0
        entry.wall_time = wall_time or 0.0
        entry.throughput = throughput or 0.0
        for key, value in (extras or {}).items():
            if isinstance(value, str | bytes):
                entry.extras[key].string_value = value
            else:
                entry.extras[key].double_value = float(value)
        for metric in metrics or ():
            if "name" not in metric or "value" not in metric:
                raise TypeError(f"A metric must have a name and a value, got {metric}.")
            made = entry.metrics.add(name=metric["name"], value=metric["value"])
            for bound in ("min_value", "max_value"):
                if metric.get(bound) is not None:
                    getattr(made, bound).value = metric[bound]
        prefix = os.environ.get("TEST_REPORT_FILE_PREFIX")
        if prefix is None:
            print(entries)
            return
        path = prefix + entry.name.replace("/", "__")
        if os.path.exists(path):
            raise OSError(f"File already exists: {path}")
        with open(path, "wb") as file:
            file.write(entries.SerializeToString())

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: Mapping[str, object] | None = None,
        mbs: float = 0,
    ) -> dict[str, object]:
        """Measures how long a session takes for an operation or tensor, and reports it.

        Args:
            sess: the session.
            op_or_tensor: what it runs.
            feed_dict: the values that are fed.
            burn_iters: how often it is run before measuring.
            min_iters: how often it is measured.
            name: replaces the name of the calling method.
            extras: numbers or strings by name, to be reported, too.
            mbs: how many MB a run processes.

        Returns:
            `iters`, the median `wall_time` in seconds, `extras`, `name` and `throughput`.
        """
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        times = np.empty(min_iters)
        for k in range(min_iters):
            start = time.perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            times[k] = time.perf_counter() - start
        wall_time = float(np.median(times)) if min_iters else -1.0
        throughput = mbs / wall_time if wall_time > 0 else 0.0
        spread = {"wall_time_mean": float(times.mean()), "wall_time_stdev": float(times.std())}
        result = {
            "iters": min_iters,
            "wall_time": wall_time,
            "extras": dict(extras or {}),
            "name": name,
            "throughput": throughput,
        }
        self.report_benchmark(**result)  # type: ignore[arg-type]
        result["extras"] = {**(extras or {}), **spread}
        return result

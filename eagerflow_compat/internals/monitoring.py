"""tensorflow.python.eager.monitoring: counts that a program keeps of itself, by labels."""

from __future__ import annotations

from typing import Any


class _Cell:
    def __init__(self) -> None:
        self._value: Any = 0

    def increase_by(self, value: int) -> None:
        """Adds to the count."""
        self._value += value

    def set(self, value: object) -> None:
        """Sets the value."""
        self._value = value

    def add(self, value: float) -> None:
        """Adds a sample."""
        self._value += value

    def value(self) -> Any:
        """The count, or what was set last."""
        return self._value


class Metric:
    """A value for each combination of labels.

    Args:
        name: the name.
        description: what it counts.
        *labels: the names of the labels.
    """

    def __init__(self, name: str, description: Any = None, *labels: Any) -> None:
        self.name = name
        self._cells: dict[tuple[object, ...], _Cell] = {}

    def get_cell(self, *labels: object) -> _Cell:
        """The value for these labels."""
        return self._cells.setdefault(labels, _Cell())


Counter = IntGauge = StringGauge = BoolGauge = Metric


class ExponentialBuckets:
    """Bounds of a histogram that grow by a factor."""

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        self.bounds = [scale * growth_factor**k for k in range(bucket_count)]


class Sampler(Metric):
    """Samples for each combination of labels."""

    def __init__(self, name: str, buckets: Any, description: Any = None, *labels: Any) -> None:
        super().__init__(name, description, *labels)

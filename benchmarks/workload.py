"""What a benchmark is: a workload, how each contender does it, and the ratio to reach."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

# How the contenders are called in tables and charts, in the order of their columns.
CONTENDERS = {
    "eagerflow": "eagerflow",
    "tensorflow": "TensorFlow",
    "tf.function": "tf.function",
    "jit_compile": "jit_compile",
    "torch": "PyTorch",
    "jax": "JAX",
    "jax-plugin": "JAX, same XLA",
    "mlx": "MLX",
    "onnxruntime": "onnxruntime",
    "numpy": "NumPy",
    "fit": "our fit",
    "eager": "our eager",
}
OURS = "eagerflow"
# Contenders that are eagerflow itself, used in another way: no peers.
OURSELVES = ("fit", "eager")
FASTEST_PEER = "fastest peer"
# Instead of a peer: the measurement itself is what must be small.
ITSELF = "itself"
# What else uses the processors during a measurement, and how titles say it.
CROWDS = {"busy": "beside a busy process for each processor", "half": "in half of the time"}


@dataclass
class Case:
    """A workload made ready on one contender."""

    # Does the work `count` times, and returns when all of it is done. Where a share is measured,
    # it returns that share of its time.
    run: Callable[[int], float | None]
    # Numbers by which contenders are compared; asked for once, before anything is timed.
    value: Callable[[], Sequence[float]]


@dataclass(frozen=True)
class Target:
    """Our measurement, divided by the peer's if there is one, must be `at_most` this."""

    peer: str
    at_most: float


@dataclass(frozen=True)
class Work:
    """What a run cannot do without, whoever does it: it takes the longer of the two."""

    # Floating point operations, at the rate of a float32 product.
    flops: float = 0.0
    # Bytes read from memory and written to it, at the rate of a copy.
    bytes: float = 0.0

    def seconds(self, product_rate: float, copy_rate: float) -> float:
        """The shortest time at these rates."""
        return max(self.flops / product_rate, self.bytes / copy_rate)


@dataclass(frozen=True)
class Workload:
    """One line of the results."""

    name: str
    title: str
    target: Target
    # From the contender's name to a function that takes its module and returns a Case; or, where
    # new processes are measured, to a program that prints how many seconds something took.
    contenders: Mapping[str, Any] = field(repr=False)
    # One measurement is this many runs of the Case.
    repeats: int = 1
    # "time" (seconds), "memory" (bytes), "process" (seconds, in a new process each time),
    # "size" (bytes on the disk, by a new process) or "share" (of the time that a run takes).
    measure: str = "time"
    # Further peers to compare with.
    also: tuple[Target, ...] = ()
    # What is measured beside what the machine could do; None where it cannot be computed.
    work: Work | None = None
    # One of CROWDS; None where the processors are free.
    crowd: str | None = None

    def memory(self) -> "Workload":
        """The peak memory of the same, which is to be no more than PyTorch's."""
        return replace(
            self,
            name=f"{self.name}-memory",
            title=f"peak memory of: {self.title}",
            target=Target("torch", 1.0),
            also=(),
            work=None,
            measure="memory",
        )

    @property
    def targets(self) -> tuple[Target, ...]:
        """All that should be reached."""
        return (self.target, *self.also)

"""A program that nobody tuned for, as two rows of the results: our eager steps and our traced ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from frameworks import computed
from training import training_case
from workload import FASTEST_PEER, Target, Work, Workload


@dataclass(frozen=True)
class Program:
    """A training step, written for each framework; all start from the same weights and data."""

    name: str
    title: str
    # From the module of a framework to a step that takes nothing and returns its loss. The first is
    # the one source of eagerflow and TensorFlow.
    with_tensorflow: Callable[[Any], Callable[[], Any]]
    with_torch: Callable[[Any], Callable[[], Any]]
    with_jax: Callable[[Any], Callable[[], Any]]
    work: Work | None = None
    # Whether the peak memory is measured, too.
    memory: bool = False

    def workloads(self) -> list[Workload]:
        """The rows."""

        def eager(tf):
            return steps_case(self.with_tensorflow(tf))

        def traced(tf):
            return steps_case(tf.function(self.with_tensorflow(tf)))

        peers = {
            "tf.function": traced,
            "torch": lambda torch: steps_case(self.with_torch(torch)),
            "jax": lambda jax: steps_case(self.with_jax(jax), jax.block_until_ready),
        }
        rows = [
            Workload(
                name=f"unseen_{self.name}",
                title=self.title,
                target=Target(FASTEST_PEER, 0.9),
                contenders={"eagerflow": eager, **peers},
                work=self.work,
            ),
            Workload(
                name=f"unseen_{self.name}_traced",
                title=f"{self.title}, traced",
                target=Target(FASTEST_PEER, 0.85),
                contenders={"eagerflow": traced, "eager": eager, **peers},
                work=self.work,
                also=(Target("eager", 1.02),),
            ),
        ]
        return [*rows, *(row.memory() for row in rows if self.memory)]


def steps_case(step, finish=lambda loss: loss):
    """A Case of a step whose loss is computed when it returns, or when `finish` of the last returns."""
    loss = None

    def next_step():
        nonlocal loss
        loss = computed(step())
        return loss

    return training_case(next_step, lambda: finish(loss))

"""The expected efficiency of training with many processes, from latency and bandwidth.

python benchmarks/alpha_beta.py        # the table of docs/distributed.md

A sum of n bytes over p processes takes 2 ceil(log2 p) alpha + (p - 1) / p n (2 beta + gamma) by
Rabenseifner's algorithm, which MPI libraries use for long vectors: alpha is the time of a message, beta
that of sending a byte, gamma that of adding a byte. Buckets of gradients are sent during the backward pass,
two thirds of a step. Only the time after its end counts, and at least that of the last bucket.
"""

import math
from dataclasses import dataclass

BUCKET = 4 << 20
GAMMA = 1 / 20e9  # adding floats: 20 GB/s, the memory of one socket shared by its processes


@dataclass(frozen=True)
class Network:
    """A network between machines."""

    name: str
    alpha: float  # seconds
    beta: float  # seconds for a byte


@dataclass(frozen=True)
class Training:
    """The training in each process."""

    name: str
    parameters: float
    step: float  # seconds of a step of one process
    width: int  # bytes of a value that is sent


NETWORKS = (
    Network("10 Gb/s Ethernet", 20e-6, 8 / 10e9),
    Network("25 Gb/s RoCE", 3e-6, 8 / 25e9),
    Network("100 Gb/s InfiniBand", 1.5e-6, 8 / 100e9),
)
# ResNet-50: 64 images of 12.3 GFLOP on a processor of 2 TFLOP/s, and on an accelerator with 400 images a
# second. The model of 1 B parameters: 8,192 tokens of 6 GFLOP at 2 TFLOP/s and at 200.
TRAININGS = (
    Training("ResNet-50, CPU", 25.6e6, 64 * 12.3e9 / 2e12, 4),
    Training("ResNet-50, accelerator", 25.6e6, 64 / 400, 4),
    Training("1 B parameters, CPU, bfloat16", 1e9, 8192 * 6e9 / 2e12, 2),
    Training("1 B parameters, accelerator, bfloat16", 1e9, 8192 * 6e9 / 200e12, 2),
)
WORKERS = (8, 64, 1024)


def fitted(samples: list[tuple[int, float]]) -> tuple[float, float]:
    """Seconds of a call and of a byte, of the least relative squares.

    Args:
        samples: bytes, and the seconds that their sum has taken.
    """
    rows = [(1 / time, size / time) for size, time in samples]
    aa = sum(a * a for a, _ in rows)
    ab = sum(a * b for a, b in rows)
    bb = sum(b * b for _, b in rows)
    a, b = sum(a for a, _ in rows), sum(b for _, b in rows)
    determinant = aa * bb - ab * ab
    return (a * bb - b * ab) / determinant, (b * aa - a * ab) / determinant


def sum_seconds(size: float, workers: int, network: Network) -> float:
    """The time of the sum of some bytes over the processes."""
    if workers == 1:
        return 0.0
    share = (workers - 1) / workers * size
    latency = 2 * math.ceil(math.log2(workers)) * network.alpha
    return latency + 2 * share * network.beta + share * GAMMA


def efficiency(training: Training, workers: int, network: Network, overlap: bool = True) -> float:
    """The throughput of a process beside that of one which is alone."""
    size = training.parameters * training.width
    buckets = max(1, math.ceil(size / BUCKET))
    each = sum_seconds(size / buckets, workers, network)
    hidden = training.step * 2 / 3 if overlap else 0.0
    left = max(each, buckets * each - hidden)
    return training.step / (training.step + left)


def table() -> list[str]:
    """The lines of the table."""
    titles = [f"{workers:,}" for workers in WORKERS]
    lines = [f"| training | network | {' | '.join(titles)} |", "|---|---|" + "---|" * len(titles)]
    for training in TRAININGS:
        for network in NETWORKS:
            found = [f"{100 * efficiency(training, w, network):.0f}%" for w in WORKERS]
            lines.append(f"| {training.name} | {network.name} | {' | '.join(found)} |")
    return lines


if __name__ == "__main__":
    print(*table(), sep="\n")

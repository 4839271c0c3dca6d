"""What the machine can do at best, measured beside the workloads: products of float32, and copies."""

import threading
import time

import numpy as np

SIZE = 1024
COPIED = 16 << 20
ROUNDS = 15


def best(work) -> float:
    """The shortest of some runs, in seconds."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def product_rate() -> float:
    """Floating point operations a second of a float32 product by NumPy's BLAS, in its threads."""
    x, y, result = np.ones((3, SIZE, SIZE), np.float32)
    return 2 * SIZE**3 / best(lambda: np.matmul(x, y, out=result))


def copy_rate(threads: int) -> float:
    """Bytes a second that so many threads together read and write when each copies its part."""
    source, target = np.ones((2, threads, COPIED // 4), np.float32)

    def copy():
        # NumPy copies without Python's lock.
        parts = [
            threading.Thread(target=np.copyto, args=pair)
            for pair in zip(target, source, strict=True)
        ]
        for part in parts:
            part.start()
        for part in parts:
            part.join()

    return 2 * source.nbytes / best(copy)

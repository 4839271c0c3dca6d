"""What a call may cost: processor time and memory, by the bytes of its arguments and its result."""

from __future__ import annotations

import ctypes
import resource
from collections.abc import Callable
from typing import Any

import eagerflow as tf
from peak_memory import forget_peak, peak
from random_calls import bytes_of

ENGINE = ctypes.CDLL(tf._core.__file__)
GUIDED = hasattr(ENGINE, "eagerflow_coverage_counters")

# A sanitized engine takes about ten times as long, and keeps freed memory for a while.
SLOWNESS = 10 if GUIDED else 1
SECONDS = 0.5 * SLOWNESS
SECONDS_PER_BYTE = 1e-7 * SLOWNESS
TENSORS = 1 << 26  # bytes of the engine
PROCESS = 1 << 29 if GUIDED else 1 << 27  # bytes of everything, which Python and NumPy take as well
PER_BYTE = 6
# Arguments may ask for results of gigabytes; libFuzzer ends a process of six.
LARGEST = 1 << 31  # bytes of a tensor


class Excess(Exception):
    """A call took more than its sizes explain; `place` names the function, as one finding is enough."""

    def __init__(self, text: str, place: str) -> None:
        super().__init__(text)
        self.place = place


def _seconds() -> float:
    """The processor's time of all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _costs(function: Callable[[], Any], given: int) -> tuple[Any, str]:
    """What the function returns, and what was too much; it may raise."""
    memory = tf.config.experimental.get_memory_info
    tf.config.experimental.reset_memory_stats("CPU:0")
    tensors, process, started = memory("CPU:0")["current"], forget_peak(), _seconds()
    result, error = None, None
    most = tf._core.limit_tensors(LARGEST)
    try:
        result = function()
    except Exception as caught:
        error = caught
    finally:
        tf._core.limit_tensors(most)
    took, grown = _seconds() - started, peak() - process
    taken = memory("CPU:0")["peak"] - tensors
    size = given + bytes_of(result)
    excess = []
    if took > SECONDS + SECONDS_PER_BYTE * size:
        excess.append(f"{took:.2f} s")
    # A result that does not fit into memory is what was asked for.
    if taken > TENSORS + PER_BYTE * size and not isinstance(
        error, tf.errors.ResourceExhaustedError
    ):
        excess.append(f"{taken >> 20} MB of tensors")
    if grown > PROCESS + PER_BYTE * size:
        excess.append(f"{grown >> 20} MB")
    if error is not None and not excess:
        raise error
    return result, f"{' and '.join(excess)} for {size} bytes" if excess else ""


def within(place: str, function: Callable[[], Any], given: int = 0) -> Any:
    """What the function returns.

    Args:
        place: what is called.
        given: the bytes of its arguments.

    Raises:
        Excess: if it took too much time or memory twice: the first time, it may have imported or
            compiled something.
    """
    result, excess = _costs(function, given)
    if excess:
        result, excess = _costs(function, given)
        if excess:
            raise Excess(f"{place} took {excess}", place)
    return result

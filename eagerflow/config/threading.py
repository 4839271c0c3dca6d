"""How many threads operations use."""

from __future__ import annotations

from eagerflow import _core

# What the program last asked for; 0 leaves the choice to the engine.
_requested = {"intra": 0, "inter": 0}
_all_threads = _core.num_threads()


def get_intra_op_parallelism_threads() -> int:
    """The threads that one operation may use, as last set; 0 stands for one per core.

    >>> tf.config.threading.get_intra_op_parallelism_threads()
    0
    """
    return _requested["intra"]


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads one operation may use; 0 stands for one per core.

    Raises:
        ValueError: if the number is negative.
    """
    if num_threads < 0:
        raise ValueError(f"The number of threads must not be negative, got {num_threads}")
    _core.set_num_threads(num_threads or _all_threads)
    _requested["intra"] = num_threads


def get_inter_op_parallelism_threads() -> int:
    """The threads that run operations side by side, as last set."""
    return _requested["inter"]


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Kept for programs that ask: operations run one after the other.

    Raises:
        ValueError: if the number is negative.
    """
    if num_threads < 0:
        raise ValueError(f"The number of threads must not be negative, got {num_threads}")
    _requested["inter"] = num_threads

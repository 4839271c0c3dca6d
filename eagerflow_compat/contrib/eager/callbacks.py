"""What becomes of results that are not finite: `tfe.seterr` and `tfe.errstate`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from eagerflow.debug import numerics

__all__ = ["ExecutionCallback", "clear_execution_callbacks", "errstate", "seterr"]


class ExecutionCallback:
    """What is done about results that are not finite."""

    IGNORE = "ignore"
    PRINT = "print"
    RAISE = "raise"
    WARN = "warn"


_modes: dict[str, str | None] = {"inf_or_nan": None}


def seterr(inf_or_nan: str | None = None) -> dict[str, str | None]:
    """Says what is done about results of operations that are infinite or NaN.

    Args:
        inf_or_nan: "raise" raises an error that names the operation; "ignore" or None does nothing.

    Returns:
        What was set before, as `{"inf_or_nan": mode}`.

    Raises:
        ValueError: for another mode.
        NotImplementedError: for "print" and "warn".

    >>> before = tf.contrib.eager.seterr(inf_or_nan="raise")
    >>> tf.math.log(0.0)
    Traceback (most recent call last):
        ...
    eagerflow.errors.InvalidArgumentError: ...
    >>> _ = tf.contrib.eager.seterr(**before)
    """
    known = ("ignore", "print", "raise", "warn", None)
    if inf_or_nan not in known:
        raise ValueError(f"The mode is one of {', '.join(map(repr, known))}, got {inf_or_nan!r}.")
    if inf_or_nan in ("print", "warn"):
        raise NotImplementedError(
            f"seterr(inf_or_nan={inf_or_nan!r}): results that are not finite raise an error, or "
            "nothing is done about them. Use 'raise', or tf.print where they may come up."
        )
    before = dict(_modes)
    _modes["inf_or_nan"] = inf_or_nan
    if inf_or_nan == ExecutionCallback.RAISE:
        numerics.enable_check_numerics()
    else:
        numerics.disable_check_numerics()
    return before


@contextmanager
def errstate(inf_or_nan: str | None = None) -> Iterator[None]:
    """A context of `seterr`.

    Args:
        inf_or_nan: see there; None changes nothing.
    """
    if inf_or_nan is None:
        yield
        return
    before = seterr(inf_or_nan)
    try:
        yield
    finally:
        seterr(**before)


def clear_execution_callbacks() -> None:
    """Does nothing more about results that are not finite."""
    seterr(None)

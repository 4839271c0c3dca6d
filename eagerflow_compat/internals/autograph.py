"""tf.__internal__.autograph: how libraries convert the functions that they call for a program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from eagerflow.autograph import conversion
from eagerflow.autograph.directives import do_not_convert
from eagerflow.autograph.status import Status, current

__all__ = ["ControlStatusCtx", "Status", "control_status_ctx", "tf_convert"]


class ControlStatusCtx(NamedTuple):
    """Whether the functions that a piece of code calls are converted."""

    status: Status
    options: Any = None


def control_status_ctx() -> ControlStatusCtx:
    """What holds for the code that runs in this thread."""
    return ControlStatusCtx(current())


def tf_convert(
    f: Callable[..., Any],
    ctx: ControlStatusCtx,
    convert_by_default: bool = True,
    user_requested: bool = False,
) -> Callable[..., Any]:
    """A function that is converted if code with this status is."""
    if ctx.status is Status.ENABLED:
        return conversion.convert_in_context(f)
    if ctx.status is Status.DISABLED:
        return do_not_convert(f)
    return conversion.convert_in_context(f) if convert_by_default else f

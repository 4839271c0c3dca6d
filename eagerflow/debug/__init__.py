"""eagerflow.debug: why a gradient is None or NaN, and what a tape has recorded."""

from eagerflow.debug.explain import Explanation, explain_gradient
from eagerflow.debug.numerics import disable_check_numerics, enable_check_numerics
from eagerflow.debug.show import draw_tape, show_tape
from eagerflow.debug.trace import Step, Trace, current_trace, trace

__all__ = [
    "Explanation",
    "Step",
    "Trace",
    "current_trace",
    "disable_check_numerics",
    "draw_tape",
    "enable_check_numerics",
    "explain_gradient",
    "show_tape",
    "trace",
]

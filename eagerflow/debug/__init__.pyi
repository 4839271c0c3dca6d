from eagerflow.debug.explain import explain_gradient as explain_gradient, Explanation as Explanation
from eagerflow.debug.fusion import show_fusion as show_fusion
from eagerflow.debug.graphs import draw_graph as draw_graph, show_graph as show_graph
from eagerflow.debug.numerics import (
    disable_check_numerics as disable_check_numerics,
    enable_check_numerics as enable_check_numerics,
)
from eagerflow.debug.pictures import confusion as confusion, picture as picture
from eagerflow.debug.show import draw_tape as draw_tape, show_tape as show_tape
from eagerflow.debug.tracing import (
    current_trace as current_trace,
    Step as Step,
    Trace as Trace,
    trace as trace,
)

from eagerflow.autograph import (
    set_verbosity as set_verbosity,
    to_code as to_code,
    to_graph as to_graph,
    trace as trace,
)
from eagerflow.autograph.experimental import do_not_convert as do_not_convert
from eagerflow.contrib.autograph.decorators import (
    convert as convert,
    set_element_type as set_element_type,
    stack as stack,
)

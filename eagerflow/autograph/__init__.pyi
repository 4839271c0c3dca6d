from eagerflow.autograph import (
    experimental as experimental,
)
from eagerflow.autograph.api import (
    to_code as to_code,
    to_graph as to_graph,
)
from eagerflow.autograph.log import (
    set_verbosity as set_verbosity,
    trace as trace,
)

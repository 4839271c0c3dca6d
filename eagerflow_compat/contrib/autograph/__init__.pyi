from eagerflow.autograph import (
    set_verbosity as set_verbosity,
)
from eagerflow.autograph import (
    trace as trace,
)
from eagerflow.autograph.experimental import do_not_convert as do_not_convert
from eagerflow_compat.contrib.autograph.decorators import (
    convert as convert,
)
from eagerflow_compat.contrib.autograph.decorators import (
    set_element_type as set_element_type,
)
from eagerflow_compat.contrib.autograph.decorators import (
    stack as stack,
)
from eagerflow_compat.contrib.autograph.decorators import (
    to_code as to_code,
)
from eagerflow_compat.contrib.autograph.decorators import (
    to_graph as to_graph,
)

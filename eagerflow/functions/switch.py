"""Which tf.function programs get, until traced ones can do all that the others do."""

import os

if os.environ.get("EAGERFLOW_TRACE") == "1":
    from eagerflow.functions.function import function as function
else:
    from eagerflow.framework.function import function as function

"""tf.compat.v1.errors: errors and their codes."""

from eagerflow_compat.v1.error_codes import (
    error_code_from_exception_type,
    raise_exception_on_not_ok_status,
)
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.errors")

"""tf.compat.v1.dtypes: element types."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__, "eagerflow.dtypes", renamed={"as_string": "strings.as_string"}
)

"""tf.compat.v1.gfile: files, under their first names."""

from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow_compat.v1.gfile",
    "eagerflow.io.gfile",
    renamed={"FastGFile": "io.gfile.GFile", "Open": "io.gfile.GFile"},
)

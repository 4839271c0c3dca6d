"""tf.compat.v1.test: tests, with version 1's names too."""

from unittest import mock

from eagerflow_compat.v1.mirror import mirror
from eagerflow_compat.v1.testing import (
    StubOutForTesting,
    compute_gradient,
    compute_gradient_error,
    get_temp_dir,
    test_src_dir_path,
)

__getattr__, __dir__ = mirror(__name__, "eagerflow.test")

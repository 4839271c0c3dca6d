"""TensorFlow's eager execution on a small native engine.

The public names are those of TensorFlow 2:

>>> import eagerflow as tf
>>> tf.reduce_sum(tf.constant([1.0, 2.0]) * 3.0)
<tf.Tensor: shape=(), dtype=float32, numpy=9.0>
"""

from eagerflow import _core

# A checkout has a folder of this name, with stubs and no module, until it is built.
if not hasattr(_core, "Tensor"):
    import sys as _sys

    raise ImportError(
        f"eagerflow's native engine has not been built for Python {_sys.version.split()[0]}: "
        f"{__path__[0]} is a folder of sources. Run `make build` beside it, or `pip install .`; or start "
        "Python elsewhere, to import an installed eagerflow."
    )

# The engine makes and calls what these modules register. All others are imported when a program
# first uses one of their names.
from eagerflow import errors, ops
from eagerflow.autodiff import tape as _tape
from eagerflow.framework import indexed_slices as _indexed_slices
from eagerflow.framework import variable as _variable
from eagerflow.util import lazy as _lazy
from eagerflow.util import own_code as _own_code

_own_code.install_finder()


__getattr__, __dir__, __all__ = _lazy.attach(__name__)

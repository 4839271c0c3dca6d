"""TensorFlow's eager execution on a small native engine.

The public names are those of TensorFlow 2:

>>> import eagerflow as tf
>>> tf.reduce_sum(tf.constant([1.0, 2.0]) * 3.0)
<tf.Tensor: shape=(), dtype=float32, numpy=9.0>
"""

# The engine makes and calls what these modules register. All others are imported when a program
# first uses one of their names.
from eagerflow import errors, ops
from eagerflow.autodiff import tape as _tape
from eagerflow.framework import indexed_slices as _indexed_slices
from eagerflow.framework import variable as _variable
from eagerflow.util import lazy as _lazy


def _hint(name: str) -> str:
    """What an unknown name is called now."""
    from eagerflow.util.deprecated_names import hint

    return hint(name)


__getattr__, __dir__, __all__ = _lazy.attach(__name__, hint=_hint)

"""tf.sparse: tensors most of whose elements are zero."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, together=True)

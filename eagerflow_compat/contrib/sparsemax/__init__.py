"""tf.contrib.sparsemax: probabilities of which many are zero."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

"""tf.contrib.losses: losses with predictions before labels, and those of learned distances."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

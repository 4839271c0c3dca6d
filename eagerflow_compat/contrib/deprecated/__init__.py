"""tf.contrib.deprecated: summaries of versions before 1.0."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

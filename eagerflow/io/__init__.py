"""tf.io: files, records, and data in other forms."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

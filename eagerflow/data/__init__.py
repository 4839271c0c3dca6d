"""tf.data: input pipelines. What not every program needs is imported when it is first named."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

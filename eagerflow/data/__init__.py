"""tf.data: input pipelines. Rarely used modules are imported at first use."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

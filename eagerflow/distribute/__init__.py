"""tf.distribute: strategies on one device, so that programs written for several run."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

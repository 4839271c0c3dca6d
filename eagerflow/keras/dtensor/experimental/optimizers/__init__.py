"""tf.keras.dtensor.experimental.optimizers: the optimizers, by another name."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

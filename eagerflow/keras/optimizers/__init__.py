"""tf.keras.optimizers: rules that turn gradients into updates of variables."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

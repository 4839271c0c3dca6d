"""tf.keras.estimator: what made an estimator of a model."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

"""tf.keras.dtensor: where Keras 2 had its optimizers for tensors spread over a mesh."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

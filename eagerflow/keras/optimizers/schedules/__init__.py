"""tf.keras.optimizers.schedules: learning rates that change with the step."""

from eagerflow import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

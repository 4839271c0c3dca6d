"""tf.keras.optimizers.schedules: learning rates that change with the step."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

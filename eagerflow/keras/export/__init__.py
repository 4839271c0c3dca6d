"""tf.keras.export: models as SavedModels for inference."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

"""tf.keras.datasets: small datasets, downloaded to `~/.keras/datasets` when first asked for."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

"""tf.keras.datasets: small datasets, downloaded to `~/.keras/datasets` on first use."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

"""What `import horovod.tensorflow.keras` and `import horovod.keras` give under the drop-in."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

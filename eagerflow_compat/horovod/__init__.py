"""Horovod's functions for TensorFlow, on MPI: what `import horovod.tensorflow` gives under the drop-in."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

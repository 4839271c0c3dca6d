"""The drop-in: programs that say `import tensorflow` run on eagerflow."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

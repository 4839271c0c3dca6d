"""tf.summary.experimental: the default step, scopes and raw messages."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

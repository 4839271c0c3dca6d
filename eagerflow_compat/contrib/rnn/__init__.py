"""tf.contrib.rnn: cells of recurrent networks."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

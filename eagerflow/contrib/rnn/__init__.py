"""tf.contrib.rnn: cells of recurrent networks, where programs of the first generation found them."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

"""tf.contrib.summary: summaries as eager programs of the first generation wrote them."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

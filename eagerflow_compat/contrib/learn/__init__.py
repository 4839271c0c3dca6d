"""tf.contrib.learn: its data sets and what prepares text; not its estimators."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

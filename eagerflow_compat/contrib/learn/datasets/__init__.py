"""tf.contrib.learn.datasets: small data sets, and tables in CSV files."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

"""tf.feature_column: how the inputs of models for tables are made from features."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

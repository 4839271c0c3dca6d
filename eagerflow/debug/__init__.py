"""eagerflow.debug: why a gradient is None or NaN, and what a tape has recorded."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

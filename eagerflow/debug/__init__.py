"""eagerflow.debug: why a gradient is None or NaN, and which operations a tape has recorded."""

from eagerflow.util import lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__)

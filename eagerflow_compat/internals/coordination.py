"""tensorflow.python.distribute: the strategy of programs without one, and what coordinates workers."""

from eagerflow.distribute.strategy import DefaultStrategy as _DefaultDistributionStrategy

__all__ = ["_DefaultDistributionStrategy", "get_current_dispatch_context"]


def get_current_dispatch_context() -> None:
    """None: no coordinator sends functions to workers."""

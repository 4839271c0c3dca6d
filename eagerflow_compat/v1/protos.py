"""Protocol buffer messages that programs of version 1 make."""

from __future__ import annotations

from typing import Any

from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
summary = lazy.Module("eagerflow_compat.v1.summary")

_NAMES = frozenset(
    "Event HistogramProto LogMessage SessionLog Summary SummaryDescription SummaryMetadata "
    "TaggedRunMetadata".split()
)


def __getattr__(name: str) -> Any:
    """The message's class, built at the first access.

    >>> summary = tf.compat.v1.Summary()
    >>> _ = summary.value.add(tag="loss", simple_value=0.5)
    >>> summary.value[0].tag
    'loss'
    """
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return summary.message_classes()[name]

"""tf.nn before version 1.0."""

from eagerflow.util.lazy import Module as _Module
from eagerflow_compat.v1.zero.renaming import attach as _attach

_NAMES = {
    "bidirectional_rnn": "nn.static_bidirectional_rnn",
    "rnn": "nn.static_rnn",
    "state_saving_rnn": "nn.static_state_saving_rnn",
}
_renamed = _attach("tensorflow.nn", _NAMES)
_contrib = _Module("eagerflow_compat.contrib")
_NAMESPACES = {"seq2seq": "legacy_seq2seq"}

__all__ = [*_NAMES, *_NAMESPACES]


def __getattr__(name: str) -> object:
    if name in _NAMESPACES:
        return getattr(_contrib, _NAMESPACES[name])
    return _renamed(name)

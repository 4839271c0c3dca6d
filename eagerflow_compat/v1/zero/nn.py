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

__all__ = sorted({*_NAMES, "seq2seq"})


def __getattr__(name: str) -> object:
    return _contrib.legacy_seq2seq if name == "seq2seq" else _renamed(name)

"""tf.nn before version 1.0."""

from eagerflow_compat.v1.zero.renaming import attach as _attach

_NAMES = {
    "bidirectional_rnn": "nn.static_bidirectional_rnn",
    "rnn": "nn.static_rnn",
    "state_saving_rnn": "nn.static_state_saving_rnn",
}

__all__ = list(_NAMES)
__getattr__ = _attach("tensorflow.nn", _NAMES)

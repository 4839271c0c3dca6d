"""tensorflow.python.ops.rnn: the modules that packages import from it."""

from eagerflow_compat.compat.v1.nn import rnn_cell as rnn_cell_impl

__all__ = ["rnn_cell_impl"]

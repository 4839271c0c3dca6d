"""tensorflow.python.ops.while_v2: loops as one node."""

from __future__ import annotations

import functools

from eagerflow.graph import control_flow

__all__ = ["while_loop"]

# Unlike the function of version 1, it returns a single variable in a list.
while_loop = functools.partial(control_flow.while_loop, return_same_structure=True)

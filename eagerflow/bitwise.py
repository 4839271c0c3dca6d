"""tf.bitwise: operations on the bits of integers."""

from eagerflow import _core

bitwise_and = _core.ops.bitwise_and
bitwise_or = _core.ops.bitwise_or
bitwise_xor = _core.ops.bitwise_xor
invert = _core.ops.invert
left_shift = _core.ops.left_shift
right_shift = _core.ops.right_shift

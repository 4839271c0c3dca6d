"""Static shapes of operations on arrays when those of the inputs are partly unknown."""

from oracle import registry
from oracle.static_shapes import ask

ELEMENTWISE = """
tf.abs(x(2, 3))
tf.add(x(2, 3), x(2, 3))
tf.add(x(2, 3), x(3))
tf.add(x(2, 1), x(1, 3))
tf.add(x(0, 1), x(1, 3))
tf.add(x(), x(2, 3))
tf.add(x(2, 3), x(4, 3))
"""


registry.expressions("partial_shapes", ELEMENTWISE, ask)

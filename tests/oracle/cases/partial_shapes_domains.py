"""Static shapes of operations of a domain (networks, images, text, ...) on partial shapes."""

from oracle import registry
from oracle.static_shapes import ask

NETWORKS = """
tf.nn.relu(x(2, 3))
"""


registry.expressions("partial_shapes_domains", NETWORKS, ask)

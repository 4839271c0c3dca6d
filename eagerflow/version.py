"""Versions: TensorFlow's, whose names and behaviour this package has, and its own."""

VERSION = "2.21.0"
EAGERFLOW_VERSION = "0.1.0"
GIT_VERSION = f"eagerflow-{EAGERFLOW_VERSION}"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

"""Versions: the package's own, and those of the TensorFlow whose names and behaviour it has."""

# The only definition: `pyproject.toml` reads it from here.
EAGERFLOW_VERSION = "0.1.0"
VERSION = "2.21.0"
GIT_VERSION = f"eagerflow-{EAGERFLOW_VERSION}"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

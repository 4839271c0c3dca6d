"""Versions: the package's own, and those of the TensorFlow whose names and behaviour it has."""

# The only definition: `pyproject.toml` reads it from here.
EAGERFLOW_VERSION = "0.1.0"
VERSION = "2.21.0"
# What programs of a generation see as `tf.__version__`: its last version, which their checks accept.
GENERATIONS = {"1.x": "1.15.5", "2.x": VERSION}
GIT_VERSION = f"eagerflow-{EAGERFLOW_VERSION}"
COMPILER_VERSION = ""
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0

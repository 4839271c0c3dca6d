"""tf.compat: names of other versions of TensorFlow, and helpers for old and new Python strings."""

import importlib as _importlib
import typing as _typing

from eagerflow.util.text import as_bytes, as_str, as_str_any, as_text, path_to_str
from eagerflow.v1.python_types import bytes_or_text_types, complex_types, integral_types, real_types
from eagerflow.v1.shapes import dimension_at_index, dimension_value
from eagerflow.v1.switches import forward_compatibility_horizon, forward_compatible

if _typing.TYPE_CHECKING:
    from eagerflow.compat import v1, v2

__all__ = [
    "as_bytes",
    "as_str",
    "as_str_any",
    "as_text",
    "bytes_or_text_types",
    "complex_types",
    "dimension_at_index",
    "dimension_value",
    "forward_compatibility_horizon",
    "forward_compatible",
    "integral_types",
    "path_to_str",
    "real_types",
    "v1",
    "v2",
]


def __getattr__(name: str) -> _typing.Any:
    """Imports the versions when they are first asked for."""
    if name in ("v1", "v2"):
        return _importlib.import_module(f"eagerflow.compat.{name}")
    raise AttributeError(f"module 'eagerflow.compat' has no attribute {name!r}")

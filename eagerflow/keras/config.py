"""Keras's defaults: the float type, epsilon, the image layout."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import dtypes
from eagerflow.util import lazy
from eagerflow.util.tracebacks import (
    disable_traceback_filtering as disable_traceback_filtering,
)
from eagerflow.util.tracebacks import (
    enable_traceback_filtering as enable_traceback_filtering,
)
from eagerflow.util.tracebacks import (
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)

__dir__ = lazy.listing(__name__)

# Imported when it is first used: it imports this module.
policies = lazy.Module("eagerflow.keras.mixed_precision.policy")
# Imported when it is first used: few programs need it.
io_utils = lazy.Module("eagerflow.keras.utils.io_utils")
serialization = lazy.Module("eagerflow.keras.saving.serialization")


class _Defaults:
    """The values in force, and the dtype object of the float type."""

    def __init__(self) -> None:
        self.floatx = "float32"
        self.float_dtype = dtypes.float32
        self.epsilon = 1e-7
        self.image_data_format = "channels_last"

    def follow(self, source: Any) -> None:
        """Uses the values of another Keras from now on.

        Args:
            source: its module of configuration, with functions of the values' names.
        """
        vars(self).clear()
        self._source = source

    def set(self, name: str, value: Any) -> None:
        """Sets the value of a name, in the other Keras after `follow`."""
        source = vars(self).get("_source")
        if source is not None:
            getattr(source, f"set_{name}")(value)
            return
        setattr(self, name, value)
        if name == "floatx":
            self.float_dtype = dtypes.as_dtype(value)

    def __getattr__(self, name: str) -> Any:
        # After `follow`, the values are attributes of the other Keras, not of this object.
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "float_dtype":
            return dtypes.as_dtype(self._source.floatx())
        return getattr(self._source, name)()


defaults = _Defaults()


def epsilon_or(value: float | None) -> float:
    """A number that keeps a divisor from zero: the value, or Keras's own where it is None."""
    return epsilon() if value is None else value


def floatx() -> str:
    """The name of the default float type.

    >>> tf.keras.backend.floatx()
    'float32'
    """
    return defaults.floatx


def set_floatx(value: str) -> None:
    """Sets the default float type: "float16", "bfloat16", "float32" or "float64".

    Raises:
        ValueError: for another type.
    """
    accepted = {"bfloat16", "float16", "float32", "float64"}
    if value not in accepted:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {accepted}")
    defaults.set("floatx", str(value))


def epsilon() -> float:
    """The small constant that keeps divisions and logarithms finite.

    >>> tf.keras.backend.epsilon()
    1e-07
    """
    return defaults.epsilon


def set_epsilon(value: float) -> None:
    """Sets the value that `epsilon` returns."""
    defaults.set("epsilon", value)


def image_data_format() -> str:
    """The default order of images' axes.

    >>> tf.keras.backend.image_data_format()
    'channels_last'
    """
    return defaults.image_data_format


def set_image_data_format(data_format: str) -> None:
    """Sets the default order of images' axes: "channels_first" or "channels_last".

    Raises:
        ValueError: for another order.
    """
    accepted = {"channels_last", "channels_first"}
    if data_format not in accepted:
        raise ValueError(f"Unknown `data_format`: {data_format}. Expected one of {accepted}")
    defaults.set("image_data_format", str(data_format))


def float_dtype(dtype: object) -> dtypes.DType:
    """The dtype meant by an argument: the default float type for None."""
    return defaults.float_dtype if dtype is None else dtypes.as_dtype(dtype)


def backend() -> str:
    """The name of the framework below: "tensorflow", whose names these are.

    >>> tf.keras.config.backend()
    'tensorflow'
    """
    return "tensorflow"


def dtype_policy() -> Any:
    """The policy of new layers' dtypes.

    >>> tf.keras.config.dtype_policy().name
    'float32'
    """
    return policies.global_policy()


def set_dtype_policy(policy: object) -> None:
    """Sets the policy of new layers' dtypes: a name such as "mixed_bfloat16", or a policy."""
    policies.set_global_policy(policy)


def enable_interactive_logging() -> None:
    """Shows progress on standard output."""
    io_utils.enable_interactive_logging()


def disable_interactive_logging() -> None:
    """Logs progress instead of showing it on standard output."""
    io_utils.disable_interactive_logging()


def is_interactive_logging_enabled() -> bool:
    """Whether progress is shown on standard output."""
    return io_utils.is_interactive_logging_enabled()


def enable_unsafe_deserialization() -> None:
    """Lets this thread restore lambdas from code in files: see `load_model` and its `safe_mode`."""
    serialization.enable_unsafe_deserialization()

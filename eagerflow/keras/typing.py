"""Types for annotations: functions that arguments of layers may be given as, sizes, configurations."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

# A function, its name, or its configuration.
FunctionLike: TypeAlias = str | dict[str, Any] | Callable[..., Any]
ActivationLike: TypeAlias = FunctionLike | None
InitializerLike: TypeAlias = FunctionLike
RegularizerLike: TypeAlias = FunctionLike | None
ConstraintLike: TypeAlias = FunctionLike | None

# One integer for all spatial axes, or one for each.
Sizes: TypeAlias = int | Sequence[int]
# The range of random factors: a bound, or a pair of bounds.
Factor: TypeAlias = float | Sequence[float]

# What `get_config` returns and `from_config` takes, and objects by the names in configurations.
Config: TypeAlias = dict[str, Any]
CustomObjects: TypeAlias = dict[str, Any]
# Losses and metrics by name, as callbacks see them.
Logs: TypeAlias = dict[str, Any]

"""Types for annotations: functions that arguments of layers may be given as, and sizes."""

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

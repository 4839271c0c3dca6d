"""Types for annotations: functions that arguments of layers may be given as, sizes, configurations."""

import typing
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Optional, TypeAlias, TypedDict

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack

    from eagerflow.keras.mixed_precision.policy import Policy
    from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
else:
    # Python 3.10 has none; annotations are not evaluated.
    Unpack = getattr(typing, "Unpack", Optional)

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


class PlainLayerOptions(TypedDict, total=False):
    """The `**kwargs` of layers that name `activity_regularizer` themselves."""

    name: str | None
    trainable: bool
    dtype: "DTypeLike | Policy | None"
    dynamic: bool
    autocast: bool
    input_shape: "ShapeLike | None"
    batch_input_shape: "ShapeLike"
    batch_size: int | None
    input_dim: int | None
    weights: "Sequence[TensorLike] | None"


class AdaptableLayerOptions(PlainLayerOptions, total=False):
    """The same of layers that `enable_lora` adapts."""

    lora_rank: int | None
    lora_alpha: float | None


class LayerOptions(PlainLayerOptions, total=False):
    """The `**kwargs` of layers."""

    activity_regularizer: RegularizerLike

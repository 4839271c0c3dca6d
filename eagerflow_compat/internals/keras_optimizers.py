"""tf.keras.__internal__.optimizers: optimizers of the generation before."""

from __future__ import annotations

from typing import Any

from eagerflow.keras import optimizers
from eagerflow.keras.optimizers.schedules.schedule import LearningRateSchedule

__all__ = ["NonFusedAdam", "OptimizerV2", "RMSProp", "convert_to_legacy_optimizer"]

OptimizerV2 = optimizers.legacy.Optimizer
NonFusedAdam = optimizers.legacy.Adam  # whose operations are one operation here in any case
RMSProp = optimizers.legacy.RMSprop

# What the newer optimizers' configurations have, and those of the legacy ones have not.
_NEWER = (
    "ema_momentum ema_overwrite_frequency gradient_accumulation_steps is_legacy_optimizer jit_compile "
    "loss_scale_factor use_ema weight_decay"
).split()


def convert_to_legacy_optimizer(optimizer: Any) -> Any:
    """A legacy optimizer with the configuration of another one.

    Raises:
        ValueError: if it is no optimizer of Keras's own, or averages weights or decays them.
    """
    legacy = getattr(optimizers.legacy, type(optimizer).__name__, None)
    if not isinstance(optimizer, optimizers.Optimizer) or legacy is None:
        raise ValueError(
            "`convert_to_legacy_optimizer` should only be called on instances of "
            f"`tf.keras.optimizers.Optimizer` that have a legacy class, but received {optimizer}."
        )
    config = optimizer.get_config()
    if config.get("use_ema") or config.get("weight_decay"):
        raise ValueError(
            f"The legacy optimizer {legacy.__name__} neither averages weights nor decays them: "
            f"{optimizer} cannot be converted."
        )
    kept: dict[str, Any] = {key: value for key, value in config.items() if key not in _NEWER}
    rate = kept.get("learning_rate")
    if isinstance(rate, dict):
        kept["learning_rate"] = optimizers.schedules.deserialize(rate)
    elif not isinstance(rate, LearningRateSchedule | None):
        kept["learning_rate"] = float(rate)
    for clipping in ("clipnorm", "clipvalue", "global_clipnorm"):
        if kept.get(clipping) is None:
            kept.pop(clipping, None)
    return legacy.from_config(kept)

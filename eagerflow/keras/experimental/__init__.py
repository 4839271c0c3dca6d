"""tf.keras.experimental: models of linear parts, and schedules under their older names."""

import importlib as _importlib
import typing as _typing

from eagerflow.keras.experimental.linear_model import LinearModel
from eagerflow.keras.experimental.wide_deep import WideDeepModel
from eagerflow.keras.optimizers.schedules import CosineDecay, CosineDecayRestarts

# Names that few programs need are imported when they are first asked for.
_LATER = {
    "SequenceFeatures": "eagerflow.keras.experimental.sequence_features",
    "SidecarEvaluator": "eagerflow.keras.utils.sidecar",
}


def __getattr__(name: str) -> _typing.Any:
    """Imports a name when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    found = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = ["CosineDecay", "CosineDecayRestarts", "LinearModel", *_LATER, "WideDeepModel"]

"""The arguments of optimizers' constructors that the base class accepts."""

from __future__ import annotations

from typing import Any

# The arguments that all optimizers have.
_COMMON = (
    "name learning_rate weight_decay clipnorm clipvalue global_clipnorm use_ema ema_momentum "
    "ema_overwrite_frequency jit_compile"
).split()


def common_arguments(names: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the base class's constructor, including `**kwargs`.

    Args:
        names: what `locals()` is at the beginning of an optimizer's constructor.
    """
    return {name: names[name] for name in _COMMON if name in names} | names["kwargs"]

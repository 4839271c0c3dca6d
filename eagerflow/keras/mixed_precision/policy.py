"""Dtype policies: the dtypes of a layer's computations and weights."""

from __future__ import annotations

import threading
from typing import Any

from eagerflow.framework import distribution_state, dtypes
from eagerflow.framework.context import process
from eagerflow.keras import config
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
serialization = lazy.Module("eagerflow.keras.saving.serialization")

_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}
# Policies of quantized layers, and how their weights are quantized.
QUANTIZED = {f"{mode}_from_float32": mode for mode in ("int8", "int4", "float8")}


class Policy:
    """A compute dtype and a variable dtype.

    Args:
        name: a dtype's name, for both, or "mixed_float16" or "mixed_bfloat16", where
            variables are float32; "_infer" takes the dtype of a layer's first input;
            "int8_from_float32", "int4_from_float32" and "float8_from_float32" are those of
            quantized layers.

    Raises:
        TypeError: if `name` is no string.
        ValueError: for other names.

    >>> tf.keras.mixed_precision.Policy("mixed_float16").variable_dtype
    'float32'
    """

    def __init__(self, name: object) -> None:
        if isinstance(name, dtypes.DType):
            raise TypeError(
                "'name' must be a string, not a DType. Instead, pass DType.name. "
                f"Received: name={name.name}"
            )
        if not isinstance(name, str):
            raise TypeError(
                "'name' must be a string, such as 'mixed_float16'. "
                f"Received: name={name} (of type {type(name)})"
            )
        self._name = name
        self.quantization_mode: str | None = None
        self._compute_dtype: str | None
        self._variable_dtype: str | None
        if name in _MIXED:
            self._compute_dtype, self._variable_dtype = _MIXED[name], "float32"
        elif name == "_infer":
            self._compute_dtype = self._variable_dtype = None
        elif name in QUANTIZED:
            self._compute_dtype = self._variable_dtype = "float32"
            self.quantization_mode = QUANTIZED[name]
        else:
            try:
                self._compute_dtype = self._variable_dtype = dtypes.as_dtype(name).name
            except TypeError:
                hint = (
                    " Did you mean 'mixed_float16'?" if name in ("float16_mixed", "mixed16") else ""
                )
                raise ValueError(
                    f"Cannot convert value {name} to a mixed precision Policy. Valid policies "
                    "include 'mixed_float16', 'mixed_bfloat16', and the name of any dtype such as "
                    f"'float32'.{hint}"
                ) from None
        self.compute = None if self._compute_dtype is None else dtypes.as_dtype(self._compute_dtype)
        self.variable = (
            None if self._variable_dtype is None else dtypes.as_dtype(self._variable_dtype)
        )

    @property
    def name(self) -> str:
        """The policy's name."""
        return self._name

    @property
    def compute_dtype(self) -> str | None:
        """The name of the dtype of computations."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str | None:
        """The name of the dtype of weights."""
        return self._variable_dtype

    def __repr__(self) -> str:
        return f'<Policy "{self._name}">'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def get_config(self) -> Config:
        """The arguments that make a policy like this one."""
        return {"name": self._name}

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Policy:
        """A policy from what `get_config` returned."""
        config = dict(config)
        config.pop("loss_scale", None)
        return cls(**config)


class _Global(threading.local):
    policy: Policy | None = None


_global = _Global()
# The default policies, one for each `floatx`.
_by_float_type: dict[str, Policy] = {}


def global_policy() -> Policy:
    """The policy of layers without one; by default that of the default float type.

    Layers of version 1 take the dtype of their first input by default.

    >>> tf.keras.mixed_precision.global_policy()
    <Policy "float32">
    """
    if _global.policy is not None:
        return _global.policy
    name = config.floatx() if process.v2_dtypes else "_infer"
    policy = _by_float_type.get(name)
    if policy is None:
        policy = _by_float_type[name] = Policy(name)
    return policy


def set_global_policy(policy: object) -> None:
    """Sets the policy of layers without one.

    Args:
        policy: a Policy, its name, or None for the first one again.

    Raises:
        ValueError: unless the policy's dtypes are floating-point.
    """
    if policy is not None and not isinstance(policy, Policy):
        policy = Policy(policy)
    if policy is not None and not (policy.compute is None or policy.compute.is_floating):
        raise ValueError(
            "set_global_policy can only be used to set the global policy to floating-point "
            f'policies, such as "float32" and "mixed_float16", but got policy: {policy.name}'
        )
    _global.policy = policy


def check_strategy(policy: Policy) -> None:
    """Checks that the strategy in use can train with a policy.

    Raises:
        ValueError: if the policy needs a scaled loss, which the strategy has not.
    """
    if policy.name != "mixed_float16":
        return
    name = distribution_state.strategy_without_scaled_losses()
    if name is not None:
        raise ValueError(
            f"Mixed precision is not supported with the tf.distribute.Strategy: {name}. Either stop "
            "using mixed precision by removing the use of the mixed_float16 policy or use a "
            "different Strategy, e.g. a MirroredStrategy."
        )


class policy_scope:
    """Sets the global policy inside a `with` block."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def __enter__(self) -> None:
        self._before = _global.policy
        set_global_policy(self._policy)

    def __exit__(self, *details: Any) -> None:
        _global.policy = self._before


def get(value: object) -> Policy:
    """The policy of a `dtype` argument: a policy, a name, a configuration, or None."""
    if value is None:
        return global_policy()
    if isinstance(value, Policy):
        return value
    if isinstance(value, dict):
        return deserialize(value)
    if isinstance(value, str) and (value in _MIXED or value in QUANTIZED):
        return Policy(value)
    return Policy(dtypes.as_dtype(value).name)


def serialize(policy: Policy) -> Any:
    """A policy as a dtype's name if that describes it, else as a dictionary."""
    if policy.compute_dtype == policy.variable_dtype and type(policy) is Policy:
        return None if policy.name == "_infer" else policy.name
    return serialization.serialize_keras_object(policy)


def deserialize(value: Any, custom_objects: CustomObjects | None = None) -> Policy:
    """A policy from what `serialize` returned."""
    if value is None:
        return Policy("_infer")
    if isinstance(value, str):
        return Policy(value)
    if value.get("class_name") in ("Policy", "PolicyV1"):
        return Policy.from_config(value["config"])
    return serialization.deserialize_as("policy", value, custom_objects)

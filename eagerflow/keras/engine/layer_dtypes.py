"""The dtypes of a layer: those of its policy, and casts of its inputs."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.keras.mixed_precision import policy as policies
from eagerflow.ops.conversion import cast
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import DTypeLike


class LayerDtypes:
    """A part of `Layer`."""

    _dtype_policy: policies.Policy
    _autocast: bool

    def _set_dtype_policy(self, dtype: Any) -> None:
        policy = policies.get(dtype)
        policies.check_strategy(policy)
        self.__dict__["_dtype_policy"] = policy
        self.__dict__["_plan"] = None

    @property
    def dtype(self) -> str | None:
        """The name of the weights' dtype."""
        return self._dtype_policy.variable_dtype

    @property
    def _dtype(self) -> str | None:
        """The same for subclasses, which may set it, too."""
        return self._dtype_policy.variable_dtype

    @_dtype.setter
    def _dtype(self, dtype: Any) -> None:
        self._set_dtype_policy(dtype)

    @property
    def variable_dtype(self) -> str | None:
        """The name of the weights' dtype."""
        return self._dtype_policy.variable_dtype

    @property
    def compute_dtype(self) -> str | None:
        """The name of the dtype of computations."""
        return self._dtype_policy.compute_dtype

    @property
    def _compute_dtype(self) -> str | None:
        return self._dtype_policy.compute_dtype

    @property
    def _compute_dtype_object(self) -> Any:
        return self._dtype_policy.compute

    @property
    def dtype_policy(self) -> policies.Policy:
        """The dtype policy."""
        return self._dtype_policy

    def _cast_target(self, tensor: Any) -> dtypes.DType | None:
        """The dtype that an input must be cast to, or None."""
        compute = self._dtype_policy.compute
        dtype = getattr(tensor, "dtype", None)
        if compute is None or dtype is compute or dtype is None:
            return None
        if isinstance(tensor, _core.Variable):
            return None  # `call` gets the variable itself, which it may assign to
        if not isinstance(tensor, _core.Tensor | RaggedTensor | SparseTensor):
            return None  # such as a distribution, which `call` gets as it is
        both_floats = compute.is_floating and dtypes.as_dtype(dtype).is_floating
        return compute if self._autocast and both_floats else None

    def _in_compute_dtype(self, tensor: Any) -> Any:
        """The tensor, cast if need be: for a `call` that takes integers and other floats, too."""
        compute = self._dtype_policy.compute
        return tensor if compute is None or tensor.dtype is compute else cast(tensor, compute)

    def _maybe_cast_inputs(self, inputs: Any, input_list: list[Any] | None = None) -> Any:
        """The inputs, cast according to `input_list`: the flat inputs before variables were read."""
        given = nest.flatten(inputs) if input_list is None else input_list
        targets = [self._cast_target(value) for value in given]
        if all(target is None for target in targets):
            return inputs
        pairs = zip(nest.flatten(inputs), targets, strict=True)
        return nest.pack_sequence_as(
            inputs, [value if to is None else _cast_with_mask(value, to) for value, to in pairs]
        )


def _cast_with_mask(value: Any, dtype: DTypeLike) -> Any:
    result = cast(value, dtype)
    mask = getattr(value, "_keras_mask", None)
    if mask is not None:
        result._keras_mask = mask
    return result

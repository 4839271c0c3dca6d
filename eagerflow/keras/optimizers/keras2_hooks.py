"""The hooks of TensorFlow 2.0 to 2.10's optimizers: `_set_hyper`, `add_slot`, `_resource_apply_dense`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.hyperparameters import given
from eagerflow.typing import DTypeLike, Structure
from eagerflow.util import advice, lazy

# Imported when they are first used: few programs need them.
initializers = lazy.Module("eagerflow.keras.initializers")
strategy = lazy.Module("eagerflow.distribute.strategy")
schedules = lazy.Module("eagerflow.keras.optimizers.schedules")

_ops = _core.ops
Tensor = _core.Tensor
Slots = dict[str, Variable]


_FLOATS = frozenset(
    {
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
        dtypes.complex64,
        dtypes.complex128,
    }
)


class CallableList(list):
    """A list that these versions' programs call: `optimizer.variables()`."""

    def __call__(self) -> CallableList:
        return self


def summed_rows(gradient: IndexedSlices) -> tuple[Tensor, Tensor]:
    """The indices of a sparse gradient's rows without repetition, and the sums of their values."""
    rows, positions, _ = _ops.unique_with_counts(gradient.indices)
    return rows, _ops.unsorted_segment_sum(gradient.values, positions, num_segments=_size(rows))


def _size(rows: Any) -> Any:
    """The length of a vector: an integer, or a symbolic scalar if it is unknown."""
    known = rows.shape.as_list()[0]
    return _ops.shape(rows)[0] if known is None else known


def _options(rule: Callable[..., Any], state: Structure) -> dict[str, Any]:
    """The keyword arguments of an update rule: rules of older programs have no parameter `apply_state`."""
    known = inspect.signature(rule).parameters
    return {"apply_state": state} if "apply_state" in known else {}


class Keras2Hooks:
    """The methods that a subclass of TensorFlow 2.0 to 2.10's optimizer calls and overrides."""

    _slots: dict[int, Slots]
    _variables: list[Variable]
    _slots_of: Callable[[Any], Slots]
    compute_gradients: Callable[..., list[tuple[Any, Variable]]]
    _iterations: Variable
    _decay: float
    _learning_rate: Any
    _hyper: dict[str, Any]
    _use_locking = True
    name: str
    # Public names of slots, where they differ from those in update rules.
    _slot_names: dict[str, str] = {}

    def _compute_gradients(
        self, loss: Any, var_list: Any, grad_loss: Any = None, tape: Any = None
    ) -> list[tuple[Any, Variable]]:
        """What `minimize` calls, by TensorFlow 2.0's name; programs override this or the other."""
        return self.compute_gradients(loss, var_list, tape, grad_loss)

    @property
    def _name(self) -> str:
        return self.name

    def _distribution_strategy_scope(self) -> Any:
        """The strategy that an optimizer was made under, in whose scope wrappers make variables."""
        return strategy.get_strategy().scope()

    def _call_if_callable(self, param: Any) -> Any:
        """What a function returns that takes no arguments; any other value as it is."""
        return param() if callable(param) else param

    def _valid_dtypes(self) -> frozenset[dtypes.DType]:
        """The dtypes of losses."""
        return _FLOATS

    def _assert_valid_dtypes(self, tensors: Iterable[Tensor]) -> None:
        """Raises a ValueError for a tensor of another dtype."""
        for tensor in tensors:
            if tensor.dtype not in self._valid_dtypes():
                raise ValueError(
                    f"Invalid type {tensor.dtype.name}: an optimizer's are "
                    f"{sorted(dtype.name for dtype in self._valid_dtypes())}."
                )

    def _set_hyper(self, name: str, value: Any) -> None:
        """Stores a hyperparameter; "learning_rate" and "decay" have attributes of their own."""
        if name == "learning_rate":
            self._set_rate(value)
        elif name == "decay":
            self._decay = float(value or 0.0)
        else:
            self.__dict__.setdefault("_hyper", {})[name] = value

    def _set_rate(self, rate: object) -> None:
        raise TypeError(f"{type(self).__name__} takes no learning rate.")

    def _get_hyper(self, name: str, dtype: DTypeLike | None = None) -> Any:
        """A hyperparameter, as a tensor if a dtype is given."""
        if name == "learning_rate":
            value = self._learning_rate
        elif name == "decay":
            value = self._decay
        else:
            value = self.__dict__.get("_hyper", {})[name]
        value = given(value)
        if dtype is None:
            return value
        return _ops.cast(_core.as_tensor(value), dtypes.as_dtype(dtype))

    def _serialize_hyperparameter(self, hyperparameter: object) -> Any:
        """A hyperparameter, or the hyperparameter of a name, as a plain value."""
        value = hyperparameter
        if isinstance(value, str):
            value = self._get_hyper(value)
        if isinstance(value, _core.Variable | _core.Tensor):
            return value.numpy()
        if hasattr(value, "get_config"):
            return schedules.serialize(value)
        return value() if callable(value) else value

    def _decayed_lr(self, var_dtype: object) -> Tensor:
        """The learning rate of this step as a tensor."""
        dtype = dtypes.as_dtype(var_dtype)
        rate = self._current_rate()
        return _ops.cast(rate, dtype) if isinstance(rate, Tensor) else _core.convert(rate, dtype)

    def _current_rate(self) -> Any:
        raise TypeError(f"{type(self).__name__} takes no learning rate.")

    def add_slot(
        self, var: Any, slot_name: str, initializer: Any = "zeros", shape: Any = None
    ) -> Variable:
        """A slot of a variable, which is created by the first call.

        Args:
            var: the variable.
            slot_name: the name of the slot.
            initializer: an initializer, its name, or the value.
            shape: by default that of `var`.
        """
        slots = self._slots.setdefault(var._id, {})
        slot = slots.get(slot_name)
        if slot is None:
            if isinstance(initializer, str) or callable(initializer):
                if isinstance(initializer, str):
                    initializer = initializers.get(initializer)
                sizes = var.shape if shape is None else shape
                initializer = initializer(sizes, dtype=var.dtype)
            slot = Variable(initializer, trainable=False, name=f"{var._name}/{slot_name}")
            slots[slot_name] = slot
            self._variables.append(slot)
        return slot

    def get_slot(self, var: _core.Variable, slot_name: str) -> Variable:
        """The slot that `add_slot` created.

        Raises:
            KeyError: if there is no such slot.
        """
        slots = self._slots[var._id]
        for own, known in self._slot_names.items():
            if known == slot_name:
                return slots[own]
        return slots[slot_name]

    def get_slot_names(self) -> list[str]:
        """The names of all slots."""
        names = dict.fromkeys(name for slots in self._slots.values() for name in slots)
        return [self._slot_names.get(name, name) for name in names]

    def _create_slots(self, var_list: list[_core.Variable]) -> None:
        """Makes the slots of variables; subclasses override it."""

    def _create_all_weights(self, var_list: list[_core.Variable]) -> None:
        self._create_slots(var_list)

    def _create_slots_of(self, variables: list[Any]) -> None:
        """Creates the slots of variables that have none yet."""
        self._create_all_weights([v for v in variables if v._id not in self._seen])
        self._seen.update((v._id, v) for v in variables)
        self._settle_restorations()

    def _prepare(self, var_list: list[Any]) -> dict:
        """The values that the updates of a step share, by device and dtype."""
        state: dict = {}
        for var in var_list:
            key = (var.device, var.dtype)
            if key not in state:
                state[key] = {}
                self._prepare_local(var.device, var.dtype, state)
        return state

    def _prepare_local(self, var_device: str, var_dtype: object, apply_state: dict) -> None:
        if self._learning_rate is not None:
            apply_state[(var_device, var_dtype)]["lr_t"] = self._decayed_lr(var_dtype)

    def _fallback_apply_state(self, var_device: str, var_dtype: object) -> dict:
        state: dict = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[(var_device, var_dtype)]

    def _update_by_resource(self, variables: Iterable[_core.Variable], gradients: list) -> None:
        """Calls `_resource_apply_dense` and `_resource_apply_sparse` of a subclass."""
        variables = list(variables)
        self._create_slots_of(variables)
        state = self._prepare(variables)
        own = type(self)._resource_apply_sparse is not Keras2Hooks._resource_apply_sparse
        summing = type(self)._resource_apply_sparse_duplicate_indices
        own |= summing is not Keras2Hooks._resource_apply_sparse_duplicate_indices
        own |= self._overrides_rule
        rows_rule = self._resource_apply_sparse if own else None
        dense_options = _options(self._resource_apply_dense, state)
        rows_options = _options(rows_rule, state) if rows_rule else {}
        for variable, gradient in zip(variables, gradients, strict=True):
            if isinstance(gradient, IndexedSlices):
                if rows_rule is not None:
                    self._resource_apply_sparse_duplicate_indices(
                        gradient.values, variable, gradient.indices, **rows_options
                    )
                    continue
                rows, values = summed_rows(gradient)
                gradient = _ops.unsorted_segment_sum(values, rows, num_segments=variable.shape[0])
            self._resource_apply_dense(gradient, variable, **dense_options)

    def _has_own_rule(self) -> bool:
        raise NotImplementedError

    def _settle_restorations(self) -> None:
        raise NotImplementedError

    _update: Callable[..., None]
    _update_by_kind: Callable[..., None]
    _has_complex: bool
    _summed: Callable[[IndexedSlices, Any], Any]
    _overrides_rule: Any

    @property
    def _seen(self) -> dict[int, Any]:
        return self.__dict__.setdefault("_seen_variables", {})

    def _resource_apply_dense(self, grad: Any, handle: object, apply_state: object = None) -> Any:
        """One step for one variable, for subclasses and optimizers that wrap this one."""
        return self._apply_rule(grad, handle)

    def _resource_apply_sparse(
        self, grad: Tensor, handle: _core.Variable, indices: Tensor, apply_state: object = None
    ) -> Any:
        """As `_resource_apply_dense`, for rows of a variable."""
        gradient = IndexedSlices(grad, indices)
        return self._apply_rule(self._summed(gradient, handle), handle)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: _core.Variable, indices: Tensor, **kwargs: Any
    ) -> Any:
        """As `_resource_apply_sparse`, which gets each row once, for rows that may repeat."""
        rows, values = summed_rows(IndexedSlices(grad, indices))
        return self._resource_apply_sparse(values, handle, rows, **kwargs)

    def _apply_rule(self, grad: Any, handle: Any) -> Any:
        if not self._has_own_rule():
            raise TypeError(f"{type(self).__name__} defines no update rule.")
        update = self._update_by_kind if self._has_complex else self._update
        update([handle], [grad], [self._slots_of(handle)], self._current_rate())
        return handle

    @property
    def _dense_apply_args(self) -> list[str]:
        return list(inspect.signature(self._resource_apply_dense).parameters)

    @property
    def _sparse_apply_args(self) -> list[str]:
        return list(inspect.signature(self._resource_apply_sparse).parameters)

    @staticmethod
    def _resource_scatter_add(x: Any, i: Tensor, v: Tensor) -> Any:
        """Adds rows to a variable and returns it."""
        x.scatter_add(IndexedSlices(v, i))
        return x.read_value()

    @staticmethod
    def _resource_scatter_update(x: Any, i: object, v: object) -> Any:
        """Replaces rows of a variable and returns it."""
        x.scatter_update(IndexedSlices(v, i))
        return x.read_value()


advice.lacks(Keras2Hooks, "OPTIMIZER", "step zero_grad param_groups state_dict load_state_dict")

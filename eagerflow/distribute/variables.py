"""Variables with a copy on each device of a strategy."""

from __future__ import annotations

import copy
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.distribute.collectives import Communicator, ReduceOp
from eagerflow.distribute.values import DistributedValues, Mirrored, MirroredTensor, replica_of
from eagerflow.framework import distribution_state as distribution
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.device import device
from eagerflow.framework.operation import Operation
from eagerflow.framework.variable import ResourceHandle, Variable
from eagerflow.ops.control_flow import control_dependencies, group
from eagerflow.typing import TensorLike

_ops = _core.ops

_REDUCTIONS = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}


def reduction_of(aggregation: VariableAggregation) -> ReduceOp:
    """The operation by which replicas' values are joined.

    Raises:
        ValueError: if there is none.
    """
    if aggregation not in _REDUCTIONS:
        raise ValueError(
            f"Could not convert from `tf.VariableAggregation` {aggregation} to"
            "`tf.distribute.ReduceOp` type"
        )
    return _REDUCTIONS[aggregation]


class DistributedVariable(DistributedValues, Variable):
    """A variable with a copy on each device.

    A replica reads and changes its own copy. `handle` is the current thread's copy, so that operations,
    tapes and optimizers use that copy.

    Args:
        strategy: the strategy.
        values: the copies.
        aggregation: how what replicas assign is joined.
    """

    def __init__(
        self, strategy: Any, values: Sequence[Any], aggregation: Any, var_policy: object = None
    ) -> None:
        self._values = tuple(values)
        self._distribute_strategy: Any = strategy
        self._aggregation = aggregation
        synchronization = values[0].synchronization
        if synchronization is VariableSynchronization.AUTO:
            synchronization = VariableSynchronization.ON_WRITE
        self._synchronization = synchronization
        self._constraint = values[0].constraint
        for value in values:
            value._distributed_container = weakref.ref(self)

    # The current copy

    @property
    def _copies(self) -> Sequence[Any]:
        return self._values

    def _copy(self) -> Any:
        """The copy that this thread uses; the first where it runs for all replicas."""
        number = distribution.copy_number()
        return self._values[0 if number is None else number]

    @property
    def handle(self) -> ResourceHandle:
        """The handle of the copy that this thread uses."""
        return ResourceHandle(self._copy())

    @property
    def distribute_strategy(self) -> Any:
        """The strategy that made the variable."""
        return self._distribute_strategy

    @property
    def name(self) -> str:
        """The name of the first copy."""
        return str(self._values[0].name)

    @property
    def _name(self) -> str:  # type: ignore[override]
        return self._values[0]._name

    @property
    def _id(self) -> int:  # type: ignore[override]
        return self._values[0]._id

    @property
    def device(self) -> str:
        """The device of the copy that this thread uses."""
        return self._copy().device

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """The shape of each copy."""
        return self._values[0].shape

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        """The element type."""
        return self._values[0].dtype

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        """Whether tapes watch the copies."""
        return self._values[0].trainable

    def value(self) -> Any:
        """The value that this thread sees."""
        return self.read_value()

    def read_value(self) -> Any:
        """The value that this thread sees, a tensor."""
        return self._copy().value()

    def _keep_remainder(self) -> None:
        for part in self._values:
            part._keep_remainder()

    def load(self, value: Any, session: Any = None) -> None:
        """Assigns a value to all copies, in a session if sessions hold their values."""
        for part in self._values:
            part.load(value, session)

    def is_initialized(self, name: str | None = None) -> Any:
        """A tensor that is true: variables have a value from the start."""
        return self._values[0].is_initialized()

    # Changes

    def _change(self, change: Callable[..., Any], value: Any, name: str) -> Any:
        """Changes the copies that a call on this thread is about.

        Args:
            change: called with a copy and its value.
            value: the value; a distributed value has a part for each copy.
            name: the method's name, for messages.
        """
        number = distribution.copy_number()
        if number is None:
            return self._change_all(change, value, name)
        if distribution.state.updated_copy is not None or not self._is_merged():
            return change(self._values[number], value)
        return distribution.replica_context().merge_call(
            lambda strategy, values: self._merged_change(strategy, change, values, name),
            args=(value,),
        )

    def _is_merged(self) -> bool:
        """Whether an assignment in a replica is combined with those of the others."""
        return False

    def _merged_change(self, strategy: Any, change: Any, value: TensorLike, name: str) -> Any:
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            value = replica_of(value, 0)
        else:
            value = strategy.extended.reduce_to(reduction_of(self._aggregation), value, self)
        return self._change_all(change, value, name)

    def _change_all(self, change: Callable[..., Any], value: Any, name: str) -> Any:
        changes = []
        for number, part in enumerate(self._values):
            with device(part.device), distribution.updating(number):
                changes.append(change(part, replica_of(value, number)))
        if _is_operation(changes[0]):
            # Functions run in order: when the last operation has run, all have.
            return group(*changes) or changes[-1]
        if len(changes) == 1:
            return self if changes[0] is self._values[0] else changes[0]
        values = []
        with control_dependencies(changes):
            for part in self._values:
                with device(part.device):
                    values.append(part.value())
        return MirroredTensor(values)

    def assign(
        self, value: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Replaces the value, of all copies where the call is for all replicas."""
        return self._change(lambda v, x: v.assign(x, read_value=read_value), value, "assign")

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Adds to the value."""
        return self._change(
            lambda v, x: v.assign_add(x, read_value=read_value), delta, "assign_add"
        )

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: Any = None, read_value: bool = True
    ) -> Any:
        """Subtracts from the value."""
        return self._change(
            lambda v, x: v.assign_sub(x, read_value=read_value), delta, "assign_sub"
        )

    def _changed(self, change: Callable[[Any], Any]) -> Any:
        if distribution.copy_number() is not None and self._is_merged():
            if self._aggregation is not VariableAggregation.ONLY_FIRST_REPLICA:
                raise NotImplementedError(
                    "Updates of rows in a replica are not supported for variables whose "
                    f"aggregation is {self._aggregation}."
                )
        return self._change(lambda v, each: v._changed(each), change, "scatter_update")

    # Forms

    def __str__(self) -> str:
        return self._text(repr)

    def __repr__(self) -> str:
        return self._text(repr)

    def __deepcopy__(self, memo: dict[int, object]) -> DistributedVariable:
        copies = [copy.deepcopy(value, memo) for value in self._values]
        made = type(self)(self._distribute_strategy, copies, self._aggregation)
        memo[id(self)] = made
        return made

    def __copy__(self) -> DistributedVariable:
        return self.__deepcopy__({})

    def __reduce__(self) -> tuple[object, ...]:
        raise NotImplementedError("Variables of a tf.distribute.Strategy cannot be pickled.")


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable whose copies have the same value."""

    def _is_merged(self) -> bool:
        return self._aggregation is not VariableAggregation.NONE


class AggregatingVariable(DistributedVariable):
    """A variable on one device, which the replicas of several devices update together.

    Args:
        strategy: the strategy.
        v: the variable.
        aggregation: how what replicas assign is joined.
    """

    def __init__(self, strategy: Any, v: Any, aggregation: Any) -> None:
        super().__init__(strategy, [v], aggregation)

    def _copy(self) -> Any:
        return self._values[0]

    def _is_merged(self) -> bool:
        if self._aggregation is VariableAggregation.NONE:
            raise ValueError(
                "You must specify an aggregation method to update a variable that replicas share: "
                f"give `{self.name}` an `aggregation`."
            )
        return True

    def __deepcopy__(self, memo: dict[int, object]) -> AggregatingVariable:
        made = type(self)(
            self._distribute_strategy, copy.deepcopy(self._values[0], memo), self._aggregation
        )
        memo[id(self)] = made
        return made

    def __str__(self) -> str:
        return repr(self._values[0])

    def __repr__(self) -> str:
        return repr(self._values[0])


class SyncOnReadVariable(DistributedVariable):
    """A variable whose copies are joined when it is read: `synchronization=ON_READ`."""

    def read_value(self) -> Any:
        """A replica's own value; where code runs for all of them, their values joined."""
        if distribution.copy_number() is not None:
            return self._copy().value()
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self._values[0].value()
        operation = reduction_of(self._aggregation)
        parts = [part.value() for part in self._values]
        return self._distribute_strategy.extended._across(operation, [parts])[0]

    def _change_all(self, change: Callable[..., object], value: TensorLike, name: str) -> Any:
        if self._aggregation is VariableAggregation.SUM:
            if name != "assign":
                raise ValueError(
                    f"SyncOnReadVariable does not support `{name}` in cross-replica context when "
                    "aggregation is set to `tf.VariableAggregation.SUM`."
                )
            # The copies are added up when they are read.
            tensor = _core.convert(replica_of(value, 0), self.dtype, None)
            replicas = self._distribute_strategy.num_replicas_in_sync
            value = _ops.cast(tensor / replicas, self.dtype)
        changed = super()._change_all(change, value, name)
        if _is_operation(changed):
            return changed
        with control_dependencies([changed]):
            return self.read_value()


def _is_operation(changed: Any) -> bool:
    """Whether a change returned no value, but an operation of a graph or nothing."""
    return changed is None or isinstance(changed, Operation)


def make_copies(
    strategy: Any, devices: Sequence[str], next_creator: Callable[..., Any], kwargs: dict[str, Any]
) -> SyncOnReadVariable | MirroredVariable:
    """A variable with a copy on each device.

    Args:
        strategy: the strategy.
        devices: the devices.
        next_creator: creates a variable.
        kwargs: its arguments.

    Raises:
        ValueError: if the copies are not to be synchronized.
    """
    synchronization = kwargs.get("synchronization", VariableSynchronization.AUTO)
    aggregation = kwargs.get("aggregation", VariableAggregation.NONE)
    name = kwargs.get("name")
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with tf.distribute strategy. "
            f"Please change the `synchronization` for variable: {name}"
        )
    communicator = strategy.extended._communicator
    if communicator.size > 1:
        kwargs = {**kwargs, "initial_value": _of_first_process(communicator, kwargs)}
    copies: list[Any] = []
    for number, device_name in enumerate(devices):
        with device(device_name), distribution.updating(number):
            own = dict(kwargs)
            if number:
                own["name"] = f"{name or 'Variable'}/replica_{number}"
                own["initial_value"] = _value_of(copies[0])
            copies.append(next_creator(**own))
    if synchronization is VariableSynchronization.ON_READ:
        _core.join_copies(copies, equal=False)
        return SyncOnReadVariable(strategy, copies, aggregation)
    _core.join_copies(copies, equal=True)
    return MirroredVariable(strategy, copies, aggregation)


def _of_first_process(communicator: Communicator, kwargs: dict[str, object]) -> Callable[[], Any]:
    """A function that returns the first process's initial value of a variable."""

    def initial_value() -> Any:
        value = kwargs.get("initial_value")
        value = value() if callable(value) else value
        return communicator.broadcast(_core.convert(value, kwargs.get("dtype"), None))

    return initial_value


def _value_of(variable: _core.Variable) -> _core.Tensor:
    with _core.stop_recording():
        return variable.value()


__all__ = [
    "AggregatingVariable",
    "DistributedVariable",
    "MirroredVariable",
    "SyncOnReadVariable",
    "make_copies",
    "reduction_of",
]

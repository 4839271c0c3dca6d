"""StrategyExtended: what libraries do with a strategy besides running functions."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.distribute.collectives import (
    Communicator,
    OneProcess,
    ReduceOp,
    as_reduce_op,
    gather_values,
    reduce_values,
)
from eagerflow.distribute.contexts import ReplicaContext, require_cross_replica
from eagerflow.distribute.overlap import SummingTape
from eagerflow.distribute.replicas import as_called, run_replicas
from eagerflow.distribute.values import (
    DistributedValues,
    Mirrored,
    MirroredTensor,
    container_of,
    joined,
    replica_of,
)
from eagerflow.distribute.variables import AggregatingVariable, DistributedVariable, make_copies
from eagerflow.framework import context
from eagerflow.framework import distribution_state as distribution
from eagerflow.framework.aggregation import VariableAggregation
from eagerflow.framework.device import device
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.typing import TensorLike
from eagerflow.util import lazy

# Needed where a tf.function is run.
functions = lazy.Module("eagerflow.functions.function")

_ops = _core.ops


class StrategyExtended:
    """Further properties of a strategy, and what its replicas share.

    Args:
        strategy: the strategy.
        devices: the names of the devices that compute, one for each replica.
        parameter_devices: the devices of variables; by default the same.
        communicator: the collectives of the processes; by default there is one process.
        copies: whether each device holds a copy of every variable.
        bytes_per_pack: the bytes of a bucket of gradients; 0: the default.
    """

    experimental_require_static_shapes = False
    # Other Keras packages read this: batch sizes are global.
    _global_batch_size = True

    def __init__(
        self,
        strategy: Any,
        devices: Sequence[str] = (),
        parameter_devices: Sequence[str] | None = None,
        communicator: Communicator | None = None,
        copies: bool = False,
        bytes_per_pack: int = 0,
    ) -> None:
        self._strategy = strategy
        self._devices = tuple(devices)
        self._parameter_devices = tuple(devices if parameter_devices is None else parameter_devices)
        self._communicator = communicator or OneProcess()
        self._copies = copies
        self._bytes_per_pack = bytes_per_pack
        self._functions: Any = weakref.WeakKeyDictionary()

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of this process that compute."""
        return self._devices

    @property
    def worker_devices_by_replica(self) -> list[list[str]]:
        """For each replica of this process, the devices that compute for it."""
        return [[name] for name in self._devices]

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of this process that hold variables."""
        return self._parameter_devices

    @property
    def _num_replicas_in_sync(self) -> int:
        return len(self._devices) * self._communicator.size

    def _contexts(self) -> list[ReplicaContext]:
        first = self._communicator.rank * len(self._devices)
        contexts = []
        for number in range(len(self._devices)):
            context = ReplicaContext(self._strategy, first + number)
            context._local_id = number
            contexts.append(context)
        return contexts

    # Variables

    def _create_variable(self, next_creator: Callable[..., object], **kwargs: object) -> Any:
        context = distribution.replica_context()
        thread = None if context is None else context._thread
        if distribution.state.updated_copy is not None:
            return next_creator(**kwargs)
        if thread is None:
            return self._make_variable(next_creator, kwargs)
        number = thread.num_created
        thread.num_created += 1
        if number == len(thread.created):
            thread.created.append(self._make_variable(next_creator, kwargs))
        return thread.created[number]

    def _make_variable(self, next_creator: Callable[..., Any], kwargs: dict[str, Any]) -> Any:
        if self._copies:
            return make_copies(self._strategy, self._parameter_devices, next_creator, kwargs)
        with device(self._parameter_devices[0]) if self._devices else contextlib.nullcontext():
            variable = next_creator(**kwargs)
        if len(self._devices) > 1:
            aggregation = kwargs.get("aggregation", VariableAggregation.NONE)
            return AggregatingVariable(self._strategy, variable, aggregation)
        variable._distribute_strategy = self._strategy
        return variable

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made in the strategy's scope.

        Args:
            v: the variable.
        """
        return getattr(v, "_distribute_strategy", None) is self._strategy

    def colocate_vars_with(self, colocate_with_variable: Any) -> contextlib.nullcontext[None]:
        """A context in which variables are created on the devices of another variable.

        Args:
            colocate_with_variable: that variable.

        Raises:
            ValueError: if another strategy made it.
        """
        if not self.variable_created_in_scope(colocate_with_variable):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this "
                f"tf.distribute.Strategy.scope(), not: {colocate_with_variable}"
            )
        return contextlib.nullcontext()

    def value_container(self, value: TensorLike) -> Any:
        """The variable with copies that a copy is of; any other value itself."""
        container = container_of(value)
        return value if container is None else container

    def read_var(self, v: Any) -> Any:
        """The value of a variable."""
        return v.read_value()

    # Values of replicas

    def _reduce_locally(self, operation: ReduceOp, value: Any) -> Any:
        """The sum over this process's replicas, and the global number of values."""
        if isinstance(value, Mirrored):
            value = value.values[0]
        if not isinstance(value, DistributedValues):
            if self._communicator.size > 1 and len(self._devices) == 1:
                # The only replica of this process has returned it.
                return self._across(operation, [(value,)])[0]
            if self._num_replicas_in_sync == 1 or operation is ReduceOp.MEAN:
                return value
            raise ValueError(
                f"A non-DistributedValues value {value!s} cannot be reduced with the given reduce op "
                f"{operation}."
            )
        return self._across(operation, [value.values])[0]

    def _across(self, operation: ReduceOp, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """For each tuple of local values, the sum or mean over all replicas."""
        if self._communicator.size == 1:
            return [reduce_values(operation, values) for values in rows]
        sums = [reduce_values(ReduceOp.SUM, values) for values in rows]
        dense = [k for k, value in enumerate(sums) if not isinstance(value, IndexedSlices)]
        for k, total in zip(
            dense, self._communicator.all_reduce([sums[k] for k in dense]), strict=True
        ):
            sums[k] = total
        for k, value in enumerate(sums):
            if isinstance(value, IndexedSlices):
                values, indices = self._communicator.all_gather_rows([value.values, value.indices])
                sums[k] = IndexedSlices(values, indices, value.dense_shape)
        if operation is ReduceOp.SUM:
            return sums
        count = self._num_replicas_in_sync
        return [
            IndexedSlices(value.values / count, value.indices, value.dense_shape)
            if isinstance(value, IndexedSlices)
            else value / count
            for value in sums
        ]

    def _all_reduced(self, operation: ReduceOp, values: Sequence[TensorLike]) -> list[Any]:
        """Sums or means for all replicas, each on its device."""
        parts = [
            value.values if isinstance(value, DistributedValues) else [value] * len(self._devices)
            for value in values
        ]
        return [self._on_devices(value, self._devices) for value in self._across(operation, parts)]

    def _summing(self, tape: _core.Tape) -> SummingTape | None:
        """A tape whose gradients are the sums of all replicas; None if they are to be added up later.

        They are sent while the backward pass continues. Replicas of one process must wait for each other
        first.

        Args:
            tape: the tape of a replica.
        """
        alone = self._communicator.size == 1 or len(self._devices) > 1
        if alone or distribution.replica_context() is None:
            return None
        if type(tape).gradient is not GradientTape.gradient:
            return None
        return SummingTape(tape, self._communicator, self._bytes_per_pack)

    def _gathered(self, value: TensorLike, axis: int) -> Any:
        parts = value.values if isinstance(value, DistributedValues) else (value,)
        return self._communicator.all_gather(gather_values(parts, axis), axis)

    def _all_gathered(self, value: TensorLike, axis: int) -> Any:
        """The values of all replicas side by side, on each device."""
        return self._on_devices(self._gathered(value, axis), self._devices)

    def _on_devices(self, value: TensorLike, devices: Sequence[str]) -> Any:
        if len(devices) == 1:
            return value
        copies = []
        for name in devices:
            with device(name):
                copies.append(nest.map_structure(_copied, value, expand_composites=True))
        return MirroredTensor(copies)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Reduces the values of all replicas onto devices.

        Args:
            reduce_op: "SUM", "MEAN" or a `tf.distribute.ReduceOp`.
            value: a value of each replica, or one value for all of them.
            destinations: a device's name, or a value or variable with the devices.
            options: hints; ignored.

        Returns:
            One value, or a copy on each device.

        Raises:
            ValueError: for the sum of a value that the replicas share.
            RuntimeError: in a replica.
        """
        require_cross_replica(self._strategy)
        operation = as_reduce_op(reduce_op)

        def reduced(leaf: object) -> Any:
            total = self._reduce_locally(operation, leaf)
            if isinstance(destinations, DistributedValues):
                return self._on_devices(total, destinations._devices)
            return total

        return nest.map_structure(reduced, value)

    def batch_reduce_to(
        self,
        reduce_op: Any,
        value_destination_pairs: Sequence[tuple[Any, Any]],
        options: object = None,
    ) -> list[Any]:
        """`reduce_to` for several values at once.

        Args:
            reduce_op: "SUM", "MEAN" or a `tf.distribute.ReduceOp`.
            value_destination_pairs: pairs of a value and its destinations.
            options: hints; ignored.
        """
        return [
            self.reduce_to(reduce_op, value, destinations)
            for value, destinations in value_destination_pairs
        ]

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """A copy of a tensor on each device of some destinations; see `reduce_to`."""
        if isinstance(destinations, DistributedValues):
            return self._on_devices(_core.as_tensor(tensor), destinations._devices)
        return tensor

    # Functions

    def _run(self, fn: Callable[..., object], args: object, kwargs: dict[str, object]) -> Any:
        """Calls a function for each replica of this process."""
        contexts = self._contexts()
        if len(contexts) > 1:
            if isinstance(fn, functions.Function) and _core.building() is None:
                # One graph contains all replicas, so they can merge values.
                return self._traced(fn)(args, kwargs)
            fn = as_called(fn)
            return run_replicas(
                self._strategy,
                contexts,
                lambda k: fn(*replica_of(args, k), **replica_of(kwargs, k)),
            )
        # A function that is compiled stays one program; others are traced as parts of the caller.
        called = fn if getattr(fn, "_jit_compile", None) else as_called(fn)
        with distribution.inside(self._strategy, contexts[0]), device(self._devices[0]):
            return called(*replica_of(args, 0), **replica_of(kwargs, 0))

    def _traced(self, fn: Any) -> Callable[..., Any]:
        """A tf.function of all replicas together."""
        if fn not in self._functions:
            self._functions[fn] = functions.Function(
                lambda args, kwargs: self._run(fn.python_function, args, kwargs)
            )
        return self._functions[fn]

    def call_for_each_replica(
        self, fn: Callable[..., object], args: tuple[object, ...] = (), kwargs: Any = None
    ) -> Any:
        """Calls a function for each replica; `Strategy.run` does the same.

        Args:
            fn: the function.
            args: its arguments.
            kwargs: the same by name.
        """
        require_cross_replica(self._strategy)
        return self._run(fn, args, kwargs or {})

    def update(
        self,
        var: Any,
        fn: Callable[..., object],
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function with each copy of a variable, on its device.

        Args:
            var: the variable.
            fn: called with a copy and the arguments; with that replica's part of distributed values.
            args: the arguments.
            kwargs: the keyword arguments.
            group: False returns the results as a tuple.

        Raises:
            RuntimeError: in a replica, if it would have to wait for the others.
        """
        kwargs = kwargs or {}
        if not isinstance(var, DistributedVariable):
            graph = context.building_graph()
            with device(var.device) if graph is None else graph.colocate_with(var):
                result = fn(var, *replica_of(args, 0), **replica_of(kwargs, 0))
            return result if group else (result,)
        if distribution.replica_context() is not None:
            number = distribution.copy_number() or 0
            return fn(var.values[number], *args, **kwargs)
        results = []
        for number, copy in enumerate(var.values):
            with device(copy.device), distribution.updating(number):
                results.append(fn(copy, *replica_of(args, number), **replica_of(kwargs, number)))
        if not group:
            return tuple(results)
        values = [r.value() if isinstance(r, _core.Variable) else r for r in results]
        return joined(values, MirroredTensor)

    def update_non_slot(
        self,
        colocate_with: object,
        fn: Callable[..., object],
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls a function once for each device that holds variables.

        Args:
            colocate_with: what `non_slot_devices` gave.
            fn: the function.
            args: its arguments.
            kwargs: the same by name.
            group: False returns what the function returned as a tuple.
        """
        results = []
        for number, name in enumerate(self._parameter_devices):
            with device(name), distribution.updating(number):
                results.append(fn(*replica_of(args, number), **replica_of(kwargs or {}, number)))
        return joined(results, MirroredTensor) if group else tuple(results)

    def non_slot_devices(self, var_list: Any) -> tuple[str, ...]:
        """The devices of variables that are not slots of others."""
        return self._parameter_devices

    # Which process does what

    def _in_multi_worker_mode(self) -> bool:
        return self._communicator.size > 1

    @property
    def should_checkpoint(self) -> bool:
        """Whether this process writes checkpoints."""
        return self._communicator.rank == 0

    @property
    def should_save_summary(self) -> bool:
        """Whether this process writes summaries."""
        return self._communicator.rank == 0

    @property
    def experimental_between_graph(self) -> bool:
        """Whether each process runs the program itself."""
        return self._communicator.size > 1

    @property
    def experimental_should_init(self) -> bool:
        """True: each process creates its variables."""
        return True


class DefaultExtended(StrategyExtended):
    """The `StrategyExtended` of the default strategy."""

    def _make_variable(self, next_creator: Callable[..., object], kwargs: dict[str, object]) -> Any:
        return next_creator(**kwargs)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made in no strategy's scope.

        Args:
            v: the variable.
        """
        return getattr(v, "_distribute_strategy", None) is None

    @property
    def _num_replicas_in_sync(self) -> int:
        return 1

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Raises a RuntimeError: the default strategy chooses no devices."""
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Raises a RuntimeError: the default strategy chooses no devices."""
        raise RuntimeError(
            "parameter_devices() method unsupported by default tf.distribute.Strategy."
        )

    def _contexts(self) -> list[ReplicaContext]:
        return [ReplicaContext(self._strategy)]

    def _run(
        self, fn: Callable[..., object], args: object, kwargs: dict[str, object]
    ) -> _core.Tensor:
        with distribution.inside(self._strategy, ReplicaContext(self._strategy)):
            return as_called(fn)(*replica_of(args, 0), **replica_of(kwargs, 0))


def _copied(value: TensorLike) -> _core.Tensor:
    return _ops.identity(value)

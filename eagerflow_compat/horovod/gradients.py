"""Tapes and optimizers whose gradients are those of all processes."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.autodiff.tape import GradientTape
from eagerflow.distribute.overlap import SummingTape
from eagerflow.framework.aggregation import VariableAggregation
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers.optimizer import is_optimizer
from eagerflow.ops.control_flow import cond, init_scope
from eagerflow.typing import DTypeLike, ShapeLike, Structure, TensorLike
from eagerflow_compat.horovod import operations
from eagerflow_compat.horovod.compression import Compression
from eagerflow_compat.horovod.processes import ProcessSet, global_process_set

_ops = _core.ops


class _Reduction:
    """How gradients become those of all processes.

    Args:
        op: `hvd.Average` or `hvd.Sum`.
        compression: the form in which they travel.
        sparse_as_dense: whether rows travel as whole tensors.
        predivide: by what an average is divided before, instead of after, the sum.
        process_set: the processes.

    Raises:
        ValueError: for `predivide` with another operation.
    """

    def __init__(
        self,
        op: Any,
        compression: Any,
        sparse_as_dense: bool,
        predivide: float,
        process_set: ProcessSet,
    ) -> None:
        self._op = operations.chosen(op)
        if predivide != 1.0 and self._op is not operations.Average:
            raise ValueError("gradient_predivide_factor not supported with op != Average")
        self._compression = compression
        self._sparse_as_dense = sparse_as_dense
        self._predivide = predivide
        self._process_set = process_set

    def __call__(self, gradients: Sequence[Any]) -> list[_core.Tensor | IndexedSlices | None]:
        """The gradients of all processes; None stays None."""
        if self._process_set.size() == 1:
            return list(gradients)
        given = [k for k, gradient in enumerate(gradients) if gradient is not None]
        reduced = operations.grouped_allreduce(
            [self._dense(gradients[k]) for k in given],
            compression=self._compression,
            op=self._op,
            prescale_factor=1.0 / self._predivide,
            postscale_factor=self._predivide,
            process_set=self._process_set,
        )
        results = list(gradients)
        for k, gradient in zip(given, reduced, strict=True):
            results[k] = gradient
        return results

    def packed(self, gradient: Any) -> tuple[Any, Any]:
        """A tensor as it travels, and what `unpacked` needs to know."""
        compressed, context = self._compression.compress(_core.as_tensor(gradient))
        return operations.scaled(compressed, 1.0 / self._predivide), context

    def unpacked(self, total: Any, context: Any) -> Any:
        """What becomes of a sum, or of the rows of all processes."""
        factor = 1 / self._process_set.size() if self._op is operations.Average else 1.0
        if isinstance(total, IndexedSlices):
            values = operations.scaled(total.values, factor)
            return IndexedSlices(values, total.indices, total.dense_shape)
        factor *= self._predivide
        return self._compression.decompress(operations.scaled(total, factor), context)

    def _dense(self, gradient: Any) -> Any:
        if self._sparse_as_dense and isinstance(gradient, IndexedSlices):
            return _core.as_tensor(gradient)
        return gradient


class _Tape(SummingTape):
    """A tape whose gradients are those of all processes.

    Args:
        tape: the tape.
        reduce: how gradients become those of all processes.
        scale: whether gradients that stay in a process are divided by the number of processes.
    """

    def __init__(self, tape: GradientTape, reduce: _Reduction, scale: bool) -> None:
        super().__init__(tape, reduce._process_set.communicator())
        self._reduce = reduce
        self._local: set[int] = set()
        self._scale = scale

    def register_local_source(self, source: Variable) -> None:
        """Leaves the gradients of a variable as they are in each process.

        Args:
            source: the variable.
        """
        self._local.add(id(source))

    def gradient(
        self,
        target: Structure,
        sources: Structure,
        output_gradients: Structure = None,
        unconnected_gradients: object = None,
    ) -> Structure:
        """The gradients of all processes; for the arguments see `tf.GradientTape`."""
        if self._communicator.size > 1:
            return super().gradient(target, sources, output_gradients, unconnected_gradients)
        return self._tape.gradient(target, sources, output_gradients, unconnected_gradients)

    def _stays(self, source: object) -> bool:
        return id(source) in self._local

    def _of_this_process(self, gradient: Any) -> _core.Tensor | IndexedSlices | None:
        return _divided(gradient, self._communicator.size) if self._scale else gradient

    def _form(self, gradient: Any) -> _core.Tensor | IndexedSlices | None:
        return self._reduce._dense(gradient)

    def _before(self, gradient: TensorLike) -> tuple[Any, Any]:
        return self._reduce.packed(gradient)

    def _after(self, total: Any, context: Any) -> _core.Tensor | IndexedSlices:
        return self._reduce.unpacked(total, context)


def _divided(gradient: Any, count: int) -> _core.Tensor | IndexedSlices | None:
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values / count, gradient.indices, gradient.dense_shape)
    return None if gradient is None else gradient / count


def DistributedGradientTape(
    gradtape: GradientTape,
    device_dense: str = "",
    device_sparse: str = "",
    compression: Any = Compression.none,
    sparse_as_dense: bool = False,
    op: operations.ReduceOp = operations.Average,
    gradient_predivide_factor: float = 1.0,
    num_groups: int = 0,
    groups: object = None,
    process_set: ProcessSet = global_process_set,
    scale_local_gradients: bool = True,
) -> _Tape:
    """A tape whose method `gradient` gives the mean of all processes' gradients.

    Args:
        gradtape: the tape.
        device_dense: ignored.
        device_sparse: ignored.
        compression: the form in which gradients travel, of `hvd.Compression`.
        sparse_as_dense: whether `tf.IndexedSlices` travel as whole tensors.
        op: `hvd.Average` or `hvd.Sum`.
        gradient_predivide_factor: by what an average is divided before the sum; the rest is after.
        num_groups: ignored: small gradients travel together.
        groups: ignored.
        process_set: the processes.
        scale_local_gradients: whether gradients that stay in a process are divided by their number.

    Raises:
        NotImplementedError: for `hvd.Adasum`.

    >>> import eagerflow_compat.horovod as hvd
    >>> hvd.init()
    >>> v = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     loss = v * v
    >>> tape = hvd.DistributedGradientTape(tape)
    >>> tape.gradient(loss, [v])[0].numpy()
    np.float32(6.0)
    """
    reduce = _Reduction(op, compression, sparse_as_dense, gradient_predivide_factor, process_set)
    return _Tape(gradtape, reduce, scale_local_gradients)


class _Passes:
    """Adds up the gradients of several backward passes.

    Args:
        count: how many.
        average: whether their mean is taken.
    """

    def __init__(self, count: int, average: bool) -> None:
        self.count = count
        self._average = average
        self._done: Any = None
        self._sums: list[Variable | None] = []

    def build(self, gradients: Sequence[_core.Tensor | IndexedSlices | None]) -> None:
        """Makes the variables that hold the sums.

        Raises:
            ValueError: for sparse gradients.
        """
        if any(isinstance(gradient, IndexedSlices) for gradient in gradients):
            raise ValueError(
                "IndexedSlices are not supported when `backward_passes_per_step` > 1 and "
                "`sparse_as_dense` is False."
            )
        if self._done is not None:
            return

        def zeros(shape: ShapeLike, dtype: DTypeLike) -> Variable:
            with init_scope():
                return Variable(
                    lambda: _ops.zeros(shape, dtype),
                    trainable=False,
                    dtype=dtype,
                    aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
                )

        self._done = zeros([], "int64")
        self._sums = [None if g is None else zeros(g.shape.as_list(), g.dtype) for g in gradients]

    def add(self, gradients: Sequence[_core.Tensor | IndexedSlices | None]) -> _core.Tensor:
        """Adds the gradients of a pass; whether it is the last one of a step, a boolean tensor."""
        for total, gradient in zip(self._sums, gradients, strict=True):
            if total is not None:
                total.assign_add(gradient)
        self._done.assign_add(_core.convert(1, "int64", None))
        return _ops.equal(self._done.read_value(), _core.convert(self.count, "int64", None))

    def take(self) -> list[_core.Tensor | IndexedSlices | None]:
        """The sums or means, which start anew."""
        results: list[Any] = []
        for total in self._sums:
            if total is None:
                results.append(None)
                continue
            value = total.read_value()
            results.append(value / self.count if self._average else value)
            total.assign(_ops.zeros_like(value))
        self._done.assign(_core.convert(0, "int64", None))
        return results


def DistributedOptimizer(
    optimizer: Any,
    name: str | None = None,
    use_locking: bool = False,
    device_dense: str = "",
    device_sparse: str = "",
    compression: Any = Compression.none,
    sparse_as_dense: bool = False,
    backward_passes_per_step: int = 1,
    op: operations.ReduceOp = operations.Average,
    gradient_predivide_factor: float = 1.0,
    average_aggregated_gradients: bool = False,
    num_groups: int = 0,
    groups: object = None,
    process_set: ProcessSet = global_process_set,
    scale_local_gradients: bool = True,
) -> Any:
    """An optimizer that applies the mean of all processes' gradients.

    Args:
        optimizer: an optimizer of Keras or of version 1.
        name: ignored.
        use_locking: ignored.
        device_dense: ignored.
        device_sparse: ignored.
        compression: the form in which gradients travel, of `hvd.Compression`.
        sparse_as_dense: whether `tf.IndexedSlices` travel as whole tensors.
        backward_passes_per_step: how many gradients are added up before they travel and variables change.
        op: `hvd.Average` or `hvd.Sum`.
        gradient_predivide_factor: by what an average is divided before the sum; the rest is after.
        average_aggregated_gradients: whether the mean of several backward passes is taken, not the sum.
        num_groups: ignored: small gradients travel together.
        groups: ignored.
        process_set: the processes.
        scale_local_gradients: ignored.

    Raises:
        ValueError: for fewer than one backward pass, or what is no optimizer.
        NotImplementedError: for `hvd.Adasum`.

    >>> import eagerflow_compat.horovod as hvd
    >>> hvd.init()
    >>> optimizer = hvd.DistributedOptimizer(tf.keras.optimizers.SGD(0.5))
    >>> v = tf.Variable(3.0)
    >>> _ = optimizer.apply_gradients([(tf.constant(2.0), v)])
    >>> v.numpy()
    np.float32(2.0)
    """
    if backward_passes_per_step < 1:
        raise ValueError("backward_passes_per_step must be > 0")
    reduce = _Reduction(op, compression, sparse_as_dense, gradient_predivide_factor, process_set)
    kind: Any = type(optimizer)
    if is_optimizer(optimizer):
        made = _of_keras(kind).from_config(optimizer.get_config())
        passes = _Passes(backward_passes_per_step, average_aggregated_gradients)
        made.__dict__.update(_hvd_reduce=reduce, _hvd_passes=passes)
        return made
    if not hasattr(optimizer, "compute_gradients"):
        raise ValueError(f"hvd.DistributedOptimizer takes an optimizer, got {optimizer!r}.")
    if backward_passes_per_step > 1:
        raise ValueError(
            "backward_passes_per_step > 1 needs an optimizer of tf.keras.optimizers, not one of "
            "tf.compat.v1.train."
        )
    made = copy.copy(optimizer)
    made.__class__ = _of_version_1(kind)
    made.__dict__["_hvd_reduce"] = reduce
    return made


def _of_keras(kind: Any) -> Any:
    """A class of optimizers that apply the gradients of all processes; its name is that of its base."""

    def apply_gradients(self: Any, grads_and_vars: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        pairs = list(grads_and_vars)
        gradients = [gradient for gradient, _ in pairs]
        variables = [variable for _, variable in pairs]
        reduce, passes = self._hvd_reduce, self._hvd_passes

        def apply(values: Sequence[Any]) -> Any:
            reduced = reduce(values)
            return kind.apply_gradients(self, zip(reduced, variables, strict=True), *args, **kwargs)

        if passes.count == 1:
            return apply(gradients)
        gradients = [None if g is None else reduce._dense(g) for g in gradients]
        passes.build(gradients)
        self.build(variables)

        def last() -> _core.Tensor:
            apply(passes.take())
            return _core.convert(True, None, None)

        def other() -> _core.Tensor:
            self.iterations.assign_add(_core.convert(1, "int64", None))
            return _core.convert(False, None, None)

        cond(passes.add(gradients), last, other)
        return self.iterations

    def minimize(
        self: Any,
        loss: Any,
        var_list: Any,
        tape: Any = None,
        grad_loss: Any = None,
        name: str | None = None,
    ) -> Any:
        if tape is None and callable(loss):
            tape = GradientTape()
        if self._hvd_passes.count > 1 or tape is None:
            return kind.minimize(self, loss, var_list, tape, grad_loss, name)
        # Gradients travel while the backward pass goes on.
        summing = _Tape(tape, self._hvd_reduce, scale=True)
        return kind.apply_gradients(
            self, kind.compute_gradients(self, loss, var_list, summing, grad_loss)
        )

    methods = {"apply_gradients": apply_gradients, "minimize": minimize}
    return type(kind.__name__, (kind,), methods)


def _of_version_1(kind: Any) -> type:
    """A class of optimizers that compute the gradients of all processes."""

    def compute_gradients(self: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = kind.compute_gradients(self, *args, **kwargs)
        reduced = self._hvd_reduce([gradient for gradient, _ in pairs])
        return [(g, variable) for g, (_, variable) in zip(reduced, pairs, strict=True)]

    return type(kind.__name__, (kind,), {"compute_gradients": compute_gradients})

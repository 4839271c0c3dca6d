"""Operations that processes compute together, with their gradients."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.distribute.collectives import recorded
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.typing import TensorLike
from eagerflow_compat.horovod import processes
from eagerflow_compat.horovod.compression import Compression
from eagerflow_compat.horovod.processes import ProcessSet, global_process_set

_ops = _core.ops


class ReduceOp(enum.Enum):
    """How values of all processes become one."""

    AVERAGE = "Average"
    SUM = "Sum"
    ADASUM = "Adasum"
    MIN = "Min"
    MAX = "Max"
    PRODUCT = "Product"


Average = ReduceOp.AVERAGE
Sum = ReduceOp.SUM
Adasum = ReduceOp.ADASUM
Min = ReduceOp.MIN
Max = ReduceOp.MAX
Product = ReduceOp.PRODUCT

_OPERATIONS = {Average: "SUM", Sum: "SUM", Min: "MIN", Max: "MAX", Product: "PROD"}


def chosen(op: Any, average: bool | None = None) -> ReduceOp:
    """The operation of an argument `op`, or of the older `average`.

    Args:
        op: the operation, or None.
        average: whether it is the mean, or None.

    Raises:
        ValueError: if both are given, or it is none of ours.
        NotImplementedError: for Adasum.
    """
    if average is not None:
        if op is not None:
            raise ValueError(
                "The op parameter supersedes average. Please provide only one of them."
            )
        op = Average if average else Sum
    if op is None:
        op = Average
    if op is Adasum:
        raise NotImplementedError(
            "op=hvd.Adasum is not supported: use hvd.Average, and scale the learning rate with "
            "hvd.size()."
        )
    if op not in _OPERATIONS:
        raise ValueError(f"`op` must be one of hvd.Average, Sum, Min, Max and Product, got {op!r}.")
    return op


def scaled(tensor: _core.Tensor, factor: float) -> Any:
    """A tensor times a factor, rounded to its type.

    Args:
        tensor: the tensor.
        factor: the factor.
    """
    if factor == 1.0:
        return tensor
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        return tensor * _core.convert(factor, tensor.dtype, None)
    return _ops.cast(_ops.cast(tensor, "float64") * factor, tensor.dtype)


def _reduced(
    tensors: Sequence[TensorLike],
    op: ReduceOp,
    before: float,
    after: float,
    process_set: ProcessSet,
) -> list[Any]:
    """Tensors reduced over the processes, which tapes know."""
    communicator = process_set.communicator()
    factor = after / communicator.size if op is Average else after

    def reduce(values: Sequence[Any]) -> list[_core.Tensor]:
        sums = communicator.all_reduce([scaled(each, before) for each in values], _OPERATIONS[op])
        return [scaled(each, factor) for each in sums]

    with _core.stop_recording():
        results = reduce(tensors)

    def gradient(upstream: list[_core.Tensor]) -> list[_core.Tensor]:
        if op not in (Average, Sum):
            raise NotImplementedError(f"hvd.allreduce has no gradient for op=hvd.{op.value}.")
        return _reduced(upstream, op, before, after, process_set)

    return recorded(results, list(tensors), gradient)


def grouped_allreduce(
    tensors: Sequence[Any],
    average: bool | None = None,
    device_dense: str = "",
    device_sparse: str = "",
    compression: Any = Compression.none,
    op: Any = None,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    process_set: ProcessSet = global_process_set,
) -> list[Any]:
    """`allreduce` of several tensors, which travel together.

    Args:
        tensors: the tensors, or `tf.IndexedSlices`.
        average: see `allreduce`, as the following.
        device_dense: ignored.
        device_sparse: ignored.
        compression: the form in which they travel.
        op: the operation.
        prescale_factor: what tensors are multiplied with before.
        postscale_factor: what results are multiplied with.
        process_set: the processes.
    """
    operation = chosen(op, average)
    results: list[Any] = [
        _reduced_rows(each, operation, process_set) if isinstance(each, IndexedSlices) else each
        for each in tensors
    ]
    dense = [k for k, each in enumerate(tensors) if not isinstance(each, IndexedSlices)]
    packed = [compression.compress(_core.as_tensor(tensors[k])) for k in dense]
    reduced = _reduced(
        [tensor for tensor, _ in packed], operation, prescale_factor, postscale_factor, process_set
    )
    for k, tensor, (_, context) in zip(dense, reduced, packed, strict=True):
        results[k] = compression.decompress(tensor, context)
    return results


def _reduced_rows(rows: IndexedSlices, op: ReduceOp, process_set: ProcessSet) -> IndexedSlices:
    if op not in (Average, Sum):
        raise NotImplementedError(f"op=hvd.{op.value} is not supported for tf.IndexedSlices.")
    values = allgather(rows.values, process_set=process_set)
    indices = allgather(rows.indices, process_set=process_set)
    if op is Average:
        values = values / process_set.size()
    return IndexedSlices(values, indices, rows.dense_shape)


def allreduce(
    tensor: TensorLike,
    average: bool | None = None,
    device_dense: str = "",
    device_sparse: str = "",
    compression: Any = Compression.none,
    op: ReduceOp | None = None,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
) -> _core.Tensor:
    """The mean of the processes' tensors, or what another operation makes of them.

    Args:
        tensor: a tensor of the shape that it has on the other processes, or a `tf.IndexedSlices`, whose
            rows are put one after the other.
        average: False is an older word for `op=hvd.Sum`.
        device_dense: ignored.
        device_sparse: ignored.
        compression: the form in which it travels, of `hvd.Compression`.
        op: `hvd.Average`, `Sum`, `Min`, `Max` or `Product`.
        prescale_factor: what the tensor is multiplied with before.
        postscale_factor: what the result is multiplied with.
        name: ignored: processes call operations in the same order.
        process_set: the processes.

    Raises:
        NotImplementedError: for `hvd.Adasum`.

    >>> import eagerflow_compat.horovod as hvd
    >>> hvd.init()
    >>> hvd.allreduce(tf.constant([1.0, 2.0]), op=hvd.Sum).numpy()
    array([1., 2.], dtype=float32)
    """
    return grouped_allreduce(
        [tensor],
        average=average,
        compression=compression,
        op=op,
        prescale_factor=prescale_factor,
        postscale_factor=postscale_factor,
        process_set=process_set,
    )[0]


def allgather(
    tensor: TensorLike,
    name: str | None = None,
    ignore_name_scope: bool = False,
    process_set: ProcessSet = global_process_set,
) -> _core.Tensor:
    """The processes' tensors, one after the other along the first axis.

    Args:
        tensor: a tensor; its first size may differ between processes.
        name: ignored.
        ignore_name_scope: ignored.
        process_set: the processes.
    """
    tensor = _core.as_tensor(tensor)
    communicator = process_set.communicator()
    if tensor.shape.rank == 0:
        tensor = _ops.reshape(tensor, [1])
    with _core.stop_recording():
        result = communicator.all_gather(tensor, 0)

    def gradient(upstream: list[_core.Tensor]) -> list[_core.Tensor]:
        (mean,) = _reduced(upstream, Average, 1.0, 1.0, process_set)
        size = _ops.shape(tensor)[:1]
        sizes = communicator.all_gather(size, 0)
        start = _ops.reduce_sum(sizes[: communicator.rank])
        return [_ops.gather(mean, _ops.range(start, start + size[0], 1), axis=0)]

    return recorded([result], [tensor], gradient)[0]


def grouped_allgather(tensors: Sequence[TensorLike], **options: Any) -> list[_core.Tensor]:
    """`allgather` of several tensors.

    Args:
        tensors: the tensors.
        **options: those of `allgather`.
    """
    return [allgather(tensor, **options) for tensor in tensors]


def broadcast(
    tensor: TensorLike,
    root_rank: int,
    name: str | None = None,
    ignore_name_scope: bool = False,
    process_set: ProcessSet = global_process_set,
) -> _core.Tensor:
    """The tensor of one process.

    Args:
        tensor: a tensor of the same shape and dtype on all processes.
        root_rank: the number of that process.
        name: ignored.
        ignore_name_scope: ignored.
        process_set: the processes.

    Raises:
        ValueError: if the tensors differ in shape or dtype, or the process is not in the set.
    """
    tensor = _core.as_tensor(tensor)
    communicator, root = process_set.communicator(), process_set.number_of(root_rank)
    with _core.stop_recording():
        result = communicator.broadcast(tensor, root)

    def gradient(upstream: list[_core.Tensor]) -> list[_core.Tensor]:
        (mean,) = _reduced(upstream, Average, 1.0, 1.0, process_set)
        return [mean if communicator.rank == root else _ops.zeros_like(mean)]

    return recorded([result], [tensor], gradient)[0]


def alltoall(
    tensor: TensorLike,
    splits: TensorLike | None = None,
    name: str | None = None,
    ignore_name_scope: bool = False,
    process_set: ProcessSet = global_process_set,
) -> tuple[_core.Tensor, _core.Tensor]:
    """The rows that all processes have sent here.

    Args:
        tensor: the rows that this process sends: first those for process 0, and so on.
        splits: how many rows each process gets; by default all get the same number.
        name: ignored.
        ignore_name_scope: ignored.
        process_set: the processes.

    Returns:
        The rows; with `splits`, also how many each process has sent.

    Raises:
        ValueError: if the rows cannot be shared out.
    """
    tensor = _core.as_tensor(tensor)
    communicator = process_set.communicator()
    sizes = splits
    if splits is None:
        rows, left = divmod(int(tensor.shape[0]), communicator.size)
        if left:
            raise ValueError(
                f"{tensor.shape[0]} rows cannot be shared out evenly among {communicator.size} "
                "processes: give `splits`."
            )
        sizes = [rows] * communicator.size
    sizes = _ops.cast(_core.as_tensor(sizes), "int32")
    with _core.stop_recording():
        result, received = communicator.all_to_all(tensor, sizes)

    def gradient(upstream: list[_core.Tensor]) -> list[_core.Tensor]:
        return [communicator.all_to_all(upstream[0], received)[0]]

    result = recorded([result], [tensor], gradient)[0]
    return result if splits is None else (result, received)


def reducescatter(
    tensor: TensorLike,
    device_dense: str = "",
    compression: Any = Compression.none,
    op: ReduceOp = Average,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
    prescale_factor: float = 1.0,
    postscale_factor: float = 1.0,
) -> _core.Tensor:
    """This process's rows of the mean of all processes' tensors, or of their sum.

    Args:
        tensor: a tensor of the same shape on all processes; its rows are shared out in their order, the
            first processes getting one more if there is a remainder.
        device_dense: ignored.
        compression: see `allreduce`, as the following.
        op: `hvd.Average` or `hvd.Sum`.
        name: ignored.
        process_set: the processes.
        prescale_factor: what the tensor is multiplied with before.
        postscale_factor: what the result is multiplied with.

    Raises:
        ValueError: for a scalar, or another operation.
    """
    tensor = _core.as_tensor(tensor)
    if op not in (Average, Sum):
        raise ValueError(f"`op` of hvd.reducescatter must be hvd.Average or hvd.Sum, got {op!r}.")
    if tensor.shape.rank == 0:
        raise ValueError("hvd.reducescatter needs a tensor with rows, got a scalar.")
    total = allreduce(
        tensor,
        compression=compression,
        op=op,
        prescale_factor=prescale_factor,
        postscale_factor=postscale_factor,
        process_set=process_set,
    )
    rows, left = divmod(int(tensor.shape[0]), process_set.size())
    number = process_set.rank()
    start = number * rows + min(number, left)
    return total[start : start + rows + (number < left)]


def grouped_reducescatter(tensors: Sequence[TensorLike], **options: Any) -> list[_core.Tensor]:
    """`reducescatter` of several tensors.

    Args:
        tensors: the tensors.
        **options: those of `reducescatter`.
    """
    return [reducescatter(tensor, **options) for tensor in tensors]


def barrier(process_set: ProcessSet = global_process_set) -> None:
    """Waits until all processes are here.

    Args:
        process_set: the processes.
    """
    process_set.communicator().barrier()


def join() -> int:
    """Would let a process that has no more data wait for the others.

    Raises:
        NotImplementedError: if there are others.
    """
    if processes.size() == 1:
        return 0
    raise NotImplementedError(
        "hvd.join() is not supported: processes make the same number of steps. Shard data evenly, or "
        "use `dataset.repeat()` and a number of steps."
    )

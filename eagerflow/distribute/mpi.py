"""Workers that MPI has started: their ranks, and collectives between them.

This module needs `mpi4py`, which `pip install "eagerflow[mpi]"` installs. MPI is initialized by the first
use of `world`.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import sys
import threading
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.distribute import watch
from eagerflow.distribute.collectives import Communicator
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import Array
from eagerflow.util import lazy
from eagerflow.util.optional import command

MPI = lazy.Module("mpi4py.MPI")

_ops = _core.ops
Tensor = _core.Tensor

# Environment variables of launchers with a process's rank and the number of processes: of MPICH and
# Intel MPI, Open MPI, MVAPICH, and Slurm.
_LAUNCHERS = (
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)

# MPI's names of the dtypes that it sums; 16-bit floats are sent as bytes and summed here.
_TYPES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "int8": "INT8_T",
    "int16": "INT16_T",
    "int32": "INT32_T",
    "int64": "INT64_T",
    "uint8": "UINT8_T",
    "uint16": "UINT16_T",
    "uint32": "UINT32_T",
    "uint64": "UINT64_T",
    "complex64": "C_FLOAT_COMPLEX",
    "complex128": "C_DOUBLE_COMPLEX",
    "byte": "BYTE",
}
_numbers = itertools.count(1)
_SHORT = ("float16", "bfloat16")
_FUNCTIONS = (
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Ibarrier",
    "MPI_Test",
    "MPI_Error_string",
)
_OPERATIONS = ("SUM", "MIN", "MAX", "PROD")


def _duplicate(comm: Any) -> Any:
    """A communicator of the same processes, whose errors are raised and do not end the program."""
    made = comm.Dup()
    made.Set_errhandler(MPI.ERRORS_RETURN)
    return made


def _channel_of(comm: Any) -> Any:
    """The engine's channel for reductions of an mpi4py communicator, which must outlive it.

    The engine calls the functions of the library that mpi4py has loaded, with mpi4py's handles.
    """
    library = ctypes.CDLL(MPI.__file__)
    addresses = {
        name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in _FUNCTIONS
    }
    types = {name: MPI._handleof(getattr(MPI, own)) for name, own in _TYPES.items()}
    operations = {name: MPI._handleof(getattr(MPI, name)) for name in _OPERATIONS}
    return _core.Channel(addresses, types, operations, MPI._handleof(comm), comm.size)


def _as_it_travels(tensor: Any, operation: str) -> Any:
    """A tensor in a type that the engine and MPI can reduce.

    Raises:
        TypeError: for values that are not numeric.
    """
    name = tensor.dtype.name
    if name in _TYPES or (name in _SHORT and operation == "SUM"):
        return tensor
    if name in _SHORT:
        return _ops.cast(tensor, "float32")
    if name == "bool":
        return _ops.cast(tensor, "int32")
    raise TypeError(f"Values of type {name} cannot be reduced over processes.")


def launched() -> tuple[int, int]:
    """The rank of this process and the number of processes, from the launcher's environment.

    >>> from eagerflow.distribute import mpi
    >>> mpi.launched()
    (0, 1)
    """
    for rank, size in _LAUNCHERS:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return 0, 1


def world() -> Any:
    """MPI's communicator of all processes.

    Raises:
        ImportError: if `mpi4py` or an MPI library is missing.
    """
    try:
        comm = MPI.COMM_WORLD
    except (ImportError, RuntimeError) as error:
        raise ImportError(
            f"Several processes need MPI, which could not be loaded: {command('mpi4py')}. "
            f"The import of mpi4py said: {error}"
        ) from error
    if comm.size > 1:
        _end_all_on_error(comm)
        watch.watch_over(comm)
    return comm


def _end_all_on_error(comm: Any) -> None:
    """Has an uncaught exception end the other processes, too, which would wait forever."""
    before = sys.excepthook
    if getattr(before, "_ends_all", False):
        return

    def hook(kind: Any, error: Any, trace: Any) -> None:
        before(kind, error, trace)
        if not issubclass(kind, KeyboardInterrupt):
            print(
                f"eagerflow: rank {comm.rank} of {comm.size} ended with {kind.__name__}; "
                "the other processes are ended too.",
                file=sys.stderr,
            )
        watch.abort(comm)

    hook._ends_all = True  # type: ignore[attr-defined]
    sys.excepthook = hook


class MPICommunicator(Communicator):
    """Joins the values of workers by MPI.

    Where a graph is built, each call is a node that communicates when the graph runs; such nodes run in the
    order of the program.

    Args:
        comm: an mpi4py communicator, which is duplicated to separate its messages from others.
        path: its name, equal in all its processes; the default assumes the same order of creation.
    """

    def __init__(self, comm: Any, path: str = "") -> None:
        self._comm = _duplicate(comm)
        self._rank, self._size = comm.rank, comm.size
        self._lock = threading.Lock()
        self._channel = _channel_of(self._comm)
        # The communicator of the reductions that run in the background.
        self._beside: Any = None
        # Descriptions of collectives for messages, by signature.
        self._described: dict[int, str] = {}
        self._path = path = path or f"{next(_numbers)}"
        self._parts = 0
        group, everybody = self._comm.Get_group(), MPI.COMM_WORLD.Get_group()
        self._members = group.Translate_ranks(list(range(self._size)), everybody)
        self._ledgers = [self._watched(path, self._channel)]

    @property
    def rank(self) -> int:
        """The rank of this worker."""
        return self._rank

    @property
    def size(self) -> int:
        """How many workers there are."""
        return self._size

    def duplicate(self) -> MPICommunicator:
        """A communicator of the same workers, whose calls are not ordered with those of this one."""
        return MPICommunicator(self._comm, self._next_path())

    def _next_path(self) -> str:
        self._parts += 1
        return f"{self._path}.{self._parts}"

    def _watched(self, path: str, channel: Any) -> watch.Ledger:
        ledger = watch.Ledger(path, channel, self._members, self._described)
        watching = watch.current()
        if watching is not None:
            watching.add(ledger)
        return ledger

    def wait_at_most(self, seconds: float) -> None:
        """Ends the job when a process has waited for others so long.

        Args:
            seconds: for how long.
        """
        watching = watch.current()
        if watching is not None:
            watching.timeout = float(seconds)

    @contextlib.contextmanager
    def _inside(self, name: str, size: int = 0) -> Iterator[None]:
        """Marks this process as in a collective, and keeps other threads from beginning one.

        Args:
            name: what collective it is.
            size: how many bytes travel.
        """
        signature = zlib.crc32(name.encode())
        self._described[signature] = name
        with self._lock:
            self._channel.enter(signature, size)
            try:
                yield
            finally:
                self._channel.leave()

    def all_reduce(self, values: Sequence[object], operation: str = "SUM") -> list[Any]:
        """The sums of tensors over all workers.

        Args:
            values: tensors of the shapes that they have on the other workers.
            operation: "SUM", "MIN", "MAX" or "PROD".

        Raises:
            TypeError: for values that are no numbers.
        """
        # Tensors skip the conversion, which costs a tenth of a small sum.
        tensors = [each if isinstance(each, Tensor) else _core.as_tensor(each) for each in values]
        if not tensors:
            return []
        if _core.building() is None:
            return self._reduced(tensors, operation)
        for tensor in tensors:
            _as_it_travels(tensor, operation)
        return host_call(
            lambda *each: self._reduced(each, operation),
            [TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors],
            tuple(tensors),
            name="CollectiveReduce",
            effects=True,
        )

    def _reduced(self, tensors: Sequence[Tensor], operation: str) -> list[Any]:
        try:
            return self._sums(tensors, operation)
        except errors.InternalError:
            # An error of MPI in one process while another waits: the watch finds the cause.
            watching = watch.current()
            if watching is not None:
                watching.explain()
            raise

    def _sums(self, tensors: Sequence[Any], operation: str) -> list[Any]:
        with self._lock:
            sums = self._channel.reduce(tensors, operation)
            if sums is not None:
                return sums
            # Such tensors are new, or travel as others.
            sent = [_as_it_travels(tensor, operation) for tensor in tensors]
            sums = self._channel.reduce(sent, operation)
            if sums is None:
                self._agree(self._channel, sent, operation)
                sums = self._channel.reduce(sent, operation)
        return [
            total if total.dtype is tensor.dtype else _ops.cast(total, tensor.dtype)
            for total, tensor in zip(sums, tensors, strict=True)
        ]

    def start_sums(self, values: Sequence[Tensor]) -> Any:
        """Begins to add up tensors over all workers in the background.

        All workers call this in the same order, but may call other methods in between.

        Args:
            values: tensors of numbers.

        Returns:
            The ticket for `finish_sums`.
        """
        tensors = [_as_it_travels(_core.as_tensor(value), "SUM") for value in values]
        if _core.building() is None:
            return self._started(tensors)
        return host_call(
            lambda *each: _core.convert(self._started(each), dtypes.int64, None),
            TensorSpec([], dtypes.int64),
            tuple(tensors),
            name="CollectiveStart",
            effects=True,
        )

    def _started(self, tensors: Sequence[Tensor]) -> int:
        with self._lock:
            if self._beside is None:
                self._beside_comm = _duplicate(self._comm)
                self._beside = _channel_of(self._beside_comm)
                self._ledgers.append(self._watched(f"{self._path} (beside)", self._beside))
            ticket = self._beside.start(tensors)
            if ticket is None:
                self._agree(self._beside, tensors, "SUM")
                ticket = self._beside.start(tensors)
        return ticket

    def finish_sums(self, ticket: Any, values: Sequence[Tensor]) -> list[Any]:
        """The sums that `start_sums` has begun.

        Args:
            ticket: the result of `start_sums`.
            values: the argument of `start_sums`.
        """
        if _core.building() is None:
            sums = self._beside.wait(int(ticket))
        else:
            sums = host_call(
                lambda number: self._beside.wait(int(number)),
                [TensorSpec(value.shape, value.dtype) for value in values],
                (ticket,),
                name="CollectiveFinish",
                effects=True,
            )
        return [
            total if total.dtype is value.dtype else _ops.cast(total, value.dtype)
            for total, value in zip(sums, values, strict=True)
        ]

    def _agree(self, channel: Any, tensors: Sequence[Tensor], operation: str) -> None:
        """Compares the signatures of all processes at the first reduction of such tensors.

        With different shapes, MPI would end the program without naming the line, or wait
        forever.

        Raises:
            ValueError: if shapes or dtypes differ.
        """
        own = [(tensor.dtype.name, tensor._shape_tuple()) for tensor in tensors]
        signature = zlib.crc32(b"reduction")
        self._described[signature] = "reduction"
        self._channel.enter(signature, 0)
        try:
            shown = self._exchange("reduction", (operation, own))
        finally:
            self._channel.leave()
        if any(each != shown[0] for each in shown):
            ranks = "; ".join(f"rank {k}: {text}" for k, (_, text) in enumerate(shown))
            raise ValueError(
                "The processes reduce tensors of different shapes or dtypes: "
                f"{ranks}. All must give the same ones in the same order."
            )
        signature = channel.agree(tensors, operation)
        self._described[signature] = f"reduction ({operation.lower()}) of {_summary(own)}"

    def _exchange(self, name: str, about: Any) -> list[Any]:
        """The collective of each process.

        Raises:
            ValueError: if they are in different ones.
        """
        said = self._comm.allgather((name, about))
        if any(each != name for each, _ in said):
            ranks = ", ".join(f"rank {k} in a {each}" for k, (each, _) in enumerate(said))
            raise ValueError(
                f"The processes are in different collectives: {ranks}. All must call the same ones "
                "in the same order: do not call them for one process alone."
            )
        return [each for _, each in said]

    def all_gather(self, value: Tensor, axis: int = 0) -> Tensor:
        """The tensors of all workers side by side.

        Args:
            value: a tensor of any type; sizes along `axis` may differ.
            axis: the axis.

        Raises:
            ValueError: if the tensors differ in dtype, or in another size.
        """
        tensor = _core.as_tensor(value)
        sizes = tensor.shape.as_list() if tensor.shape.rank is not None else None
        if sizes is not None:
            sizes[axis] = None
        return self._call(
            "CollectiveGather",
            lambda each: [self._gathered(each, axis)],
            [TensorSpec(sizes, tensor.dtype)],
            [tensor],
        )[0]

    def all_gather_rows(self, values: Sequence[object]) -> list[Any]:
        """Concatenates the rows of tensors of all workers, in the order of ranks.

        Args:
            values: tensors of numbers, with at least one axis; the number of rows may differ.

        Raises:
            ValueError: if the tensors differ in dtype, or in another size.
        """
        tensors = [_core.as_tensor(value) for value in values]
        specs = []
        for tensor in tensors:
            rank = tensor.shape.rank
            sizes = None if rank is None else [None, *tensor.shape.as_list()[1:]]
            specs.append(TensorSpec(sizes, tensor.dtype))
        return self._call("CollectiveGather", lambda *each: self._rows(each), specs, tensors)

    def _rows(self, tensors: Sequence[Any]) -> list[Any]:
        with self._lock:
            gathered = self._channel.gather(tensors)
        if gathered is not None:
            return gathered
        own = [(tensor.dtype.name, tensor._shape_tuple()) for tensor in tensors]
        with self._inside("gathering"):
            about = self._exchange("gathering", own)
            for each in zip(*about, strict=True):
                _check_side_by_side(each, 0)
            signature = self._channel.agree_on_rows(tensors)
            self._described[signature] = f"gathering of rows of {_summary(own)}"
        return self._rows(tensors)

    def _gathered(self, tensor: Tensor, axis: int) -> Tensor:
        if axis == 0 and tensor.shape.rank and tensor.dtype.name not in ("string", "variant"):
            return self._rows([tensor])[0]
        array = _array(tensor)
        with self._inside("gathering", array.nbytes):
            shown = self._exchange("gathering", [(tensor.dtype.name, array.shape)])
            about = [each[0] for each in shown]
            _check_side_by_side(about, axis)
            if array.dtype.hasobject:
                return _core.as_tensor(np.concatenate(self._comm.allgather(array), axis))
            # Along the first axis, each worker's part is contiguous in the result.
            front = np.ascontiguousarray(np.moveaxis(array, axis, 0))
            shapes = [(shape[axis], *shape[:axis], *shape[axis + 1 :]) for _, shape in about]
            counts = [int(np.prod(shape)) * array.itemsize for shape in shapes]
            rows = (sum(shape[0] for shape in shapes), *shapes[0][1:])
            received = np.empty(rows, array.dtype)
            self._comm.Allgatherv(
                [_bytes(front), MPI.BYTE], [_bytes(received), (counts, _starts(counts)), MPI.BYTE]
            )
        return _core.as_tensor(np.ascontiguousarray(np.moveaxis(received, 0, axis)))

    def broadcast(self, value: Tensor, root: int = 0) -> Tensor:
        """The value of one worker.

        Args:
            value: a tensor of any type, of the same shape on all workers.
            root: the worker's number.

        Raises:
            ValueError: if the shape or dtype differs from the root's.
        """
        tensor = _core.as_tensor(value)
        return self._call(
            "CollectiveBcast",
            lambda each: [self._broadcast(each, root)],
            [TensorSpec(tensor.shape, tensor.dtype)],
            [tensor],
        )[0]

    def _broadcast(self, tensor: Tensor, root: int) -> Tensor:
        array = _array(tensor)
        with self._inside("broadcast", array.nbytes):
            said = self._exchange("broadcast", (tensor.dtype.name, array.shape))
            other = next((k for k, each in enumerate(said) if each != said[root]), None)
            if other is not None:
                raise ValueError(
                    f"A value is broadcast from rank {root}, where it has the dtype {said[root][0]} "
                    f"and the shape {list(said[root][1])}; on rank {other} it has {said[other][0]} and "
                    f"{list(said[other][1])}. All processes must make the same tensors and variables "
                    "in the same order."
                )
            if array.dtype.hasobject or tensor.dtype is dtypes.string:
                return _core.as_tensor(self._comm.bcast(array, root))
            held = np.array(array, order="C")
            self._comm.Bcast([_bytes(held), MPI.BYTE], root)
        return _core.as_tensor(held)

    def all_to_all(self, value: Tensor, splits: Any) -> tuple[Any, Any]:
        """Sends each worker a part of the rows of a tensor.

        Args:
            value: a numeric tensor.
            splits: the number of rows for each worker.

        Returns:
            The rows from all workers, and the number from each.
        """
        tensor, splits = _core.as_tensor(value), _core.as_tensor(splits)
        sizes = [None, *tensor.shape.as_list()[1:]]
        specs = [TensorSpec(sizes, tensor.dtype), TensorSpec([self._size], dtypes.int32)]
        return tuple(self._call("AllToAll", self._exchanged, specs, [tensor, splits]))

    def _exchanged(self, tensor: Tensor, splits: Any) -> list[Any]:
        array, rows = np.ascontiguousarray(tensor.numpy()), splits.numpy().tolist()
        if sum(rows) != array.shape[0] or len(rows) != self._size:
            raise ValueError(
                f"`splits` must give each of {self._size} processes some of the {array.shape[0]} rows, "
                f"but is {rows}."
            )
        row = int(np.prod(array.shape[1:])) * array.itemsize
        with self._inside("exchange of rows", array.nbytes):
            coming = self._comm.alltoall(rows)
            received = np.empty((sum(coming), *array.shape[1:]), array.dtype)
            out, into = [n * row for n in rows], [n * row for n in coming]
            self._comm.Alltoallv(
                [_bytes(array), (out, _starts(out)), MPI.BYTE],
                [_bytes(received), (into, _starts(into)), MPI.BYTE],
            )
        return [_core.as_tensor(received), _core.as_tensor(np.array(coming, np.int32))]

    def broadcast_object(self, value: object, root: int = 0) -> Any:
        """A Python object of one worker, which must be picklable."""
        with self._inside("broadcast of an object"):
            return self._comm.bcast(value, root)

    def all_gather_object(self, value: object) -> list[Any]:
        """The Python objects of all workers, which must be picklable."""
        with self._inside("gathering of objects"):
            return self._comm.allgather(value)

    def barrier(self) -> None:
        """Waits for all workers."""
        with self._inside("barrier"):
            self._comm.Barrier()

    def any(self, value: bool) -> bool:
        """Whether the value is true on any worker."""
        with self._inside("question whether there is more data"):
            return bool(self._comm.allreduce(value, MPI.LOR))

    def part(self, members: Sequence[int]) -> MPICommunicator | None:
        """A communicator of a subset of the workers, ranked in the order of the list; None in other workers.

        All workers call this.

        Args:
            members: their numbers.
        """
        inside = self._rank in members
        key = list(members).index(self._rank) if inside else 0
        path = self._next_path()
        comm = self._comm.Split(0 if inside else MPI.UNDEFINED, key)
        return MPICommunicator(comm, path) if inside else None

    def on_machine(self) -> MPICommunicator:
        """A communicator of the workers on this machine. All workers call this."""
        path = self._next_path()
        return MPICommunicator(self._comm.Split_type(MPI.COMM_TYPE_SHARED), path)

    def _call(self, name: str, function: Any, specs: list[Any], tensors: list[Any]) -> list[Any]:
        if _core.building() is None:
            return function(*tensors)
        return host_call(function, specs, tuple(tensors), name=name, effects=True)


def _array(tensor: Tensor) -> Array:
    value = tensor.numpy()
    return np.asarray(value, object if isinstance(value, bytes) else None)


def _check_side_by_side(about: Sequence[tuple[str, tuple[int, ...]]], axis: int) -> None:
    """Raises a ValueError unless the processes' tensors can be put side by side.

    Args:
        about: the tensors' dtypes and shapes.
        axis: along which axis.
    """
    kinds = {kind for kind, _ in about}
    rest = {(*shape[:axis], *shape[axis + 1 :]) for _, shape in about}
    if len(kinds) > 1 or len(rest) > 1:
        shown = ", ".join(
            f"rank {k}: {kind} {list(shape)}" for k, (kind, shape) in enumerate(about)
        )
        raise ValueError(
            f"Tensors of all processes are put side by side along axis {axis}: they need one "
            f"dtype, and equal sizes along the other axes, but are {shown}."
        )


def _summary(about: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    shown = ", ".join(f"{name} {list(shape)}" for name, shape in about[:3])
    return shown if len(about) <= 3 else f"{len(about)} tensors, {shown}, ..."


def _bytes(array: Array) -> Any:
    return array.reshape(-1).view(np.uint8)


def _starts(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:position]) for position in range(len(counts))]

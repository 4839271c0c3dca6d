"""Workers that MPI has started: their numbers, and collectives between them.

`mpi4py` is needed, which `pip install "eagerflow[mpi]"` brings. MPI is initialized by the first
use of `world`.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.distribute.collectives import Communicator
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.util import lazy

MPI = lazy.Module("mpi4py.MPI")

# What launchers tell each process: its number and how many there are. The names are those of MPICH and
# Intel MPI, Open MPI, MVAPICH, and Slurm's own launcher.
_LAUNCHERS = (
    ("PMI_RANK", "PMI_SIZE"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
)

# Tensors below this size travel together.
_PACKED_BYTES = 1 << 18

# So many reductions are checked from the start, and one of so many later.
_CHECKED = 256

# MPI adds up numbers of these types; what is in neither list is no number.
_NATIVE = {"float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"}
_NATIVE |= {"uint64", "complex64", "complex128"}
_WIDER = {"float16": "float32", "bfloat16": "float32", "bool": "int8"}


def launched() -> tuple[int, int]:
    """The number of this process and how many there are, as the launcher's environment says.

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
            'Several processes need MPI, which could not be loaded: `pip install "eagerflow[mpi]"`. '
            f"The import of mpi4py said: {error}"
        ) from error
    if comm.size > 1:
        _end_all_on_error(comm)
    return comm


def _end_all_on_error(comm: Any) -> None:
    """Has an exception that ends this process end the others too, which would wait for it forever."""
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
        sys.stdout.flush()
        sys.stderr.flush()
        comm.Abort(1)

    hook._ends_all = True  # type: ignore[attr-defined]
    sys.excepthook = hook


def _packs(arrays: Sequence[Any]) -> list[list[int]]:
    """The positions of arrays that travel together: small neighbours of one dtype."""
    packs: list[list[int]] = []
    small: dict[Any, list[int]] = {}
    for position, array in enumerate(arrays):
        if array.nbytes >= _PACKED_BYTES:
            packs.append([position])
        elif array.dtype in small:
            small[array.dtype].append(position)
        else:
            small[array.dtype] = [position]
            packs.append(small[array.dtype])
    return packs


class MPICommunicator(Communicator):
    """Joins the values of workers by MPI.

    Where a graph is built, each call is a node that communicates when the graph runs; such nodes run in the
    order of the program.

    Args:
        comm: an mpi4py communicator, which is duplicated, so that nobody else's messages meet ours.
    """

    def __init__(self, comm: Any) -> None:
        self._comm = comm.Dup()
        self._rank, self._size = comm.rank, comm.size
        self._lock = threading.Lock()
        self._reductions = 0

    @property
    def rank(self) -> int:
        """The number of this worker."""
        return self._rank

    @property
    def size(self) -> int:
        """How many workers there are."""
        return self._size

    def duplicate(self) -> MPICommunicator:
        """A communicator of the same workers, whose calls need no order with those of this one."""
        return MPICommunicator(self._comm)

    def all_reduce(self, values: Sequence[Any], operation: str = "SUM") -> list[Any]:
        """The sums of tensors over all workers.

        Args:
            values: tensors of the shapes that they have on the other workers.
            operation: "SUM", "MIN", "MAX" or "PROD".

        Raises:
            TypeError: for values that are no numbers.
        """
        tensors = [_core.as_tensor(value) for value in values]
        for tensor in tensors:
            name = tensor.dtype.name
            if name not in _NATIVE and name not in _WIDER:
                raise TypeError(f"Values of type {name} cannot be reduced over processes.")
        if not tensors:
            return []
        specs = [TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
        return self._call(
            "CollectiveReduce", lambda *each: self._reduced(each, operation), specs, tensors
        )

    def _reduced(self, tensors: Sequence[Any], operation: str) -> list[Any]:
        kinds = [tensor.dtype for tensor in tensors]
        arrays = []
        for tensor in tensors:
            wider = _WIDER.get(tensor.dtype.name)
            # What MPI adds up itself is neither copied here nor on its way back.
            arrays.append(_array(tensor).astype(wider) if wider else np.from_dlpack(tensor))
        code = getattr(MPI, operation)
        results: list[Any] = [None] * len(arrays)
        with self._lock:
            self._check_reduction(tensors, operation)
            for pack in _packs(arrays):
                parts = [arrays[position] for position in pack]
                sent = parts[0] if len(pack) == 1 else np.concatenate([p.ravel() for p in parts])
                received = np.empty_like(sent)
                self._comm.Allreduce(sent, received, code)
                start, flat = 0, received.ravel()
                for position, part in zip(pack, parts, strict=True):
                    own = flat[start : start + part.size].reshape(tensors[position].shape)
                    kind = kinds[position].as_numpy_dtype
                    own = own.astype(kind, copy=len(pack) > 1)
                    shared = tensors[position].dtype.name in _NATIVE
                    results[position] = (_core.from_dlpack if shared else _core.as_tensor)(own)
                    start += part.size
        return results

    def _check_reduction(self, tensors: Sequence[Any], operation: str) -> None:
        """Compares what the processes reduce, in a program's first reductions and some later ones.

        All count the same calls, and so check the same ones. What MPI would find out of wrong shapes ends
        the program without a word of where, or leaves it waiting.

        Raises:
            ValueError: if shapes or dtypes differ.
        """
        self._reductions += 1
        if self._reductions > _CHECKED and self._reductions % _CHECKED:
            return
        own = [(tensor.dtype.name, tensor._shape_tuple()) for tensor in tensors]
        shown = self._exchange("reduction", (operation, own))
        if any(each != shown[0] for each in shown):
            ranks = "; ".join(f"rank {k}: {text}" for k, (_, text) in enumerate(shown))
            raise ValueError(
                "The processes reduce tensors of different shapes or dtypes: "
                f"{ranks}. All must give the same ones in the same order."
            )

    def _exchange(self, name: str, about: Any) -> list[Any]:
        """What each process says of the collective that it is in.

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

    def all_gather(self, value: Any, axis: int = 0) -> Any:
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

    def _gathered(self, tensor: Any, axis: int) -> Any:
        array = _array(tensor)
        with self._lock:
            about = self._exchange("gathering", (tensor.dtype.name, array.shape))
            kinds = {kind for kind, _ in about}
            rest = {shape[:axis] + shape[axis + 1 :] for _, shape in about}
            if len(kinds) > 1 or len(rest) > 1:
                shown = ", ".join(
                    f"rank {k}: {kind} {list(shape)}" for k, (kind, shape) in enumerate(about)
                )
                raise ValueError(
                    f"Tensors of all processes are put side by side along axis {axis}: they need one "
                    f"dtype, and equal sizes along the other axes, but are {shown}."
                )
            if array.dtype.hasobject:
                return _core.as_tensor(np.concatenate(self._comm.allgather(array), axis))
            # Along the first axis, what each worker sends is one piece of the result.
            front = np.ascontiguousarray(np.moveaxis(array, axis, 0))
            shapes = [(shape[axis], *shape[:axis], *shape[axis + 1 :]) for _, shape in about]
            counts = [int(np.prod(shape)) * array.itemsize for shape in shapes]
            rows = (sum(shape[0] for shape in shapes), *shapes[0][1:])
            received = np.empty(rows, array.dtype)
            self._comm.Allgatherv(
                [_bytes(front), MPI.BYTE], [_bytes(received), (counts, _starts(counts)), MPI.BYTE]
            )
        return _core.as_tensor(np.ascontiguousarray(np.moveaxis(received, 0, axis)))

    def broadcast(self, value: Any, root: int = 0) -> Any:
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

    def _broadcast(self, tensor: Any, root: int) -> Any:
        array = _array(tensor)
        with self._lock:
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

    def all_to_all(self, value: Any, splits: Any) -> tuple[Any, Any]:
        """Rows of a tensor, of which each worker gets some.

        Args:
            value: a tensor of numbers.
            splits: how many rows each worker gets.

        Returns:
            The rows that the workers have sent here, and how many from each.
        """
        tensor, splits = _core.as_tensor(value), _core.as_tensor(splits)
        sizes = [None, *tensor.shape.as_list()[1:]]
        specs = [TensorSpec(sizes, tensor.dtype), TensorSpec([self._size], dtypes.int32)]
        return tuple(self._call("AllToAll", self._exchanged, specs, [tensor, splits]))

    def _exchanged(self, tensor: Any, splits: Any) -> list[Any]:
        array, rows = np.ascontiguousarray(tensor.numpy()), splits.numpy().tolist()
        if sum(rows) != array.shape[0] or len(rows) != self._size:
            raise ValueError(
                f"`splits` must give each of {self._size} processes some of the {array.shape[0]} rows, "
                f"but is {rows}."
            )
        row = int(np.prod(array.shape[1:])) * array.itemsize
        with self._lock:
            coming = self._comm.alltoall(rows)
            received = np.empty((sum(coming), *array.shape[1:]), array.dtype)
            out, into = [n * row for n in rows], [n * row for n in coming]
            self._comm.Alltoallv(
                [_bytes(array), (out, _starts(out)), MPI.BYTE],
                [_bytes(received), (into, _starts(into)), MPI.BYTE],
            )
        return [_core.as_tensor(received), _core.as_tensor(np.array(coming, np.int32))]

    def broadcast_object(self, value: Any, root: int = 0) -> Any:
        """A Python object of one worker, which must be picklable."""
        with self._lock:
            return self._comm.bcast(value, root)

    def all_gather_object(self, value: Any) -> list[Any]:
        """The Python objects of all workers, which must be picklable."""
        with self._lock:
            return self._comm.allgather(value)

    def barrier(self) -> None:
        """Waits until all workers are here."""
        with self._lock:
            self._comm.Barrier()

    def any(self, value: bool) -> bool:
        """Whether something is true on some worker."""
        with self._lock:
            return bool(self._comm.allreduce(value, MPI.LOR))

    def part(self, members: Sequence[int]) -> MPICommunicator | None:
        """A communicator of some workers, numbered in the order given; None where this is none of them.

        All workers call this.

        Args:
            members: their numbers.
        """
        inside = self._rank in members
        key = list(members).index(self._rank) if inside else 0
        comm = self._comm.Split(0 if inside else MPI.UNDEFINED, key)
        return MPICommunicator(comm) if inside else None

    def on_machine(self) -> MPICommunicator:
        """A communicator of the workers on this machine. All workers call this."""
        return MPICommunicator(self._comm.Split_type(MPI.COMM_TYPE_SHARED))

    def _call(self, name: str, function: Any, specs: list[Any], tensors: list[Any]) -> list[Any]:
        if _core.building() is None:
            return function(*tensors)
        return host_call(function, specs, tuple(tensors), name=name, effects=True)


def _array(tensor: Any) -> Any:
    value = tensor.numpy()
    return np.asarray(value, object if isinstance(value, bytes) else None)


def _bytes(array: Any) -> Any:
    return array.reshape(-1).view(np.uint8)


def _starts(counts: Sequence[int]) -> list[int]:
    return [sum(counts[:position]) for position in range(len(counts))]

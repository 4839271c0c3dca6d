"""The processes of a program: their numbers, and sets of them that communicate among themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow.distribute.cluster import ClusterSpec
from eagerflow.distribute.cluster_resolver import SimpleClusterResolver
from eagerflow.distribute.workers import join_workers


class ProcessSet:
    """Processes that communicate among themselves.

    `add_process_set` and `init` bring it to life.

    Args:
        ranks: the numbers of the processes.

    >>> import eagerflow_compat.horovod as hvd
    >>> hvd.init()
    >>> hvd.global_process_set.included(), hvd.global_process_set.size()
    (True, 1)
    """

    def __init__(self, ranks: Sequence[int]) -> None:
        self.ranks: list[int] | None = sorted(int(rank) for rank in ranks)
        self.process_set_id: int | None = None
        self._communicator: Any = None

    def included(self) -> bool:
        """Whether this process is one of them."""
        self._require()
        return self._communicator is not None

    def size(self) -> int:
        """How many processes there are.

        Raises:
            ValueError: if the set has not been added, as everywhere below.
        """
        self._require()
        return len(self.ranks or ())

    def rank(self) -> int:
        """The number of this process in the set; -1 if it is none of them."""
        self._require()
        return -1 if self._communicator is None else self._communicator.rank

    def communicator(self) -> Any:
        """What joins the values of the set's processes.

        Raises:
            ValueError: if this process is none of them, too.
        """
        self._require()
        if self._communicator is None:
            raise ValueError(
                f"Process {rank()} is not in the process set {self.ranks}: only its processes call its "
                "operations."
            )
        return self._communicator

    def number_of(self, root_rank: int) -> int:
        """The number in the set of a process of the program.

        Args:
            root_rank: its number in the program.

        Raises:
            ValueError: if it is not in the set.
        """
        self._require()
        ranks = self.ranks or []
        if root_rank not in ranks:
            raise ValueError(f"`root_rank` {root_rank} is none of the processes {ranks}.")
        return ranks.index(root_rank)

    def _require(self) -> None:
        _require()
        if self.process_set_id is None:
            raise ValueError(
                f"The process set {self.ranks} does not exist: pass it to hvd.add_process_set() on all "
                "processes first."
            )

    def __str__(self) -> str:
        return f"ProcessSet(process_set_id={self.process_set_id}, ranks={self.ranks})"

    __repr__ = __str__


class _State:
    def __init__(self) -> None:
        self.machine: Any = None
        self.cross: tuple[int, int] = (0, 1)
        self.homogeneous = True
        self.sets: dict[int, ProcessSet] = {}
        self.next_set = 1


_state = _State()

global_process_set = ProcessSet([])


def _require() -> None:
    if global_process_set._communicator is None:
        raise ValueError("Horovod has not been initialized; use hvd.init().")


def init(comm: Any = None, process_sets: Sequence[ProcessSet] | None = None) -> None:
    """Finds out which processes there are; further calls do nothing.

    `mpiexec -n 4 python -m eagerflow train.py` starts four.

    Args:
        comm: the numbers of the processes that take part; by default all.
        process_sets: sets to add.

    Raises:
        ImportError: if there are several processes and no MPI.
        ValueError: if `comm` names some processes but not this one.
    """
    if global_process_set._communicator is not None:
        return
    # What MPI says of the processes is all there is to know.
    world = join_workers(SimpleClusterResolver(ClusterSpec({})))
    if comm:
        part = world.part(list(comm))
        if part is None:
            raise ValueError(f"Process {world.rank} is none of the processes {list(comm)}.")
        world = part
    _state.machine = world.on_machine()
    places = world.all_gather_object((_state.machine.rank, _state.machine.size))
    alike = [k for k, (local, _) in enumerate(places) if local == _state.machine.rank]
    _state.cross = alike.index(world.rank), len(alike)
    _state.homogeneous = len({count for _, count in places}) == 1
    global_process_set.ranks = list(range(world.size))
    global_process_set.process_set_id = 0
    global_process_set._communicator = world
    for each in process_sets or ():
        add_process_set(each)


def shutdown() -> None:
    """Forgets the processes and sets of them."""
    for each in (*_state.sets.values(), global_process_set):
        each.process_set_id = each._communicator = None
    _state.__init__()  # type: ignore[misc]


def is_initialized() -> bool:
    """Whether `init` has been called."""
    return global_process_set._communicator is not None


def add_process_set(process_set: ProcessSet | Sequence[int]) -> ProcessSet:
    """Makes a set of processes; all processes of the program call this.

    Args:
        process_set: the set, or the numbers of its processes.

    Raises:
        ValueError: if there are no such processes, or there is such a set already.
    """
    _require()
    if not isinstance(process_set, ProcessSet):
        process_set = ProcessSet(process_set)
    ranks = process_set.ranks or []
    if not ranks or len(set(ranks)) < len(ranks) or not set(ranks) <= set(range(size())):
        raise ValueError(
            f"Ranks must be different numbers from 0 to {size() - 1}, but are {ranks}."
        )
    if any(each.ranks == ranks for each in (global_process_set, *_state.sets.values())):
        raise ValueError(f"There is a process set with the ranks {ranks} already.")
    process_set._communicator = global_process_set.communicator().part(ranks)
    process_set.process_set_id = _state.next_set
    _state.sets[_state.next_set] = process_set
    _state.next_set += 1
    return process_set


def remove_process_set(process_set: ProcessSet) -> bool:
    """Removes a set; all processes of the program call this.

    Args:
        process_set: the set.

    Returns:
        Whether there was one; that of all processes stays.
    """
    if not process_set.process_set_id:
        return False
    del _state.sets[process_set.process_set_id]
    process_set.process_set_id = process_set._communicator = None
    return True


def rank() -> int:
    """The number of this process.

    Raises:
        ValueError: before `init`; so do the following.
    """
    return global_process_set.rank()


def size() -> int:
    """How many processes there are."""
    return global_process_set.size()


def local_rank() -> int:
    """The number of this process on its machine."""
    _require()
    return _state.machine.rank


def local_size() -> int:
    """How many processes this machine has."""
    _require()
    return _state.machine.size


def cross_rank() -> int:
    """The number of this machine among those that have a process of this local number."""
    _require()
    return _state.cross[0]


def cross_size() -> int:
    """How many machines have a process of this local number."""
    _require()
    return _state.cross[1]


def is_homogeneous() -> bool:
    """Whether all machines have equally many processes."""
    _require()
    return _state.homogeneous


def mpi_threads_supported() -> bool:
    """True: other threads may call MPI."""
    _require()
    return True


def mpi_built() -> bool:
    """True: MPI joins the values of the processes."""
    return True


def mpi_enabled() -> bool:
    """True: MPI joins the values of the processes."""
    return True


def gloo_built() -> bool:
    """False: MPI joins the values of the processes."""
    return False


def gloo_enabled() -> bool:
    """False: MPI joins the values of the processes."""
    return False


def nccl_built() -> int:
    """0: MPI joins the values of the processes."""
    return 0

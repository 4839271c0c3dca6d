"""Making the processes' variables and objects the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from eagerflow_compat.horovod import operations
from eagerflow_compat.horovod.processes import ProcessSet, global_process_set


def broadcast_variables(
    variables: Iterable[Any],
    root_rank: int,
    process_set: ProcessSet = global_process_set,
    inplace: bool = False,
) -> None:
    """Gives variables the values that they have on one process.

    Args:
        variables: the variables, in the same order on all processes.
        root_rank: the number of that process.
        process_set: the processes.
        inplace: ignored.

    Raises:
        ValueError: if a variable differs in shape or dtype between processes.
    """
    if process_set.size() == 1:
        return
    for variable in variables:
        variable.assign(
            operations.broadcast(variable.read_value(), root_rank, process_set=process_set)
        )


def broadcast_object(
    obj: object,
    root_rank: int = 0,
    session: Any = None,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
) -> Any:
    """The object of one process.

    Args:
        obj: an object that can be pickled.
        root_rank: the number of that process.
        session: ignored.
        name: ignored.
        process_set: the processes.
    """
    return process_set.communicator().broadcast_object(obj, process_set.number_of(root_rank))


def broadcast_object_fn(
    root_rank: int = 0,
    session: Any = None,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
) -> Callable[..., Any]:
    """A function of an object that does what `broadcast_object` does; see there."""
    return lambda obj: broadcast_object(obj, root_rank, process_set=process_set)


def allgather_object(
    obj: object,
    session: Any = None,
    name: str | None = None,
    process_set: ProcessSet = global_process_set,
) -> list[Any]:
    """The objects of all processes, which must be picklable.

    Args:
        obj: that of this process.
        session: ignored.
        name: ignored.
        process_set: the processes.
    """
    return process_set.communicator().all_gather_object(obj)

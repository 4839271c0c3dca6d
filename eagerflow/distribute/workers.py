"""The workers of a cluster: compares a resolver's tasks with MPI's processes."""

from __future__ import annotations

from typing import Any

from eagerflow.distribute import mpi
from eagerflow.distribute.collectives import Communicator, OneProcess

_JOBS = ("chief", "worker")


def _described(resolver: Any) -> tuple[int, int | None]:
    """A resolver's number of workers, and the rank of this one; None if unknown."""
    spec = resolver.cluster_spec()
    sizes = {job: spec.num_tasks(job) for job in _JOBS if spec and job in spec.jobs}
    job, index = resolver.task_type, resolver.task_id
    if not sizes or job not in sizes or index is None:
        return sum(sizes.values()), None
    return sum(sizes.values()), int(index) + (sizes.get("chief", 0) if job == "worker" else 0)


def join_workers(resolver: Any) -> Communicator:
    """The communicator of the workers of a cluster.

    Args:
        resolver: describes the cluster; without jobs, MPI's processes are the workers.

    Raises:
        ValueError: unless MPI has started one process for each task.
        ImportError: if there are several processes and no MPI.
    """
    count, number = _described(resolver)
    _, size = mpi.launched()
    if size == 1:
        if count > 1:
            raise ValueError(
                f"The cluster has {count} workers, but this process is alone. MPI starts the processes: "
                f"`mpiexec -n {count} python -m eagerflow program.py`."
            )
        return OneProcess()
    comm = mpi.world()
    if count not in (0, comm.size):
        raise ValueError(
            f"The cluster has {count} workers, but MPI has started {comm.size} processes. Start as "
            "many, or leave TF_CONFIG unset: MPI knows its processes."
        )
    numbers = comm.allgather(number)
    if all(each is None for each in numbers):
        return mpi.MPICommunicator(comm)
    if sorted(-1 if each is None else each for each in numbers) != list(range(comm.size)):
        raise ValueError(
            f"TF_CONFIG says that the processes are the workers {numbers}, in MPI's order. Each must be "
            "another one: set its task index for each process, or leave TF_CONFIG unset."
        )
    return mpi.MPICommunicator(comm.Split(0, number))

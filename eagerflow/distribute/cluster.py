"""ClusterSpec: the addresses of the tasks of jobs that work together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eagerflow.protos.cluster import MESSAGES


def _is_message(value: Any) -> bool:
    descriptor = getattr(type(value), "DESCRIPTOR", None)
    return getattr(descriptor, "name", None) == "ClusterDef"


def _address(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"Task address {value!r} must be bytes or unicode")
    return value


class ClusterSpec:
    """The addresses of the tasks of jobs that work together.

    Args:
        cluster: for each job, by name, a list of addresses or a dictionary from the indices of tasks
            to addresses; or another ClusterSpec, or a `tf.train.ClusterDef`.

    Raises:
        TypeError: if it is something else, or an address is no string.

    >>> cluster = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"], "ps": ["c:2222"]})
    >>> cluster.num_tasks("worker"), cluster.task_address("worker", 1)
    (2, 'b:2222')
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            cluster = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
        elif _is_message(cluster):
            cluster = {job.name: dict(job.tasks) for job in cluster.job}
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                "addresses, or a `ClusterDef` protocol buffer"
            )
        for job, tasks in cluster.items():
            if isinstance(tasks, list | tuple):
                tasks = dict(enumerate(tasks))
            if not isinstance(tasks, Mapping):
                raise TypeError(
                    f"The tasks for job {job!r} must be a list or a dictionary from integers to "
                    "strings."
                )
            self._jobs[job] = {int(index): _address(item) for index, item in tasks.items()}

    def _job(self, job_name: str) -> dict[int, str]:
        try:
            return self._jobs[job_name]
        except KeyError:
            raise ValueError(f"No such job in cluster: {job_name!r}") from None

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has.

        Raises:
            ValueError: if there is no such job; so do the following.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The indices of a job's tasks."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by index, None where there is no such task."""
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """For each job a list of addresses, or a dictionary if indices are left out.

        >>> tf.train.ClusterSpec({"worker": {1: "a:1"}}).as_dict()
        {'worker': {1: 'a:1'}}
        """
        jobs: dict[str, Any] = {}
        for job, tasks in self._jobs.items():
            dense = tasks and sorted(tasks) == list(range(len(tasks)))
            jobs[job] = [tasks[index] for index in sorted(tasks)] if dense else dict(tasks)
        return jobs

    def as_cluster_def(self) -> Any:
        """A `tf.train.ClusterDef` that says the same, jobs sorted by name."""
        message = MESSAGES["ClusterDef"]()
        for job in sorted(self._jobs):
            part = message.job.add(name=job)
            for index, address in sorted(self._jobs[job].items()):
                part.tasks[index] = address
        return message

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        try:
            return self._jobs == ClusterSpec(other)._jobs
        except TypeError:
            return False

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = self.as_dict()
        return f"ClusterSpec({ {job: shown[job] for job in sorted(shown)}!r})"

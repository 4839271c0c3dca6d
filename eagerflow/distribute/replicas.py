"""Replicas: threads that run a function in turn, and wait for each other to merge values.

One thread runs at a time, until it ends or requests a merge; then the next one runs. So the order of the
replicas' operations is the same in every run; each operation uses all processors. Replicas whose function
is being traced add their operations to one graph.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core
from eagerflow.distribute.values import joined, replica_of
from eagerflow.framework import context, name_scope, variable
from eagerflow.framework import distribution_state as distribution
from eagerflow.framework.device import device
from eagerflow.framework.device_spec import DeviceSpec
from eagerflow.framework.device_table import table
from eagerflow.util import lazy

# Needed where functions are traced.
conversion = lazy.Module("eagerflow.autograph.conversion")
libraries = lazy.Module("eagerflow.autograph.libraries")


class _Cancelled(BaseException):
    """Ends a replica because another one has failed."""


class Surroundings:
    """The thread-local state of the calling thread, for the replicas' threads."""

    def __init__(self) -> None:
        self.graph = _core.building()
        self._prefix = name_scope.current_prefix()
        self._creators = variable.creators()

    @contextlib.contextmanager
    def entered(self, number: int) -> Any:
        """Sets the same on this thread, for a replica.

        Args:
            number: the number of the replica.
        """
        graph = self.graph
        if graph is None:
            building: Any = contextlib.nullcontext()
        elif graph.building_function:
            building = graph.as_default()
        else:
            building = context.building(graph)
        prefix = self._prefix
        if number and graph is not None:
            prefix = f"{prefix}replica_{number}/"
        with building, name_scope.name_scope(prefix), variable.creating(self._creators):
            yield


class ReplicaThread:
    """Runs a function for one replica.

    Args:
        replica: the context of the replica.
        device_name: the name of its device.
        function: called without arguments.
        surroundings: the state of the calling thread.
        created: the variables that the first replica creates, for all others.
    """

    def __init__(
        self,
        replica: Any,
        device_name: str,
        function: Callable[[], Any],
        surroundings: Surroundings,
        created: Sequence[object],
    ) -> None:
        self._replica = replica
        self._device = device_name
        self._function = function
        self._surroundings = surroundings
        self._go = threading.Semaphore(0)
        self._paused = threading.Semaphore(0)
        self._cancelled = False
        self.created = created
        self.num_created = 0
        self.done = False
        self.error: BaseException | None = None
        self.result: Any = None
        self.merge: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]] | None = None
        self.merged: Any = None
        replica._thread = self
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self._go.acquire()
        try:
            if not self._cancelled:
                with (
                    distribution.inside(self._replica.strategy, self._replica),
                    self._surroundings.entered(self._replica._local_id),
                    device(self._device),
                ):
                    self.result = self._function()
        except _Cancelled:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.done = True
            self._paused.release()

    def go_on(self) -> None:
        """Lets the replica run until it ends or requests a merge.

        Raises:
            the replica's exception.
        """
        self._go.release()
        self._paused.acquire()
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def wait_for_merge(
        self, merge_fn: Callable[..., object], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> Any:
        """Requests a merge, and returns this replica's part of the result.

        Raises:
            RuntimeError: while a function is traced that only this replica calls.
        """
        if _core.building() is not self._surroundings.graph:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function: replicas trace "
                "functions that they call by themselves one after the other, and cannot wait for "
                "each other meanwhile. Pass the tf.function to `strategy.run`, or call "
                "`strategy.run` inside of it."
            )
        self.merge = merge_fn, args, kwargs
        self._paused.release()
        self._go.acquire()
        if self._cancelled:
            raise _Cancelled
        return self.merged

    def end(self) -> None:
        """Ends the thread."""
        if not self.done:
            self._cancelled = True
            self._go.release()
        self._thread.join()


def run_replicas(strategy: Any, contexts: Sequence[object], function: Callable[[int], Any]) -> Any:
    """Runs a function for each replica.

    Args:
        strategy: the strategy.
        contexts: the contexts of its replicas.
        function: called with the replica's index.

    Returns:
        Its results, joined.

    Raises:
        RuntimeError: if replicas do not request merges equally often.
    """
    surroundings = Surroundings()
    created: list[Any] = []
    devices = strategy.extended.worker_devices
    if surroundings.graph is not None:
        # On devices of a plugin the graph is one program, which all of them run.
        surroundings.graph.set_replicas([table.row_of(DeviceSpec.from_string(d)) for d in devices])
    threads = [
        ReplicaThread(replica, devices[number], _call(function, number), surroundings, created)
        for number, replica in enumerate(contexts)
    ]
    try:
        while True:
            for thread in threads:
                if not thread.done:
                    thread.go_on()
            if all(thread.done for thread in threads):
                return joined([thread.result for thread in threads])
            if any(thread.done for thread in threads):
                raise RuntimeError(
                    "Some replicas made a different number of replica_context().merge_call() calls."
                )
            _merge(strategy, threads)
    finally:
        for thread in threads:
            thread.end()


def _call(function: Callable[[int], object], number: int) -> Callable[[], Any]:
    return lambda: function(number)


def _merge(strategy: Any, threads: Sequence[ReplicaThread]) -> None:
    calls = [thread.merge for thread in threads]
    first = calls[0]
    assert first is not None
    args = joined([call[1] for call in calls if call is not None])
    kwargs = joined([call[2] for call in calls if call is not None])
    with distribution.inside(strategy, None):
        result = first[0](strategy, *args, **kwargs)
    for number, thread in enumerate(threads):
        thread.merged = replica_of(result, number)
        thread.merge = None


def as_called(function: Callable[..., object]) -> Callable[..., Any]:
    """A function as replicas call it: with its control flow converted where it is traced."""
    function = getattr(function, "python_function", function)
    if _core.building() is None or libraries.runs_as_it_is(function):
        return function
    return conversion.convert_in_context(function)

"""ClusterCoordinator: functions that workers run while the program goes on."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eagerflow import _core, errors, nest
from eagerflow.distribute.parameter_server import ParameterServerStrategy
from eagerflow.functions.function import Function

_NOT_ACCEPTED = (
    "`ClusterCoordinator.schedule` only accepts a `tf.function` or a Python function. Got {}."
)


class _Worker(threading.local):
    index: int | None = None


_worker = _Worker()


def experimental_get_current_worker_index() -> int:
    """The index of the worker that runs the function from which this is called.

    Raises:
        RuntimeError: outside of functions that were scheduled.
    """
    if _worker.index is None:
        raise RuntimeError(
            "Only a function that `ClusterCoordinator.schedule` was given runs on a worker."
        )
    return _worker.index


class RemoteValue:
    """A value that a worker has computed or will compute.

    `ClusterCoordinator.schedule` makes it.
    """

    def __init__(self) -> None:
        self._ready = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def _set(self, value: object, error: BaseException | None = None) -> None:
        self._value, self._error = value, error
        self._ready.set()

    def get(self) -> Any:
        """The value, for which this waits.

        Raises:
            Exception: that of the function.
            tf.errors.CancelledError: if another function has failed before this one began.
        """
        self._ready.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def fetch(self) -> Any:
        """The value as an array, for which this waits; see `get`."""
        value = self.get()
        return value.numpy() if isinstance(value, _core.Tensor | _core.Variable) else value


class PerWorkerValue:
    """A value for each worker, of which a scheduled function gets its worker's.

    Args:
        values: the values, one for each worker.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)


PerWorkerValues = PerWorkerValue  # its name in tf.distribute.experimental


class PerWorkerDataset:
    """A dataset for each worker. `iter` gives an iterator for each of them."""

    def __init__(self, datasets: Sequence[Any]) -> None:
        self._datasets = tuple(datasets)

    @property
    def element_spec(self) -> Any:
        """The specs of an element."""
        return self._datasets[0].element_spec

    def __iter__(self) -> PerWorkerIterator:
        return PerWorkerIterator([iter(dataset) for dataset in self._datasets])


class PerWorkerIterator(PerWorkerValue):
    """An iterator for each worker, an argument of scheduled functions."""

    @property
    def element_spec(self) -> Any:
        """The specs of an element."""
        return self._values[0].element_spec

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        raise NotImplementedError(
            "Each worker has its own elements: pass the iterator to `ClusterCoordinator.schedule`, and "
            "call `next` in the function."
        )

    get_next = __next__


class ClusterCoordinator:
    """Schedules functions on the workers of a `ParameterServerStrategy`, and waits for them.

    Workers are threads of this process, as many as the cluster has tasks of the job "worker". Functions
    wait in a queue, and workers take them in order; a traced function runs while others do.

    Args:
        strategy: the strategy. There is one coordinator for it.

    Raises:
        ValueError: for a strategy of another kind.

    >>> cluster = tf.train.ClusterSpec({"worker": ["w0:1", "w1:1"], "ps": ["ps0:1"]})
    >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster)
    >>> strategy = tf.distribute.ParameterServerStrategy(resolver)
    >>> coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    >>> square = tf.function(lambda x: x * x)
    >>> values = [coordinator.schedule(square, args=(tf.constant(k),)) for k in range(4)]
    >>> coordinator.join()
    >>> [int(value.fetch()) for value in values]
    [0, 1, 4, 9]
    """

    _strategy: ParameterServerStrategy
    _queue: _Queue

    def __new__(cls, strategy: ParameterServerStrategy) -> ClusterCoordinator:
        if not isinstance(strategy, ParameterServerStrategy):
            raise ValueError(
                "Only `tf.distribute.experimental.ParameterServerStrategy` is supported to work with "
                f"`ClusterCoordinator`. Got {strategy!r}."
            )
        made = None if strategy._coordinator is None else strategy._coordinator()
        if made is None:
            made = super().__new__(cls)
            made._strategy = strategy
            made._queue = _Queue(strategy._num_workers)
            weakref.finalize(made, made._queue.stop)
            strategy._coordinator = weakref.ref(made)
        return made

    @property
    def strategy(self) -> ParameterServerStrategy:
        """The strategy."""
        return self._strategy

    def schedule(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Lets a worker run a function, and returns before it does.

        Args:
            fn: a `tf.function` or a Python function.
            args: its positional arguments; of `PerWorkerValue`s, it gets its worker's.
            kwargs: its keyword arguments.

        Returns:
            The structure of the function's results, a `RemoteValue` for each tensor; a single
            `RemoteValue` for a Python function.

        Raises:
            TypeError: if `fn` cannot be called.
            ValueError: if an argument is a `RemoteValue`.
            Exception: that of a function that has failed since the last call that raised one. The
                functions that waited are cancelled then.
        """
        if not callable(fn):
            raise TypeError(_NOT_ACCEPTED.format(repr(fn)))
        given = (tuple(args or ()), dict(kwargs or {}))
        if any(isinstance(leaf, RemoteValue) for leaf in nest.flatten(given)):
            raise ValueError(
                "A `RemoteValue` used as an input to a scheduled function is not supported. Pass what "
                "its `get()` returns."
            )
        self._queue.raise_error()
        results = RemoteValue()
        if isinstance(fn, Function):
            first_args, first_kwargs = _of_worker(given, 0)
            traced = fn.get_concrete_function(*first_args, **first_kwargs).structured_outputs
            results = nest.map_structure(lambda _: RemoteValue(), traced)
        self._queue.put(_Closure(fn, given, results))
        return results

    def join(self) -> None:
        """Waits until all functions that were scheduled have run.

        Raises:
            Exception: that of a function that has failed; see `schedule`.
        """
        self._queue.wait()
        self._queue.raise_error()

    def done(self) -> bool:
        """Whether all functions that were scheduled have run.

        Raises:
            Exception: that of a function that has failed; see `schedule`.
        """
        self._queue.raise_error()
        return self._queue.is_empty()

    def create_per_worker_dataset(self, dataset_fn: Any) -> PerWorkerDataset:
        """A dataset for each worker.

        Args:
            dataset_fn: a function without arguments that returns a dataset, called for each worker; or
                a dataset for all of them, as each worker reads all of it.

        Returns:
            What gives an argument of scheduled functions by `iter`.
        """
        if not callable(dataset_fn):
            return PerWorkerDataset([dataset_fn] * self._strategy._num_workers)
        make = getattr(dataset_fn, "python_function", dataset_fn)  # datasets are made eagerly
        return PerWorkerDataset([make() for _ in range(self._strategy._num_workers)])

    def fetch(self, val: Any) -> Any:
        """The values of a structure of `RemoteValue`s as arrays, for which this waits.

        Args:
            val: the structure; other things in it are returned as they are.
        """
        return nest.map_structure(
            lambda leaf: leaf.fetch() if isinstance(leaf, RemoteValue) else leaf, val
        )


def _of_worker(given: Any, index: int) -> Any:
    return nest.map_structure(
        lambda leaf: leaf._values[index] if isinstance(leaf, PerWorkerValue) else leaf, given
    )


class _Closure:
    """A call that waits for a worker."""

    def __init__(self, function: Callable[..., Any], given: Any, results: Any) -> None:
        self._function, self._given, self._results = function, given, results

    def run(self, index: int) -> BaseException | None:
        """Calls the function for a worker; the exception that it raised."""
        args, kwargs = _of_worker(self._given, index)
        try:
            value = self._function(*args, **kwargs)
        except BaseException as error:  # the program gets it from the coordinator
            self.fail(error)
            return error
        if isinstance(self._results, RemoteValue):
            self._results._set(value)
        else:
            nest.map_structure(lambda result, part: result._set(part), self._results, value)
        return None

    def fail(self, error: BaseException) -> None:
        """Gives the results an error."""
        for result in nest.flatten(self._results):
            result._set(None, error)


class _Queue:
    """Calls that wait, and the threads that run them.

    Args:
        count: the number of threads.
    """

    def __init__(self, count: int) -> None:
        self._condition = threading.Condition()
        self._waiting: deque[_Closure] = deque()
        self._running = 0
        self._error: BaseException | None = None
        self._stopped = False
        self._threads = [
            threading.Thread(target=self._work, args=(index,), name=f"worker {index}", daemon=True)
            for index in range(count)
        ]
        for thread in self._threads:
            thread.start()
        _queues.add(self)

    def put(self, closure: _Closure) -> None:
        """Adds a call."""
        with self._condition:
            self._waiting.append(closure)
            self._condition.notify_all()

    def is_empty(self) -> bool:
        """Whether nothing waits or runs."""
        with self._condition:
            return not self._waiting and not self._running

    def wait(self) -> None:
        """Waits until nothing waits or runs."""
        with self._condition:
            self._condition.wait_for(lambda: not self._waiting and not self._running)

    def raise_error(self) -> None:
        """Raises the exception of a call that has failed, once, when no other call runs any more."""
        with self._condition:
            if self._error is None:
                return
            self._condition.wait_for(lambda: not self._running)
            error, self._error = self._error, None
        if error is not None:
            raise error

    def stop(self) -> None:
        """Lets the threads end after the calls that run."""
        with self._condition:
            self._stopped = True
            self._cancel()
            self._condition.notify_all()

    def end(self) -> None:
        """Waits for the threads, before the interpreter's state goes."""
        self.stop()
        for thread in self._threads:
            thread.join()

    def _cancel(self) -> None:
        while self._waiting:
            self._waiting.popleft().fail(
                errors.CancelledError._of(
                    "The function was cancelled before it began: another one has failed, or the "
                    "coordinator has gone. Schedule it again."
                )
            )

    def _work(self, index: int) -> None:
        _worker.index = index
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting or self._stopped)
                if self._stopped:
                    return
                closure = self._waiting.popleft()
                self._running += 1
            error = closure.run(index)
            del closure  # its arguments may be the last references to the coordinator
            with self._condition:
                self._running -= 1
                if error is not None:
                    self._error = self._error or error
                    self._cancel()
                self._condition.notify_all()
            del error


_queues: weakref.WeakSet[_Queue] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for queue in list(_queues):
        queue.end()

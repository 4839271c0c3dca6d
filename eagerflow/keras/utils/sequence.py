"""Sequence: data whose batches have indices; and queues that fetch batches ahead."""

from __future__ import annotations

import contextlib
import queue
import random
import threading
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from eagerflow.util import lazy

# Imported when it is first used: few programs have queues of their own.
sequence_workers = lazy.Module("eagerflow.keras.engine.training.sequence_workers")


class Sequence:
    """Base class of data for `fit` whose batches have indices; may be read by several threads.

    A subclass defines `__getitem__`, which returns a batch, and `__len__`. If its `on_epoch_end` changes
    it, `training_state` can return what has changed, as plain values and tensors, and
    `restore_training_state` take it, so that `BackupAndRestore` resumes training exactly.

    >>> class Squares(tf.keras.utils.Sequence):
    ...     def __len__(self):
    ...         return 2
    ...
    ...     def __getitem__(self, index):
    ...         x = np.arange(3) + 3 * index
    ...         return x, x**2
    >>> [y.tolist() for _, y in Squares()]
    [[0, 1, 4], [9, 16, 25]]
    """

    use_sequence_api = True

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """The batch at an index."""
        raise NotImplementedError(f"{type(self).__name__} must define `__getitem__`.")

    @abstractmethod
    def __len__(self) -> int:
        """The number of batches."""
        raise NotImplementedError(f"{type(self).__name__} must define `__len__`.")

    def on_epoch_end(self) -> None:
        """Called after each epoch."""

    def __iter__(self) -> Iterator[Any]:
        """All batches in order."""
        for index in range(len(self)):
            yield self[index]


class PyDataset(Sequence):
    """The name `Sequence` has in Keras 3.

    Args:
        workers: how many threads or processes read ahead.
        use_multiprocessing: whether they are processes.
        max_queue_size: how many batches are read ahead.
    """

    def __init__(
        self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10
    ) -> None:
        self.workers = workers
        self.use_multiprocessing = use_multiprocessing
        self.max_queue_size = max_queue_size

    @property
    def num_batches(self) -> int:
        """The number of batches."""
        return len(self)


class SequenceEnqueuer:
    """Base class of the queues.

    Args:
        sequence: where the batches come from.
        use_multiprocessing: whether other processes fetch them, rather than threads.
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence = sequence
        self.use_multiprocessing = use_multiprocessing
        self.workers = 0
        self.queue: Any = None
        self.stop_signal: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def is_running(self) -> bool:
        """Whether batches are being fetched."""
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts to fetch batches.

        Args:
            workers: the number of threads or processes.
            max_queue_size: the capacity of the queue.
        """
        self.workers = workers
        self.queue = queue.Queue(max_queue_size)
        self.stop_signal = threading.Event()
        self._thread = threading.Thread(target=self._fetch, daemon=True)
        self._thread.start()

    def stop(self, timeout: float | None = None) -> None:
        """Ends fetching; pending batches are dropped."""
        if self.stop_signal is None or self._thread is None:
            return
        self.stop_signal.set()
        while self._thread.is_alive():
            try:
                self.queue.get_nowait()
            except queue.Empty:
                self._thread.join(0.01)
            if timeout is not None:
                timeout -= 0.01
                if timeout <= 0:
                    break

    def _put(self, item: Any) -> bool:
        """Puts an item into the queue; False if the queue was stopped."""
        while self.is_running():
            try:
                self.queue.put(item, timeout=0.05)
            except queue.Full:
                continue
            return True
        return False

    def _fetch(self) -> None:
        try:
            self._run()
        except Exception as error:  # raised again in the thread that gets the item
            self._put(error)

    def _run(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} does not say how to fetch batches.")

    def _wait_until_taken(self) -> None:
        """Waits until the queue is empty or stopped."""
        with self.queue.all_tasks_done:
            while self.queue.unfinished_tasks and self.is_running():
                self.queue.all_tasks_done.wait(0.05)

    def get(self) -> Iterator[Any]:
        """The batches as they come."""
        while self.is_running():
            try:
                item = self.queue.get(timeout=0.5)
            except queue.Empty:  # perhaps another thread stopped the queue
                continue
            if item is None:
                return
            if isinstance(item, Exception):
                self.stop()
                raise item
            self.queue.task_done()
            yield item


class OrderedEnqueuer(SequenceEnqueuer):
    """Fetches the batches of a `Sequence` ahead, in order, epoch after epoch.

    Args:
        sequence: the `Sequence`.
        use_multiprocessing: whether other processes fetch them.
        shuffle: whether each epoch has another order.

    >>> queue = tf.keras.utils.OrderedEnqueuer([10, 20, 30])
    >>> queue.start(workers=2)
    >>> batches = queue.get()
    >>> [next(batches) for _ in range(4)]
    [10, 20, 30, 10]
    >>> queue.stop()
    """

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def _run(self) -> None:
        workers = sequence_workers.Workers(self.workers, self.use_multiprocessing, self.workers)
        while self.is_running():
            order = list(range(len(self.sequence)))
            if self.shuffle:
                random.shuffle(order)
            seeds = workers.round_seeds()
            with contextlib.closing(workers.fetch(self.sequence, order, seeds=seeds)) as batches:
                for batch in batches:
                    if not self._put(batch):
                        return
            # It may change the sequence, so no thread may still read it.
            self._wait_until_taken()
            if hasattr(self.sequence, "on_epoch_end"):
                self.sequence.on_epoch_end()


class GeneratorEnqueuer(SequenceEnqueuer):
    """Fetches the items of a generator ahead.

    Args:
        generator: the generator.
        use_multiprocessing: ignored: a generator lives in one process.

    >>> queue = tf.keras.utils.GeneratorEnqueuer(iter(range(3)))
    >>> queue.start()
    >>> list(queue.get())
    [0, 1, 2]
    """

    def __init__(
        self, generator: Any, use_multiprocessing: bool = False, random_seed: int | None = None
    ) -> None:
        super().__init__(generator, False)

    def _run(self) -> None:
        for item in self.sequence:
            if not self._put(item):
                return
        self._put(None)


class TimedThread:
    """Calls `on_interval`, which subclasses define, repeatedly in a thread.

    Args:
        interval: the time between calls in seconds.
        **kwargs: passed to the thread.
    """

    def __init__(self, interval: float, **kwargs: Any) -> None:
        self.interval = interval
        self.daemon = kwargs.pop("daemon", False)
        self.thread_kwargs = kwargs
        self.thread: threading.Thread | None = None
        self.thread_stop_event: threading.Event | None = None

    def _call_on_interval(self, stopped: threading.Event) -> None:
        while not stopped.wait(self.interval):
            self.on_interval()

    def start(self) -> None:
        """Starts the calls."""
        if self.is_alive():
            return
        self.thread_stop_event = threading.Event()
        self.thread = threading.Thread(
            target=self._call_on_interval,
            args=(self.thread_stop_event,),
            daemon=True,
            **self.thread_kwargs,
        )
        self.thread.start()

    def stop(self) -> None:
        """Ends the calls."""
        if self.thread_stop_event is not None:
            self.thread_stop_event.set()

    def is_alive(self) -> bool:
        """Whether there are still calls."""
        return self.thread is not None and self.thread.is_alive()

    def on_interval(self) -> None:
        """The function."""
        raise NotImplementedError("Runs every x interval seconds.")

    def __enter__(self) -> TimedThread:
        self.start()
        return self

    def __exit__(self, *details: Any) -> None:
        self.stop()

"""Queues of tensors, which several threads enqueue and dequeue."""

from __future__ import annotations

import heapq
import random
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.per_session import PerSession
from eagerflow.typing import ShapeLike

_ops = _core.ops


class _Contents:
    """The elements of a queue, and the waiting threads."""

    def __init__(self, name: str, capacity: int, min_after_dequeue: int, order: Any) -> None:
        self.name = name
        self._capacity = capacity if capacity >= 0 else float("inf")
        self._min_after_dequeue = min_after_dequeue
        self._order = order
        self._condition = threading.Condition()
        self.closed = False
        self._cancelled = False

    def __len__(self) -> int:
        return len(self._order)

    def put(self, element: tuple) -> None:
        with self._condition:
            while len(self._order) >= self._capacity and not self._cancelled:
                self._condition.wait()
            if self.closed and (self._cancelled or len(self._order) >= self._capacity):
                raise errors.CancelledError._of(f"Enqueue operation was cancelled: {self.name}")
            if self.closed:
                raise errors.CancelledError._of(f"{self.name} is closed.")
            self._order.put(element)
            self._condition.notify_all()

    def take(self, count: int, allow_fewer: bool = False) -> list[tuple]:
        with self._condition:
            elements: list[tuple] = []
            while len(self._order) < count - len(elements) + self._min_after_dequeue:
                if self.closed:
                    break
                if len(self._order) >= self._capacity:  # More are asked for than there is room for.
                    while len(self._order) > self._min_after_dequeue:
                        elements.append(self._order.take())
                    self._condition.notify_all()
                self._condition.wait()
            available = len(self._order) + len(elements)
            if available < count and not (allow_fewer and available):
                self._order.put_back(elements)
                raise errors.OutOfRangeError._of(
                    f"{self.name} is closed and has insufficient elements "
                    f"(requested {count}, current size {available})"
                )
            while len(elements) < min(count, available):
                elements.append(self._order.take())
            self._condition.notify_all()
            return elements

    def close(self, cancel_pending: bool = False) -> None:
        with self._condition:
            self.closed = True
            self._cancelled = self._cancelled or cancel_pending
            self._condition.notify_all()

    def end(self) -> None:
        """Wakes all waiting threads, as the session is closed."""
        self.close(cancel_pending=True)


class _Fifo(deque):
    put = deque.append
    take = deque.popleft

    def put_back(self, elements: list[tuple]) -> None:
        self.extendleft(reversed(elements))


class _Shuffled(list):
    def __init__(self, seed: int | None) -> None:
        super().__init__()
        self._random = random.Random(seed)

    put = list.append
    put_back = list.extend

    def take(self) -> Any:
        k = self._random.randrange(len(self))
        self[k], self[-1] = self[-1], self[k]
        return self.pop()


class _Heap(list):
    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def put(self, element: tuple) -> None:
        self._count += 1
        heapq.heappush(self, (int(element[0]), self._count, element))

    def put_back(self, elements: list[tuple]) -> None:
        for element in elements:
            self.put(element)

    def take(self) -> Any:
        return heapq.heappop(self)[2]


class QueueBase(PerSession):
    """Base class of queues; see `FIFOQueue`."""

    # Whether elements may have sizes that are filled up in batches.
    _pads = False

    def __init__(
        self,
        dtypes_of: Any,
        shapes: Any,
        names: Sequence[str] | None,
        name: str,
        capacity: int,
        make: Callable[[], Any],
        min_after_dequeue: int = 0,
    ) -> None:
        listed = dtypes_of if isinstance(dtypes_of, list | tuple) else [dtypes_of]
        self._dtypes = [dtypes.as_dtype(dtype) for dtype in listed]
        if shapes is None:
            self._shapes = [TensorShape(None) for _ in self._dtypes]
        else:
            shapes = _listed(shapes)
            if len(shapes) != len(self._dtypes):
                raise ValueError(
                    "Queue shapes must have the same length as dtypes, "
                    f"received len(shapes)={len(shapes)}, len(dtypes)={len(self._dtypes)}"
                )
            self._shapes = [TensorShape(shape) for shape in shapes]
            if not self._pads and not all(one.is_fully_defined() for one in self._shapes):
                raise ValueError(f"All shapes must be fully defined: {self._shapes}")
            if any(one.rank is None for one in self._shapes):
                raise ValueError(f"All shapes must have a defined rank: {self._shapes}")
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError(
                "Queue names must have the same length as dtypes, "
                f"received len(names)={len(names)}, len(dtypes)={len(self._dtypes)}"
            )
        self._names = list(names) if names is not None else None
        self._capacity, self._min_after_dequeue, self._make = capacity, min_after_dequeue, make
        self._place(name)

    def _new(self) -> _Contents:
        return _Contents(
            f"{type(self).__name__} '{self._name}'",
            self._capacity,
            self._min_after_dequeue,
            self._make(),
        )

    @property
    def dtypes(self) -> list[dtypes.DType]:
        """The dtypes of the elements' components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the elements' components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the elements' components, or None."""
        return self._names

    def _components(self, vals: Any) -> list[Any]:
        """The components of an element, passed as a tensor, a list or a dictionary."""
        if isinstance(vals, dict):
            if self._names is None or sorted(self._names) != sorted(vals):
                raise ValueError(
                    f"Keys in dictionary to enqueue do not match names: {sorted(vals)}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names is not None:
            raise ValueError("Must enqueue a dictionary in a queue with names.")
        if not isinstance(vals, list | tuple):
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise ValueError(
                f"Unexpected number of components: {len(vals)}; the queue has {len(self._dtypes)}"
            )
        return list(vals)

    def _converted(self, values: list[Any], many: bool = False) -> tuple:
        parts = []
        for value, dtype, shape in zip(values, self._dtypes, self._shapes, strict=True):
            part = _core.convert(value, dtype, None)
            inner = part.shape[1:] if many else part.shape
            if not shape.is_compatible_with(inner):
                raise errors.InvalidArgumentError._of(
                    f"Shape mismatch in a component of an element for {self._name}. "
                    f"Expected {shape}, got {inner}"
                )
            parts.append(part)
        return tuple(parts)

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Enqueues an element, once there is room.

        Raises:
            tf.errors.CancelledError: if the queue is closed.
        """

        def put(values: list[_core.Tensor]) -> None:
            self._contents().put(self._converted(values))

        return self._run_or_record("enqueue", put, (self._components(vals),))

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Enqueues all slices along the first axis, in order."""

        def put(values: list[Any]) -> None:
            contents = self._contents()
            parts = self._converted(values, many=True)
            for element in zip(*(_ops.unstack(part) for part in parts), strict=True):
                contents.put(element)

        return self._run_or_record("enqueue_many", put, (self._components(vals),))

    def _as_element(self, parts: Sequence[object]) -> Any:
        if self._names is not None:
            return dict(zip(self._names, parts, strict=True))
        return parts[0] if len(parts) == 1 else list(parts)

    def dequeue(self, name: str | None = None) -> _core.Tensor | list[_core.Tensor]:
        """Dequeues an element, once there is one.

        Raises:
            tf.errors.OutOfRangeError: if the queue is closed and empty.
        """

        def take() -> _core.Tensor | list[_core.Tensor]:
            return self._as_element(list(self._contents().take(1)[0]))

        specs = [TensorSpec(s, d) for s, d in zip(self._shapes, self._dtypes, strict=True)]
        return self._run_or_record("dequeue", take, (), self._as_element(specs))

    def dequeue_many(self, n: Any, name: str | None = None) -> _core.Tensor | list[_core.Tensor]:
        """Dequeues `n` elements, as slices along a first axis."""
        return self._dequeue_batch("dequeue_many", n, allow_fewer=False)

    def dequeue_up_to(self, n: Any, name: str | None = None) -> _core.Tensor | list[_core.Tensor]:
        """Dequeues `n` elements, or the remaining ones of a closed queue."""
        return self._dequeue_batch("dequeue_up_to", n, allow_fewer=True)

    def _dequeue_batch(self, kind: str, n: Any, allow_fewer: bool) -> Any:
        for shape in self._shapes:
            if not self._can_be_batched(shape):
                raise ValueError(
                    f"Cannot {kind}: the shapes of the elements of {self._name} are unknown."
                )

        def take(count: Any) -> _core.Tensor | list[_core.Tensor]:
            elements = self._contents().take(int(count), allow_fewer)
            return self._as_element(
                [self._batched(list(part)) for part in zip(*elements, strict=True)]
            )

        first = None if allow_fewer or not isinstance(n, int) else n
        specs = [
            TensorSpec(TensorShape([first]).concatenate(shape), dtype)
            for shape, dtype in zip(self._shapes, self._dtypes, strict=True)
        ]
        return self._run_or_record(kind, take, (n,), self._as_element(specs))

    def _can_be_batched(self, shape: TensorShape) -> bool:
        return shape.is_fully_defined()

    def _batched(self, parts: list[_core.Tensor]) -> _core.Tensor:
        return _ops.stack(parts, 0)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Closes the queue; its elements can still be dequeued."""
        return self._run_or_record(
            "Close", lambda: self._contents().close(cancel_pending_enqueues), ()
        )

    def is_closed(self, name: str | None = None) -> Any:
        """Whether the queue is closed."""
        return self._run_or_record(
            "is_closed",
            lambda: _core.as_tensor(self._contents().closed),
            (),
            TensorSpec([], dtypes.bool),
        )

    def size(self, name: str | None = None) -> Any:
        """The number of elements in the queue."""
        return self._run_or_record(
            "size",
            lambda: _core.convert(len(self._contents()), dtypes.int32, None),
            (),
            TensorSpec([], dtypes.int32),
        )


def _listed(shapes: Any) -> list[ShapeLike]:
    """A list of shapes as it is, and a shape as a list of one."""
    is_list = isinstance(shapes, list | tuple) and len(shapes) > 0
    if is_list and all(not isinstance(s, int | np.integer) and s is not None for s in shapes):
        return list(shapes)
    return [shapes]


class FIFOQueue(QueueBase):
    """A first-in, first-out queue.

    Args:
        capacity: the maximal number of elements; enqueue operations wait when it is full.
        dtypes: the element type of each part of an element, or one.
        shapes: their shapes; needed to take several elements out at once.
        names: their names: elements are dictionaries then.
        name: the queue's name.

    >>> queue = tf.queue.FIFOQueue(3, tf.int32, shapes=[[]])
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> queue.dequeue().numpy(), queue.dequeue_many(2).numpy().tolist()
    (np.int32(1), [2, 3])
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names, name, capacity, _Fifo)


class PaddingFIFOQueue(QueueBase):
    """A queue in order, for elements of several sizes: where they are taken out together, they are
    padded with zeros.

    Args:
        capacity: the maximal number of elements.
        dtypes: the element type of each part of an element.
        shapes: their shapes, in which sizes may be None.
        names: their names.
        name: the queue's name.
    """

    _pads = True

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names, name, capacity, _Fifo)

    def _can_be_batched(self, shape: TensorShape) -> bool:
        return shape.rank is not None

    def _batched(self, parts: list[_core.Tensor]) -> _core.Tensor:
        largest = np.max([part._shape_tuple() for part in parts], axis=0).astype(int).tolist()
        padded = []
        for part in parts:
            array = part.numpy()
            fill = b"" if part.dtype.name == "string" else 0
            widths = [(0, new - old) for new, old in zip(largest, array.shape, strict=True)]
            padded.append(np.pad(array, widths, constant_values=fill) if largest else array)
        return _core.convert(np.stack(padded), parts[0].dtype, None)


class RandomShuffleQueue(QueueBase):
    """A queue whose elements are dequeued in random order.

    Args:
        capacity: the maximal number of elements.
        min_after_dequeue: the number of elements that stay in the queue to be mixed.
        dtypes: the element type of each part of an element.
        shapes: their shapes.
        names: their names.
        seed: of the random order.
        name: the queue's name.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Sequence[str] | None = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        seeds = random_seed.get_seed(seed)
        chosen = None if seeds[0] is None and seeds[1] is None else hash(seeds)
        super().__init__(
            dtypes, shapes, names, name, capacity, lambda: _Shuffled(chosen), min_after_dequeue
        )


class PriorityQueue(QueueBase):
    """A queue whose elements are dequeued by their first component, an int64 scalar: smallest first.

    Args:
        capacity: the maximal number of elements.
        types: the element types of the parts after the first.
        shapes: their shapes.
        names: the names of all parts.
        name: the queue's name.
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        more = list(types) if isinstance(types, list | tuple) else [types]
        if shapes is None:
            listed: Any = None
        else:
            listed = [(), *(_listed(shapes) if more else shapes)]
        super().__init__([dtypes.int64, *more], listed, names, name, capacity, _Heap)

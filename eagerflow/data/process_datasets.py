"""Datasets whose elements worker processes make: a generator's, and the results of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import AUTOTUNE, flag, integer, invalid, positive
from eagerflow.data.batching import Stacker
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.processes import Answers, Processes, opened, seed_all
from eagerflow.data.seeds import SeedSequence, operation_seeds
from eagerflow.data.sources import Fitter, GeneratorDataset, check_signature
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ops.host_functions import error_of_python_code
from eagerflow.typing import Structure

# How many messages a process has at a time: one that it works on, and others that wait for it.
_ROOM = 4
# How many elements of a batch a message asks for at most. More would leave processes idle in short passes.
_ELEMENTS = 8
# Larger batches are stacked when their elements are there: they may be smaller than they might be.
_LARGEST_BATCH = 1 << 28


def _is_number(dtype: dtypes.DType) -> bool:
    """Whether NumPy and the engine have the same bits for such values."""
    return dtype.is_numpy_compatible and np.dtype(dtype.as_numpy_dtype).kind in "iufc"


def _are_numbers(spec: Structure) -> bool:
    """Whether the values are dense tensors of such numbers."""
    return all(
        type(leaf) is TensorSpec and _is_number(leaf.dtype) for leaf in structure.flatten(spec)
    )


def _arrays(spec: Structure) -> Callable[[Any], list[Any]]:
    """The function that lists the NumPy values of an element's tensors."""
    take = structure.taker(spec)
    return lambda element: [tensor.numpy() for tensor in take(element)]


def _tensors(spec: Structure) -> Callable[[list[Any]], Any]:
    """The function that makes an element of what `_arrays` lists."""
    pack = structure.packer(spec)
    kinds = [part.dtype for leaf in structure.flatten(spec) for part in leaf.flatten()]

    def make(arrays: list[Any]) -> Any:
        return pack(
            [_core.convert(array, dtype, None) for array, dtype in zip(arrays, kinds, strict=True)]
        )

    return make


def _fitting_arrays(spec: Structure) -> Callable[[Any], list[np.ndarray] | None]:
    """The function that lists the arrays of a value that fits as it is; None for other values."""
    if not _are_numbers(spec):
        return lambda value: None
    declared = [
        (np.dtype(leaf.dtype.as_numpy_dtype), None if leaf.shape.rank is None else leaf.shape._dims)
        for leaf in structure.flatten(spec)
    ]
    single = type(spec) is TensorSpec

    def arrays(value: Any) -> list[np.ndarray] | None:
        try:
            parts = [value] if single else structure.flatten_up_to(spec, value)
        except (TypeError, ValueError):
            return None
        for part, (dtype, dims) in zip(parts, declared, strict=True):
            if type(part) is not np.ndarray or part.dtype != dtype:
                return None
            if dims is not None and (
                len(dims) != part.ndim
                or any(dim not in (None, size) for dim, size in zip(dims, part.shape, strict=True))
            ):
                return None
        return [part if part.flags.c_contiguous else np.ascontiguousarray(part) for part in parts]

    return arrays


class _Row(NamedTuple):
    """An element that has been written into its batch."""

    columns: list[tuple[Any, np.ndarray]]
    place: int


class _Rows:
    """Writes arrays of elements into the rows of their batch, so that they are copied once.

    Args:
        spec: the specs of the elements, all of them TensorSpecs.
        size: how many elements make a batch.
    """

    def __init__(self, spec: Structure, size: int) -> None:
        self._spec = spec
        self._size = size
        self._pack = structure.packer(spec)
        self._element = _tensors(spec)
        self._stack = Stacker(spec)
        self._dtypes = [leaf.dtype for leaf in structure.flatten(spec)]
        self._columns: list[tuple[Any, np.ndarray]] = []
        self._count = 0

    def read(self, arrays: list[np.ndarray]) -> Any:
        """An element: its row, or the element itself."""
        if not self._columns or self._count == self._size:
            if self._size * sum(array.nbytes for array in arrays) > _LARGEST_BATCH:
                return self._element(arrays)
            self._columns = [
                _core.unwritten([self._size, *array.shape], dtype)
                for array, dtype in zip(arrays, self._dtypes, strict=True)
            ]
            self._count = 0
        for array, (_, rows) in zip(arrays, self._columns, strict=True):
            if array.shape != rows.shape[1:]:
                return self._element(arrays)
        for array, (_, rows) in zip(arrays, self._columns, strict=True):
            rows[self._count] = array
        self._count += 1
        return _Row(self._columns, self._count - 1)

    def __call__(self, elements: list[Any]) -> Any:
        """The batch of some elements.

        Raises:
            tf.errors.InvalidArgumentError: if shapes differ.
        """
        columns, self._columns = self._columns, []
        if all(
            type(each) is _Row and each.columns is columns and each.place == k
            for k, each in enumerate(elements)
        ):
            tensors = [tensor for tensor, _ in columns]
            if len(elements) < self._size:
                tensors = [tensor[: len(elements)] for tensor in tensors]
            return self._pack(tensors)
        return self._stack(
            [
                self._pack([tensor[each.place] for tensor, _ in each.columns])
                if type(each) is _Row
                else each
                for each in elements
            ]
        )


class _Calls:
    """What a process does: calls of a function of the program, whose results become arrays.

    Args:
        function: the function.
        spec: the specs of its results.
        who: the function's name in messages.
        gave: how it gives a result.
        seeds: those of this iteration.
    """

    def __init__(
        self, function: Callable[..., Any], spec: Structure, who: str, gave: str, seeds: Any
    ) -> None:
        self.function = function
        self.spec = spec
        self.who, self.gave = who, gave
        self.seeds = seeds

    def results(self) -> Callable[..., list[Any]]:
        """A function that calls another one, and returns its result as arrays."""
        fit, take = Fitter(self.spec, self.who, self.gave), _arrays(self.spec)
        fitting = _fitting_arrays(self.spec)

        def result(call: Callable[..., Any], *args: Any) -> list[Any]:
            try:
                value = call(*args)
                arrays = fitting(value)
                return take(fit(value)) if arrays is None else arrays
            except StopIteration:
                raise
            except Exception as error:
                raise error_of_python_code(error) from None  # its message has the traceback

        return result


class _Generator(_Calls):
    """Runs the program's generator: the answer to each request is its next element.

    Args:
        *calls: see `_Calls`.
        args: the generator's arguments.
        counts: how many elements of each process have been read before.
    """

    def __init__(self, *calls: Any, args: tuple[Any, ...], counts: list[int]) -> None:
        super().__init__(*calls)
        self.args = args
        self.counts = counts

    def __call__(self, index: int) -> Callable[[object], list[Any]]:
        workers = len(self.counts)
        share = {"worker": index, "workers": workers} if workers > 1 else {}
        result = self.results()
        iterator: Any = None

        def following() -> Any:
            nonlocal iterator
            if iterator is None:
                seed_all((*self.seeds, index))
                iterator = iter(())  # if there is an error now, there are no elements
                iterator = iter(self.function(*self.args, **share))
                for _ in range(self.counts[index]):
                    _pass_over(iterator)
            return next(iterator)

        return lambda request: result(following)


def _pass_over(iterator: Iterator[Any]) -> None:
    """Leaves out an element, or an error in its place."""
    try:
        next(iterator, None)
    except Exception:
        pass


class _Function(_Calls):
    """Calls the program's function with an element: a request is its position and its arrays.

    Args:
        *calls: see `_Calls`.
        element: the specs of the elements.
    """

    def __init__(self, *calls: Any, element: Structure) -> None:
        super().__init__(*calls)
        self.element = element

    def __call__(self, index: int) -> Callable[[tuple[int, list[Any]]], list[Any]]:
        result, element = self.results(), self.element
        specs = structure.flatten(element)

        def called(request: tuple[int, list[Any]]) -> Any:
            position, arrays = request
            seed_all((*self.seeds, position))
            remaining = iter(arrays)
            value = structure.pack(element, [_value(spec, remaining) for spec in specs])
            args = value if type(value) is tuple else (value,)
            try:
                return self.function(*args)
            except StopIteration as error:
                raise RuntimeError("The function has raised StopIteration.") from error

        return lambda request: result(called, request)


def _value(spec: TypeSpec, remaining: Iterator[Any]) -> Any:
    """A part of an element as the program's function gets it: a NumPy value, or a composite tensor."""
    if isinstance(spec, TensorSpec):
        return next(remaining)
    parts = spec.flatten()
    return spec.from_tensors(_core.convert(next(remaining), part.dtype, None) for part in parts)


class _Settings:
    """The arguments of worker processes.

    Args:
        workers: their number, or AUTOTUNE.
        deterministic: whether elements keep their order; None if the options say so.
        timeout: how many seconds to wait for an element, or None.

    Raises:
        ValueError: if there is no number.
        tf.errors.InvalidArgumentError: if a number is not above zero.
    """

    def __init__(self, workers: Any, deterministic: bool | None, timeout: float | None) -> None:
        if workers is None:
            raise ValueError(
                "`timeout` and `output_signature` need `workers`: without them, functions are traced, and "
                "no process can be ended."
            )
        self._workers = integer(workers, "workers")
        if self._workers != AUTOTUNE:
            positive(self._workers, "workers")
        if timeout is not None and not timeout > 0:
            raise invalid(f"timeout must be greater than zero. Got {timeout}.")
        self._deterministic = flag(deterministic, "deterministic")
        self.timeout = timeout
        self.seeds = SeedSequence(operation_seeds(None), True)

    @property
    def several(self) -> bool:
        """Whether there may be more than one."""
        return self._workers != 1

    def count(self, context: Context) -> int:
        """The number of processes."""
        return context.threads if self._workers == AUTOTUNE else self._workers

    def ordered(self, context: Context) -> bool:
        """Whether elements keep their order."""
        return context.deterministic if self._deterministic is None else self._deterministic

    def __str__(self) -> str:
        if self._workers == AUTOTUNE:
            return "a worker process for each core"
        return f"{self._workers} worker process{'es' if self._workers > 1 else ''}"


class ProcessGeneratorDataset(GeneratorDataset):
    """The elements of a Python generator that runs in other processes.

    Args:
        generator: the generator function.
        spec: the specs of the elements.
        args: its arguments, as tensors.
        *settings: see `_Settings`.
    """

    _has_state = True

    def __init__(
        self, generator: Callable[..., Any], spec: Any, args: tuple[Any, ...], *settings: Any
    ) -> None:
        super().__init__(generator, spec, args)
        self._settings = _Settings(*settings)
        if self._settings.several:
            _check_shares(generator)

    def _cursor(self, context: Context) -> Cursor:
        args = tuple([value.numpy() for value in self._args])
        calls = (self._generator, self._declared, "`generator`", "yielded")
        return ProcessGeneratorCursor(self._settings, context, calls, args)

    def _how(self) -> str:
        return str(self._settings)


def _check_shares(generator: Callable[..., Any]) -> None:
    """Raises a TypeError for a generator that cannot divide its elements among processes."""
    try:
        inspect.signature(generator).bind_partial(worker=0, workers=1)
    except TypeError:
        raise TypeError(
            "With several workers, each process runs the generator, and would yield all elements. Let "
            "`generator` have the keyword arguments `worker` and `workers`, and yield a part: for "
            "instance the elements `range(worker, count, workers)`. If only a part of the work is slow, "
            "move it into `Dataset.map(..., workers=)`."
        ) from None
    except ValueError:  # a function that does not tell its signature
        return


class ProcessGeneratorCursor(Cursor):
    """Reads the elements of several processes, by turns or as they come."""

    __slots__ = (
        "_args",
        "_calls",
        "_counts",
        "_ordered",
        "_processes",
        "_read",
        "_running",
        "_seeds",
        "_settings",
    )

    def __init__(
        self, settings: _Settings, context: Context, calls: tuple[Any, ...], args: tuple[Any, ...]
    ) -> None:
        self._settings = settings
        self._calls = calls
        self._args = args
        self._seeds = settings.seeds.next()
        self._ordered = settings.ordered(context)
        self._read = _tensors(calls[1])
        # How many elements each process has given, and the processes that have more, the next one first.
        self._counts = [0] * settings.count(context)
        self._running = list(range(len(self._counts)))
        self._processes: Processes | None = None

    def _start(self) -> Processes:
        work = _Generator(*self._calls, self._seeds, args=self._args, counts=list(self._counts))
        self._processes = processes = Processes(work, len(self._counts), _ROOM)
        with processes.unbroken():
            for worker in self._running * _ROOM:
                processes.ask(worker, [None])
        return processes

    def __next__(self) -> Structure:
        while self._running:
            processes = self._processes or self._start()
            if processes.failed:
                break
            asked = self._running[:1] if self._ordered else self._running
            worker = processes.wait(asked, self._settings.timeout)
            with processes.unbroken():
                self._running.remove(worker)
                try:
                    element = opened(*processes.answers(worker, self._read))
                except StopIteration:
                    continue
                except Exception:
                    if not processes.closed:
                        self._go_on(processes, worker)
                    raise
                self._go_on(processes, worker)
                return element
        if self._processes is not None:
            self._processes.close()
        raise StopIteration

    def _go_on(self, processes: Processes, worker: int) -> None:
        """Has a process that has given an element go on."""
        self._counts[worker] += 1
        self._running.append(worker)
        processes.ask(worker, [None])

    def state(self) -> Any:
        return {
            "counts": list(self._counts),
            "running": list(self._running),
            "seeds": [list(self._seeds), self._settings.seeds.position()],
        }

    def restore(self, state: Any) -> None:
        self._counts, self._running = list(state["counts"]), list(state["running"])
        seeds, position = state["seeds"]
        self._seeds = tuple(seeds)
        self._settings.seeds.go_to(position)


def mapped(
    source: Dataset, function: Any, output_signature: Any, num_parallel_calls: Any, *settings: Any
) -> ProcessMapDataset:
    """The dataset for `Dataset.map` with worker processes.

    Raises:
        ValueError: if the function cannot be called, or its results are not described; if there are to be
            threads, too.
    """
    if num_parallel_calls is not None:
        raise ValueError(
            "Pass either `num_parallel_calls`, for threads, or `workers`, for processes."
        )
    if not callable(function):
        raise ValueError(
            f"Argument `map_func` must be a callable. Received map_func={function} "
            f"(of type {type(function)})"
        )
    if output_signature is None:
        raise ValueError(
            "With `workers`, `map_func` is not traced: `output_signature` must have the specs of its "
            "results, as `tf.TensorSpec([224, 224, 3], tf.uint8)`."
        )
    check_signature(output_signature)
    return ProcessMapDataset(source, function, output_signature, *settings)


class ProcessMapDataset(UnaryDataset):
    """The results of a Python function for each element, which worker processes compute.

    Args:
        source: the dataset of the elements.
        function: the function.
        spec: the specs of its results.
        *settings: see `_Settings`.
    """

    _has_state = True

    def __init__(
        self, source: Dataset, function: Callable[..., Any], spec: Any, *settings: Any
    ) -> None:
        super().__init__(source)
        self._python_function = function
        self._declared = spec
        self._settings = _Settings(*settings)

    def _cursor(self, context: Context) -> Cursor:
        calls = (self._python_function, self._declared, "`map_func`", "returned")
        source = self._input._cursor(context)
        return ProcessMapCursor(source, self._settings, context, calls, self._input.element_spec)

    def _make_spec(self) -> Structure:
        return self._declared

    def _details(self) -> str:
        function = self._python_function
        return getattr(function, "__qualname__", None) or type(function).__qualname__

    def _how(self) -> str:
        return str(self._settings)


class _Requests:
    """The requests of a map: the elements of a cursor as arrays, and their positions."""

    def __init__(self, source: Cursor, element: Structure) -> None:
        self.source = source
        self.count = 0  # the elements that have been read
        self.again: list[Any] = []  # what a restored cursor asks again
        self._arrays = _arrays(element)

    def __iter__(self) -> _Requests:
        return self

    def __next__(self) -> tuple[int, list[Any]]:
        if self.again:
            return self.again.pop(0)
        element = next(self.source)
        position, self.count = self.count, self.count + 1
        return position, self._arrays(element)


class ProcessMapCursor(Cursor):
    """Sends the elements of another cursor to processes, and reads the results."""

    __slots__ = (
        "_answers",
        "_calls",
        "_element",
        "_ordered",
        "_read",
        "_requests",
        "_seeds",
        "_settings",
        "_size",
        "_workers",
    )

    def __init__(
        self,
        source: Cursor,
        settings: _Settings,
        context: Context,
        calls: tuple[Any, ...],
        element: Structure,
    ) -> None:
        self._requests = _Requests(source, element)
        self._settings = settings
        self._calls = calls
        self._element = element
        self._seeds = settings.seeds.next()
        self._workers = settings.count(context)
        self._ordered = settings.ordered(context)
        self._answers: Answers | None = None
        self._read = _tensors(calls[1])
        self._size = 1  # the elements that a message asks for

    def row_stacker(self, size: int) -> Any:
        if self._settings.timeout is None:
            self._size = max(1, min(size // self._workers, _ELEMENTS))
        if not _are_numbers(self._calls[1]):
            return None
        rows = _Rows(self._calls[1], size)
        self._read = rows.read
        return rows

    def _start(self) -> Answers:
        work = _Function(*self._calls, self._seeds, element=self._element)
        self._answers = Answers(
            Processes(work, self._workers, _ROOM),
            self._requests,
            self._ordered,
            self._read,
            self._settings.timeout,
            self._size,
        )
        return self._answers

    def __next__(self) -> Structure:
        return next(self._answers or self._start())

    def state(self) -> object:
        requests = self._requests
        sent = [] if self._answers is None else self._answers.unanswered()
        return {
            "input": requests.source.state(),
            "count": requests.count,
            "pending": [
                [position, *map(_core.as_tensor, arrays)]
                for position, arrays in [*sent, *requests.again]
            ],
            "seeds": [list(self._seeds), self._settings.seeds.position()],
        }

    def restore(self, state: Any) -> None:
        requests = self._requests
        requests.source.restore(state["input"])
        requests.count = state["count"]
        requests.again = [
            (position, [tensor.numpy() for tensor in tensors])
            for position, *tensors in state["pending"]
        ]
        seeds, position = state["seeds"]
        self._seeds = tuple(seeds)
        self._settings.seeds.go_to(position)

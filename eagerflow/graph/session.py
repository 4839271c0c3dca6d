"""Sessions, which hold the values of variables and run parts of graphs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.config.device_attributes import list_local_devices
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import context
from eagerflow.framework.composite import CompositeTensor, SparseTensorValue
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from eagerflow.framework.variable import Variable
from eagerflow.graph.graph import Operation
from eagerflow.graph.variables import GraphVariable
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.ragged.value import RaggedTensorValue
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import Array, Structure
from eagerflow.util import lazy

# Few programs run sessions in parts.
partial_runs = lazy.Module("eagerflow.graph.partial_runs")


class _Default(threading.local):
    def __init__(self) -> None:
        self.stack: list[BaseSession] = []
        self.running: BaseSession | None = None


_default = _Default()


def get_default_session() -> Any:
    """The innermost session that was made the default, or None."""
    return _default.stack[-1] if _default.stack else None


def running_session() -> BaseSession:
    """The session for which this thread runs a graph."""
    assert _default.running is not None
    return _default.running


def session_for(session: BaseSession | None, element: object, action: str) -> Any:
    """The argument, or else the default session.

    Raises:
        ValueError: if there is none.
    """
    session = session or get_default_session()
    if session is None:
        raise ValueError(
            f"Cannot {action} {element!r}: No default session is registered. Use `with "
            f"sess.as_default()` or pass an explicit session to `{action}(session=sess)`"
        )
    return session


_provider: Callable[[], Any] | None = None


def provide_session(provider: Callable[[], object]) -> None:
    """Sets the function that returns a session for checkpoints if there is no default session."""
    global _provider
    _provider = provider


def session_of_objects(session: BaseSession | None, element: object, action: str) -> Any:
    """The argument, or else the default session, or else Keras's session.

    Raises:
        ValueError: if there is none.
    """
    session = session or get_default_session()
    if session is None and _provider is not None:
        session = _provider()
    return session_for(session, element, action)


def _has_fixed_element(fetch: object) -> bool:
    """Whether the same tensor or operation is run whenever this is fetched.

    What a variable that wraps another one stands for is its class's business.
    """
    return not isinstance(fetch, Variable) or fetch.handle.variable is fetch


class BaseSession:
    """The base of sessions.

    Args:
        target: must be empty: there are no other processes to run in.
        graph: the graph to be run; by default the default graph.
        config: accepted; a `tf.compat.v1.ConfigProto`.
    """

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        if target:
            raise ValueError(f"Sessions run in this process only, got target {target!r}.")
        self._graph = graph or context.default_graph()
        self._config = config
        self._closed = False
        self._entered: list[Any] = []
        # What queues, readers and iterators keep, by their identities.
        self._storage: dict[Any, Any] = {}
        self._kept: list[Any] = []
        self._store = _core.VariableStore()
        self._plans: dict[tuple, _Planned] = {}
        self._partial_runs: dict[str, Any] = {}

    @property
    def graph(self) -> Any:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """An empty string: the session runs in this process."""
        return ""

    def close(self) -> None:
        """Forgets the variables' values."""
        self._closed = True
        for kept in list(self._storage.values()):
            if hasattr(kept, "end"):
                kept.end()  # ends the wait of threads for elements of a queue
        self._storage.clear()
        self._store.clear()
        self._kept.clear()

    def as_default(self) -> _AsDefault:
        """A context manager that makes `eval` and `run` use this session."""
        return _AsDefault(self)

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: object = None
    ) -> Any:
        """Runs the nodes that `fetches` depend on.

        Args:
            fetches: a tensor, variable, operation or name, or a nested structure of them.
            feed_dict: values for tensors, usually placeholders.
            options: accepted.

        Returns:
            A structure like `fetches`, of arrays; None for operations.

        Raises:
            RuntimeError: if the session is closed.
            TypeError: if a fetched or fed object is not part of a graph.
            ValueError: if it is part of another graph, or a value does not fit.
            tf.errors.InvalidArgumentError: if a placeholder has no value.
            tf.errors.FailedPreconditionError: if a variable has not been initialized.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        listed = type(fetches) in (list, tuple)
        key: tuple | None
        try:
            key = type(fetches), tuple(fetches) if listed else fetches, tuple(feed_dict or ())
            planned = self._plans.get(key)
        except TypeError:  # there are structures, or symbolic tensors of models
            key, planned = None, None
        if planned is None or not planned.plan.is_valid:
            planned = self._planned(fetches, feed_dict or {})
            if key is not None and all(map(_has_fixed_element, nest.flatten(fetches))):
                self._plans[key] = planned
        values = planned.fed(feed_dict) if feed_dict else []
        outer, _default.running = _default.running, self
        try:
            found = planned.plan.run(self._store, values)
            if planned.last is not None:
                planned.read_last(self._store, found)
        finally:
            _default.running = outer
        return planned.pack(found)

    def _planned(self, fetches: Structure, feed_dict: Mapping[object, object]) -> _Planned:
        """The plan for what is fetched and fed; it is kept."""
        context.process.graphs_run = True
        if not len(self._graph) and not isinstance(fetches, _core.Variable):
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        references: list[Any] = []

        def element(leaf: object) -> _core.Tensor | Operation:
            found = self._element(leaf)
            if isinstance(leaf, GraphVariable) and not leaf._is_resource:
                references.append(found)
            return found

        elements, pack = _flattened(fetches, element)
        feeds = [part for key in feed_dict for part in self._fed_elements(key)]
        key = (None, tuple(elements), tuple(feeds), tuple(references))
        known = self._plans.get(key)
        if known is None or not known.plan.is_valid:
            known = self._plans[key] = _Planned(self._graph, elements, feeds, references)
        return known.packed_by(pack)

    def _element(self, leaf: object) -> _core.Tensor | Operation:
        """The tensor or operation that is fetched."""
        if leaf is None:
            raise TypeError(
                'Argument `fetch` = None has invalid type "NoneType". Cannot be None: fetch a tensor, an '
                "operation or a name."
            )
        try:
            return self._graph.as_graph_element(leaf)
        except TypeError:
            raise TypeError(
                f"Fetch argument {leaf!r} has invalid type {type(leaf).__name__}, must be a string "
                f"or Tensor. (Can not convert a {type(leaf).__name__} into a Tensor or Operation.)"
            ) from None
        except (ValueError, KeyError) as error:
            text = error.args[0] if error.args else error
            raise ValueError(
                f"Fetch argument {leaf!r} cannot be interpreted as a Tensor. ({text})"
            ) from None

    def _fed_elements(self, key: Any) -> list[Any]:
        """The tensors of a key of `feed_dict`."""
        try:
            return [
                self._graph.as_graph_element(part, allow_operation=False)
                for part in nest.flatten(key, expand_composites=True)
            ]
        except (ValueError, KeyError, TypeError) as error:
            text = error.args[0] if error.args else error
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None

    def partial_run_setup(self, fetches: Any, feeds: Sequence[Any] | None = None) -> str:
        """Prepares a run in parts.

        Args:
            fetches: all that the parts will fetch.
            feeds: the tensors for which they will have values.

        Returns:
            A handle for `partial_run`.

        Raises:
            TypeError: if a fetched or fed object is not part of a graph.
            tf.errors.InvalidArgumentError: if nothing is to be fetched.

        >>> with tf.compat.v1.Graph().as_default():
        ...     x, y = (tf.compat.v1.placeholder(tf.float32, []) for _ in range(2))
        ...     first = x + 1.0
        ...     second = first * y
        ...     with tf.compat.v1.Session() as session:
        ...         handle = session.partial_run_setup([first, second], [x, y])
        ...         value = session.partial_run(handle, first, {x: 1.0})
        ...         print(session.partial_run(handle, second, {y: value}))
        4.0
        """
        run = partial_runs.PartialRun(self, fetches, feeds or ())
        if run.is_complete:
            raise InvalidArgumentError._of("Must specify at least one target to fetch or execute.")
        handle = f"->{len(self._partial_runs)}"
        self._partial_runs[handle] = run
        return handle

    def partial_run(self, handle: str, fetches: Any, feed_dict: Any = None) -> Any:
        """Continues a run: computes fetches from what has been fed so far.

        Args:
            handle: what `partial_run_setup` returned.
            fetches: some of what it was called with.
            feed_dict: values for some of its feeds.

        Returns:
            A structure like `fetches`, of arrays; None for operations.

        Raises:
            tf.errors.InvalidArgumentError: if a fetch or feed was not announced or has been used, or a
                fetch needs a tensor that has not been fed.
            tf.errors.UnimplementedError: if an operation has a control dependency on an earlier part.
        """
        run = self._partial_runs.get(handle)
        if run is None or run.is_complete:
            raise InvalidArgumentError._of("Must run 'setup' before performing partial runs!")
        return run.run(fetches, feed_dict)

    def _make_callable_from_options(self, options: Any) -> Callable[..., list[Any]]:
        """A function from fed values to fetched values.

        Args:
            options: a `CallableOptions`. Its replacements of tensors are computed first.
        """
        feeds, fetches, targets = list(options.feed), list(options.fetch), list(options.target)
        sources = [connection.from_tensor for connection in options.tensor_connection]
        replaced = [connection.to_tensor for connection in options.tensor_connection]

        def call(*values: object, run_metadata: object = None) -> list[Any]:
            fed = dict(zip(feeds, values, strict=True))
            if sources:
                fed |= dict(zip(replaced, self.run(sources, fed), strict=True))
            return self.run([fetches, targets], fed)[0]

        return call

    def make_callable(
        self, fetches: Structure, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        """A function that runs `fetches` with its arguments as values of `feed_list`.

        Raises:
            TypeError: if a fetched object is not part of a graph.
        """
        _flattened(fetches, self._element)

        def call(*values: object) -> Any:
            return self.run(fetches, dict(zip(feed_list or [], values, strict=True)))

        return call

    def list_devices(self) -> list[Any]:
        """The devices: the CPU."""
        return list(list_local_devices())


class _Planned:
    """The plan of one combination of fetches and feeds.

    Variables that are no resources give the values that they have after the run, as in version 1,
    where programs fetch the global step beside the operation that counts it.
    """

    def __init__(
        self, graph: Any, elements: list[Any], feeds: list[Any], references: list[Any]
    ) -> None:
        operations = [item._node.id for item in elements if isinstance(item, Operation)]
        self._has_value = [not isinstance(item, Operation) for item in elements]
        tensors = [item for item in elements if not isinstance(item, Operation)]
        self.plan = _core.SessionPlan(graph, tensors, operations, feeds)
        read_last = {id(item) for item in references} - {id(item) for item in feeds}
        self._read_last = [at for at, item in enumerate(tensors) if id(item) in read_last]
        self.last: Any = None  # the plan that reads variables after the run
        if self._read_last and len(self._read_last) < len(elements):
            again = [tensors[at] for at in self._read_last]
            self.last = _core.SessionPlan(graph, again, [], [])
        self._feeds = [(feed, feed.dtype, feed.dtype.as_numpy_dtype) for feed in feeds]
        self._pack: Callable[[list[Any]], Any] = list

    def read_last(self, store: _core.VariableStore, found: list[_core.Tensor]) -> None:
        """Replaces values of variables by their values after the run."""
        for at, value in zip(self._read_last, self.last.run(store, []), strict=True):
            found[at] = value

    def packed_by(self, pack: Callable[[list[Any]], Any]) -> _Planned:
        """The same plan, for fetches of another structure."""
        other = _Planned.__new__(_Planned)
        other.__dict__.update(self.__dict__)
        other._pack = pack
        return other

    def fed(self, feed_dict: Mapping[object, object]) -> list[Any]:
        """The values of `feed_dict` as tensors of the dtypes that are fed."""
        values: Any = feed_dict.values()
        if len(values) != len(self._feeds):
            values = [
                part
                for key, value in _fed_leaves(feed_dict)
                for part in (_components(value) if _has_components(key) else [value])
            ]
        return [
            value
            if type(value) is np.ndarray and value.dtype == numpy_dtype
            else _as_fed(feed, dtype, numpy_dtype, value)
            for (feed, dtype, numpy_dtype), value in zip(self._feeds, values, strict=True)
        ]

    def pack(self, values: list[_core.Tensor]) -> Any:
        """The values, arrays, in the structure of the fetches; None for operations."""
        remaining = iter(values)
        return self._pack([_as_array(next(remaining)) if has else None for has in self._has_value])


class _AsDefault:
    def __init__(self, session: BaseSession) -> None:
        self._session = session

    def __enter__(self) -> BaseSession:
        _default.stack.append(self._session)
        return self._session

    def __exit__(self, *error: object) -> None:
        _default.stack.remove(self._session)


class Session(BaseSession):
    """Runs operations of a graph, and keeps the values of its variables between runs.

    >>> with tf.compat.v1.Graph().as_default():
    ...     x = tf.compat.v1.placeholder(tf.float32, [None])
    ...     y = x * 2.0
    ...     with tf.compat.v1.Session() as session:
    ...         print(session.run(y, feed_dict={x: [1.0, 2.0]}))
    [2. 4.]
    """

    def __enter__(self) -> Session:
        _default.stack.append(self)
        scope = self._graph.as_default()
        scope.__enter__()
        self._entered.append(scope)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._entered.pop().__exit__(None, None, None)
        _default.stack.remove(self)
        self.close()

    @staticmethod
    def reset(target: str, containers: object = None, config: object = None) -> None:
        """Does nothing: no values are kept outside of sessions."""


class InteractiveSession(BaseSession):
    """A session that is the default one until it is closed."""

    def __init__(self, target: str = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        _default.stack.append(self)
        self._explicit = graph is not None
        if self._explicit:
            scope = self._graph.as_default()
            scope.__enter__()
            self._entered.append(scope)

    def close(self) -> None:
        """Stops being the default session, and forgets the variables' values."""
        if self in _default.stack:
            _default.stack.remove(self)
        if self._entered:
            self._entered.pop().__exit__(None, None, None)
        super().close()


def _flattened(fetches: Any, element: Callable[[Any], Any]) -> tuple[list[Any], Callable[..., Any]]:
    """The elements of fetches, and a function that packs their values in the same structure."""
    elements: list[Any] = []

    def leaf(value: object) -> Callable[[Any], Any]:
        """Notes the elements of a leaf; what takes their values from an iterator."""
        if isinstance(value, CompositeTensor | IndexedSlices):
            takers = [
                leaf(part) if is_symbolic(part) else _known(part) for part in _components(value)
            ]
            return lambda values: _composite_value(value, [take(values) for take in takers])
        elements.append(element(value))
        return next

    if nest.is_nested(fetches):
        takers = [leaf(value) for value in nest.flatten(fetches)]

        def pack(values: Sequence[object]) -> Any:
            remaining = iter(values)
            return nest.pack_sequence_as(fetches, [take(remaining) for take in takers])

        return elements, pack
    taker = leaf(fetches)
    return elements, lambda values: taker(iter(values))


def _known(value: object) -> Callable[..., Any]:
    """A getter of the array of a tensor with a constant value."""
    array = _as_array(value)
    return lambda values: array


def _composite_value(composite: CompositeTensor | IndexedSlices, values: list[Array]) -> Any:
    """A fetched composite value from the values of its components, in version 1's classes."""
    if isinstance(composite, IndexedSlices):
        dense_shape = values[2] if len(values) > 2 else None
        return IndexedSlicesValue(values[0], values[1], dense_shape)
    if isinstance(composite, SparseTensor):
        return SparseTensorValue(*values)
    spec = composite._type_spec
    with context.running_eagerly():
        made = spec._from_components([_core.as_tensor(value) for value in values])
    return RaggedTensorValue.of(made) if isinstance(made, RaggedTensor) else made


def _has_components(key: Any) -> bool:
    """Whether a key of `feed_dict` is an object of several tensors."""
    return isinstance(key, CompositeTensor | IndexedSlices)


def _fed_leaves(feed_dict: Mapping[object, object]) -> Iterator[tuple[object, Any]]:
    """The items of `feed_dict`; of nested keys, such as states of layers of cells, the parts."""
    for key, value in feed_dict.items():
        if not nest.is_nested(key):
            yield key, value
            continue
        keys, values = nest.flatten(key), nest.flatten(value)
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
                f"{len(values)} elements. Key: {keys}, value: {values}."
            )
        yield from zip(keys, values, strict=True)


def _components(value: Any) -> list[Any]:
    if isinstance(value, IndexedSlices):
        parts = [value.values, value.indices, value.dense_shape]
        return [part for part in parts if part is not None]
    if isinstance(value, tuple):  # a SparseTensorValue, or its parts
        return list(value)
    if type(value) is RaggedTensorValue:
        value = value.to_tensor_value()
    return nest.flatten(value, expand_composites=True)


def _as_fed(feed: Any, dtype: Any, numpy_dtype: Any, value: Any) -> Any:
    """The value that is fed for a tensor, as a tensor or an array of its dtype."""
    if is_symbolic(value) or isinstance(value, _core.Variable):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value} which was passed to the feed with key {feed}."
        )
    if isinstance(value, _core.Tensor):
        if value.dtype == dtype:
            return value
        value = value.numpy()
    try:
        array = np.asarray(value)
        if array.dtype == object:
            array = np.asarray(value, dtype=np.bytes_ if dtype.name == "string" else None)
    except ValueError as error:
        raise ValueError(f"setting an array element with a sequence. ({error})") from None
    return array if dtype.name == "string" else array.astype(numpy_dtype, copy=False)


def _as_array(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value

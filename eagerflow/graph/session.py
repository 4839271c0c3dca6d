"""Sessions, which hold the values of variables and run parts of graphs."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.config.device_attributes import list_local_devices
from eagerflow.framework import context, random_seed
from eagerflow.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from eagerflow.graph.execution import Run
from eagerflow.graph.graph import Operation, ports
from eagerflow.graph.outside import as_symbol
from eagerflow.graph.structure import is_symbol
from eagerflow.graph.tensor import GraphTensor
from eagerflow.graph.variables import GraphVariable


class _Default(threading.local):
    def __init__(self) -> None:
        self.stack: list[BaseSession] = []


_default = _Default()


def get_default_session() -> Any:
    """The innermost session that was made the default, or None."""
    return _default.stack[-1] if _default.stack else None


def session_for(session: Any, element: Any, action: str) -> Any:
    """The session given, or else the default one.

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
        self._storage: dict[int, Any] = {}
        self._linked = 0
        self._kept: list[Any] = []
        self._store = _core.Store()
        self._plans: dict[tuple, Any] = {}
        self._op_seeds: dict[int, random_seed.NodeSeeds] = {}

    @property
    def graph(self) -> Any:
        """The graph that the session runs."""
        return self._graph

    @property
    def graph_def(self) -> str:
        """The graph's nodes as text."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> str:
        """An empty string: the session runs in this process."""
        return ""

    def _link(self, variables: list[Any]) -> None:
        """Adds the values of shared variables, which have them outside of sessions."""
        for variable in variables[self._linked :]:
            self._storage[id(variable)] = variable._shared
            self._store.set(variable._op._node, variable._shared)
        self._linked = len(variables)

    def _op_seeds_of(self, operation: Any) -> random_seed.NodeSeeds:
        """The op seeds of an operation in this session."""
        node = operation._node
        op_seeds = self._op_seeds.get(node)
        if op_seeds is None:
            op_seeds = self._op_seeds[node] = random_seed.NodeSeeds(self._graph.seed, node)
        return op_seeds

    def close(self) -> None:
        """Forgets the variables' values."""
        self._closed = True
        for kept in list(self._storage.values()):
            if hasattr(kept, "end"):
                kept.end()  # ends the wait of threads for elements of a queue
        self._storage.clear()
        self._store.clear()
        self._kept.clear()

    def as_default(self) -> Any:
        """A context manager that makes `eval` and `run` use this session."""
        return _AsDefault(self)

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs what is needed for some tensors and operations.

        Args:
            fetches: a tensor, variable, operation or name, or a nested structure of them.
            feed_dict: values for tensors, usually placeholders.
            options: accepted.
            run_metadata: accepted.

        Returns:
            A structure like `fetches`, of arrays; None for operations.

        Raises:
            RuntimeError: if the session is closed.
            TypeError: if something to be fetched or fed is no part of a graph.
            ValueError: if it is part of another graph, or a value does not fit.
            tf.errors.InvalidArgumentError: if a placeholder has no value.
            tf.errors.FailedPreconditionError: if a variable has not been initialized.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        graph = self._graph
        if not graph.version and not isinstance(fetches, _core.Variable):
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )
        elements, pack = self._elements(fetches)
        symbols, feeds = self._feeds(feed_dict) if feed_dict else ([], [])
        if len(graph.shared_variables) > self._linked:
            self._link(list(graph.shared_variables.values()))
        fed = tuple([id(symbol) for symbol in symbols])
        key = (tuple([id(element) for element in elements]), fed)
        planned = self._plans.get(key)
        if planned is None:
            planned = self._plans[key] = _Planned(self._graph, elements, symbols)
        values = Run(self, fed).execute(planned.plan, symbols, feeds, planned.variables)
        return pack(planned.arrays(values))

    def _elements(self, fetches: Any) -> tuple[list[Any], Any]:
        """The tensors and operations that are fetched, and a function that packs their values."""
        kind = type(fetches)
        if kind in _LEAVES:
            items = [fetches]
        elif kind in (list, tuple) and all(type(item) in _LEAVES for item in fetches):
            items = fetches
        else:
            leaves, pack = _flattened(fetches)
            return [self._element(leaf) for leaf in leaves], pack
        for item in items:
            if item.graph is not self._graph:
                self._element(item)
        if items is fetches:
            return items, _listed if kind is list else tuple
        return items, _single

    def _element(self, leaf: Any) -> Any:
        leaf = as_symbol(leaf, self._graph)
        if leaf is None or not (isinstance(leaf, str | Operation) or is_symbol(leaf)):
            raise TypeError(
                f"Fetch argument {leaf!r} has invalid type {type(leaf).__name__}, must be a string "
                f"or Tensor. (Can not convert a {type(leaf).__name__} into a Tensor or Operation.)"
            )
        try:
            return self._graph.as_graph_element(leaf)
        except (ValueError, KeyError) as error:
            text = error.args[0] if error.args else error
            raise ValueError(
                f"Fetch argument {leaf!r} cannot be interpreted as a Tensor. ({text})"
            ) from None

    def _feeds(self, feed_dict: Any) -> tuple[list[Any], list[Any]]:
        """The tensors that are fed, and their values."""
        symbols, values = [], []
        for key, value in feed_dict.items():
            key = as_symbol(key, self._graph)
            if type(key) is GraphTensor and key._op._graph is self._graph:
                symbol = key
            else:
                try:
                    symbol = self._graph.as_graph_element(key, allow_operation=False)
                except (ValueError, KeyError, TypeError) as error:
                    text = error.args[0] if error.args else error
                    raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
            if is_symbol(value):
                raise TypeError(
                    "The value of a feed cannot be a tf.Tensor object. Acceptable feed values "
                    "include Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For "
                    f"reference, the tensor object was {value} which was passed to the feed with "
                    f"key {key}."
                )
            symbols.append(symbol)
            values.append(_fed(symbol, value))
        return symbols, values

    def partial_run_setup(self, *args: Any, **kwargs: Any) -> None:
        """Not supported: raises a RuntimeError."""
        raise RuntimeError("Sessions run fetches at once, not in parts.")

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Any:
        """A function that runs `fetches` with its arguments as values of `feed_list`."""

        def call(*values: Any) -> Any:
            return self.run(fetches, dict(zip(feed_list or [], values, strict=True)))

        return call

    def list_devices(self) -> list[Any]:
        """The devices: the CPU."""
        return list(list_local_devices())


_LEAVES = frozenset({GraphTensor, GraphVariable, Operation})


def _single(values: list[Any]) -> Any:
    return values[0]


def _listed(values: list[Any]) -> list[Any]:
    return values


class _Planned:
    """The plan of one combination of fetches and feeds."""

    def __init__(self, graph: Any, elements: list[Any], symbols: list[Any]) -> None:
        operations = [item for item in elements if isinstance(item, Operation)]
        tensors = [item for item in elements if not isinstance(item, Operation)]
        self.plan = _core.SessionPlan(
            graph._native, ports(tensors), [item._node for item in operations], ports(symbols)
        )
        self._has_value = [not isinstance(item, Operation) for item in elements]
        self.variables = [item for item in tensors if isinstance(item, GraphVariable)]
        self._kept = (elements, symbols)  # their identities are the keys of plans

    def arrays(self, values: list[Any]) -> list[Any]:
        """A value for each element: an array, or None for operations."""
        remaining = iter(values)
        return [_as_array(next(remaining)) if has else None for has in self._has_value]


class _AsDefault:
    def __init__(self, session: BaseSession) -> None:
        self._session = session

    def __enter__(self) -> BaseSession:
        _default.stack.append(self._session)
        return self._session

    def __exit__(self, *error: Any) -> None:
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
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
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


def _flattened(fetches: Any) -> tuple[list[Any], Any]:
    """The leaves of fetches, and a function that packs values like them."""
    if isinstance(fetches, list | tuple | dict):
        expanded = _expanded(fetches)
        return nest.flatten(expanded), lambda values: _packed(expanded, iter(values), fetches)
    if isinstance(fetches, IndexedSlices):
        parts = [fetches.values, fetches.indices]
        if fetches.dense_shape is not None:
            parts.append(fetches.dense_shape)
        return parts, lambda values: IndexedSlicesValue(*values)
    return [fetches], lambda values: values[0]


def _expanded(fetches: Any) -> Any:
    return nest.map_structure(lambda leaf: leaf, fetches)


def _packed(structure: Any, values: Any, fetches: Any) -> Any:
    return nest.pack_sequence_as(structure, list(values))


def _fed(symbol: Any, value: Any) -> Any:
    """The value that is fed for a tensor, as a tensor."""
    try:
        tensor = value if isinstance(value, _core.Tensor) else np.asarray(value)
        if tensor.dtype == object:
            tensor = np.asarray(value, dtype=np.bytes_ if symbol.dtype.name == "string" else None)
    except ValueError as error:
        raise ValueError(f"setting an array element with a sequence. ({error})") from None
    if isinstance(tensor, np.ndarray):
        if symbol.dtype.name != "string" and tensor.dtype != symbol.dtype.as_numpy_dtype:
            tensor = tensor.astype(symbol.dtype.as_numpy_dtype)
        tensor = _core.convert(tensor, symbol.dtype, None)
    if symbol._dims != tensor._shape_tuple() and not symbol.shape.is_compatible_with(tensor.shape):
        raise ValueError(
            f"Cannot feed value of shape {tuple(tensor.shape)} for Tensor {symbol.name}, which has "
            f"shape {str(symbol.shape)}"
        )
    # A tensor of its own, so that gradients are told apart from those of other feeds.
    return _core.ops.identity(tensor) if tensor is value else tensor


def _as_array(value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        shape = value.dense_shape
        return IndexedSlicesValue(
            value.values.numpy(), value.indices.numpy(), None if shape is None else shape.numpy()
        )
    return value.numpy() if hasattr(value, "numpy") else value

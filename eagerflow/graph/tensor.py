"""GraphTensor: a result of a graph's operation, which a session computes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core
from eagerflow.errors import OperatorNotAllowedInGraphError
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.tensor import Reference, Tensor
from eagerflow.graph.execution import current_run, resolve
from eagerflow.graph.inference import samples_of
from eagerflow.ops import array
from eagerflow.util import lazy

# Imported when they are first used: they import this module.
recording = lazy.Module("eagerflow.graph.recording")
sessions = lazy.Module("eagerflow.graph.session")


def _dims_of(shape: TensorShape) -> tuple[int | None, ...] | None:
    return None if shape.rank is None else tuple(shape.as_list())


class GraphTensor:
    """A tensor of a graph: its dtype, what is known of its shape, and the operation behind it.

    Operations on it add further nodes. While a session runs, functions written in Python read its
    value.
    """

    _graph_tensor = True
    __array_priority__ = 200

    def __init__(self, op: Any, value_index: int, dtype: Any, shape: Any, samples: tuple) -> None:
        self._op = op
        self._value_index = value_index
        self._dtype = dtype
        self._shape = TensorShape(shape)
        self._dims = _dims_of(self._shape)
        # What shapes are inferred with: one symbolic value for each choice of unknown sizes.
        self.samples = samples

    # Programs ask `isinstance(x, tf.Tensor)` before they treat something as one.
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return Tensor

    @property
    def op(self) -> Any:
        """The operation that returns this tensor."""
        return self._op

    @property
    def value_index(self) -> int:
        """Which of the operation's results this is."""
        return self._value_index

    @property
    def graph(self) -> Any:
        """The graph it belongs to."""
        return self._op.graph

    @property
    def name(self) -> str:
        """The operation's name and the index of the output, as in "add:0"."""
        return f"{self._op.name}:{self._value_index}"

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, whose sizes may be unknown."""
        return self._shape

    @property
    def device(self) -> str:
        """An empty string: no device has been chosen."""
        return ""

    @property
    def ndim(self) -> int | None:
        """The number of axes, or None if unknown."""
        return self._shape.rank

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Fills in unknown sizes of the shape.

        Raises:
            ValueError: if it contradicts what is known.
        """
        self._shape = self._shape.merge_with(shape)
        self._dims = _dims_of(self._shape)
        self.samples = samples_of(self._dtype, self._shape)
        self._op.declare_outputs()

    def _shape_tuple(self) -> tuple:
        return tuple(self._shape.as_list())

    def _sizes(self) -> tuple:
        """The sizes to compute with: those that are unknown are tensors of the graph."""
        known = self._shape_tuple()
        if None not in known:
            return known
        shape = array.shape(self)
        return tuple(shape[k] if size is None else size for k, size in enumerate(known))

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, as an array, that a session computes; the default one if none is given."""
        return sessions.session_for(session, self, "eval").run(self, feed_dict)

    def consumers(self) -> list:
        """The operations that take this tensor."""
        return [op for op in self.graph.get_operations() if any(t is self for t in op.inputs)]

    def ref(self) -> Reference:
        """A hashable reference to this tensor."""
        return Reference(self)

    experimental_ref = ref

    def __op_function__(
        self, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]
    ) -> Any:
        """What a function of this tensor returns: a node's tensors."""
        return recording.override(function, args, kwargs)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return _core.convert(resolve(self), dtype, None)

    def numpy(self) -> Any:
        """The value while a session runs; else an error.

        Raises:
            AttributeError: if no session is running.
        """
        if current_run() is None:
            raise AttributeError(
                f"'Tensor' object has no attribute 'numpy': {self!r} belongs to a graph and has no "
                "value until a session runs it. Use session.run(), or enable eager execution."
            )
        return resolve(self).numpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
            "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def __bool__(self) -> bool:
        if current_run() is not None:
            return bool(resolve(self))
        raise OperatorNotAllowedInGraphError(
            "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed. You can attempt the "
            "following resolutions to the problem: If you are running in Graph mode, use Eager "
            "execution mode or decorate this function with @tf.function. Use tf.cond or tf.where "
            "for conditions in a graph."
        )

    def __int__(self) -> int:
        if current_run() is not None:
            return int(resolve(self))
        raise TypeError(f"{self!r} belongs to a graph: it has no value before a session runs it.")

    __index__ = __int__

    def __float__(self) -> float:
        if current_run() is not None:
            return float(resolve(self))
        raise TypeError(f"{self!r} belongs to a graph: it has no value before a session runs it.")

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` "
            "rather than `len(x)` for shape information."
        )

    def __iter__(self) -> Iterator[Any]:
        size = self._shape.as_list()[0] if self._shape.rank else None
        if size is None:
            raise OperatorNotAllowedInGraphError(
                f"Iterating over a symbolic `tf.Tensor` ({self.name}) is not allowed: its first "
                "size is unknown. Use tf.map_fn or tf.while_loop."
            )
        return iter([self[k] for k in range(size)])  # type: ignore[index]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> Any:
        # Identity, as in version 1: tensors are keys of feed_dict.
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    def __copy__(self) -> GraphTensor:
        return self

    def __deepcopy__(self, memo: dict) -> GraphTensor:
        return self

    def __str__(self) -> str:
        shape = "" if self._shape.rank is None else f", shape={self._shape}"
        shape = shape or ", shape=<unknown>"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self._dtype.name}>"


# The names under which TensorFlow's graphs show Python's operators.
_OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "truediv",
    "floordiv": "floordiv",
    "mod": "mod",
    "pow": "pow",
    "matmul": "matmul",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "lt": "Less",
    "le": "LessEqual",
    "gt": "Greater",
    "ge": "GreaterEqual",
    "neg": "Neg",
    "abs": "Abs",
    "invert": "LogicalNot",
    "getitem": "strided_slice",
}
_REFLECTED = "add sub mul truediv floordiv mod pow matmul and or xor".split()


def _dense(value: Any) -> Any:
    return _core.as_tensor(value) if type(value) is IndexedSlices else value


def _on_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """An operator of the values of graph tensors. Gradients may be IndexedSlices, which have none."""
    return lambda *operands: function(*map(_dense, operands))


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda b, a: function(a, b)


def install_operators(cls: type) -> None:
    """Gives a class operators that make nodes."""
    for name, kind in _OPERATORS.items():
        function = _on_tensors(getattr(operator, f"__{name}__"))
        setattr(cls, f"__{name}__", _operator(function, kind))
        if name in _REFLECTED:
            setattr(cls, f"__r{name}__", _operator(_reflected(function), kind))


def _operator(function: Callable[..., Any], kind: str) -> Callable[..., Any]:
    def apply(*operands: Any) -> Any:
        return recording.override(function, operands, {}, kind)

    return apply


install_operators(GraphTensor)

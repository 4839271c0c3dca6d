"""The Python part of the native Tensor type: text, references, copies, and attributes of graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes, operation
from eagerflow.framework.device_table import table
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.slice_assignment import PartMethod
from eagerflow.util import advice, lazy

array_indexing = lazy.Module("eagerflow.framework.array_indexing")
Tensor = _core.Tensor


class Reference:
    """A key for dictionaries and sets that identifies one tensor or variable.

    Two references are equal if they refer to the same object, and are sorted in an arbitrary order
    that lasts as long as these objects do. They cannot be compared with anything else but None.

    >>> a, b = tf.constant(1), tf.constant(1)
    >>> {a.ref(): "first"}.get(b.ref(), "none")
    'none'
    """

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Tensor:
        """The tensor or variable itself."""
        return self._wrapped

    def _id(self) -> int:
        return id(self._wrapped)

    def _id_of(self, other: object) -> int:
        if not isinstance(other, Reference):
            raise TypeError("Cannot compare wrapped object with unwrapped object")
        return other._id()

    def __eq__(self, other: object) -> bool:
        return other is not None and self._id() == self._id_of(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: object) -> bool:
        return self._id() < self._id_of(other)

    def __gt__(self, other: object) -> bool:
        return self._id() > self._id_of(other)

    def __hash__(self) -> int:
        return self._id()

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def value_text(tensor: Any, as_repr: bool) -> str:
    """The value as NumPy shows it, in its short form or as source code."""
    if tensor.dtype is dtypes.resource:
        return "<Resource Tensor>"
    if tensor.dtype is dtypes.variant:
        return _core.variant_text(tensor)
    value = tensor.numpy()
    if not as_repr:
        return str(value)
    # repr() of a NumPy scalar would name its type; the text shows the dtype already.
    if isinstance(value, np.generic):
        return repr(value.item())
    added = isinstance(value, np.ndarray) and dtypes.is_extension(value.dtype)
    return _extension_repr(value) if added else repr(value)


def _extension_repr(array: np.ndarray) -> str:
    """repr() of an array, with the dtype's name as NumPy writes names of its own dtypes.

    repr() itself shows the repr of an added dtype, which releases of ml_dtypes write differently.
    """
    options, name = np.get_printoptions(), array.dtype.name
    text = "array(" + np.array2string(array, separator=", ", prefix="array(", suffix=")") + ","
    extra = f"dtype={name if name.isalnum() else repr(name)})"
    if (array.size == 0 and array.ndim > 1) or array.size > options["threshold"]:
        extra = f"shape={array.shape}, {extra}"
    fits = len(text.rpartition("\n")[2]) + 1 + len(extra) <= options["linewidth"]
    return text + (" " if fits else "\n      ") + extra


def repr_fields(value: Any) -> str:
    """`numpy=...` as the last field of a representation, on separate lines if it is long."""
    text = value_text(value, True)
    if not value.dtype.is_numpy_compatible:
        return f"value={text}"
    return f"numpy=\n{text}" if "\n" in text else f"numpy={text}"


def _repr(self: Any) -> str:
    if _core.is_symbolic(self):
        return _symbolic_repr(self)
    return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, {repr_fields(self)}>"


def _symbolic_repr(self: Tensor) -> str:
    if _core.graph_of(self) is None:
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, symbolic>"
    return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def _repr_with_id(self: Any) -> str:
    if _core.is_symbolic(self):
        return _symbolic_repr(self)
    return (
        f"<tf.Tensor: id={self._id}, shape={self.shape}, dtype={self.dtype.name}, "
        f"{repr_fields(self)}>"
    )


def show_ids(show: bool) -> None:
    """Chooses whether reprs of tensors have an id, as those of TensorFlow 1 do."""
    Tensor.__repr__ = _repr_with_id if show else _repr  # type: ignore[method-assign]


def _str(self: Tensor) -> str:
    if _core.is_symbolic(self):
        if _core.graph_of(self) is None:
            return _symbolic_repr(self)
        shape = "" if self.shape.rank is None else f", shape={self.shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'
    text = value_text(self, False)
    if "\n" in text:
        text = "\n" + text
    return f"tf.Tensor({text}, shape={self.shape}, dtype={self.dtype.name})"


def _format(self: Tensor, format_spec: str) -> str:
    if _core.is_symbolic(self):
        return format(str(self), format_spec)
    if not self.dtype.is_numpy_compatible:
        return format(value_text(self, False), format_spec)
    return self.numpy().__format__(format_spec)


def _ref(self: Tensor) -> Reference:
    """A hashable reference to this tensor, for use as a key."""
    return Reference(self)


def _at(self: Any) -> Any:
    """Changes of elements: `x.at[key].set(values)` is a new tensor; see `eagerflow.framework.array_indexing`.

    >>> tf.zeros([3]).at[1].set(5.0).numpy()
    array([0., 5., 0.], dtype=float32)
    """
    return array_indexing.At(_core.as_tensor(self))


at = property(_at, doc=_at.__doc__)


def _get_shape(self: Tensor) -> TensorShape:
    """The shape; the same as `shape`."""
    return self.shape


def _set_shape(self: Tensor, shape: TensorShape) -> None:
    """Checks that the tensor has that shape, whose sizes may be unknown.

    A symbolic tensor has this shape from then on.

    Raises:
        ValueError: if it has another one.
    """
    if not self.shape.is_compatible_with(shape):
        raise ValueError(
            f"Tensor's shape {self.shape} is not compatible with supplied shape "
            f"{TensorShape(shape)}."
        )
    if _core.is_symbolic(self):
        dims = TensorShape(shape)._dims
        _core.refine_shape(self, dims)


def _copy(self: Tensor) -> Tensor:
    return self


def _deepcopy(self: Tensor, memo: dict) -> Tensor:
    return self


def _from_pickle(value: np.ndarray, dtype_name: str) -> Tensor:
    dtype = dtypes.as_dtype(dtype_name)
    if dtype is dtypes.bfloat16:
        value = value.view(dtype.as_numpy_dtype)
    return _core.convert(value, dtype, None)


def _reduce(self: Tensor) -> tuple:
    value = np.asarray(self)
    if self.dtype is dtypes.bfloat16:
        value = value.view(np.uint16)
    return _from_pickle, (value, self.dtype.name)


def _reversed(self: Tensor) -> Iterator[Any]:
    return (self[k] for k in range(len(self) - 1, -1, -1))


def _round(self: Tensor, ndigits: int | None = None) -> Tensor:
    return _core.ops.round(self)


def _program_graph(tensor: Tensor) -> Any:
    """The graph of version 1 that a tensor belongs to, or None."""
    graph = _core.graph_of(tensor)
    return None if graph is None or graph.building_function else graph


def _eval(self: Tensor, feed_dict: Any = None, session: Any = None) -> Any:
    graph = _program_graph(self)
    if graph is not None:
        return graph.evaluate_tensor(self, feed_dict, session)
    raise NotImplementedError(
        "eval is not supported when eager execution is enabled, is .numpy() what you're looking "
        "for?"
    )


def _port_of(tensor: Tensor) -> tuple[int, int]:
    return _core.node_of(tensor).id, _core.output_index(tensor)


def _consumers(self: Tensor) -> list[Any]:
    graph = _core.graph_of(self)
    if graph is not None:
        own = _port_of(self)
        return [
            op
            for op in graph.get_operations()
            if any(_port_of(x) == own for x in op.inputs if isinstance(x, _core.Tensor))
        ]
    raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")


def _device(self: Tensor) -> str:
    if _core.is_symbolic(self):
        node = _core.node_of(self)
        return "" if node is None else node.device
    return table.name(_core.device_of(self))


def _cpu(self: Tensor) -> Any:
    """The tensor in the CPU's memory: itself, if it is there already."""
    return self if _core.device_of(self) == 0 else _core.copy_to_device(self, 0)


def _gpu(self: Tensor, gpu_index: int = 0) -> Tensor:
    """A copy of the tensor on a GPU.

    Raises:
        RuntimeError: if there is no such GPU.
    """
    row = table.row("GPU", gpu_index)
    if row is None:
        raise RuntimeError(f"GPU:{gpu_index} unknown device.")
    return _core.copy_to_device(self, row)


def items(tensor: Tensor) -> list[bytes]:
    """The elements of a tensor of strings in row-major order."""
    value = tensor.numpy()
    return [value] if tensor.ndim == 0 else value.reshape(-1).tolist()


def undefined_eagerly(name: str, of_symbolic: Callable[[Any], Any] | None = None) -> property:
    """A property of graphs' tensors that raises an AttributeError for others.

    Args:
        name: the property's name.
        of_symbolic: returns its value for a tensor of a graph.
    """

    def get(self: Any) -> Any:
        if of_symbolic is not None and _core.is_symbolic(self):
            return of_symbolic(self)
        raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")

    return property(get, doc="Not defined when programs run eagerly: raises an AttributeError.")


def _set_item(self: object, key: object, value: object) -> None:
    from eagerflow.util import hints

    raise hints.item_assignment(type(self))


# Attributes of PyTorch's and NumPy's tensors.
_LACKING = """
sum mean max min amax amin prod std var all any norm logsumexp argmax argmin argsort sort topk unique nonzero
cumsum cumprod abs neg sqrt rsqrt square exp log sin cos tanh sigmoid relu softmax log_softmax round floor
ceil clip clamp isnan isfinite conj real imag add sub mul div pow eq lt gt matmul mm bmm dot t T mT transpose
permute swapaxes view view_as reshape flatten ravel unsqueeze squeeze expand expand_as repeat
repeat_interleave tile roll flip chunk split unbind gather take index_select masked_fill masked_select scatter
scatter_add where tril triu diag diagonal trace inverse det add_ sub_ mul_ copy_ fill_ zero_ fill item
tolist tobytes detach clone copy contiguous is_contiguous data backward grad grad_fn requires_grad
requires_grad_ retain_grad register_hook is_leaf to cuda is_cuda block_until_ready type type_as astype float
double half bfloat16 int long bool is_floating_point size numel nelement dim ndimension stride strides nbytes
itemsize element_size new_zeros new_ones new_tensor
"""


def lack_array_methods(cls: type) -> None:
    """Lets errors of what tensors lack and PyTorch's and NumPy's have say what to write instead."""
    advice.lacks(cls, "TENSOR", _LACKING)
    setattr(cls, "__setitem__", _set_item)  # noqa: B010


OPERATORS = frozenset(
    f"__{name}__"
    for name in (
        "abs add and div eq floordiv ge getitem gt invert le lt matmul mod mul ne neg or pow radd "
        "rand rdiv rfloordiv rmatmul rmod rmul ror rpow rsub rtruediv rxor sub truediv xor"
    ).split()
)


def _attach() -> None:
    """Adds the members that need no native code to the native types."""
    members = {
        "__repr__": _repr,
        "__str__": _str,
        "__format__": _format,
        "__copy__": _copy,
        "__deepcopy__": _deepcopy,
        "__reduce__": _reduce,
        "__reversed__": _reversed,
        "__round__": _round,
        "__array_priority__": 100,
        "OVERLOADABLE_OPERATORS": OPERATORS,
        "at": at,
        "ref": _ref,
        "experimental_ref": _ref,
        "get_shape": _get_shape,
        "set_shape": _set_shape,
        "eval": _eval,
        "consumers": _consumers,
        "device": property(_device, doc="The name of the device that it was made on."),
        # Private attributes of TensorFlow's tensors that other packages use.
        "__nonzero__": Tensor.__bool__,
        "__div__": Tensor.__truediv__,
        "__rdiv__": Tensor.__rtruediv__,
        "_USE_EQUALITY": True,
        "_rank": lambda self: self.shape.rank,
        "_shape_as_list": lambda self: None if self.shape.rank is None else self.shape.as_list(),
    }
    eager_members = {
        "cpu": _cpu,
        "gpu": _gpu,
        "backing_device": property(_device, doc="The name of the device that holds its memory."),
        "is_packed": False,
        "_num_elements": lambda self: self.shape.num_elements(),
        "_numpy": lambda self: self.numpy(),
    }
    for name, scatter, combine in (
        ("assign_add", _core.ops.tensor_scatter_nd_add, _core.ops.add),
        ("assign_sub", _core.ops.tensor_scatter_nd_sub, _core.ops.subtract),
    ):
        members[name] = PartMethod(name, scatter, combine)
    members["name"] = undefined_eagerly("name", _core.name_of)
    members["op"] = undefined_eagerly("op", operation.operation_of)
    members["graph"] = undefined_eagerly("graph", _core.graph_of)
    members["value_index"] = undefined_eagerly("value_index", _core.output_index)
    eager = (_core.EagerTensor, eager_members), (_core.EagerWeakTensor, eager_members)
    for cls, own in ((Tensor, members), *eager):
        for name, member in own.items():
            setattr(cls, name, member)


_attach()
lack_array_methods(Tensor)


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor or a variable (or another tensor-like object).

    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(tf.Variable(1)), tf.is_tensor(1)
    (True, True, False)
    """
    kind = type(x)
    return (
        isinstance(x, Tensor | _core.Variable)
        or (
            getattr(kind, "_is_composite_tensor", False)
            and getattr(kind, "_stands_for_tensor", True)
        )
        or getattr(kind, "_extends_tensor", False)
    )


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether a tensor belongs to a graph and has no value before it runs.

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    return isinstance(tensor, Tensor) and _core.is_symbolic(tensor)

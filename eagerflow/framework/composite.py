"""CompositeTensor: the base of values made of several tensors, and operations that get one."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest

# The parts of a sparse tensor as arrays.
SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class CompositeTensor:
    """A value that several tensors make up, such as a ragged or a sparse tensor.

    A subclass has a `_type_spec` whose `_to_components` and `_from_components` take it apart and
    put it together, and names in `_gradient_component` the part that gradients are about.
    """

    _is_composite_tensor = True
    # Whether it has elements, a dtype and a gradient, and is more than tensors under names.
    _stands_for_tensor = True

    dtype: Any  # of the elements, where there are some

    @property
    def _type_spec(self) -> Any:
        raise TypeError(f"{type(self).__name__} has no type specification.")

    @property
    def _gradient_component(self) -> Any:
        raise TypeError(f"{type(self).__name__} has no gradient.")

    def _with_gradient(self, gradient: Any) -> Any:
        """The gradient by this value, from that by its component."""
        raise TypeError(f"{type(self).__name__} has no gradient.")

    def _run(self, function: Any, arguments: dict[str, Any]) -> Any:
        """What a native operation gives for arguments of which this value is one."""
        raise self._no_tensor()

    def _call(self, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a function of that name gives for arguments of which this value is one."""
        raise self._no_tensor()

    def _print_text(self, summarize: int) -> str:
        """How `tf.print` shows the value."""
        return repr(self)

    def _no_tensor(self) -> Exception:
        error = ValueError(
            f"Attempt to convert a value ({self!r}) with an unsupported type ({type(self)}) to a "
            "Tensor."
        )
        setattr(error, "no_tensor", True)  # noqa: B010
        return error

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        raise self._no_tensor()


def _first(values: Any) -> CompositeTensor | None:
    for value in values:
        if isinstance(value, CompositeTensor):
            return value
        if isinstance(value, list | tuple):
            found = _first(value)
            if found is not None:
                return found
    return None


# What knows the functions that programs have defined for types of their own, once there are some.
dispatcher: Callable | None = None


def _run(function: Any, arguments: dict[str, Any]) -> Any:
    if dispatcher is not None:
        result = dispatcher(function, arguments)
        if result is not NotImplemented:
            return result
    value = _first(arguments.values())
    assert value is not None
    return value._run(function, arguments)


_core.register_composites(CompositeTensor, _run)


def gradient_leaves(structure: Any) -> list:
    """The leaves of a nested structure, with the elements of composite values for these."""
    found: list = []
    for leaf in nest.flatten(structure):
        if not isinstance(leaf, CompositeTensor):
            found.append(leaf)
        elif leaf._stands_for_tensor:
            found.append(leaf._gradient_component)
        else:
            found.extend(nest.flatten(leaf, expand_composites=True))
    return found


def pack_gradients(structure: Any, gradients: list) -> Any:
    """Gradients in the structure of what they are by.

    Raises:
        ValueError: if that holds values without gradients.
    """
    for leaf in nest.flatten(structure):
        if isinstance(leaf, CompositeTensor) and not leaf._stands_for_tensor:
            raise ValueError(
                f"Type {type(leaf).__name__} is not supported as a gradient source or gradient "
                "target."
            )
    packed = [
        leaf._with_gradient(gradient) if isinstance(leaf, CompositeTensor) else gradient
        for leaf, gradient in zip(nest.flatten(structure), gradients, strict=True)
    ]
    return nest.pack_sequence_as(structure, packed)


# Functions of corresponding elements, by name: what they are for plain tensors, and which of their
# arguments have the elements.
ELEMENTWISE: dict[str, tuple[Callable, tuple[str, ...]]] = {}


def elementwise(function: Callable | None = None, *, inputs: int = 1) -> Callable:
    """Marks a function that works on corresponding elements of its first `inputs` arguments.

    A call in which one of them is a composite value is left to the value's class.
    """
    if function is None:
        return functools.partial(elementwise, inputs=inputs)
    plain, name = function, function.__name__
    ELEMENTWISE[name] = (plain, plain.__code__.co_varnames[:inputs])

    @functools.wraps(plain)
    def call(*args: Any, **kwargs: Any) -> Any:
        for value in args[:inputs] if args else kwargs.values():
            if isinstance(value, CompositeTensor):
                return value._call(name, args, kwargs)
        return plain(*args, **kwargs)

    return call


def accepts_composites(function: Callable) -> Callable:
    """Marks a function whose first argument may be a composite value, or a list that holds one.

    Such a call is left to the value's class, by the function's name.
    """
    name = function.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else next(iter(kwargs.values()), None)
        if isinstance(first, CompositeTensor):
            return first._call(name, args, kwargs)
        if type(first) is list or type(first) is tuple:
            value = _first(first)
            if value is not None:
                return value._call(name, args, kwargs)
        return function(*args, **kwargs)

    return call

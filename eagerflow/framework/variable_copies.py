"""Copies and pickles of variables, and of objects whose class extends `tf.Variable` around others."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from eagerflow import _core

if TYPE_CHECKING:
    from eagerflow.framework.shapes import TensorShape


class Copied:
    """What `copy` and `pickle` make of a variable.

    One that has a value of its own is copied with it. Without one it is the plain object of a class that
    only wraps other variables, and is copied by its attributes, as objects are.
    """

    def __copy__(self: Any) -> Any:
        # As in TensorFlow, shallow copies of objects with variables share these, and their state.
        if self._has_value:
            return self
        return _with_state(_without_state(type(self), self._name), _state(self))

    def __deepcopy__(self: Any, memo: dict) -> Any:
        if self._has_value:
            if _core.building() is not None:
                raise NotImplementedError(
                    "__deepcopy__() is only available when eager execution is enabled."
                )
            other = _from_pickle(type(self), _value(self), self.__dict__)
            memo[id(self)] = other
            return other
        other = _without_state(type(self), self._name)
        memo[id(self)] = other
        return _with_state(other, copy.deepcopy(_state(self), memo))

    def __reduce__(self: Any) -> tuple:
        if self._has_value:
            return _from_pickle, (type(self), _value(self), self.__dict__.copy())
        return _without_state, (type(self), self._name), _state(self)


def _value(variable: _core.Variable) -> tuple[Any, ...]:
    shape = declaration(variable.shape)
    return variable.read_value(), variable.trainable, variable._name, shape


def _from_pickle(cls: Any, value: tuple, attributes: dict) -> Any:
    variable = cls.__new__(cls)
    variable.__dict__.update(attributes)
    _core.Variable.__init__(variable, *value)
    return variable


def declaration(shape: TensorShape) -> Any:
    """A shape in the form that the native type accepts."""
    return False if shape.rank is None else tuple(shape)


def _without_state(cls: Any, name: str | None) -> Any:
    wrapper = cls.__new__(cls)
    if name is not None:  # It lies in the native object, not among the attributes.
        wrapper._name = name
    return wrapper


def _state(wrapper: Any) -> Any:
    """What its class's own `__getstate__` returns, else its attributes."""
    own = getattr(type(wrapper), "__getstate__", None)
    if own is None or own is getattr(object, "__getstate__", None):
        return wrapper.__dict__.copy()
    return own(wrapper)


def _with_state(wrapper: Any, state: Any) -> Any:
    if hasattr(wrapper, "__setstate__"):
        wrapper.__setstate__(state)
    elif state:
        wrapper.__dict__.update(state)
    return wrapper

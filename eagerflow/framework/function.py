"""tf.function: functions that run eagerly, operation by operation, behind its interface."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import random_seed
from eagerflow.framework.context import process
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TypeSpec, type_spec_from_value

Tensor = _core.Tensor

_ARRAYS = (np.ndarray, np.generic)
_VALUES = (_core.Variable, np.ndarray, np.generic, bool, int, float, complex, str, bytes)


def _without_arrays(arguments: Any) -> Any:
    """The arguments with tensors for NumPy's arrays, inside structures too."""
    if any(isinstance(leaf, _ARRAYS) for leaf in nest.flatten(arguments)):
        return nest.map_structure(_tensor_of_array, arguments)
    return arguments


def _tensor_of_array(leaf: Any) -> Any:
    return _core.as_tensor(leaf) if isinstance(leaf, _ARRAYS) else leaf


def _result(leaf: Any) -> Any:
    """A part of a result as a tensor, if it has a value that a tensor can have."""
    return _core.as_tensor(leaf) if isinstance(leaf, _VALUES) else leaf


def _kind_of_argument(leaf: Any) -> Any:
    """The key for which TensorFlow would retrace a function."""
    if type(leaf) is Tensor:
        return leaf.dtype, leaf._shape_tuple()
    return leaf if isinstance(leaf, bool | int | float | complex | str | bytes) else id(leaf)


class Function:
    """A Python function wrapped by `tf.function`.

    Calls run the Python function itself: its side effects happen every time, and any Python control
    flow works. As with a traced function, NumPy's arrays become tensors before it sees them, and so
    do variables, arrays and numbers among its results. All arguments of a function with an
    `input_signature` become tensors first, and are checked against it.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
        input_signature: Any = None,
        name: str | None = None,
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"tf.function needs a function, got {python_function!r}.")
        if input_signature is not None and not isinstance(input_signature, (tuple, list)):
            raise TypeError(
                "input_signature must be either a tuple or a list, got "
                f"{type(input_signature).__name__}."
            )
        functools.update_wrapper(self, python_function, updated=())
        self._python_function = python_function
        self._input_signature = None if input_signature is None else tuple(input_signature)
        self._name: str = name or getattr(python_function, "__name__", None) or "function"
        self._op_seeds: dict[Any, random_seed.TraceSeeds] = {}
        self._op_seeds_of: Any = None

    @property
    def python_function(self) -> Callable[..., Any]:
        """The function as it was written."""
        return self._python_function

    @property
    def input_signature(self) -> Any:
        """The declared TensorSpecs, or None."""
        return self._input_signature

    @property
    def name(self) -> str:
        """The function's name."""
        return self._name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._input_signature is not None:
            args, kwargs = self._checked(args, kwargs), {}
        else:
            for value in args:
                if type(value) is not Tensor:
                    args = _without_arrays(args)
                    break
            if kwargs:
                kwargs = _without_arrays(kwargs)
        if process.functions_eager:
            result = self._python_function(*args, **kwargs)
        else:
            result = random_seed.call_as_traced(
                self._find_op_seeds, (args, kwargs), self._python_function, args, kwargs
            )
        if result is None or type(result) is Tensor:
            return result
        return nest.map_structure(_result, result)

    def _find_op_seeds(self, args: tuple, kwargs: dict[str, Any]) -> random_seed.TraceSeeds:
        """Where random operations draw in calls with arguments like these."""
        key: Any = None
        if self._input_signature is None:
            leaves = (*nest.flatten(args), *kwargs, *nest.flatten(kwargs))
            key = tuple(map(_kind_of_argument, leaves))
        op_seeds = self._op_seeds.get(key)
        if op_seeds is None:
            if len(self._op_seeds) >= 256:
                self._op_seeds.clear()
            op_seeds = self._op_seeds[key] = random_seed.TraceSeeds()
        return op_seeds

    def _checked(self, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """The arguments as tensors that fit the signature, in its order."""
        if kwargs:
            bound = inspect.signature(self._python_function).bind(*args, **kwargs)
            args = bound.args
        signature = self._input_signature
        assert signature is not None
        if len(args) > len(signature):
            raise TypeError(
                f"{self._name}() takes {len(signature)} positional arguments as its "
                f"input_signature says, got {len(args)}."
            )
        if len(args) < len(signature):
            raise TypeError(
                f"{self._name}() misses arguments: its input_signature has {len(signature)}, got "
                f"{len(args)}."
            )
        return tuple(
            nest.map_structure_up_to(spec, self._fitting, spec, arg)
            for spec, arg in zip(signature, args, strict=True)
        )

    def _fitting(self, spec: Any, value: Any) -> Any:
        if (
            not hasattr(spec, "dtype")
            or not hasattr(spec, "shape")
            or hasattr(spec, "value_type_of")
        ):
            if isinstance(spec, TypeSpec) and not spec.is_compatible_with(value):
                raise TypeError(
                    f"Binding inputs to tf.function `{self._name}` failed: can not cast "
                    f"{type_spec_from_value(value)} to {spec}."
                )
            return value
        value = _core.convert(value, None, spec.dtype)
        if value.dtype != spec.dtype or not TensorShape(spec.shape).is_compatible_with(value.shape):
            raise TypeError(
                f"Binding inputs to tf.function `{self._name}` failed: can not cast a tensor of "
                f"shape {tuple(value.shape)} and dtype {value.dtype.name} to {spec}."
            )
        return value

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The method of an object: a Function with the object as its first argument."""
        if instance is None:
            return self
        bound = Function(
            self._python_function.__get__(instance, owner), self._input_signature, self._name
        )
        if self._op_seeds_of is None:
            self._op_seeds_of = weakref.WeakKeyDictionary()
        try:
            bound._op_seeds = self._op_seeds_of.setdefault(instance, {})
        except TypeError:  # not every object can be hashed or referred to weakly
            bound._op_seeds = self._op_seeds
        return bound

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """This function for arguments like these, which may be TensorSpecs.

        Returns:
            A function whose calls run eagerly, too.
        """
        return ConcreteFunction(self, args, kwargs)

    def experimental_get_tracing_count(self) -> int:
        """How often the function was traced: never."""
        return 0

    def __repr__(self) -> str:
        return f"<eagerflow.function.Function object of {self._name!r}>"


class ConcreteFunction:
    """A Function together with the arguments, or their specs, that it was requested for."""

    def __init__(self, function: Function, args: tuple, kwargs: dict[str, Any]) -> None:
        self._function = function
        self.structured_input_signature = (function.input_signature or args, kwargs)
        self.name = function.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    @property
    def inputs(self) -> list[Any]:
        """The specs or values of all tensor arguments."""
        return nest.flatten(self.structured_input_signature)


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Marks a function to be run as a whole; here it runs eagerly, operation by operation.

    Operations are cheap enough that a graph would not speed up eager programs, so this changes how
    a function is called, not what it computes. Results are tensors, also where the function returns
    numbers, arrays or variables. Python side effects, such as `print`, happen on every call and not
    only on the first. Random operations draw the values of a traced function: each from its own
    stream, which `tf.random.set_seed` and the number of operations before it determine.

    Args:
        func: the function; None when used as `@tf.function(...)`.
        input_signature: TensorSpecs that the arguments must fit; they are converted to tensors.
        autograph: accepted; Python control flow needs no conversion.
        jit_compile: accepted; nothing is compiled.
        reduce_retracing: accepted; nothing is traced.
        experimental_implements: accepted, without effect, as all further arguments are.
        experimental_autograph_options: see above.
        experimental_attributes: see above.
        experimental_relax_shapes: see above.
        experimental_compile: see above.
        experimental_follow_type_hints: see above.

    Returns:
        A `Function`, or a decorator that makes one.

    Raises:
        TypeError: if `func` cannot be called, or a call does not fit the signature.

    >>> @tf.function
    ... def area(w, h):
    ...     return w * h
    >>> area(tf.constant(2.0), 3.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def decorate(python_function: Callable[..., Any]) -> Function:
        if isinstance(python_function, Function):
            python_function = python_function.python_function
        return Function(python_function, input_signature)

    return decorate if func is None else decorate(func)

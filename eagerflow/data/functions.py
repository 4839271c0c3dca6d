"""Functions of pipelines: traced when a transformation is called, and run as graphs for each element."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.framework import context, dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions.tracing import Placeholders
from eagerflow.functions.variable_creation import Creation
from eagerflow.typing import Structure
from eagerflow.util import lazy, tracebacks
from eagerflow.util.program_warnings import warn

# It imports malt when a function is converted.
autograph = lazy.Module("eagerflow.autograph.conversion")


class Debugging:
    """Whether functions run as Python for every element, after they have been traced."""

    enabled = False


class ElementFunction(ABC):
    """A function that a pipeline calls with elements.

    An element that is a tuple is passed as its parts.
    """

    result: Any  # the specs of its result
    python_function: Callable[..., Any]

    @abstractmethod
    def caller(self, streams: Any) -> Callable[[Any], Any]:
        """The callable of one iteration over the pipeline.

        Args:
            streams: a `_core.StreamStates`, the positions of the iteration's random streams.
        """

    @property
    def description(self) -> str:
        """The function's name."""
        function = self.python_function
        return getattr(function, "__qualname__", None) or type(function).__qualname__

    def stateful_operation(self) -> str | None:
        """The name of an operation whose results do not follow from its inputs; None without one."""
        return None


class HostFunction(ElementFunction):
    """A library function that reads the values of its arguments.

    Args:
        function: returns an element.
        result: the specs of its result.
    """

    def __init__(self, function: Callable[..., Any], result: Structure) -> None:
        self.python_function = function
        self.result = result

    def caller(self, streams: Any) -> Callable[..., Any]:
        """The function, called with unflattened elements."""
        return _of_elements(self.python_function)


def _of_elements(function: Callable[..., object]) -> Callable[..., Any]:
    def call(element: Structure) -> Any:
        return function(*element) if type(element) is tuple else function(element)

    return call


class TracedFunction(ElementFunction):
    """A function of the program, traced once for elements of certain specs.

    Args:
        function: the function.
        spec: the specs of the elements; those in a tuple are passed as its arguments.
        used_by: the transformation that messages name.

    Raises:
        TypeError: if its result cannot be an element.
        Exception: what the function itself raises while it is traced.
    """

    def __init__(self, function: Callable[..., Any], spec: Any, used_by: str) -> None:
        self.python_function = function
        self.spec = spec
        if self._trace(function, used_by, may_create=True).created:
            # The layers that it calls are built now, and must not make variables for each element.
            self._trace(function, used_by, may_create=False)
        # The tensors from outside that it uses; of outer graphs, once those run, their values.
        self.captured = [outer for outer, _ in self.graph.captures]

    def _trace(self, function: Callable[..., object], used_by: str, may_create: bool) -> Creation:
        graph = self.graph = FuncGraph(getattr(function, "__name__", type(function).__name__))
        placeholders = Placeholders(graph, [])
        mode = context.running_eagerly() if context.process.graphs_used else nullcontext()
        with mode, graph.as_default(), Creation(may_create, graph, []) as creation:
            arguments = []
            for number, part in enumerate(self.spec if type(self.spec) is tuple else (self.spec,)):
                placeholders.parameter = f"args_{number}"
                arguments.append(structure.map_structure(self._placeholder(placeholders), part))
            returned = autograph.convert_in_context(function)(*arguments)
            self.result, tensors = _taken_apart(returned, used_by)
            graph.finish([graph.capture(tensor) for tensor in tensors])
        return creation

    @staticmethod
    def _placeholder(placeholders: Placeholders) -> Callable[..., Any]:
        return lambda leaf: leaf.placeholder_value(placeholders)

    def bound(self, captured: list[_core.Tensor]) -> TracedFunction:
        """The same function with values for the tensors of outer graphs."""
        copied = copy.copy(self)
        copied.captured = captured
        return copied

    def caller(self, streams: Any) -> Callable[..., Any] | _core.ElementFunction:
        """A native function of unflattened elements; in debug mode the Python function."""
        if Debugging.enabled:
            call = _of_elements(self.python_function)
            return lambda element: structure.normalize_result(call(element))
        spec, result = self.spec, self.result
        return _core.ElementFunction(
            self.graph,
            self.captured,
            structure.plain_form(spec) if structure.is_plain(spec) else structure.taker(spec),
            structure.plain_form(result)
            if structure.is_plain(result)
            else structure.packer(result),
            streams,
        )

    def stateful_operation(self) -> str | None:
        """The name of an operation whose results do not follow from its inputs; None without one."""
        return _stateful_operation(self.graph)


# Nodes whose effects do not change later results.
_HARMLESS = frozenset(["print", "Assert"])


def _stateful_operation(graph: FuncGraph) -> str | None:
    draws = False
    for node in graph.nodes:
        kind = node.type
        if draws:
            return kind  # the operation that draws from the stream
        draws = kind == "RandomStream"
        if node.variables or (node.has_effects and kind not in _HARMLESS):
            return kind
        if any(_stateful_operation(callee) for callee in node.callees):
            return kind
    return None


def _taken_apart(returned: Structure, used_by: str) -> tuple[Any, list[Any]]:
    """The specs of a function's result, and the tensors in it."""
    # Lists are values, but this one may be the result of an operation with several outputs.
    element = tuple(returned) if type(returned) is list else returned
    try:
        element = structure.normalize(element)
        spec = structure.spec_of(element)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Unsupported return value from function passed to {used_by}: {returned}."
        ) from error
    return spec, structure.taker(spec)(element)


def traced(function: Any, spec: Structure, used_by: str, name: str = "func") -> ElementFunction:
    """A program's function for elements of certain specs.

    Args:
        function: the function.
        spec: see `TracedFunction`.
        used_by: see `TracedFunction`.
        name: the parameter's name.

    Raises:
        ValueError: if it cannot be called.
        Exception: see `TracedFunction`.
    """
    if isinstance(function, ElementFunction):
        return function
    if not callable(function):
        raise ValueError(
            f"Argument `{name}` must be a callable. Received {name}={function} "
            f"(of type {type(function)})"
        )
    if context.process.functions_eager and not Debugging.enabled:
        warn(
            "Even though the `tf.config.experimental_run_functions_eagerly` option is set, this "
            "option does not apply to tf.data functions. To force eager execution of tf.data "
            "functions, please use `tf.data.experimental.enable_debug_mode()`.",
        )
    try:
        return TracedFunction(function, spec, used_by)
    except Exception as error:
        tracebacks.keep_program(error)
        raise error


def traced_predicate(function: Any, spec: Structure, used_by: str) -> ElementFunction:
    """A function that returns a boolean scalar for an element.

    Raises:
        ValueError: if it returns something else.
    """
    checked = traced(function, spec, used_by, "predicate")
    if not is_scalar(checked.result, dtypes.bool):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return "
            f"type is {checked.result}."
        )
    return checked


def traced_number(
    function: Callable[..., object], spec: Structure, used_by: str, name: str, dtype: DType
) -> ElementFunction:
    """A function that returns an integer scalar for an element.

    Raises:
        ValueError: if it returns something else.
    """

    def convert(*args: _core.Tensor) -> Any:
        return _core.convert(autograph.convert_in_context(function)(*args), dtype, None)

    if isinstance(function, ElementFunction):
        return function
    if not callable(function):
        return traced(function, spec, used_by, name)
    converter = TracedFunction(convert, spec, used_by)
    converter.python_function = function
    if not is_scalar(converter.result, dtype):
        raise ValueError(
            f"Invalid `{name}`. `{name}` must return a single `tf.{dtype.name}` scalar tensor, but "
            f"its return type is {converter.result}."
        )
    return converter


def is_scalar(spec: Structure, dtype: DType) -> bool:
    """Whether values of a spec may be scalars of a dtype."""
    return isinstance(spec, TensorSpec) and spec.dtype is dtype and spec.shape.rank in (0, None)


def traced_with_state(
    function: Callable[..., object],
    state: object,
    element: Structure,
    used_by: str,
    name: str,
    next_state: Callable[[Any], Any] = lambda result: result,
) -> tuple[ElementFunction, Any]:
    """A function of a state and an element that returns the next state.

    It is traced again with more general shapes where those of the state change.

    Args:
        function: the function.
        state: the specs of the first state.
        element: the specs of elements.
        used_by: see `TracedFunction`.
        name: the parameter's name.
        next_state: returns the specs of the next state from those of the function's result.

    Returns:
        The function of pairs, and the specs of all states.

    Raises:
        TypeError: if the next state has another structure, or other dtypes.
    """
    while True:
        step = traced(function, (state, element), used_by, name)
        try:
            merged = structure.map_structure(
                lambda old, new: _common(old, new, name), state, next_state(step.result)
            )
        except ValueError as error:
            raise TypeError(
                f"Invalid `{name}`. It must return a state of the form of the initial one: {error}"
            ) from None
        if merged == state or isinstance(function, ElementFunction):
            return step, merged
        state = merged


def _common(old: Any, new: Any, name: str) -> Any:
    """The spec of a part of the state before and after a step."""
    if type(old) is not type(new) or getattr(old, "dtype", None) != getattr(new, "dtype", None):
        expected, got = getattr(old, "dtype", old), getattr(new, "dtype", new)
        raise TypeError(
            f"Invalid `{name}`. The element types for the new state must match the initial state. "
            f"Expected {expected!r}, got {got!r}."
        )
    return old if old == new else old.most_specific_compatible_type(new)


Place = Callable[[], str]  # says which step of a pipeline it is


def guarded(
    call: Callable[[Any], Any],
    kind: Callable[..., errors.OpError] = errors.InternalError,
    place: Place | None = None,
) -> Callable[..., Any]:
    """A function of elements whose errors do not look like the end of the pipeline.

    Args:
        call: the function.
        kind: see `not_the_end`.
        place: see `not_the_end`.
    """

    def checked(element: Any) -> Any:
        try:
            return call(element)
        except Exception as error:
            raised = not_the_end(error, kind, place)
            if raised is error:
                raise
            raise raised from error

    return checked


def not_the_end(
    error: BaseException,
    kind: Callable[..., errors.OpError] = errors.InternalError,
    place: Place | None = None,
) -> BaseException:
    """The error that a pipeline raises for an error of a function.

    Args:
        error: the error; a StopIteration or an OutOfRangeError would end the reading of the pipeline.
        kind: the class of errors that TensorFlow raises for functions of this step.
        place: says which step it is; then messages of operations' errors begin with it.
    """
    if isinstance(error, StopIteration):
        return RuntimeError("A function of the pipeline raised StopIteration.")
    if isinstance(error, errors.OutOfRangeError):
        return kind(None, None, f"Function invocation produced OutOfRangeError: {error}")
    if place is not None and isinstance(error, errors.OpError):
        told = "Error in user-defined function passed to "
        if not error.message.startswith(told):  # by a function that called this one
            error._message = f"{told}{place()}: {error.message}"
    return error

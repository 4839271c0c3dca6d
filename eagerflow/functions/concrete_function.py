"""ConcreteFunction: the graph of a function for one type of arguments."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable as PythonCallable
from collections.abc import Mapping
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework.func_graph import FuncGraph
from eagerflow.framework.shapes import TensorShape
from eagerflow.functions import function_type as types
from eagerflow.functions import trace_types, tracing
from eagerflow.functions.function_type import FunctionType
from eagerflow.typing import Structure
from eagerflow.util import lazy

# Few programs use them.
deferred_captures = lazy.Module("eagerflow.functions.deferred_captures")
pruning = lazy.Module("eagerflow.functions.pruning")

Tensor = _core.Tensor

_numbers = itertools.count()


class Callable:
    """A callable with a function type: the base of Functions and concrete functions."""

    __slots__ = ()

    @property
    def function_type(self) -> FunctionType:
        """The parameters, their types and that of the result."""
        raise NotImplementedError

    def add_to_graph(self, g: object = None, overwrite: bool = False) -> None:
        """Does nothing: a graph that calls a function holds it."""

    def add_gradient_functions_to_graph(self, g: object = None) -> None:
        """Does nothing: gradients are taken of the operations that a call runs."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the function."""
        raise NotImplementedError


class ConcreteFunction(_core.TracedCall, Callable):
    """A function that was traced for certain types of arguments.

    Calls accept the arguments of the function itself; those that the trace knows as Python values may
    be left out. Or they accept a tensor for each of the graph's inputs, by position or by the names of
    the TensorSpecs.

    Args:
        graph: the finished graph.
        function_type: the types of arguments and result.
        name: the Python function's name.
        variables: the variables in the arguments that it was traced with.
    """

    def __init__(
        self,
        graph: FuncGraph,
        function_type: FunctionType,
        name: str,
        variables: list[Any] | None = None,
    ) -> None:
        self._graph = graph
        self._function_type = function_type
        self._python_name = name
        self._name = f"__inference_{name}_{next(_numbers)}"
        self._argument_variables = variables or []
        self._output_type = function_type.output
        # Builds the result from the graph's outputs; None if the only output is the result.
        self.pack = trace_types.packer(self._output_type)
        graph.structured_input_signature = types.named_specs(function_type, {})
        graph.structured_outputs = self._output_type.from_tensors(iter(graph.outputs))

    # Properties.

    @property
    def name(self) -> bytes:
        """A name unique to this function."""
        return self._name.encode()

    @property
    def graph(self) -> FuncGraph:
        """The graph, for inspection."""
        return self._graph

    @property
    def function_type(self) -> FunctionType:
        """The parameters, their types and that of the result."""
        return self._function_type

    @property
    def inference_fn(self) -> ConcreteFunction:
        """What a call without gradients runs: the function itself."""
        return self

    @property
    def attributes(self) -> Mapping[str, object]:
        """The attributes of the function's message: see `tf.function(experimental_attributes=...)`."""
        return self._graph.function_attributes

    @property
    def inputs(self) -> list[Any]:
        """The graph's inputs: symbolic tensors for the arguments, then for its captures."""
        return [*self._graph.inputs, *self._graph.captured_placeholders]

    @property
    def outputs(self) -> list[Tensor]:
        """The symbolic tensors in the result."""
        return self._graph.outputs

    @property
    def captured_inputs(self) -> list[Any]:
        """The captures: handles of variables, tensors, and tensors of outer graphs."""
        return self._graph.captured_inputs

    def replace_capture_with_deferred_capture(
        self,
        tensor: Any,
        closure: PythonCallable[[], Any],
        spec: Any,
        placeholder: Any = None,
        default_value: object = None,
    ) -> None:
        """Lets calls compute the value of a capture, in place of the captured tensor.

        Args:
            tensor: the captured tensor.
            closure: a function without arguments that each call calls for the value.
            spec: the spec of the value.
            placeholder: the tensor that represents `tensor` in the graph; by default it is looked up.
            default_value: accepted, without effect.

        Raises:
            ValueError: if `tensor` does not fit the spec.

        >>> rate = tf.constant(2.0)
        >>> double = tf.function(lambda x: x * rate).get_concrete_function(tf.TensorSpec([]))
        >>> double.replace_capture_with_deferred_capture(
        ...     rate, lambda: tf.constant(3.0), tf.TensorSpec([])
        ... )
        >>> float(double(tf.constant(1.0)))
        3.0
        """
        self._graph = deferred_captures.replaced(self._graph, tensor, closure, spec, placeholder)
        self._graph.structured_input_signature = types.named_specs(self._function_type, {})
        self._graph.structured_outputs = self._output_type.from_tensors(iter(self._graph.outputs))
        self._forget()

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it reads or changes."""
        return self._graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of its variables that are trainable."""
        return tuple(v for v in self.variables if v.trainable)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments by position and by name, with specs for tensors."""
        return self._graph.structured_input_signature

    @property
    def structured_outputs(self) -> Any:
        """The result, with symbolic tensors."""
        return self._graph.structured_outputs

    @property
    def output_shapes(self) -> Any:
        """The shapes of the tensors in the result."""
        return self._of_outputs(_shape_of)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the tensors in the result."""
        return self._of_outputs(lambda leaf: getattr(leaf, "dtype", None))

    def _of_outputs(self, attribute: Any) -> Any:
        return nest.map_structure(attribute, self.structured_outputs)

    @property
    def function_def(self) -> Any:
        """The function as a FunctionDef message."""
        return self._graph.as_function_def(self._name)

    definition = cached_definition = function_def

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The types of parameters and result, as text.

        Args:
            verbose: False for one line.
        """
        return repr(self._function_type) if verbose else str(self._function_type)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self._function_type} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self._function_type!r}"

    # Calls.

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the graph, for arguments of a kind that the native call does not know yet.

        Raises:
            TypeError: if the arguments fit neither the parameters nor the graph's inputs.
        """
        signature = self._function_type
        try:
            bound = types.bound_with_defaults(signature, args, kwargs, {})
            arguments = types.cast_arguments(signature, bound)
        except (TypeError, ValueError) as cause:
            # Its text has the values of all arguments: it is written only where it is shown.
            error = functools.partial(types.binding_error, cause, args, kwargs, signature)
            if _core.building() is not None:  # traces know the shapes of calls
                raise error() from cause
            return self._call_flat(args, kwargs, error)
        return self.call_bound(arguments, self, args, kwargs)

    def call_bound(
        self,
        arguments: Mapping[str, object],
        function: _core.TracedCall,
        args: tuple,
        kwargs: dict[str, object],
    ) -> Any:
        """The result for arguments by parameter, which fit.

        Args:
            arguments: the arguments.
            function: what was called; it answers such calls without Python code from now on.
            args: the arguments as they were given.
            kwargs: those by name.
        """
        tensors = self._function_type.to_tensors(arguments)
        remember(function, self, tensors, args, kwargs)
        return self.run(tensors, arguments)

    def run(self, tensors: list[Tensor], arguments: Mapping[str, object]) -> Any:
        """The result for arguments by parameter, with the tensors in them."""
        if self._argument_variables:
            variables = tracing.variables_in(self._function_type, arguments)
            pairs = zip(self._argument_variables, variables, strict=True)
            swapped = [(traced, actual) for traced, actual in pairs if traced is not actual]
            if swapped:
                return self._result(self._graph.run(tensors, swapped))
        return self._result(self._graph.run(tensors))

    def _result(self, outputs: list[Tensor]) -> Any:
        return outputs[0] if self.pack is None else self.pack(outputs)

    # Calls with one tensor for each input.

    @property
    def _arg_keywords(self) -> list[str]:
        """The names of the graph's inputs as arguments."""
        counts: dict[str, int] = {}
        names = []
        for name, _ in types.flat_names(self._function_type):
            name = tracing.valid_name(name)
            count = counts.get(name, 0)
            counts[name] = count + 1
            names.append(f"{name}_{count}" if count else name)
        return names

    def _call_flat(
        self, args: tuple, kwargs: dict[str, object], error: PythonCallable[[], TypeError]
    ) -> Any:
        names = self._arg_keywords
        shown = f"{self._python_name}({', '.join(names)})"
        reason = self._misfit(names, args, kwargs)
        if reason is not None:
            raise TypeError(
                f"{error()}\nFallback to flat signature also failed due to: {shown}{reason}"
            ) from None
        tensors = [*args, *(kwargs[name] for name in names[len(args) :])]
        for index, (tensor, symbol) in enumerate(zip(tensors, self._graph.inputs, strict=True)):
            if not isinstance(tensor, Tensor | _core.Variable):
                raise TypeError(
                    f"{error()}\nFallback to flat signature also failed due to: {shown}: expected "
                    f"argument #{index}(zero-based) to be a Tensor; got {type(tensor).__name__} "
                    f"({tensor})."
                )
            if tensor.dtype != symbol.dtype:
                raise InvalidArgumentError._of(
                    f"cannot compute {self._name} as input #{index}(zero-based) was expected to be "
                    f"a {_spoken(symbol.dtype)} tensor but is a {_spoken(tensor.dtype)} tensor "
                    f"[Op:{self._name}]"
                )
        inputs = [_core.as_tensor(tensor) for tensor in tensors]
        remember(self, self, inputs, args, kwargs)
        return self._result(self._graph.run(inputs))

    def _misfit(self, names: list[str], args: tuple, kwargs: dict[str, object]) -> str | None:
        """Why arguments do not fit the graph's inputs; None if they do."""
        if len(args) > len(names):
            return f" takes {len(names)} positional arguments, got {len(args)}."
        twice = [name for name in names[: len(args)] if name in kwargs]
        if twice:
            return f" got two values for '{twice[0]}'."
        missing = [name for name in names[len(args) :] if name not in kwargs]
        if missing:
            return f" missing required arguments: {', '.join(missing)}."
        unknown = [name for name in kwargs if name not in names]
        if unknown:
            return f" got unexpected keyword arguments: {', '.join(unknown)}."
        return None

    def prune(self, feeds: Structure, fetches: Structure, name: str | None = None) -> Any:
        """The part of the graph that computes some of its tensors from others.

        Args:
            feeds: tensors of the graph, or their names: the arguments of the new function.
            fetches: a structure of tensors of the graph, or of their names: its result.
            name: its name.

        Raises:
            ValueError: if a fetched tensor needs an input of the graph that is not fed.
        """
        return pruning.pruned(self, feeds, fetches, name)


def remember(
    function: _core.TracedCall,
    concrete: ConcreteFunction,
    tensors: list[Tensor],
    args: tuple,
    kwargs: dict[str, object],
) -> None:
    """Lets a function answer calls with tensors like these natively, if they are the graph's inputs.

    Args:
        function: what was called.
        concrete: what answers the call.
        tensors: the inputs of its graph.
        args: the arguments of the call; besides tensors, they may be arrays of the inputs' dtypes,
            and iterators of datasets.
        kwargs: those by name.
    """
    given = (*args, *kwargs.values())
    if len(given) != len(tensors) or concrete._argument_variables or _core.building() is not None:
        return
    if not kwargs:
        if all(map(_is_input, tensors, args)):
            function._remember(args, concrete._graph, concrete.pack)
        return
    if len(given) == 1 and _is_input(tensors[0], given[0]):
        function._remember(given, concrete._graph, concrete.pack, tuple(kwargs), (0,))
        return
    places = {id(value): k for k, value in enumerate(given)}
    order = tuple(places.get(id(tensor), -1) for tensor in tensors)
    # A tensor that is passed twice does not tell which input is which argument.
    if len(places) == len(given) and -1 not in order:
        function._remember(given, concrete._graph, concrete.pack, tuple(kwargs), order)


def _is_input(tensor: Tensor, argument: object) -> bool:
    """Whether an argument is an input of a graph, an array of its dtype, or an iterator."""
    if type(argument) is np.ndarray:
        numbers = argument.dtype.kind in "biufc"
        return numbers and argument.dtype == tensor.dtype.as_numpy_dtype
    return tensor is argument or getattr(type(argument), "_is_dataset_iterator", False)


def _spoken(dtype: Any) -> str:
    """The name that kernels have for a dtype."""
    return {"float16": "half", "float32": "float", "float64": "double"}.get(dtype.name, dtype.name)


def _shape_of(leaf: Any) -> Any:
    return TensorShape(None) if leaf is None else leaf.shape

"""tf.function: functions that are traced once for each type of arguments, and run as graphs."""

from __future__ import annotations

import copy as copying
import functools
import inspect
import threading
import weakref
from collections.abc import Callable as PythonCallable
from collections.abc import Sequence
from types import MethodType
from typing import Any, overload

from eagerflow import _core
from eagerflow.autograph.directives import bound_later, do_not_convert
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import building_graph, process
from eagerflow.framework.func_graph import FuncGraph, eagerly
from eagerflow.framework.trace_type import TracingContext
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.functions import cache, retracing, trace_types, tracing
from eagerflow.functions import function_type as types
from eagerflow.functions.concrete_function import Callable, ConcreteFunction, remember
from eagerflow.functions.placement import check_devices
from eagerflow.functions.variable_creation import Creation
from eagerflow.functions.variable_spec import VariableSpec
from eagerflow.util import advice, lazy, tracebacks

# It imports malt when a function is converted.
autograph = lazy.Module("eagerflow.autograph.conversion")
# Few programs compile functions.
compilation = lazy.Module("eagerflow.functions.compilation")

Tensor = _core.Tensor

# Attributes that `experimental_attributes` may have.
_ATTRIBUTES = frozenset(
    "_OutputsOnOpDevice _disable_acd _implements _noinline _tf_data_function api_implements "
    "api_preferred_device disable_summaries_at_runtime experimental_ints_on_device "
    "function_runs_at_most_once go_backwards runtime_constant_optimization time_major".split()
)


_IMPLEMENTS = "_implements"


class _FunctionSignature:
    """The signature of the Python function, for readers that follow no wrappers; a class has none."""

    def __get__(self, instance: Function | None, owner: type) -> inspect.Signature:
        if instance is None:
            raise AttributeError("__signature__")
        return inspect.signature(instance._python_function)


class Function(_core.TracedCall, Callable):
    """A Python function that is traced, made by `tf.function`.

    A call with arguments of new types runs the Python function once with symbolic tensors; its operations
    make a graph. This call and later ones with such arguments run the graph.
    """

    __signature__ = _FunctionSignature()

    def __init__(
        self,
        python_function: PythonCallable[..., Any],
        name: str | None = None,
        input_signature: Any = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        experimental_implements: object = None,
        experimental_autograph_options: object = None,
        experimental_attributes: Any = None,
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"{python_function!r} is not a callable object")
        attributes = dict(experimental_attributes or {})
        for attribute in attributes:
            if attribute not in _ATTRIBUTES:
                raise ValueError(f"`{attribute} is not supported by tf.function as an attribute.")
        if isinstance(experimental_implements, str):
            attributes[_IMPLEMENTS] = experimental_implements
        self._python_function = python_function
        self._function_type = types.FunctionType.from_callable(python_function)
        self._defaults = types.default_values(python_function)
        self._input_signature = None
        if input_signature is not None:
            types.check_signature(input_signature)
            self._input_signature = tuple(input_signature)
            self._function_type = types.constrained(
                self._function_type, self._input_signature, self._defaults
            )
        self._name: str = name or str(getattr(python_function, "__name__", "function"))
        self._autograph = autograph
        self._autograph_options = experimental_autograph_options
        self._jit_compile = jit_compile
        self._reduce_retracing = reduce_retracing
        self._attributes = attributes
        # Methods by the ids of their objects, which they do not keep alive.
        self._instances: dict[int, tuple[weakref.ref[Any], Function]] = {}
        self._history = retracing.history_of(python_function)
        self._described: Any = python_function
        # The parameters, if all accept their arguments by position or name.
        plain = all(
            p.kind is types.POSITIONAL_OR_KEYWORD for p in self._function_type.parameters.values()
        )
        self._plain = tuple(self._function_type.parameters) if plain else None
        self._plain_kinds = (int(types.POSITIONAL_OR_KEYWORD),) * len(self._plain or ())
        self._forget_traces()
        functools.update_wrapper(self, python_function, updated=())
        self._show_attributes()

    def _show_attributes(self) -> None:
        """Copies the attributes that the program has set on the function or callable object."""
        for name, value in getattr(self._python_function, "__dict__", {}).items():
            if not name.startswith("__") and not hasattr(self, name):
                self.__dict__[name] = value

    def _forget_traces(self) -> None:
        self._cache = cache.FunctionCache()
        self._lock = threading.RLock()
        self._traces = 0
        # Whether a first trace is complete, and whether it made variables.
        self._begun = False
        self._made_variables = False

    # Properties.

    def _decorate(self, decorator: PythonCallable[..., Any]) -> None:
        """Replaces the Python function by the result of a decorator.

        Raises:
            ValueError: if the function has been traced.
        """
        if self._cache.concrete_functions():
            raise ValueError(
                "Functions cannot be decorated after they have been traced. Decorate the Python "
                "function before the first call."
            )
        self._python_function = decorator(self._python_function)

    @property
    def python_function(self) -> PythonCallable[..., Any]:
        """The function as it was written."""
        return self._python_function

    @property
    def input_signature(self) -> Any:
        """The specs that it was made with, or None."""
        return self._input_signature

    @property
    def function_type(self) -> types.FunctionType:
        """The parameters, and the types that an `input_signature` restricts them to."""
        return self._function_type

    @property
    def function_spec(self) -> types.FunctionSpec:
        """The parameters, their defaults, and how the function is traced."""
        return types.FunctionSpec(
            self._function_type,
            self._defaults,
            self._name,
            self._input_signature,
            self._jit_compile,
        )

    @property
    def name(self) -> str:
        """The function's name."""
        return self._name

    def experimental_get_tracing_count(self) -> int:
        """How often the function has been traced.

        >>> @tf.function
        ... def double(x):
        ...     return 2 * x
        >>> double(1), double(2), double(tf.constant(3)), double(tf.constant(4))  # doctest: +SKIP
        >>> double.experimental_get_tracing_count()
        0
        """
        return self._traces

    _get_tracing_count = experimental_get_tracing_count

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The types of all concrete functions, as text.

        Args:
            verbose: False for one line for each.
        """
        return "\n\n".join(
            c.pretty_printed_signature(verbose) for c in self._cache.concrete_functions()
        )

    def __repr__(self) -> str:
        return f"<eagerflow.functions.function.Function object at 0x{id(self):x}>"

    # Calls.

    def _call(self, *args: object, **kwargs: object) -> Any:
        """A call for which no graph is remembered."""
        if process.functions_eager:
            return self._python_function(*args, **kwargs)
        try:
            concrete, values = self._concrete_for(args, kwargs)
            tensors = concrete.function_type.to_tensors(values)
            remember(self, concrete, tensors, args, kwargs)
            return concrete.run(tensors, values)
        except Exception as error:
            tracebacks.keep_program(error)
            raise error

    @property
    def _concrete_variable_creation_fn(self) -> ConcreteFunction | None:
        """The first trace, whose graph Keras shows in TensorBoard; None before it."""
        return next(iter(self._list_all_concrete_functions()), None)

    @_concrete_variable_creation_fn.setter
    def _concrete_variable_creation_fn(self, value: None) -> None:
        """None lets the function be traced anew: programs that fit often free the graphs so."""
        if value is not None:
            raise TypeError(
                "The first trace of a function is made by a call, or by `get_concrete_function`. It "
                f"can only be set to None, which forgets all traces: got {value!r}."
            )
        self._forget()
        self._forget_traces()

    @property
    def _descriptor_cache(self) -> dict[int, Any]:
        """The methods that were made of the function, by the ids of their objects."""
        return self._instances

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return self._cache.concrete_functions()

    def _list_all_concrete_functions_for_serialization(self) -> list[ConcreteFunction]:
        """The existing concrete functions; a function with a signature is traced first."""
        traces = self._cache.concrete_functions()
        if traces or self._input_signature is None:
            return traces
        self.get_concrete_function()
        return self._cache.concrete_functions()

    def _trackable_children(
        self, save_type: str = "checkpoint", cache: object = None, **kwargs: object
    ) -> dict[str, ConcreteFunction]:
        """The children of the function: its traces in SavedModels, nothing in checkpoints."""
        if save_type == "checkpoint":
            return {}
        traces = self._list_all_concrete_functions_for_serialization()
        return {f"trace_{k}": trace for k, trace in enumerate(traces)}

    def get_concrete_function(self, *args: object, **kwargs: object) -> ConcreteFunction:
        """The concrete function for arguments like these.

        Args:
            *args: arguments; a TensorSpec, or another spec, represents any value that it describes.
            **kwargs: arguments by name.

        Raises:
            TypeError: if they do not fit the parameters or the `input_signature`.

        >>> @tf.function
        ... def double(x):
        ...     return 2 * x
        >>> concrete = double.get_concrete_function(tf.TensorSpec([None], tf.float32))
        >>> concrete(tf.constant([1.0, 2.0])).numpy()
        array([2., 4.], dtype=float32)
        """
        if self._input_signature is not None and not args and not kwargs:
            args = self._input_signature
        return self._concrete_for(args, kwargs, specs=True)[0]

    def get_initialization_function(self, *args: Any, **kwargs: object) -> PythonCallable[[], None]:
        """Traces the function for arguments like these, and initializes variables that it creates.

        Returns:
            A function that does nothing, as there is nothing left to initialize.

        Raises:
            RuntimeError: if the function has been traced before.
        """
        if self._begun:
            raise RuntimeError(
                "get_initialization_function cannot be called after the function has been used"
            )
        self.get_concrete_function(*args, **kwargs)
        return lambda: None

    def _concrete_for(
        self, args: tuple, kwargs: dict[str, object], specs: bool = False
    ) -> tuple[ConcreteFunction, dict[str, Any]]:
        """The concrete function for a call, which is traced if it is new, and the bound arguments."""
        key, values = self._key_for(args, kwargs, specs)
        concrete = self._cache.lookup(key)
        if concrete is None:
            concrete = self._traced(key, values, specs)
        else:
            self._history.calls += 1
        return concrete, dict(zip(key[0], values, strict=True))

    def _traced_anew(self, concrete: ConcreteFunction) -> ConcreteFunction:
        """A concrete function for the argument types of another one, traced now and not cached."""
        key, values = self._key_for(*concrete.structured_input_signature, specs=True)
        return self._trace(key, values, True, False)[0]

    def _key_for(
        self, args: tuple, kwargs: dict[str, object], specs: bool
    ) -> tuple[cache.Key, Sequence[Any]]:
        """The cache key of a trace for arguments, and their values."""
        names: Any
        kinds: Any
        values: Any
        if _IMPLEMENTS in self._attributes:  # what takes its place knows tensors only
            args = tuple(map(_as_tensor, args))
            kwargs = {name: _as_tensor(value) for name, value in kwargs.items()}
        if not kwargs and self._plain is not None and len(args) == len(self._plain):
            names, kinds, values = self._plain, self._plain_kinds, args
            if self._input_signature is not None:
                values = self._cast(dict(zip(names, args, strict=True)), args, kwargs, specs)
        else:
            try:
                bound = types.bound_with_defaults(self._function_type, args, kwargs, self._defaults)
            except TypeError as error:
                raise types.binding_error(error, args, kwargs, self._function_type) from error
            names, kinds, values = types.arguments_of(self._function_type, bound)
            if self._input_signature is not None:
                values = self._cast(bound, args, kwargs, specs)
        if self._input_signature is not None:
            declared = self._function_type.parameters
            parts = tuple([declared[name].annotation for name in names])
        else:
            tracing_context = TracingContext()
            parts = tuple([trace_types.from_value(v, tracing_context) for v in values])
        graph = building_graph()
        colocations = () if graph is None else graph.colocations
        return (tuple(names), tuple(kinds), parts, colocations), values

    def _cast(
        self, bound: dict[str, object], args: tuple, kwargs: dict[str, object], specs: bool
    ) -> list[Any]:
        """The arguments, converted to the types of the signature."""
        try:
            return list(types.cast_arguments(self._function_type, bound, specs).values())
        except (TypeError, ValueError) as error:
            raise types.binding_error(error, args, kwargs, self._function_type) from error

    # Traces.

    def _traced(self, key: cache.Key, values: Any, specs: bool) -> ConcreteFunction:
        with self._lock:
            concrete = self._cache.lookup(key)
            if concrete is not None:
                return concrete
            if self._reduce_retracing:
                key = self._cache.generalized(key)
            concrete, made = self._trace(key, values, specs, not self._made_variables)
            if made and self._begun:
                raise ValueError(
                    "Creating variables on a non-first call to a function decorated with tf.function."
                )
            if made:
                # They exist from now on: the function takes another path in all later calls.
                self._made_variables = True
                concrete, _ = self._trace(key, values, specs, False)
            self._begun = True
            self._cache.add(key, concrete)
            self._forget()
            self._history.calls += self._take_calls()
            if not specs and _core.building() is None:
                retracing.note_trace(self._history, self._python_function)
            return concrete

    def _trace(
        self, key: cache.Key, values: Any, specs: bool, may_make_variables: bool
    ) -> tuple[ConcreteFunction, bool]:
        """A concrete function, and whether variables were made while it was traced."""
        signature = cache.function_type_of(key)
        arguments = dict(zip(key[0], values, strict=True))
        variables = [
            variable_for(variable) for variable in tracing.variables_in(signature, arguments)
        ]
        graph = FuncGraph(self._name)
        graph.function_attributes = self._attributes
        inputs = [] if specs else signature.to_tensors(arguments)
        creation = Creation(may_make_variables, graph, inputs)
        function = self._python_function
        if self._autograph:
            function = autograph.convert(function, self._autograph_options)
        else:
            function = do_not_convert(function)
        with graph.as_default(), creation:
            output_type, outputs = tracing.trace(
                function, signature, graph, variables, self._described
            )
            graph.finish(outputs)
        self._traces += 1
        signature = types.FunctionType(
            list(signature.parameters.values()), graph.capture_types, output_type
        )
        if not specs and _core.building() is None:
            check_devices(graph)
        if self._jit_compile:
            compilation.compile_for_cpu(graph, self._name)
        concrete = ConcreteFunction(graph, signature, self._name, variables)
        captured = concrete.captured_inputs
        if _IMPLEMENTS in self._attributes and captured:
            raise AssertionError(
                f"Function {self._name} implements another, so that it can depend on nothing outside "
                "of its arguments, and variables are always captured. Pass variable.read_value() as "
                f"an argument. Captured: {captured}"
            )
        return concrete, bool(creation.created)

    # Methods.

    def experimental_get_compiler_ir(
        self, *args: object, **kwargs: object
    ) -> PythonCallable[..., str]:
        """What shows the compiled program for arguments like these.

        Args:
            *args: arguments; a TensorSpec represents any value that it describes.
            **kwargs: arguments by name.

        Returns:
            A function of `stage`: "hlo" gives the text of the HLO module that the compiler gets, whose
            parameters are the arguments, then what the function captures, its variables, and constants
            of more than 256 elements. Of the other stages none can be had: UnimplementedError.

        Raises:
            ValueError: unless the function has `jit_compile=True`, or for a stage that does not exist.
            TypeError: for arguments that do not fit the function.
            tf.errors.InvalidArgumentError: by the result: if the function cannot be compiled, or sizes
                are unknown.

        >>> f = tf.function(tf.negative, jit_compile=True)
        >>> print(f.experimental_get_compiler_ir(tf.TensorSpec([2], "float32"))(stage="hlo"))
        HloModule negative, entry_computation_layout={(f32[2]{0})->f32[2]{0}}
        <BLANKLINE>
        ENTRY main.1 {
          parameter.1 = f32[2]{0} parameter(0)
          ROOT negate.1 = f32[2]{0} negate(parameter.1)
        }
        <BLANKLINE>
        """
        if not self._jit_compile:
            raise ValueError(
                "Compiler IR can only be returned for functions marked with 'jit_compile=True'"
            )
        concrete, values = self._concrete_for(args, kwargs, specs=True)
        context = TracingContext()
        specs = [
            spec
            for name in concrete.function_type.parameters
            for spec in trace_types.from_value(values[name], context).flatten()
        ]
        specs += [inner for _, inner in concrete.graph.captures]
        return functools.partial(compilation.compiler_ir, concrete.graph, self._name, specs)

    def __get__(self, instance: object, owner: object = None) -> Function | MethodType:
        """The method of an object: a Function of its own, which does not keep the object alive."""
        if instance is None:
            return self
        if isinstance(instance, CompositeTensor):  # made of tensors: an argument like others
            return MethodType(self, instance)
        entry = self._instances.get(id(instance))
        return self._bound_to(instance) if entry is None else entry[1]

    def _bound_to(self, instance: object) -> Function:
        key, instances = id(instance), self._instances
        reference = weakref.ref(instance, lambda _: instances.pop(key, None))
        bound = self._clone(_weak_method(self._python_function, instance))
        bound._described = self._python_function
        instances[key] = (reference, bound)
        return bound

    def _arguments(self, python_function: Any) -> tuple[Any, ...]:
        """The arguments that make a Function with these options from another Python function."""
        return (
            python_function,
            self._name,
            self._input_signature,
            self._autograph,
            self._jit_compile,
            self._reduce_retracing,
            None,
            self._autograph_options,
            self._attributes,
        )

    def _clone(self, python_function: Any) -> Function:
        return Function(*self._arguments(python_function))

    def __copy__(self) -> Function:
        copy = type(self).__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._instances = {}
        return copy

    def __deepcopy__(self, memo: dict[int, object]) -> Function:
        return self._clone(copying.deepcopy(self._python_function, memo))

    def __reduce__(self) -> tuple:
        return _from_pickle, self._arguments(self._python_function)


def _as_tensor(value: Any) -> Any:
    """The tensor for an argument; specs represent tensors themselves."""
    return value if isinstance(value, Tensor | TensorSpec) else _core.as_tensor(value)


def _from_pickle(*state: Any) -> Function:
    return Function(*state)


def variable_for(value: object) -> Any:
    """The variable that a function is traced with: the argument, or a new one for a spec."""
    if not isinstance(value, VariableSpec):
        return value
    from eagerflow.framework.variable import Variable

    with eagerly():
        sizes = [1 if size is None else size for size in value.shape.as_list()]
        return Variable(_core.ops.zeros(sizes, value.dtype), value.trainable, shape=value.shape)


def _weak_method(function: Any, instance: object) -> Any:
    """A method that does not keep its object alive."""
    reference = weakref.ref(instance)
    gone = weakref.proxy(instance)

    def receiver() -> Any:
        bound = reference()
        return gone if bound is None else bound

    @functools.wraps(function)
    def method(*args: Any, **kwargs: Any) -> Any:
        return function(receiver(), *args, **kwargs)

    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].kind is not types.VAR_POSITIONAL:
        parameters = parameters[1:]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return bound_later(method, receiver)


@overload
def function(func: PythonCallable[..., Any], *args: Any, **kwargs: Any) -> Any: ...
@overload
def function(
    func: None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> PythonCallable[[PythonCallable[..., Any]], Any]: ...
@advice.explained
def function(
    func: PythonCallable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Decorates a function so that it is traced into a graph, and runs as one.

    A call with arguments of new types runs the Python function once, on symbolic tensors. What it does in
    Python (printing, appending to lists, reading globals) happens only then; its operations become
    nodes of a graph, and this call and later ones run the graph. `if`, `while` and `for` over tensors
    become nodes, too.

    Tensors have the same type if their dtypes and shapes are equal. Numbers, strings and other Python
    values must be equal, objects the same. NumPy's arrays become tensors first.

    Args:
        func: the function; None when used as `@tf.function(...)`.
        input_signature: a spec for each parameter; the function is traced once, for these. Arguments are
            converted to tensors.
        autograph: whether `if`, `while` and `for` over tensors become nodes.
        jit_compile: True for one program of XLA's, which is compiled for each combination of shapes.
            It needs a plugin (`pip install xla-cpu-pjrt`); without one the function runs as others do,
            after a warning. Calls that a tape outside records run operation by operation.
        reduce_retracing: whether a trace for tensors of a second shape leaves the sizes unknown in
            which both shapes differ.
        experimental_implements: the name of a function that this one may be replaced by, or the text of
            a NameAttrList: the attribute `_implements` of the FunctionDef. Arguments become tensors, and
            a function that captures others is refused.
        experimental_autograph_options: `tf.autograph.experimental.Feature`s.
        experimental_attributes: attributes of the FunctionDef.
        experimental_relax_shapes: the former name of `reduce_retracing`.
        experimental_compile: the former name of `jit_compile`.
        experimental_follow_type_hints: accepted, without effect.

    Returns:
        A `Function`, or a decorator that makes one.

    Raises:
        TypeError: if `func` cannot be called, or the signature does not fit its parameters.

    >>> @tf.function
    ... def area(w, h):
    ...     return w * h
    >>> area(tf.constant(2.0), 3.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """
    if input_signature is not None:
        types.check_signature(input_signature)

    def decorate(python_function: PythonCallable[..., Any]) -> Function:
        return Function(
            python_function,
            None,
            input_signature,
            autograph,
            experimental_compile if jit_compile is None else jit_compile,
            reduce_retracing or bool(experimental_relax_shapes),
            experimental_implements,
            experimental_autograph_options,
            experimental_attributes,
        )

    return decorate if func is None else decorate(func)


advice.lacks(Function, "FUNCTION", "lower trace graph code eval_shape")

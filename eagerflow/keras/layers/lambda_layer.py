"""A function as a layer."""

from __future__ import annotations

import inspect
import sys
import types
from contextlib import nullcontext
from typing import Any

from eagerflow import nest
from eagerflow.autodiff.tape import GradientTape
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import variable_creator_scope
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.saving import reachable, registration, serialization
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.keras.utils.function_code import dump_function, load_function
from eagerflow.util.program_warnings import warn


def _described(value: Any, raw: bool = False) -> tuple[Any, str, str | None]:
    """A function in a config: its code or name, which of the two it is, and its module."""
    if isinstance(value, types.LambdaType):
        return dump_function(value), "lambda", value.__module__
    if callable(value):
        return value.__name__, "function", value.__module__
    if raw:
        return value, "raw", None
    raise ValueError(f"Invalid input for serialization, type: {type(value)} ")


def _restored(config: Config, name: str, module_key: str, custom_objects: Any) -> Any:
    """The function that `_described` described; its three entries are taken from the config."""
    value = config.pop(name)
    module = config.pop(module_key, None)
    kind = config.pop(f"{name}_type", "raw")
    if kind == "function" or (kind == "raw" and name == "function"):
        return _function_of(value, custom_objects)
    if kind == "raw":
        return value
    if kind != "lambda":
        raise TypeError(
            "Unsupported value for `function_type` argument. Received: "
            f"function_type={kind}. Expected one of {['function', 'lambda', 'raw']}"
        )
    if serialization.in_safe_mode():
        raise ValueError(
            "Requested the deserialization of a Lambda layer with a Python `lambda` inside it. "
            "This carries a potential risk of arbitrary code execution and thus it is disallowed "
            "by default. If you trust the source of the saved model, you can pass "
            "`safe_mode=False` to the loading function in order to allow Lambda layer loading."
        )
    names: dict[str, Any] = {"__builtins__": __builtins__}
    if module in sys.modules:
        names |= sys.modules[module].__dict__
    else:
        import eagerflow

        names["tf"] = eagerflow
        warn(
            f"{module} is not loaded, but a Lambda layer uses it. It may cause errors.", UserWarning
        )
    return load_function(value, names | (custom_objects or {}))


def _function_of(value: Any, custom_objects: CustomObjects) -> Any:
    """The function of a name: the program's, an activation, or an operation on tensors.

    Raises:
        ValueError: if it is none of these: a configuration can name no others.
    """
    if callable(value):
        return value
    if not isinstance(value, str):
        return serialization.deserialize_as("activation", value, custom_objects)
    function = registration.get_registered_object(value, registration.known_objects(custom_objects))
    if function is None:
        function = reachable.find_function(value, "activation") or reachable.find_operation(value)
    if function is None:
        raise ValueError(
            f"Unknown function in Lambda layer: '{value}'. A configuration can name activations, "
            "operations on tensors, and functions that the program has registered with "
            "`@keras.saving.register_keras_serializable()` or passes in `custom_objects`."
        )
    return function


def _listed(variables: list[Any]) -> str:
    return "".join(f"\n  {variable!r}" for variable in variables)


class Lambda(Layer):
    """Calls a function.

    Args:
        function: takes the inputs, and `mask` or `training` if it has parameters of these names.
        output_shape: the result's shape without the batch, or a function of the input's shape;
            inferred if it is None.
        mask: the mask of the result, or a function `mask(inputs, mask)`.
        arguments: more keyword arguments of the function.

    A function that uses variables which are not attributes of the layer leads to a warning: they
    would be neither trained nor saved.

    Raises:
        ValueError: on a call, if the function makes variables: it would make others at every call.

    >>> tf.keras.layers.Lambda(lambda x: x * 2)(tf.constant([1.0])).numpy()
    array([2.], dtype=float32)
    """

    arguments: dict[str, Any]
    function: Any
    _reads_variables = False
    _unsaved_arguments = frozenset({"function", "output_shape", "mask", "arguments"})

    def __init__(
        self,
        function: Any,
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        # Layers and variables in them do not belong to this layer.
        self.__dict__["arguments"] = arguments or {}
        self.__dict__["function"] = function
        if mask is not None:
            self.supports_masking = True
        self.mask = mask
        self._output_shape = output_shape
        try:
            names = inspect.getfullargspec(function).args
        except TypeError:  # a native function
            names = []
        self._takes_training = "training" in names
        self._takes_mask = "mask" in names

    def call(self, inputs: Any, mask: Any = None, training: Any = None) -> Any:
        kwargs = dict(self.arguments)
        if self._takes_mask:
            kwargs["mask"] = mask
        if self._takes_training:
            kwargs["training"] = training
        made: list[Any] = []

        def note(next_creator: Any, **arguments: Any) -> Any:
            # Weights of layers have the names of the layers that are being called already.
            with nullcontext() if context.building is not None else name_scope(f"{self.name}/"):
                variable = next_creator(**arguments)
            if arguments.get("name") != "StateVar":  # the variable of a random generator
                made.append(variable)
            return variable

        if self._variables_known:
            with variable_creator_scope(note):
                result = self.function(inputs, **kwargs)
        else:
            with GradientTape() as tape, variable_creator_scope(note):
                result = self.function(inputs, **kwargs)
            self.__dict__["_variables_known"] = True
            self._warn_of_untracked(tape.watched_variables(), made)
        if made:
            self._refuse_made(made)
        return result

    _variables_known = False  # whether a call has shown which variables the function reads

    def _untracked(self, variables: Any) -> list[Any]:
        tracked = {id(weight) for weight in self.weights}
        return [variable for variable in variables if id(variable) not in tracked]

    def _refuse_made(self, made: list[Any]) -> None:
        untracked = self._untracked(made)
        if untracked:
            raise ValueError(
                f"\nThe following Variables were created within a Lambda layer ({self.name})\n"
                f"but are not tracked by said layer:{_listed(untracked)}\n"
                "The layer cannot safely ensure proper Variable reuse: every call would create "
                "others. Create them once, in a subclass of Layer."
            )

    def _warn_of_untracked(self, read: Any, made: list[Any]) -> None:
        known = {id(variable) for variable in made}
        untracked = [v for v in self._untracked(read) if id(v) not in known]
        if untracked:
            self._warn(
                f"\nThe following Variables were used a Lambda layer's call ({self.name}), but\n"
                f"are not present in its tracked objects:{_listed(untracked)}\n"
                "It is possible that this is intended behavior, but the model neither trains nor "
                "saves them. A subclass of Layer that has them as attributes does."
            )

    def _warn(self, message: str) -> None:
        warn(message)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return self.mask(inputs, mask) if callable(self.mask) else self.mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        declared = self._output_shape
        if declared is None:
            return super().compute_output_shape(input_shape)
        if callable(declared):
            shape = declared(_tuples(input_shape))
            return shape if isinstance(shape, dict) else _shapes(shape)
        batch = nest.flatten(_tuples(input_shape))
        first = batch[0] if batch else None
        if (
            isinstance(declared, (list, tuple))
            and declared
            and isinstance(declared[0], (list, tuple))
        ):
            return type(declared)(TensorShape([first, *shape]) for shape in declared)
        return TensorShape([first, *([declared] if isinstance(declared, int) else declared)])

    def get_config(self) -> Config:
        function, function_type, module = _described(self.function)
        shape, shape_type, shape_module = _described(self._output_shape, raw=True)
        config = {
            **super().get_config(),
            "function": function,
            "function_type": function_type,
            "module": module,
            "output_shape": shape,
            "output_shape_type": shape_type,
            "output_shape_module": shape_module,
        }
        if self.mask is not None:
            mask, mask_type, mask_module = _described(self.mask)
            config |= {"mask": mask, "mask_type": mask_type, "mask_module": mask_module}
        config["arguments"] = self.arguments
        return config

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A layer from what `get_config` returned.

        Raises:
            ValueError: if it holds a `lambda` and nothing says that its source is trusted.
        """
        config = dict(config)
        function = _restored(config, "function", "module", custom_objects)
        shape = _restored(config, "output_shape", "output_shape_module", custom_objects)
        if isinstance(shape, list):
            shape = tuple(shape)
        mask = None
        if "mask" in config:
            mask = _restored(config, "mask", "mask_module", custom_objects)
        config["arguments"] = {
            name: serialization.deserialize_keras_object(value) if _is_array(value) else value
            for name, value in (config.get("arguments") or {}).items()
        }
        return cls(**{**config, "function": function, "output_shape": shape, "mask": mask})


def _is_array(value: Any) -> bool:
    """Whether an argument is an array or a tensor in its serialized form."""
    return isinstance(value, dict) and value.get("class_name") in ("__numpy__", "__tensor__")


def _tuples(shape: TensorShape) -> Any:
    """Shapes as tuples, in their structure."""
    if isinstance(shape, TensorShape):
        return None if shape.rank is None else tuple(shape.as_list())
    if isinstance(shape, dict):
        return {key: _tuples(value) for key, value in shape.items()}
    if isinstance(shape, (list, tuple)) and any(
        isinstance(entry, (list, tuple, dict, TensorShape)) for entry in shape
    ):
        return [_tuples(entry) for entry in shape]
    return shape


def _shapes(shape: TensorShape) -> Any:
    """The result of a function that computes shapes, as TensorShapes."""
    if isinstance(shape, (list, tuple)) and any(
        isinstance(entry, (list, tuple, TensorShape)) for entry in shape
    ):
        return [TensorShape(entry) for entry in shape]
    return TensorShape(shape)

"""The functions by which SavedModels call Keras's models and layers."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any

from eagerflow import _core, nest
from eagerflow.errors import UnimplementedError
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.functions.function import function
from eagerflow.graphdef.exporting import Exporter
from eagerflow.keras.engine.calls import first_call
from eagerflow.keras.engine.functional.node import symbols
from eagerflow.saved_model.saved_functions import concrete_functions_of
from eagerflow.typing import Structure

# What Keras calls a layer by when it has the file and not the class; returns outputs and losses.
WITH_LOSSES = "call_and_return_conditional_losses"


def of_model(model: Any) -> dict[str, Any]:
    """The call functions of the saved model: none if it was never called, or cannot be exported.

    `__call__` has traces for both values of `training`; `_default_save_signature` returns the outputs
    by name. A model of the program's class can be called without that class by `WITH_LOSSES`.
    """
    if not getattr(model, "inputs", None) or not getattr(model, "outputs", None):
        return of_layer(model, True)
    names, inputs = model.output_names, symbols(model.inputs)
    # The components of ragged and sparse inputs have no names.
    plain = all(isinstance(x.type_spec, TensorSpec) for x in nest.flatten(inputs))
    specs = nest.map_structure(
        lambda x: (
            TensorSpec(x.shape, x.dtype, x.name if plain else None)
            if isinstance(x.type_spec, TensorSpec)
            else x.type_spec
        ),
        inputs,
    )
    single = isinstance(specs, list) and len(specs) == 1
    specs = specs[0] if single else specs

    def call(inputs: Structure, training: bool = False) -> Any:
        return model(inputs, training=training)

    def serve(args_0: Structure) -> dict[str, Any]:
        return dict(zip(names, nest.flatten(model(args_0, training=False)), strict=True))

    called = function(call)
    signature = function(serve, input_signature=[specs])

    def traced() -> dict[str, Any]:
        for training in (False, True):
            called.get_concrete_function(specs, training=training)
        return {"__call__": called, "_default_save_signature": signature}

    return _exportable(model, traced())


def of_layer(layer: Any, serves: bool = False) -> dict[str, Any]:
    """The call functions of a layer or model of the program's class; none if it was never called.

    A layer that keeps tensors of the call of another layer has none either.

    Args:
        layer: the layer.
        serves: whether it is the model that is saved, which has a signature.
    """
    known = layer.save_spec() if layer._is_model else first_call.known_specs(layer)
    if known is None:
        return {}
    args, kwargs = known
    kwargs = {**first_call.plain_values(layer), **kwargs}
    takes_training = layer._call_spec.expects_training
    run = _keras_call(layer)

    def call(*args: object, **kwargs: object) -> Any:
        return run(*args, **kwargs)

    def with_losses(*args: object, **kwargs: object) -> Any:
        outputs = run(*args, **kwargs)
        inner = layer._flatten_layers()
        return outputs, [loss for each in inner for loss in each.__dict__.get("_losses", ())]

    def serve(*args: object, **kwargs: object) -> dict[str, Any]:
        named = {"training": False} if takes_training else {}
        return _named(run(*args, **kwargs, **named))

    functions = {}
    signature = inspect.signature(layer.call)
    for name, body in (("__call__", call), (WITH_LOSSES, with_losses)):
        body.__signature__ = signature  # type: ignore[attr-defined]
        traced = function(body)
        for training in (False, True) if takes_training else (None,):
            named = {} if training is None else {"training": training}
            try:
                traced.get_concrete_function(*args, **kwargs, **named)
            except TypeError as error:
                if not _keeps_symbols(layer):
                    raise
                _warn(layer, str(error))
                return {}
        functions[name] = traced
    if serves and all(isinstance(spec, TypeSpec) for spec in nest.flatten(known)):
        served = function(serve)
        functions["_default_save_signature"] = served.get_concrete_function(*args, **kwargs)
    return _exportable(layer, functions)


def _keras_call(layer: Any) -> Callable[..., Any]:
    """Calls a layer with the arguments of its `call`, which a `__call__` of its class may not have."""
    owner = next(
        base
        for base in type(layer).__mro__
        if "__call__" in vars(base) and base.__module__.startswith("eagerflow.")
    )
    return functools.partial(owner.__call__, layer)


def _keeps_symbols(layer: Any) -> bool:
    """Whether a layer keeps tensors of a function that called it, and may not be callable alone."""
    return any(
        isinstance(leaf, _core.Tensor) and _core.is_symbolic(leaf)
        for each in layer._flatten_layers()
        for value in vars(each).values()
        for leaf in nest.flatten(value)
    )


def of_penalty(loss: Any) -> Any:
    """The function of a loss that a layer adds without its inputs; None if it cannot be exported.

    Args:
        loss: returns the loss: a regularizer of one weight, or a function of the program.
    """
    traced = function(lambda: loss(), input_signature=[])
    if traced.get_concrete_function().structured_outputs is None:
        return None
    return _exportable(loss, {"loss": traced}).get("loss")


def _named(outputs: Any) -> dict[str, Any]:
    """A model's outputs, with Keras's names for outputs of a model without `Input`s."""
    if isinstance(outputs, Mapping) and not any(map(nest.is_nested, outputs.values())):
        return dict(outputs)
    return {f"output_{k}": leaf for k, leaf in enumerate(nest.flatten(outputs), 1)}


def _exportable(layer: Any, own_functions: dict[str, object]) -> dict[str, Any]:
    """The functions; nothing if they cannot be exported."""
    trial = Exporter()
    try:
        for value in own_functions.values():
            for concrete in concrete_functions_of(value):
                trial.function(concrete.graph)
    except UnimplementedError as error:
        _warn(layer, error.message)
        return {}
    return own_functions


def _warn(layer: Any, reason: str) -> None:
    logging.warning(
        "The layer or model '%s' is saved without functions: %s It can be made again from its "
        "configuration, if it has one.",
        getattr(layer, "name", layer),
        reason,
    )

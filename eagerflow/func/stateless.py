"""Models as functions of their weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eagerflow import _core
from eagerflow.config import settings

Tensor = _core.Tensor


def functional_call(
    model: Any,
    weights: Any,
    args: Any = (),
    kwargs: Mapping[str, Any] | None = None,
    *,
    strict: bool = False,
) -> Any:
    """The result of a model with other weights than its own, which stay what they are.

    Gradients reach the weights that are passed. Assignments during the call, such as those to moving
    averages, last as long as it does. Functions of `tf.function` within are run as Python.

    Args:
        model: a Keras model or layer that has been built, or a `tf.Module`, that is called.
        weights: tensors of the shapes and dtypes of variables: a list in the order of
            `model.trainable_variables`, or of `model.variables`; or a mapping from names of variables, or
            a tuple of such mappings. A name is `variable.name`, with or without the `:0` at its end, or
            the path of attributes that lead to it from a module, as in `"encoder.layers.0.kernel"`.
            Mappings in a mapping are joined by `/`. Other variables have their own values.
        args: the tuple of the model's arguments, or the only one.
        kwargs: its arguments by name.
        strict: whether mappings must have all variables.

    Raises:
        ValueError: if the weights do not fit the variables, a name is unknown, ambiguous or given twice,
            or with `strict` a variable is missing.

    >>> model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1)])
    >>> tf.func.functional_call(
    ...     model, [tf.ones([2, 1]), tf.ones([1])], tf.constant([[1.0, 2.0]])
    ... ).numpy()
    array([[4.]], dtype=float32)

    The gradients of each example, by the weights:

    >>> def loss(weights, x, y):
    ...     return tf.reduce_sum((tf.func.functional_call(model, weights, x[None]) - y) ** 2)
    >>> gradients = tf.func.vmap(tf.func.grad(loss), in_dims=(None, 0, 0))
    >>> x, y = tf.ones([5, 2]), tf.zeros([5])
    >>> [g.shape.as_list() for g in gradients(model.trainable_variables, x, y)]
    [[5, 2, 1], [5, 1]]
    """
    # All variables are represented, so that assignments change none.
    represented = {
        id(variable): (variable, _core.as_tensor(variable)) for variable in model.variables
    }
    for variable, weight in _pairs(model, weights, strict):
        value = _core.convert(weight, None, variable.dtype)
        if value.dtype != variable.dtype or not variable.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"The weight for {variable.name} must be {variable.dtype.name} of shape "
                f"{variable.shape}, got {value.dtype.name} of shape {value.shape}."
            )
        represented[id(variable)] = variable, value
    variables = [variable for variable, _ in represented.values()]
    values = [value for _, value in represented.values()]
    positional = args if isinstance(args, tuple) else (args,)
    eager = settings.functions_run_eagerly()
    settings.run_functions_eagerly(True)
    try:
        return _core.call_with_values(variables, values, lambda: model(*positional, **kwargs or {}))
    finally:
        settings.run_functions_eagerly(eager)


def _pairs(model: Any, weights: Any, strict: bool) -> list[tuple[Any, Any]]:
    """Variables of a model, each with the weight that represents it."""
    if isinstance(weights, Mapping):
        weights = (weights,)
    if weights and all(isinstance(part, Mapping) for part in weights):
        return _named_pairs(model, weights, strict)
    for variables in (model.trainable_variables, model.variables):
        if len(variables) == len(weights):
            return list(zip(variables, weights, strict=True))
    raise ValueError(
        f"There are {len(weights)} weights, but the model has {len(model.trainable_variables)} trainable "
        f"variables and {len(model.variables)} variables; has it been built?"
    )


def _named_pairs(model: Any, weights: Any, strict: bool) -> list[tuple[Any, Any]]:
    pairs: dict[int, tuple[Any, Any]] = {}
    for name, weight in (item for part in weights for item in _flat(part)):
        variable = _variable_named(model, name)
        if id(variable) in pairs:
            raise ValueError(
                f"There are two weights for {variable.name}, the second one as {name}."
            )
        pairs[id(variable)] = variable, weight
    missing = [v.name for v in model.variables if id(v) not in pairs]
    if strict and missing:
        raise ValueError(
            f"With strict=True there must be a weight for each variable, but there is none for {missing}."
        )
    return list(pairs.values())


def _flat(weights: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The weights of nested mappings, each with its full name."""
    for name, weight in weights.items():
        if isinstance(weight, Mapping):
            yield from _flat(weight, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", weight


def _variable_named(model: Any, name: str) -> Any:
    plain = name.removesuffix(":0")
    named = [variable for variable in model.variables if variable.name == f"{plain}:0"]
    if len(named) == 1:
        return named[0]
    paths = _paths(model)
    if name in paths:
        return paths[name]
    if named:
        own = [path for path, variable in paths.items() if any(variable is v for v in named)]
        raise ValueError(
            f"The model has {len(named)} variables named {name}. Name one by its path: {own}."
        )
    names = [variable.name for variable in model.variables]
    raise ValueError(f"The model has 0 variables named {name}. Its variables are {names}.")


def _paths(model: Any) -> dict[str, Any]:
    """The variables of a model by the attributes that lead to them."""
    found = model._flatten(
        predicate=lambda value: isinstance(value, _core.Variable),
        with_path=True,
        expand_composites=True,
    )
    return {".".join(map(str, path)): variable for path, variable in found}

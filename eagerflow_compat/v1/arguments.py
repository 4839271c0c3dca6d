"""Arguments of version 1's functions: those with two names, and those that whole families share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from eagerflow.framework import dtypes
from eagerflow.util.declarations import define, parameter_names


def either(name: str, value: Any, old_name: str, old_value: Any) -> Any:
    """The value that was given under one of two names, or None.

    Raises:
        ValueError: if both were given.

    >>> from eagerflow_compat.v1.arguments import either
    >>> either("axis", None, "dim", 1)
    1
    """
    if old_value is None:
        return value
    if value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{name}'.")
    return old_value


def version_1(
    module: str, declaration: str, function: Callable[..., object], doc: str, **older_names: str
) -> Any:
    """A function of version 2, with the parameters that it had in version 1.

    Parameters that the function does not have are accepted, and None stands for its own default.

    Args:
        module: the `__name__` of the module that has the function.
        declaration: the name and the parameters, as in a definition.
        function: the function of version 2.
        doc: what the function does.
        **older_names: the older names of parameters, with the names that they have now.

    >>> squeeze = version_1("m", "squeeze(input, axis=None, dim=None)", tf.squeeze, "", dim="axis")
    >>> squeeze([[1], [2]], dim=1).shape
    TensorShape([2])
    """
    names = parameter_names(declaration)
    known = {parameter.name: parameter for parameter in parameters_of(function)}
    passed = {new: new for new in known if new in names and new not in older_names}
    body, documented = [], {}
    for old, new in older_names.items():
        if new in names:
            body.append(f"{new} = _either({new!r}, {new}, {old!r}, {old})")
            documented[old] = f"the older name of `{new}`."
        else:
            passed[new] = old
    for new, name in passed.items():
        if known[new].default not in (None, inspect.Parameter.empty):
            body.append(f"{name} = _defaults[{new!r}] if {name} is None else {name}")
    body.append(f"return _function({', '.join(f'{new}={name}' for new, name in passed.items())})")
    # It is not a function of operations itself: the other one is, names them, and is overridden by
    # types that are registered for this one.
    result = define(
        declaration,
        body,
        module,
        _with_arguments(doc, documented) if documented else doc,
        dtypes=dtypes,
        _either=either,
        _defaults={new: parameter.default for new, parameter in known.items()},
        _function=function,
    )
    result._dispatched = function  # type: ignore[attr-defined]
    return result


def parameters_of(function: Callable[..., object]) -> list[inspect.Parameter]:
    """The parameters of a function, in order."""
    return list(inspect.signature(function).parameters.values())


def optional_parameters(**defaults: Any) -> list[inspect.Parameter]:
    """Parameters with these names and defaults."""
    return [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in defaults.items()
    ]


def with_parameters(
    function: Callable[..., object],
    parameters: list[inspect.Parameter],
    call: Callable[[dict[str, Any]], object],
    documented: Mapping[str, str],
) -> Callable[..., object]:
    """A function with another function's name and documentation, but its own parameters.

    Args:
        function: has the name and the documentation.
        parameters: the parameters, in order.
        call: takes the values of all parameters, by name.
        documented: texts about parameters, which are added to the function's.

    Raises:
        TypeError: when it is called with arguments that do not fit.
    """
    signature = inspect.Signature(parameters)
    names = [parameter.name for parameter in parameters]
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}

    def public(*args: object, **kwargs: Any) -> object:
        values = {**defaults, **dict(zip(names, args, strict=False)), **kwargs}
        twice = not kwargs.keys().isdisjoint(names[: len(args)])
        if twice or len(args) > len(names) or len(values) != len(names):
            try:
                signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{function.__name__}(): {error}") from None
        return call(values)

    for attribute in ("__module__", "__name__", "__qualname__"):
        setattr(public, attribute, getattr(function, attribute))
    public.__doc__ = _with_arguments(inspect.getdoc(function) or "", documented)
    public.__signature__ = signature  # type: ignore[attr-defined]
    return public


def _with_arguments(text: str, documented: Mapping[str, str]) -> str:
    """A docstring whose section of arguments has more of them."""
    lines = "".join(f"    {name}: {meaning}\n" for name, meaning in documented.items())
    if "\nArgs:\n" in text:
        before, _, after = text.partition("\nArgs:\n")
        listed, blank, rest = after.partition("\n\n")
        return f"{before}\nArgs:\n{listed}\n{lines}{blank[1:]}{rest}"
    first, blank, rest = text.partition("\n\n")
    return f"{first}\n\nArgs:\n{lines}{blank[1:]}{rest}"

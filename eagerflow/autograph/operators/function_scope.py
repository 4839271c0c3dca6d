"""The context in which the body of a converted function runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from eagerflow.autograph import status
from eagerflow.autograph.operators.variables import UndefinedReturnValue
from eagerflow.framework.name_scope import name_scope


class FunctionScope:
    """The context in which the body of a converted function runs.

    Args:
        function_name: the function's name.
        scope_name: the name of the variable that holds this object.
        options: how the function was converted.

    Attributes:
        callopts: how the functions that it calls are converted.
    """

    def __init__(self, function_name: str, scope_name: str, options: Any) -> None:
        self.name = scope_name
        self.callopts = options.call_options()
        self._options = options
        self._function_name = function_name
        self._entered = ExitStack()

    def __enter__(self) -> FunctionScope:
        options = self._options
        if options.user_requested:
            self._entered.enter_context(status.using(status.Status.ENABLED))
        if any(feature.name in ("ALL", "NAME_SCOPES") for feature in options.optional_features):
            name = self._function_name
            self._entered.enter_context(name_scope("fn" + name if name.startswith("_") else name))
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.close()

    def ret(self, value: object, did_return: object) -> Any:
        """What the function returns."""
        return None if isinstance(value, UndefinedReturnValue) else value


def with_function_scope(body: Callable[[FunctionScope], Any], scope_name: str, options: Any) -> Any:
    """The value of a lambda's body."""
    with FunctionScope("lambda_", scope_name, options) as scope:
        return body(scope)

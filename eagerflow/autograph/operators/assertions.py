"""`assert` statements."""

from __future__ import annotations

from collections.abc import Callable

from eagerflow.autograph.operators.staging import is_staged
from eagerflow.util import lazy

assertions = lazy.Module("eagerflow.ops.assertions")  # few programs need it


def assert_stmt(expression: object, message: Callable[[], object]) -> None:
    """`assert expression, message()`.

    Raises:
        AssertionError: if the expression is false; for a tensor of a traced function,
            tf.errors.InvalidArgumentError when the function runs.
    """
    if is_staged(expression):
        assertions.Assert(expression, [message()])
        return
    assert expression, message()

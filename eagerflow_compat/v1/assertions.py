"""Assertions with version 1's parameters: `data`, which an error showed, comes before the message."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import _core, debugging
from eagerflow_compat.v1.arguments import version_1

_version_1 = functools.partial(version_1, __name__)


def _asserted(name: str, parameters: str, doc: str) -> Any:
    return _version_1(
        f"{name}({parameters}, data=None, summarize=None, message=None, name=None)",
        getattr(debugging, name),
        doc,
    )


def _compared(name: str, doc: str) -> Any:
    plain = _asserted(name, "x, y", f"Checks that all elements of x are {doc} those of y.")
    compare = getattr(_core.ops, _COMPARISONS[name])

    @functools.wraps(plain)
    def check(
        x: Any,
        y: Any,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if data is None or _core.building() is None:
            return plain(x, y, None, summarize, message, name)
        # Of a graph, the error shows the program's values in place of x and y.
        holds = _core.ops.reduce_all(compare(_core.as_tensor(x), _core.as_tensor(y)))
        return debugging.Assert(holds, [*([message] if message else []), *data], summarize, name)

    return check


_COMPARISONS = {
    "assert_equal": "equal",
    "assert_none_equal": "not_equal",
    "assert_less": "less",
    "assert_less_equal": "less_equal",
    "assert_greater": "greater",
    "assert_greater_equal": "greater_equal",
}


def _signed(name: str, doc: str) -> Any:
    return _asserted(name, "x", f"Checks that all elements are {doc}.")


assert_equal = _compared("assert_equal", "equal to")
assert_none_equal = _compared("assert_none_equal", "other than")
assert_less = _compared("assert_less", "less than")
assert_less_equal = _compared("assert_less_equal", "at most")
assert_greater = _compared("assert_greater", "greater than")
assert_greater_equal = _compared("assert_greater_equal", "at least")
assert_near = _asserted(
    "assert_near", "x, y, rtol=None, atol=None", "Checks that elements are nearly equal."
)
assert_negative = _signed("assert_negative", "negative")
assert_non_negative = _signed("assert_non_negative", "not negative")
assert_positive = _signed("assert_positive", "positive")
assert_non_positive = _signed("assert_non_positive", "not positive")
assert_rank = _asserted("assert_rank", "x, rank", "Checks the number of axes.")
assert_rank_at_least = _asserted(
    "assert_rank_at_least", "x, rank", "Checks that there are so many axes or more."
)
assert_rank_in = _asserted(
    "assert_rank_in", "x, ranks", "Checks that the number of axes is one of several."
)
verify_tensor_all_finite = _version_1(
    "verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None)",
    debugging.assert_all_finite,
    "The tensor, after a check that its elements are finite.",
    t="x",
    msg="message",
)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """The tensor, after a check that it has no axes.

    Raises:
        ValueError: if it has.
    """
    tensor = _core.as_tensor(tensor)
    debugging.assert_scalar(tensor, message, name)
    return tensor

"""What errors of unknown names and arguments say about the name that was meant.

Programs import this when an error is made, and the tables of names with it.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterable

from eagerflow.util import deprecated_names, habits, lazy, unavailable

# Where a name that a namespace lacks is looked for, the most likely first.
_NAMESPACES = (
    " nn math linalg random keras.layers keras keras.losses keras.metrics keras.optimizers "
    "keras.callbacks keras.utils data io image signal strings sparse ragged experimental.numpy"
).split(" ")

# What errors and warnings of gradients that are None say.
NO_GRADIENT = (
    "To find out why, compute the loss within `with eagerflow.debug.trace(), tf.GradientTape() as tape:`, "
    "and print eagerflow.debug.explain_gradient(tape, loss, variable)."
)


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three of the known names that are spelt like one.

    >>> from eagerflow.util import hints
    >>> hints.nearest("reduce_sm", ["reduce_sum", "reshape"])
    ['reduce_sum']
    """
    lower = {candidate.lower(): candidate for candidate in known}
    return [lower[match] for match in difflib.get_close_matches(name.lower(), lower, 3, 0.6)]


def of_module(namespace: str, name: str) -> str:
    """The end of the message that a module lacks a name; empty if nothing is known of it.

    Args:
        namespace: the module's `__name__`.
        name: the name.

    >>> from eagerflow.util import hints
    >>> hints.of_module("eagerflow.nn", "Dropout")
    '. Instead of `nn.Dropout(0.5)`, write `tf.keras.layers.Dropout(0.5)`.'
    """
    if name.startswith("_"):
        return ""
    inside = namespace.partition(".")[2]
    path = f"{inside}.{name}".lstrip(".")
    habit = habits.NAMES.get(path)
    if habit is not None:
        return f". {_advice(habit)}"
    reason = unavailable.reason(path) or unavailable.reason_of_namespace(path)
    if reason is not None:
        return f": {reason}"
    former = deprecated_names.FORMER.get(path)
    if former is not None:
        return f". It was TensorFlow 1's; instead there is {former}"
    found = _places(inside).get(name.lower())
    return f". There is {found}" if found else ""


def missing_attribute(owner: type, name: str, table: str, is_class: bool) -> AttributeError:
    """The error of an attribute that other packages' objects have and ours lack.

    Args:
        owner: the class of the object.
        name: the attribute.
        table: which table of `habits` has it.
        is_class: whether the class itself was asked.
    """
    subject = f"type object '{owner.__name__}'" if is_class else f"'{owner.__name__}' object"
    habit = getattr(habits, table)[name]
    # Without the object: Python would add a name that is spelt similarly.
    return AttributeError(f"{subject} has no attribute '{name}'. {_advice(habit)}", name=name)


def item_assignment(owner: type) -> TypeError:
    """The error of `x[i] = value`."""
    table = habits.VARIABLE if hasattr(owner, "assign") else habits.TENSOR
    return TypeError(
        f"'{owner.__name__}' object does not support item assignment. {_advice(table['__setitem__'])}"
    )


def of_keyword(keyword: str, parameters: Collection[str]) -> str:
    """The end of the message that a function has no such parameter; empty if nothing is known of it.

    Args:
        keyword: the unknown keyword.
        parameters: those that the function has.

    >>> from eagerflow.util import hints
    >>> hints.of_keyword("keepdim", ["input_tensor", "axis", "keepdims"])
    ". Did you mean 'keepdims'?"
    """
    meant = [name for name in habits.KEYWORDS.get(keyword, "").split() if name in parameters]
    if not meant and keyword in habits.SUPERFLUOUS:
        return f". Leave it out: {habits.SUPERFLUOUS[keyword]}"
    meant = meant or nearest(keyword, parameters)
    return f". Did you mean {' or '.join(map(repr, meant))}?" if meant else ""


def of_constructor(cls: type, keywords: Iterable[str], others: Iterable[str] = ()) -> str:
    """The end of the message that a class takes no such arguments; empty if nothing is known of them.

    Args:
        cls: the class, whose bases take the arguments that it passes on.
        keywords: the unknown keywords.
        others: parameters that no signature shows.

    >>> from eagerflow.util import hints
    >>> hints.of_constructor(tf.keras.optimizers.Adam, ["leaning_rate"])
    ". Did you mean 'learning_rate'?"
    """
    parameters = {*others}
    for base in cls.__mro__[:-1]:
        parameters.update(parameters_of(vars(base).get("__init__", base)))
    return next(filter(None, (of_keyword(key, parameters) for key in keywords)), "")


def explain(error: TypeError, function: Callable[..., object], keywords: Collection[str]) -> None:
    """Adds to the error of a call what is known of a keyword that the function lacks.

    Args:
        error: any error of the call.
        function: what was called.
        keywords: the keywords of the call.
    """
    parameters = parameters_of(function)
    unknown = [key for key in keywords if key not in parameters]
    text = str(error)
    found = _UNEXPECTED.fullmatch(text)
    if found:
        text = found["text"]
        unknown = [key for key in unknown if key == (found["key"] or found["native"])]
    elif not text.startswith(f"{getattr(function, '__qualname__', '')}() missing "):
        return  # the error of a call within
    for key in unknown:
        known = of_constructor(function, [key]) if isinstance(function, type) else ""
        hint = known or of_keyword(key, parameters)
        if hint:
            error.args = (f"{text}{'' if found else f'; {key!r} is unknown'}{hint}",)
            return


# What Python, the engine, and Python's conversion of native arguments say.
_UNEXPECTED = re.compile(
    r"(?P<text>.*got an unexpected keyword argument '(?P<key>\w+)'|"
    r"'(?P<native>\w+)' is an invalid keyword argument for .*?)(\. Did you mean .*)?"
)


def parameters_of(function: Callable[..., object]) -> list[str]:
    """The names that may be keywords of a call; none for a native function without a signature."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [p.name for p in signature.parameters.values() if p.kind in kinds and p.name != "self"]


def _advice(habit: habits.Habit) -> str:
    text = f"Instead of `{habit.theirs}`, write `{habit.ours}`."
    return f"{text} {habit.remark}" if habit.remark else text


@functools.cache
def _places(inside: str) -> dict[str, str]:
    """From names in small letters to a namespace that has them; one's own comes first."""
    found: dict[str, str] = {}
    for place in dict.fromkeys([inside, *_NAMESPACES]):
        namespace = f"eagerflow.{place}".rstrip(".")
        if lazy.has_stub(namespace):
            for name in [*lazy.origins(namespace), *lazy.signatures(namespace)]:
                found.setdefault(name.lower(), f"tf.{place}.{name}".replace("..", "."))
    return found

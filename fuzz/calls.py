"""Calls that a fuzzer's bytes spell: each is a line of Python, so that a finding can be typed.

A call is made in one of several ways: as it is, by the operators and methods of objects, under a tape,
with a Jacobian, or on the symbolic tensors of a graph.
"""

from __future__ import annotations

import ast
import math
import operator
from typing import Any

import numpy as np

import eagerflow as tf
import limits
import random_calls
from byte_choices import ByName, Choices

# Counters reward calls that loop more often: without limits most of the time goes into a few large ones.
ROWS = 64  # of a Jacobian
ELEMENTS = 128  # of a native function's argument


def gradient(function: Any, *values: Any) -> Any:
    """The gradients of a function's result by its arguments."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([value for value in values if isinstance(value, tf.Tensor)])
        result = function(*values)
    return tape.gradient(result, [value for value in values if isinstance(value, tf.Tensor)])


def jacobian(function: Any, *values: Any) -> Any:
    """The Jacobian of a function's result by its first argument, whose rows run stacked."""
    with tf.GradientTape() as tape:
        tape.watch(values[0])
        result = function(*values)
        if isinstance(result, tf.Tensor) and math.prod(result.shape) > ROWS:
            result = tf.reshape(result, [-1])[:ROWS]
    return tape.jacobian(result, values[0])


def symbolic(function: Any, *values: Any) -> Any:
    """The function on tensors of a graph whose shapes are not known, and then run."""
    with tf.Graph().as_default():
        feeds = {}
        for value in values:
            if isinstance(value, tf.Tensor):
                placeholder = tf.compat.v1.placeholder(value.dtype, [None] * len(value.shape))
                feeds[placeholder] = value.numpy()
        given = iter(feeds)
        result = function(*[next(given) if isinstance(v, tf.Tensor) else v for v in values])
        with tf.compat.v1.Session() as session:
            return session.run(result, feeds)


def item(value: Any, key: Any) -> Any:
    """An element or a slice."""
    return value[key]


def assign_item(value: Any, key: Any, other: Any) -> Any:
    """An assignment to a slice of a variable."""
    return tf.Variable(value)[key].assign(other)


def method(value: Any, name: str, *arguments: Any) -> Any:
    """The result of a method; for a dataset, its first elements."""
    result = getattr(value, name)(*arguments)
    if isinstance(result, tf.data.Dataset):
        return [element for _, element in zip(range(3), result, strict=False)]
    return result


_OPERATORS = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lt le gt ge eq ne".split()
_WAYS = (
    "",
    "",
    "",
    "gradient",
    "jacobian",
    "symbolic",
    "operator",
    "item",
    "assign_item",
    "method",
)
_FUNCTIONS = ByName(random_calls.functions(tf))
_NATIVE = ByName(
    {name: getattr(tf._core.ops, name) for name in dir(tf._core.ops) if name[0] != "_"}
)
_OBJECTS = ByName(random_calls.OBJECTS)
_METHODS = {
    kind: ByName({name: getattr(value, name) for name in random_calls.methods(value)})
    for kind, text in random_calls.OBJECTS.items()
    for value in [eval(text)]
}
_NAMES = {"tf": tf, "np": np, "nan": math.nan, "inf": math.inf, "operator": operator}
_NAMES |= {f.__name__: f for f in (gradient, jacobian, symbolic, item, assign_item, method)}
_CALLED = ("gradient", "jacobian", "symbolic")
_PARAMETERS: dict[str, tuple[list[str], int]] = {}


def _arguments(calls: random_calls.Calls, name: str, function: Any) -> list[str]:
    if name not in _PARAMETERS:
        _PARAMETERS[name] = random_calls.parameters(function)
    names, required = _PARAMETERS[name]
    chance = calls.random
    count = chance.choice([required, required, chance.randint(0, len(names))])
    return [calls.value(parameter) for parameter in names[:count]]


def _alike(calls: random_calls.Calls, name: str, function: Any) -> list[str]:
    """Arguments for a native function that fit each other almost: it checks them all by itself."""
    chance = calls.random
    dtype = chance.choice(["float32", "float32", "int32", "float64", *random_calls.DTYPES])
    if name == "tf._core.ops.range":
        dtype = dtype.removeprefix("u")  # a limit of -1 would ask for gigabytes
    shape = [chance.randint(0, 4) for _ in range(chance.randint(0, 5))]
    found = []
    for parameter, default in function.parameters[:-1]:
        if default is not None and chance.below(2):
            break
        like = chance.below(12)
        sizes = list(shape)
        if like < 4 and sizes:
            # One size is another, or lost, or there twice.
            place = chance.below(len(sizes))
            sizes[place : place + 1] = [[], [sizes[place]] * 2, [chance.below(6)]][min(like, 2)]
        while math.prod(sizes) > ELEMENTS:
            sizes[sizes.index(max(sizes))] = 1
        if like == 11:
            found.append(calls.value(parameter))
        elif like == 10 or default is not None:
            found.append([calls.sizes, calls.small, calls.word][chance.below(3)]())
        elif like == 9:
            found.append(f"tf.constant({calls.sizes()})")
        else:
            kind = chance.choice([dtype] * 4 + ["int32", "int64"])
            low = chance.choice([0, -1, 1])
            if kind.startswith("u"):
                low = max(low, 0)  # else a size of many gigabytes
            found.append(
                f"tf.cast(np.arange({math.prod(sizes)}).reshape({sizes}) % 5 + {low}, '{kind}')"
            )
    return found


def text(data: bytes) -> str:
    """The call that bytes encode."""
    chance = Choices(data)
    calls = random_calls.Calls(chance)
    way = chance.choice(_WAYS)
    if way == "operator":
        function = chance.choice(_OPERATORS)
        return f"operator.{function}({calls.tensor()}, {calls.anything()})"
    if way == "item":
        return f"item({calls.tensor()}, {_key(calls)})"
    if way == "assign_item":
        return f"assign_item({calls.tensor()}, {_key(calls)}, {calls.anything()})"
    if way == "method":
        kind, source = _OBJECTS.pick(chance)
        name, function = _METHODS[kind].pick(chance)
        arguments = _arguments(calls, f"{kind}.{name}", function)
        return f"method({', '.join([source, repr(name), *arguments])})"
    kind = chance.below(3)
    space, prefix = ((_FUNCTIONS, "tf"), (_NATIVE, "tf._core.ops"))[kind > 0]
    name, function = space.pick(chance)
    name = f"{prefix}.{name}"
    arguments = (_alike if kind == 2 else _arguments)(calls, name, function)
    return f"{way}({', '.join([name, *arguments])})" if way else f"{name}({', '.join(arguments)})"


def _key(calls: random_calls.Calls) -> str:
    """An index."""
    chance = calls.random

    def bound() -> str:
        return chance.choice([lambda: "None", calls.small, calls.small, calls.number])()

    def part() -> str:
        way = chance.below(5)
        if way == 0:
            return f"slice({bound()}, {bound()}, {bound()})"
        return [calls.small, lambda: "None", lambda: "...", calls.anything][way - 1]()

    return f"({''.join(part() + ', ' for _ in range(chance.randint(0, 4)))})"


def run(data: bytes) -> None:
    """Makes the call. Exceptions that indicate a bug of ours are findings."""
    evaluated(text(data), _NAMES, refusals=(Exception,))


def evaluated(call: str, names: dict[str, Any], refusals: tuple[type[Exception], ...]) -> None:
    """Evaluates a call's arguments, and then makes it within the limits.

    Args:
        call: a line of Python.
        names: what it uses.
        refusals: the exceptions that a call may raise. That of an argument is no finding.
    """
    tree = ast.parse(call, mode="eval").body
    assert isinstance(tree, ast.Call)
    parts = [tree.func, *tree.args, *[keyword.value for keyword in tree.keywords]]
    try:
        function, *values = [eval(ast.unparse(part), names) for part in parts]
    except Exception:
        return
    arguments = values[: len(tree.args)]
    keywords = {
        str(keyword.arg): value
        for keyword, value in zip(tree.keywords, values[len(tree.args) :], strict=True)
    }
    place = ast.unparse(tree.func)
    if place in _CALLED:  # a way to call the first argument
        place = f"{place} {ast.unparse(tree.args[0])}"
    given = random_calls.bytes_of(values)
    try:
        limits.within(place, lambda: function(*arguments, **keywords), given)
    except (SystemError, NameError, limits.Excess):
        raise
    except refusals:
        pass

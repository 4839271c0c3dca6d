"""Valid calls of raw operations, those whose answers the tests record, with one to three mutations."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

import eagerflow as tf
import random_calls
from byte_choices import ByName, Choices
from calls import evaluated
from oracle.cases import raw_ops

# What an operation may raise; anything else is a finding.
REFUSALS = (tf.errors.OpError, ValueError, TypeError, NotImplementedError)

_NAMES = {**raw_ops.names(tf), "nan": math.nan, "inf": math.inf}
_TENSORS = [name for name, value in _NAMES.items() if isinstance(value, tf.Tensor)]
_SIZES = (
    "0 -1 1 2 3 7 2**15 2**20 2**30-1 2**31-1 2**31 2**32 2**40 2**62 2**63-1 -2**31 -2**63".split()
)
# Other forms of an argument.
_FORMS = (
    *("tf.zeros_like({})", "tf.reshape({}, [-1])", "tf.constant({})[:0]", "tf.expand_dims({}, 0)"),
    *("[{}]", "[{0}, {0}]", "tf.tile([{}], [3])", "-{}", "tf.cast({}, '{dtype}')"),
    *("tf.fill([2, 0, 3], tf.reshape({}, [-1])[0])", "tf.constant({})[0]", "tf.transpose({})"),
)


def _is_raw(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("raw.")


def _call(expression: str) -> str:
    """The call of a raw operation in an expression: its first one, if it is part of another one."""
    nodes = ast.walk(ast.parse(expression, mode="eval"))
    return next((ast.unparse(node) for node in nodes if _is_raw(node)), "")


_SEEDS = ByName({call: call for line in raw_ops.EXPRESSIONS.splitlines() if (call := _call(line))})


def _literals(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what it lists: no functions that make large tensors of a number."""
    yield node
    for child in ast.iter_child_nodes(node):
        plain = isinstance(child, ast.List | ast.Tuple | ast.UnaryOp)
        if plain or (isinstance(child, ast.Call) and ast.unparse(child.func) == "tf.constant"):
            yield from _literals(child)


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _mutate(call: ast.Call, chance: Choices) -> None:
    """Changes one argument, or one of its numbers."""
    calls = random_calls.Calls(chance)
    if not call.keywords:
        return
    keyword = chance.choice(call.keywords)
    way = chance.below(8)
    if way == 0:
        call.keywords.remove(keyword)
        return
    numbers = [
        (parent, field, index)
        for parent in _literals(keyword)
        for field, value in ast.iter_fields(parent)
        for index, part in enumerate(value if isinstance(value, list) else [value])
        if _is_number(part)
    ]
    if way < 4 and numbers:
        parent, field, index = chance.choice(numbers)
        text = chance.choice([*_SIZES, *random_calls.ODD])
        new = ast.parse(text, mode="eval").body
        value = getattr(parent, field)
        if isinstance(value, list):
            value[index] = new
        else:
            setattr(parent, field, new)
        return
    if way < 6:
        form = chance.choice(_FORMS)
        text = form.format(ast.unparse(keyword.value), dtype=chance.choice(random_calls.DTYPES))
    elif way == 6:
        text = chance.choice([*_TENSORS, calls.tensor()])
    else:
        text = calls.value(str(keyword.arg))
    keyword.value = ast.parse(text, mode="eval").body


def text(data: bytes) -> str:
    """The call that bytes encode."""
    chance = Choices(data)
    call = ast.parse(_SEEDS.pick(chance)[1], mode="eval").body
    assert isinstance(call, ast.Call)
    for _ in range(chance.below(4)):
        _mutate(call, chance)
    return ast.unparse(call)


def run(data: bytes) -> None:
    """Makes the call."""
    evaluated(text(data), _NAMES, REFUSALS)


run.seeds = [_SEEDS.code(name) for name in _SEEDS]  # type: ignore[attr-defined]

"""Static shapes: what is known of results when the shapes of inputs are partly unknown.

An expression is one call. Tensors of a graph stand for its inputs: `x(2, 3)` is one of float32 and
of that shape; `d`, `z`, `w`, `n`, `l`, `i`, `u`, `b` and `s` are float64, complex64, complex128,
int32, int64, int8, uint8, bool and string.
The answer says what shape the result has as they are, with each size of each input unknown in turn,
all sizes or the rank of one input, and all of all inputs:

    ask(tf, "tf.matmul(x(2, 3), x(3, 4))")["[?, 3] [3, 4]"] is TensorShape([None, 4])

`v(2, -1)` is a list of numbers, and `k(2)` is a number, which the answer has as tensors whose values
are unknown as well: each in turn, all of a list, and even how many there are.

`raw('TanhGrad', x(2), x(2), attribute=...)` calls the operation of that name with its inputs, as
`tf.raw_ops` does. Here its attributes may have other names, which a dict `ours` has.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

DTYPES = {
    "x": "float32",
    "d": "float64",
    "z": "complex64",
    "w": "complex128",
    "n": "int32",
    "l": "int64",
    "i": "int8",
    "u": "uint8",
    "b": "bool",
    "s": "string",
}
_INPUT = re.compile(r"(?<![\w.])([" + "".join(DTYPES) + r"vk])\(([^()]*)\)")

# The sizes of a shape or the numbers of a list; None where they are unknown.
Numbers = tuple["int | None", ...] | None


def inputs_of(expression: str) -> list[tuple[str, tuple[int, ...]]]:
    """The letter and the numbers of each input, in order."""
    return [
        (letter, tuple(int(number) for number in numbers.split(",") if number.strip()))
        for letter, numbers in _INPUT.findall(expression)
    ]


def variations(inputs: list[tuple[str, tuple[int, ...]]]) -> Iterator[tuple[Numbers, ...]]:
    """All that is known, each thing unknown in turn, and everything unknown."""
    known: tuple[Numbers, ...] = tuple(numbers for _, numbers in inputs)
    yield known
    for i, (letter, numbers) in enumerate(inputs):
        for less in [
            *((*numbers[:k], None, *numbers[k + 1 :]) for k in range(len(numbers))),
            (None,) * len(numbers),
            *([] if letter == "k" else [None]),
        ]:
            yield (*known[:i], less, *known[i + 1 :])
    yield tuple((None,) * len(numbers) for _, numbers in inputs)
    yield tuple((None,) if letter == "k" else None for letter, _ in inputs)


def label(variation: tuple[Numbers, ...]) -> str:
    """How shapes and numbers are written: `[?, 3] <unknown>`."""
    return " ".join(
        "<unknown>"
        if numbers is None
        else "[" + ", ".join("?" if number is None else str(number) for number in numbers) + "]"
        for numbers in variation
    )


def compiled(expression: str) -> CodeType:
    """Code that takes its inputs from a list, `_inputs`."""
    counter = itertools.count()
    return compile(_INPUT.sub(lambda _: f"_inputs[{next(counter)}]", expression), "<call>", "eval")


def ask(tf: Any, expression: str) -> dict[str, Any]:
    """The static shapes of the results, or the name of the error, for each variation."""
    found = dict.fromkeys(variations(inputs_of(expression)))
    return {label(variation): answer(tf, expression, variation) for variation in found}


def answer(tf: Any, expression: str, variation: tuple[Numbers, ...]) -> Any:
    """The same for one variation."""
    letters = [letter for letter, _ in inputs_of(expression)]
    code = compiled(expression)
    specs: list[Any] = []

    def declare(dtype: str, shape: Numbers) -> None:
        specs.append(tf.TensorSpec(shape, dtype))

    def make(place: Callable[..., Any]) -> list[Any]:
        return [_input(tf, *pair, place) for pair in zip(letters, variation, strict=True)]

    def call(*placeholders: Any) -> Any:
        following = iter(placeholders)
        values = make(lambda dtype, shape: next(following))
        return eval(code, {"tf": tf, "raw": raw(tf), "_inputs": values})

    make(declare)
    return static_shapes(tf, call, specs)


def _input(tf: Any, letter: str, numbers: Numbers, place: Callable[..., Any]) -> Any:
    """One argument; `place(dtype, shape)` gives what stands for what is unknown."""
    if letter in DTYPES:
        return place(DTYPES[letter], numbers)
    if numbers is None:
        return place("int32", (None,))
    if letter == "k":
        return place("int32", ()) if numbers[0] is None else numbers[0]
    if not any(number is None for number in numbers):
        return list(numbers)
    if all(number is None for number in numbers):
        return place("int32", (len(numbers),))
    parts = [place("int32", ()) if number is None else number for number in numbers]
    return None if None in parts else tf.stack(parts)


def static_shapes(tf: Any, call: Callable[..., Any], specs: list[Any]) -> Any:
    """The shapes of what `call` returns for symbolic inputs, or the name of its error."""
    try:
        if tf.__name__ == "eagerflow":
            from eagerflow.framework import func_graph

            results = func_graph.trace(call, specs, name="call").structured_outputs
        else:
            traced = tf.function(call, autograph=False).get_concrete_function(*specs)
            results = traced.structured_outputs
    except Exception as error:
        return type(error).__name__
    flat = [result.shape for result in tf.nest.flatten(results)]
    return flat[0] if len(flat) == 1 else flat


def raw(tf: Any) -> Any:
    """Calls an operation by TensorFlow's name for it."""

    def call(name: str, *inputs: Any, ours: dict[str, Any] | None = None, **theirs: Any) -> Any:
        if tf.__name__ == "eagerflow":
            return _ours(tf)[name](*inputs, **(theirs if ours is None else ours))
        function = getattr(tf.raw_ops, name)
        names = inspect.signature(function).parameters
        return function(**dict(zip(names, inputs, strict=False)), **theirs)

    return call


def _ours(tf: Any) -> dict[str, Any]:
    functions = (getattr(tf._core.ops, name) for name in dir(tf._core.ops) if name[0] != "_")
    return {function.op_name: function for function in functions}


def assert_better(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    """Refuses encoded answers that tell less than TensorFlow's, are wrong, or are just the same.

    What no shapes can make right may be refused at once, although TensorFlow does so when it runs.
    """
    assert ours != theirs, "agrees with TensorFlow: it is no better"
    known = ours[next(iter(ours))]
    refused = isinstance(known, str)
    for variation, answer in ours.items():
        place = f"{variation}: {answer}, TensorFlow says {theirs[variation]}"
        if answer == theirs[variation]:
            continue
        if refused:
            assert answer == known or _includes(theirs[variation], answer), f"wrong for {place}"
            continue
        assert _includes(answer, known), f"wrong for {place}"
        wrong = not _includes(theirs[variation], known)
        assert wrong or _includes(theirs[variation], answer), f"less is known for {place}"


def _includes(wider: Any, narrower: Any) -> bool:
    """Whether all shapes that an encoded answer allows are shapes that a wider one allows."""
    if isinstance(wider, str) or isinstance(narrower, str):
        return wider == narrower
    if isinstance(wider, list):
        return len(wider) == len(narrower) and all(map(_includes, wider, narrower))
    allowed, sizes = wider["tensorshape"], narrower["tensorshape"]
    if allowed is None or sizes is None:
        return allowed is None
    return len(allowed) == len(sizes) and all(
        size is None or size == other for size, other in zip(allowed, sizes, strict=True)
    )

"""Static shapes: what is known of results when the shapes of inputs are partly unknown.

An expression is one call. Tensors without a value stand for its inputs: `x(2, 3)` is one of float32
and of that shape, `d`, `z`, `n`, `l`, `b` and `s` are float64, complex64, int32, int64, bool and
string. The answer says what shape the result has as they are, with each size of each input unknown
in turn, all sizes or the rank of one input, and all of all inputs:

    ask(tf, "tf.matmul(x(2, 3), x(3, 4))")["[?, 3] [3, 4]"] is TensorShape([None, 4])

`raw('TanhGrad', x(2), x(2), attribute=...)` calls the operation of that name with its inputs, as
`tf.raw_ops` does. Here its attributes may have other names, which a dict `ours` has.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

DTYPES = {
    "x": "float32",
    "d": "float64",
    "z": "complex64",
    "n": "int32",
    "l": "int64",
    "b": "bool",
    "s": "string",
}
_INPUT = re.compile(r"(?<![\w.])([" + "".join(DTYPES) + r"])\(([^()]*)\)")

Sizes = tuple["int | None", ...] | None


def inputs_of(expression: str) -> list[tuple[str, tuple[int, ...]]]:
    """The dtype and shape of each input, in order."""
    return [
        (DTYPES[letter], tuple(int(size) for size in sizes.split(",") if size.strip()))
        for letter, sizes in _INPUT.findall(expression)
    ]


def variations(shapes: list[tuple[int, ...]]) -> Iterator[tuple[Sizes, ...]]:
    """All that is known, each thing unknown in turn, and everything unknown."""
    known: tuple[Sizes, ...] = tuple(shapes)
    yield known
    for i, shape in enumerate(shapes):
        for less in [
            *((*shape[:k], None, *shape[k + 1 :]) for k in range(len(shape))),
            (None,) * len(shape),
            None,
        ]:
            yield (*known[:i], less, *known[i + 1 :])
    yield tuple((None,) * len(shape) for shape in shapes)
    yield (None,) * len(shapes)


def label(shapes: tuple[Sizes, ...]) -> str:
    """How the shapes are written: `[?, 3] <unknown>`."""
    return " ".join(
        "<unknown>"
        if sizes is None
        else "[" + ", ".join("?" if size is None else str(size) for size in sizes) + "]"
        for sizes in shapes
    )


def ask(tf: Any, expression: str) -> dict[str, Any]:
    """The static shapes of the results, or the name of the error, for each variation."""
    dtypes = [dtype for dtype, _ in inputs_of(expression)]
    shapes = [shape for _, shape in inputs_of(expression)]
    counter = iter(range(len(dtypes)))
    code = compile(_INPUT.sub(lambda _: f"_inputs[{next(counter)}]", expression), "<call>", "eval")

    def call(*inputs: Any) -> Any:
        return eval(code, {"tf": tf, "raw": raw(tf), "_inputs": inputs})

    answers: dict[str, Any] = {}
    for variation in variations(shapes):
        if label(variation) not in answers:
            answers[label(variation)] = static_shapes(tf, call, dtypes, variation)
    return answers


def static_shapes(tf: Any, call: Any, dtypes: list[str], shapes: tuple[Sizes, ...]) -> Any:
    """The shapes of what `call` returns for symbolic inputs, or the name of its error."""
    try:
        if tf.__name__ == "eagerflow":
            symbolic = tf._core.symbolic
            inputs = [
                symbolic(dtype, sizes and list(sizes)) if sizes != () else symbolic(dtype, [])
                for dtype, sizes in zip(dtypes, shapes, strict=True)
            ]
            results = call(*inputs)
        else:
            specs = [tf.TensorSpec(s, d) for s, d in zip(shapes, dtypes, strict=True)]
            traced = tf.function(call, autograph=False).get_concrete_function(*specs)
            results = traced.structured_outputs
    except Exception as error:
        # What inference refuses is a ValueError while a graph is built.
        name = type(error).__name__
        return "ValueError" if name == "InvalidArgumentError" else name
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

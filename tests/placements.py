"""An operation has the same value and derivatives wherever a program runs it.

A `Placement` says how a traced program gets its operands, inside which construct it computes, which
tapes record the computation, and in which mode it runs. `check` compares its results with eager
execution, and eager gradients with differences of values.
"""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import eagerflow as tf
from gradient_cases.arrays import CASES as ARRAYS
from gradient_cases.composed import CASES as COMPOSED
from gradient_cases.elementwise import CASES as ELEMENTWISE
from gradient_cases.nn import CASES as NN
from gradient_check import Case, dense, inner, output_weights, spread, weights_like

# Large enough for results to be deferred and computed in chains.
LARGE = [
    Case("chain", lambda x, y: tf.tanh(x) * y + tf.square(x), [spread(20_000), spread(20_000)]),
    Case("row", lambda x, y: tf.nn.softmax(x * y), [spread((200, 100)), spread(100, seed=1)]),
]
# Their gradients have none: layers go step by step instead.
WITHOUT_SECOND = {"lstm", "gru", "simple_rnn"}
CASES = [*ARRAYS, *ELEMENTWISE, *NN, *COMPOSED, *LARGE]

Body = Callable[[Sequence[Any]], Any]

# Constructs: call `body` inside control flow or a call; and the factor by which the value grows.
# `one` is a tensor with the value 1 that is not known while tracing.


def _plain(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return body(operands)


def _nested(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.function(lambda: body(operands))()


def _nested_with_arguments(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.function(lambda *given: body(given))(*operands)


def _twice_nested(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.function(lambda: tf.function(lambda: body(operands))())()


def _concrete(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.function(lambda: body(operands)).get_concrete_function()()


def _cond(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.cond(one > 0, lambda: body(operands), lambda: 0.5 * body(operands))


def _switch(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.switch_case(one, [lambda: 0.5 * body(operands), lambda: body(operands)])


def _while_loop(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.while_loop(
        lambda i, total: i < 2 * one,
        lambda i, total: (i + 1, total + body(operands)),
        [tf.constant(0), tf.constant(0.0, tf.float64)],
    )[1]


def _autograph_loop(body: Body, operands: Sequence[Any], one: Any) -> Any:
    total = tf.constant(0.0, tf.float64)
    for _ in tf.range(2 * one):
        total = total + body(operands)
    return total


def _autograph_if(body: Body, operands: Sequence[Any], one: Any) -> Any:
    if one > 0:
        total = body(operands)
    else:
        total = tf.constant(0.0, tf.float64)
    return total


def _elements() -> Any:
    return tf.constant([0.5, 1.5], tf.float64)


def _map_fn(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.reduce_sum(tf.map_fn(lambda element: element * body(operands), _elements()))


def _vectorized_map(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.reduce_sum(tf.vectorized_map(lambda element: element * body(operands), _elements()))


def _scan(body: Body, operands: Sequence[Any], one: Any) -> Any:
    start = tf.constant(0.0, tf.float64)
    return tf.scan(lambda total, element: total + element * body(operands), _elements(), start)[-1]


def _foldl(body: Body, operands: Sequence[Any], one: Any) -> Any:
    start = tf.constant(0.0, tf.float64)
    return tf.foldl(lambda total, element: total + element * body(operands), _elements(), start)


def _custom_gradient(body: Body, operands: Sequence[Any], one: Any) -> Any:
    factor = tf.constant(2.0, tf.float64)

    @tf.custom_gradient
    def doubled(value: Any) -> Any:
        return factor * value, lambda dy: factor * dy

    return doubled(body(operands))


def _recompute_grad(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.recompute_grad(lambda *given: body(given))(*operands)


def _py_function(body: Body, operands: Sequence[Any], one: Any) -> Any:
    return tf.ensure_shape(tf.py_function(lambda *given: body(given), operands, tf.float64), ())


CONSTRUCTS: dict[str, tuple[Callable[..., Any], float]] = {
    "plain": (_plain, 1),
    "nested": (_nested, 1),
    "nested with arguments": (_nested_with_arguments, 1),
    "twice nested": (_twice_nested, 1),
    "concrete function": (_concrete, 1),
    "cond": (_cond, 1),
    "switch_case": (_switch, 1),
    "while_loop": (_while_loop, 2),
    "AutoGraph loop": (_autograph_loop, 2),
    "AutoGraph if": (_autograph_if, 1),
    "map_fn": (_map_fn, 2),
    "vectorized_map": (_vectorized_map, 2),
    "scan": (_scan, 2),
    "foldl": (_foldl, 2),
    "custom_gradient": (_custom_gradient, 2),
    "recompute_grad": (_recompute_grad, 1),
    "py_function": (_py_function, 1),
}

# How operands reach the traced program.
DELIVERIES = (
    "arguments", "keyword", "closure", "default", "attribute", "partial", "dictionary", "variables",
)  # fmt: skip
# The positions of tapes: around the call of the function, inside it, or both.
TAPES = (
    "none", "outside", "inside", "persistent", "second outside", "second inside", "second mixed",
    "forward", "forward inside", "jacobian",
)  # fmt: skip
MODES = ("function", "function", "function", "eager", "jit", "saved")


@dataclass(frozen=True)
class Placement:
    """The position of an operation: its construct, traced function and tapes."""

    case: Case
    construct: str
    delivery: str
    operand: str  # "watched", or "computed" from watched tensors before the call
    tapes: str
    mode: str
    unknown: bool  # whether arguments have unknown sizes

    def __str__(self) -> str:
        parts = [self.construct, self.delivery, self.operand, self.tapes, self.mode]
        return f"{self.case} | {' | '.join(parts)}{' | unknown sizes' if self.unknown else ''}"


@st.composite
def placements(draw: Any) -> Placement:
    """Random valid placements."""
    case = draw(st.sampled_from(CASES))
    construct = draw(st.sampled_from(list(CONSTRUCTS)))
    mode = draw(st.sampled_from(MODES))
    tapes = draw(st.sampled_from(TAPES if case.second else [t for t in TAPES if "second" not in t]))
    delivery = draw(st.sampled_from(DELIVERIES))
    if mode == "saved":
        # A file has the values of captured tensors, but no connection to them.
        tapes = draw(st.sampled_from(["none", "outside", "second outside"]))
        delivery = draw(
            st.sampled_from(["arguments", "closure"] if tapes == "none" else ["arguments"])
        )
        construct = "plain" if construct == "py_function" else construct
    if mode == "jit" and construct == "py_function":
        construct = "nested"
    if case.name in WITHOUT_SECOND and (tapes.startswith(("second", "forward"))):
        tapes = "outside"
    operand = draw(st.sampled_from(["watched", "computed"]))
    return Placement(case, construct, delivery, operand, tapes, mode, draw(st.booleans()))


class Program:
    """A placement with its tensors.

    `value` is a scalar of operands, the sum of the case's outputs with fixed weights.
    """

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.case = placement.case
        self.weights = output_weights(self.case)
        self.arrays = list(self.case.inputs)
        self.construct, self.factor = CONSTRUCTS[placement.construct]

    def value(self, operands: Sequence[Any]) -> Any:
        outputs = self.case.outputs(operands)
        total = tf.constant(0.0, tf.float64)
        for output, weight in zip(outputs, self.weights, strict=True):
            product = output * tf.constant(weight)
            total = total + tf.reduce_sum(tf.cast(tf.math.real(product), tf.float64))
        return total

    def in_place(self, operands: Sequence[Any], one: Any) -> Any:
        return self.construct(self.value, operands, one)

    def operands(self, sources: Sequence[Any]) -> list[Any]:
        """The operands of the program, from the sources that tapes watch."""
        result = [tf.constant(array) for array in self.arrays]
        for position, source in zip(self.case.varied, sources, strict=True):
            computed = self.placement.operand == "computed"
            result[position] = tf.negative(tf.negative(source)) if computed else source
        return result

    def sources(self) -> list[Any]:
        tensors = [tf.constant(self.arrays[i]) for i in self.case.varied]
        return (
            [tf.Variable(t) for t in tensors] if self.placement.delivery == "variables" else tensors
        )

    def directions(self) -> list[Any]:
        return [
            tf.constant(weights_like(self.arrays[i], 5 + k)) for k, i in enumerate(self.case.varied)
        ]


def _first(run: Callable[[], Any], sources: Sequence[Any], **options: Any) -> list[Any]:
    with tf.GradientTape(**options) as tape:
        tape.watch(sources)
        value = run()
    gradients = tape.gradient(value, sources, unconnected_gradients="zero")
    if options.get("persistent"):
        again = tape.gradient(value, sources, unconnected_gradients="zero")
        for one, other in zip(gradients, again, strict=True):
            np.testing.assert_array_equal(tf.convert_to_tensor(one), tf.convert_to_tensor(other))
    return [tf.convert_to_tensor(gradient) for gradient in gradients]


def _jacobian(run: Callable[[], Any], sources: Sequence[Any]) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(sources)
        value = tf.stack([run()])
    found = tape.jacobian(value, sources, unconnected_gradients="zero")
    return [tf.convert_to_tensor(rows)[0] for rows in found]


def _forward(
    run: Callable[[], Any], sources: Sequence[Any], directions: Sequence[Any]
) -> list[Any]:
    with tf.autodiff.ForwardAccumulator(list(sources), list(directions)) as accumulator:
        value = run()
    return [accumulator.jvp(value, unconnected_gradients="zero")]


def _bent(gradients: Sequence[Any]) -> Any:
    """A nonlinear scalar of gradients, so that its gradient depends on all that they depend on."""
    return tf.add_n([tf.reduce_sum(tf.sin(tf.math.real(g))) for g in gradients])


def _derived(
    program: Program, tapes: str, run: Callable[[Sequence[Any]], Any], sources: Any
) -> Any:
    """The value of `run` at the sources, or its derivatives by tapes that all record here."""
    if tapes == "none":
        return [run(sources)]
    if tapes.startswith("forward"):
        return _forward(lambda: run(sources), sources, program.directions())
    if tapes.startswith("second"):
        return _first(lambda: _bent(_first(lambda: run(sources), sources)), sources)
    if tapes == "jacobian":
        return _jacobian(lambda: run(sources), sources)
    return _first(lambda: run(sources), sources, persistent=tapes == "persistent")


def _delivered(
    program: Program, compute: Callable[..., Any], operands: list[Any], options: dict[str, Any]
) -> Callable[[], Any]:
    """A call of a traced function that gets operands in the placement's way.

    `compute` accepts the operands and `one`.
    """
    delivery = program.placement.delivery
    one = tf.constant(1)
    if delivery == "arguments":
        if program.placement.unknown:
            specs = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in operands]
            options = {**options, "input_signature": [tf.TensorSpec([], tf.int32), *specs]}
        f = tf.function(lambda one, *given: compute(given, one), **options)
        return lambda: f(one, *operands)
    if delivery == "keyword":
        f = tf.function(lambda one, *, given: compute(given, one), **options)
        return lambda: f(one, given=operands)
    if delivery == "default":
        f = tf.function(lambda one, given=tuple(operands): compute(given, one), **options)
        return lambda: f(one)
    if delivery == "partial":
        f = tf.function(functools.partial(compute, operands), **options)
        return lambda: f(one)
    if delivery == "attribute":

        class Holder(tf.Module):
            def __init__(self) -> None:
                super().__init__()
                self.held = operands

            @tf.function(**options)
            def __call__(self, one: Any) -> Any:
                return compute(self.held, one)

        holder = Holder()
        return lambda: holder(one)
    if delivery == "dictionary":
        held = {"given": operands}
        f = tf.function(lambda one: compute(held["given"], one), **options)
        return lambda: f(one)
    f = tf.function(lambda one: compute(operands, one), **options)
    return lambda: f(one)


def _saved(program: Program, operands: list[Any]) -> Any:
    """The value, computed by a function that was saved and loaded."""
    module = tf.Module()
    captured = program.placement.delivery == "closure"
    if captured:
        module.f = tf.function(lambda one: program.in_place(operands, one))
        module.f(tf.constant(1))
    else:
        module.f = tf.function(lambda one, *given: program.in_place(given, one))
        module.f.get_concrete_function(tf.constant(1), *operands)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        loaded = tf.saved_model.load(folder)
        return loaded.f(tf.constant(1), *([] if captured else operands))


@contextlib.contextmanager
def _eagerly(on: bool) -> Iterator[None]:
    tf.config.run_functions_eagerly(on)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(False)


def found(program: Program) -> list[np.ndarray[Any, Any]]:
    """The results of a placement: the value, or derivatives."""
    placement = program.placement
    sources = program.sources()
    options = {"jit_compile": True} if placement.mode == "jit" else {}

    def in_function(sources: Sequence[Any]) -> Any:
        operands = program.operands(sources)
        if placement.mode == "saved":
            return _saved(program, operands)
        return _delivered(program, program.in_place, operands, options)()

    def inside(given: Sequence[Any], one: Any) -> Any:
        # The delivered tensors are the sources.
        own = [given[i] for i in program.case.varied]
        if placement.tapes == "second mixed":
            tapes = "outside"
        else:
            tapes = placement.tapes
        run = lambda own: program.in_place(program.operands(own), one)  # noqa: E731
        return _derived(program, tapes, run, own)

    delivered = [tf.constant(array) for array in program.arrays]
    for position, source in zip(program.case.varied, sources, strict=True):
        delivered[position] = source
    with _eagerly(placement.mode == "eager"):
        if placement.tapes == "second mixed":
            call = lambda: _bent(_delivered(program, inside, delivered, options)())  # noqa: E731
            results = _first(call, sources)
        elif placement.tapes in ("inside", "second inside", "forward inside"):
            results = _delivered(program, inside, delivered, options)()
        else:
            results = _derived(program, placement.tapes, in_function, sources)
    return [np.asarray(result) for result in results]


def expected(program: Program) -> list[np.ndarray[Any, Any]]:
    """The same results without functions or constructs."""
    run = lambda sources: program.factor * program.value(program.operands(sources))  # noqa: E731
    sources = [tf.constant(program.arrays[i]) for i in program.case.varied]
    results = _derived(program, program.placement.tapes, run, sources)
    return [np.asarray(result) for result in results]


def assert_slope(program: Program) -> None:
    """Compares eager gradients with a difference of values, along a random direction."""
    step = 1e-5
    sources = [program.arrays[i] for i in program.case.varied]
    directions = [direction.numpy() for direction in program.directions()]

    def moved(sign: float) -> float:
        pairs = zip(sources, directions, strict=True)
        return float(
            program.value(program.operands([tf.constant(a + sign * step * d) for a, d in pairs]))
        )

    tensors = [tf.constant(array) for array in sources]
    gradients = _first(lambda: program.value(program.operands(tensors)), tensors)
    along = sum(inner(dense(g, d), d) for g, d in zip(gradients, directions, strict=True))
    slope = (moved(1) - moved(-1)) / (2 * step)
    np.testing.assert_allclose(along, slope, rtol=1e-5, atol=1e-5 * max(1.0, abs(moved(0))))


def _is_refused(placement: Placement, error: tf.errors.OpError) -> bool:
    """Whether the documents exclude a placement, and the error says so."""
    excluded = {"jit": "cannot be compiled", "saved": "cannot be exported"}
    return placement.mode in excluded and excluded[placement.mode] in str(error)


def check(placement: Placement) -> None:
    """Compares a placement with eager execution, and eager gradients with differences of values."""
    program = Program(placement)
    try:
        results = found(program)
    except tf.errors.OpError as error:
        if not _is_refused(placement, error):
            raise
        return
    for got, wanted in zip(results, expected(program), strict=True):
        scale = float(np.max(np.abs(wanted), initial=1.0))
        np.testing.assert_allclose(
            got, wanted, rtol=1e-7, atol=1e-9 * scale, err_msg=str(placement)
        )
    if not placement.case.flat:
        assert_slope(program)

"""Elementwise operations on large tensors are deferred, which changes no value."""

import gc
import os
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from fusing import fusing, fusions_of

LARGE = (130, 256)


def draw(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Any:
    values = rng.normal(size=shape) * 3
    if dtype == "bool":
        return tf.constant(values > 0)
    return tf.cast(tf.constant(np.clip(values, -20, 20)), dtype)


FLOATS = ("float32", "float64", "float16", "bfloat16")
SHAPES = (LARGE, LARGE, LARGE, (), (1,), (256,), (130, 1), (1, 256))
UNARY = (
    tf.abs, tf.negative, tf.square, tf.tanh, tf.sigmoid, tf.exp, tf.nn.relu, tf.sin, tf.math.softplus,
    tf.identity, tf.nn.gelu, tf.sqrt, tf.stop_gradient,
)  # fmt: skip
EXACT = (tf.abs, tf.negative, tf.square, tf.identity)
BINARY = (tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum)
COMPARE = (tf.less, tf.greater_equal, tf.equal, tf.not_equal)


class Program:
    """A random program that runs the same operations in each call."""

    def __init__(self, seed: int, differentiable: bool = False) -> None:
        self.seed = seed
        self.differentiable = differentiable

    def inputs(self) -> list[Any]:
        rng = np.random.default_rng(self.seed)
        chooser = random.Random(self.seed)
        dtypes = FLOATS[:2] if self.differentiable else (*FLOATS, "int32", "int8", "int64")
        dtype = chooser.choice(dtypes)
        shapes = [LARGE, *(chooser.choice(SHAPES) for _ in range(4))]
        return [draw(rng, dtype, shape) for shape in shapes]

    def __call__(self, inputs: list[Any]) -> list[Any]:
        chooser = random.Random(self.seed + 1)
        values = list(inputs)
        kept = []
        for _ in range(chooser.randrange(2, 90)):
            dtype = values[-1].dtype
            x = chooser.choice(values[-4:])
            y = chooser.choice([v for v in values if v.dtype == x.dtype])
            kind = chooser.random()
            if kind < 0.3:
                exact = not x.dtype.is_floating
                value = chooser.choice(EXACT if exact else UNARY)(x)
            elif kind < 0.75:
                value = chooser.choice(BINARY)(x, y)
            elif kind < 0.9 or self.differentiable:
                value = tf.where(chooser.choice(COMPARE)(x, y), x, y * tf.cast(2, y.dtype))
            else:
                value = tf.cast(tf.cast(x, "float32"), chooser.choice((dtype, values[0].dtype)))
            if value.dtype.is_floating and chooser.random() < 0.5:
                value = tf.clip_by_value(value, -20, 20)
            values.append(value)
            what = chooser.random()
            if what < 0.1:
                kept.append(value)
            elif what < 0.15:
                value.numpy()
            elif what < 0.25 and len(values) > 6:
                del values[chooser.randrange(1, len(values) - 1)]
        return [*kept, values[-1]]


def assert_same(got: list[Any], expected: list[Any], seed: int) -> None:
    for k, (a, b) in enumerate(zip(got, expected, strict=True)):
        a, b = np.array(a), np.array(b)
        assert a.dtype == b.dtype and a.shape == b.shape
        # The compiler chooses which operand's sign a NaN gets.
        assert ((a != a) == (b != b)).all()
        a[a != a] = 0
        b[b != b] = 0
        assert a.tobytes() == b.tobytes(), f"other bits in result {k} of program {seed}"


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_give_the_same_bits(seed: int) -> None:
    program = Program(seed)
    inputs = program.inputs()
    with fusing(False):
        expected = program(inputs)
    assert_same(program(inputs), expected, seed)


def gradients(program: Program, order: int) -> list[Any]:
    inputs = program.inputs()
    with tf.GradientTape() as outer:
        outer.watch(inputs)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            results = program(inputs)
            target = tf.add_n([tf.reduce_sum(result * 0.5) for result in results])
        first = tape.gradient(target, inputs, unconnected_gradients="zero")
        if order == 1:
            return [*results, *first]
        again = tf.add_n([tf.reduce_sum(tf.square(g)) for g in first])
    return [*first, *outer.gradient(again, inputs, unconnected_gradients="zero")]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(100, 120))
def test_gradients_of_random_programs(seed: int, order: int) -> None:
    program = Program(seed, differentiable=True)
    with fusing(False):
        expected = gradients(program, order)
    for got, value in zip(gradients(program, order), expected, strict=True):
        np.testing.assert_array_equal(got.numpy(), value.numpy())


def test_a_chain_runs_as_one() -> None:
    a, b, c = (tf.random.normal(LARGE) for _ in range(3))
    noted = fusions_of(lambda: (tf.tanh(a * b + c) * b - a).numpy())
    assert [(names, shape, reads, writes) for names, _, _, shape, reads, writes in noted] == [
        (("Mul", "AddV2", "Tanh", "Mul", "Sub"), LARGE, 3, 1)
    ]


def test_what_the_program_still_holds_is_written_on_the_way() -> None:
    a, b = (tf.random.normal(LARGE) for _ in range(2))
    held = a * b
    noted = fusions_of(lambda: (held + a).numpy())
    assert [writes for *_, writes in noted] == [2]
    assert fusions_of(lambda: held.numpy()) == []


def test_small_tensors_do_not_wait() -> None:
    a = tf.ones([100])
    assert fusions_of(lambda: (a * a + a).numpy()) == []


def test_fusing_can_be_turned_off() -> None:
    a = tf.ones(LARGE)
    with fusing(False):
        assert fusions_of(lambda: (a * a + a).numpy()) == []


def test_values_of_variables_are_those_of_the_time_of_the_call() -> None:
    variable = tf.Variable(tf.ones(LARGE))
    before = variable * 2.0 + 1.0
    variable.assign_add(tf.ones(LARGE))
    between = variable * 2.0 + 1.0
    variable.assign_sub(variable * 0.5)
    variable[3].assign(tf.zeros([256]))
    assert float(before[3, 3]) == 3.0
    assert float(between[3, 3]) == 5.0
    assert float(variable[4, 4]) == 1.0


def test_errors_are_raised_by_the_call() -> None:
    a = tf.ones(LARGE)
    with pytest.raises(tf.errors.InvalidArgumentError):
        a * a + tf.ones([3, 256])
    with pytest.raises(tf.errors.InvalidArgumentError):
        (a * a) + tf.cast(a, "float64")


def test_what_keeps_the_inputs_alive_is_bounded() -> None:
    total = tf.zeros(LARGE)
    shapes = []
    for k in range(200):
        total = total + tf.fill(LARGE, float(k))
    noted = fusions_of(lambda: shapes.append(total.numpy()[0, 0]))
    assert shapes == [sum(range(200))]
    assert all(reads <= 13 for *_, reads, _ in noted)


def test_long_programs_are_cut() -> None:
    def program() -> Any:
        x = tf.ones(LARGE)
        for _ in range(1000):
            x = x * 0.5 + 1.0
        return x.numpy()

    noted = fusions_of(program)
    assert len(noted) > 20
    assert max(len(names) for names, *_ in noted) <= 64


def test_sharing_does_not_count_twice() -> None:
    def program() -> Any:
        x = tf.ones(LARGE)
        for _ in range(30):
            x = x * 0.5 + x * x * 0.25
        return x.numpy()

    assert len(fusions_of(program)) <= 3


def test_values_are_computed_by_any_thread() -> None:
    a = tf.random.normal(LARGE)
    values = [tf.tanh(a * float(k)) + a for k in range(40)]
    results: list[Any] = []

    def read(order: list[Any]) -> None:
        results.append(sum(float(np.asarray(value)[5, 5]) for value in order))

    threads = [threading.Thread(target=read, args=(values,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1


def test_threads_that_drop_and_read_what_others_made() -> None:
    a = tf.random.normal(LARGE)
    expected = np.asarray(tf.tanh(a * 2.0) + a)
    failures: list[Any] = []

    def work() -> None:
        for _ in range(50):
            inner = tf.tanh(a * 2.0)
            outer = inner + a
            reader = threading.Thread(target=lambda value=outer: np.asarray(value))
            reader.start()
            del inner
            if not np.array_equal(np.asarray(outer), expected):
                failures.append(1)
            del outer
            reader.join()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_has_the_values() -> None:
    a = tf.random.normal(LARGE)
    value = tf.tanh(a * 2.0) + a
    process = os.fork()
    if process == 0:
        same = np.array_equal(np.asarray(value), np.tanh(np.asarray(a) * 2.0) + np.asarray(a))
        near = np.allclose(np.asarray(value), np.tanh(np.asarray(a) * 2.0) + np.asarray(a), 1e-5)
        os._exit(0 if same or near else 1)
    _, status = os.waitpid(process, 0)
    assert status == 0
    assert np.asarray(value).shape == LARGE


def test_pending_values_are_freed_unread() -> None:
    for _ in range(100):
        x = tf.random.normal([1000, 1000])
        for _ in range(20):
            x = tf.tanh(x) + 1.0
    del x
    gc.collect()


def test_printing_and_protocols_read_the_value() -> None:
    value = tf.ones(LARGE) * 2.0 + 1.0
    assert "3." in repr(value)
    assert np.from_dlpack(tf.ones(LARGE) * 2.0 + 1.0)[0, 0] == 3.0
    assert memoryview(tf.ones(LARGE) * 2.0 + 1.0)[0, 0] == 3.0


def test_show_fusion_tells_what_ran_as_one() -> None:
    x = tf.random.normal(LARGE)

    def program() -> Any:
        return tf.reduce_max(tf.abs(x - 1.0), axis=-1), tf.exp(x) * x

    shown = tf.debug.show_fusion(program).splitlines()
    assert shown == [
        "Sub, Abs -> float32[130, 256], read by a reduction (2 read, none written)",
        "Exp, Mul -> float32[130, 256] (1 read, 1 written)",
    ]
    traced = tf.function(lambda: tf.exp(x) * x + x)
    assert "Exp, Mul, AddV2" in tf.debug.show_fusion(traced)
    with fusing(False):
        assert tf.debug.show_fusion(program) == ""
        assert tf.debug.show_fusion(traced) == ""


REDUCTIONS = (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32", "int8"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((300_001,), None),
        ((130, 256), None),
        ((130, 256), 1),
        ((130, 256), 0),
        ((5, 4000), 1),
        ((9000, 5), 1),
        ((7000, 3), -1),
        ((40, 30, 20), (1, 2)),
        ((40, 30, 20), (0, 2)),
        ((40, 30, 20), 1),
        ((17_000, 1), 1),
    ],
)
def test_reductions_of_chains_give_the_same_bits(dtype: str, shape: Any, axis: Any) -> None:
    rng = np.random.default_rng(0)
    x, y = (draw(rng, dtype, shape) for _ in range(2))
    for reduction in REDUCTIONS:
        with fusing(False):
            expected = reduction(x * y - x, axis)
        for _ in range(2):
            got = reduction(x * y - x, axis)
            assert_same([got], [expected], 0)
    for reduction in (tf.reduce_all, tf.reduce_any):
        with fusing(False):
            expected = reduction(x * y > x, axis)
        assert_same([reduction(x * y > x, axis)], [expected], 0)


def test_a_value_that_is_read_twice_is_written_once() -> None:
    x = tf.random.normal(LARGE)
    value = x * 2.0
    noted = fusions_of(lambda: [tf.reduce_sum(value), tf.reduce_max(value), tf.reduce_min(value)])
    assert [by for _, by, *_ in noted] == ["reduction"]


def test_the_backward_pass_of_squares_computes_the_difference_again() -> None:
    x, y = tf.random.normal(LARGE), tf.random.normal(LARGE)

    def gradient() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.square(x - y))
        tape.gradient(loss, x).numpy()

    noted = fusions_of(gradient)
    assert [(by, reads, writes) for _, by, _, _, reads, writes in noted] == [
        ("reduction", 2, 1),
        ("chain", 3, 1),
    ]


def test_broadcasting_to_a_large_shape_writes_nothing_for_a_chain() -> None:
    x = tf.random.normal(LARGE)
    spread = tf.broadcast_to(tf.constant([3.0]), LARGE)
    rows = tf.broadcast_to(tf.range(256.0), LARGE)
    assert_same(
        [x * spread + rows], [tf.constant(np.asarray(x) * 3 + np.arange(256.0, dtype="f"))], 0
    )
    assert float(spread[7, 7]) == 3.0
    assert float(rows[7, 7]) == 7.0
    assert_same(
        [spread + rows], [tf.constant(np.full(LARGE, 3, "f") + np.arange(256.0, dtype="f"))], 0
    )


def gradients_of_squares(x: Any, y: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        loss = tf.reduce_sum(tf.square(x - y))
    return tape.gradient(loss, [x, y])


def test_gradients_that_share_operations_are_computed_in_one_pass() -> None:
    x, y = tf.random.normal(LARGE), tf.random.normal(LARGE)
    with fusing(False):
        expected = gradients_of_squares(x, y)
    for first in (0, 1):
        got: list[Any] = []

        def read(first: int = first, got: list[Any] = got) -> None:
            got.extend(gradients_of_squares(x, y))
            got[first].numpy()
            got[1 - first].numpy()

        noted = fusions_of(read)
        assert [(by, reads, writes) for _, by, _, _, reads, writes in noted] == [
            ("reduction", 2, 1),
            ("chain", 3, 2),
        ]
        assert_same(got, expected, first)


def test_gradients_that_were_computed_with_others_are_read_by_operations() -> None:
    x, y = tf.random.normal(LARGE), tf.random.normal(LARGE)
    with fusing(False):
        of_x, of_y = gradients_of_squares(x, y)
        expected = [of_x, of_y * x + of_x, tf.reduce_sum(of_y)]
    readers: list[Callable[[Any, Any], Any]] = [
        lambda got_x, got_y: got_x,
        lambda got_x, got_y: got_y * x + got_x,
        lambda got_x, got_y: tf.reduce_sum(got_y),
    ]
    for first in readers:
        pair = gradients_of_squares(x, y)
        first(*pair).numpy()
        assert_same([reader(*pair) for reader in readers], expected, 0)


def test_gradients_that_nobody_holds_are_not_computed() -> None:
    x, y = tf.random.normal(LARGE), tf.random.normal(LARGE)
    for kept in (0, 1):
        result = gradients_of_squares(x, y)[kept]
        noted = fusions_of(result.numpy)
        assert [writes for *_, writes in noted] == [1]


def test_threads_that_drop_gradients_while_others_read_them() -> None:
    x, y = tf.random.normal(LARGE), tf.random.normal(LARGE)
    expected = [np.asarray(each) for each in gradients_of_squares(x, y)]
    failures: list[int] = []

    def read(held: list[Any], k: int) -> None:
        if not np.array_equal(np.asarray(held.pop()), expected[k]):
            failures.append(k)

    def drop(held: list[Any]) -> None:
        held.clear()

    for trial in range(200):
        held = [[each] for each in gradients_of_squares(x, y)]
        first = trial % 2
        other = (
            threading.Thread(target=read, args=(held[1 - first], 1 - first))
            if trial % 3
            else threading.Thread(target=drop, args=(held[1 - first],))
        )
        other.start()
        read(held[first], first)
        other.join()
    assert not failures


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "shape", [(130, 257), (4, 8, 40, 40), (3, 20_000), (20_000, 3), (17_000, 1), (1200, 4096)]
)
def test_softmax_of_chains_gives_the_same_bits(dtype: str, shape: Any) -> None:
    if np.prod(shape) > 1e6 and dtype != "float32":
        pytest.skip("One dtype is enough for what goes past the caches.")
    rng = np.random.default_rng(1)
    x, y = (draw(rng, dtype, shape) for _ in range(2))
    mask = draw(rng, dtype, shape[-1:])
    for function in (tf.nn.softmax, tf.nn.log_softmax):
        with fusing(False):
            expected = function(x * y * 0.125 + mask)
        assert_same([function(x * y * 0.125 + mask)], [expected], 0)
        traced = tf.function(lambda x, y, f=function: f(x * y * 0.125 + mask))
        assert_same([traced(x, y)], [expected], 0)


def test_softmax_reads_chains() -> None:
    x = tf.random.normal(LARGE)

    def gradient() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.softmax(x * 0.125 + 1.0)
        tape.gradient(y, x, output_gradients=tf.ones(LARGE)).numpy()

    names, by, *_ = fusions_of(gradient)[0]
    assert (names, by) == (("Mul", "AddV2"), "softmax")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32", "bool"])
@pytest.mark.parametrize("width", [2, 3, 40, 255, 256, 1000, 1024, 1025])
def test_reductions_of_columns_read_chains(dtype: str, width: int) -> None:
    rng = np.random.default_rng(1)
    shape = (1_200_000 // width + 3, 1, width)
    if dtype == "bool":
        x, y = (tf.constant(rng.integers(0, 2, shape).astype(bool)) for _ in range(2))
        functions = [lambda x, y, f=f: f(x ^ y, [0, 1]) for f in (tf.reduce_all, tf.reduce_any)]
    else:
        x, y = (draw(rng, dtype, shape) for _ in range(2))
        functions = [
            lambda x, y, f=f: f(x * y - x, [0, 1], keepdims=True)
            for f in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min)
        ]
    for function in functions:
        with fusing(False):
            expected = function(x, y)
        if not x.dtype.is_floating:
            assert_same([function(x, y)], [expected], 0)
            continue
        # Sums of values of both signs are small compared with the values.
        tolerance = {"float64": 1e-10, "float32": 1e-4}.get(dtype, 2e-2)
        size = 1 + np.abs(expected.numpy().astype(float)).max()
        np.testing.assert_allclose(
            function(x, y).numpy().astype(float),
            expected.numpy().astype(float),
            rtol=tolerance,
            atol=tolerance * size,
        )
    if dtype != "bool":  # for which one operation is not a chain
        noted = fusions_of(lambda: functions[0](x, y).numpy())
        assert [by for _, by, *_ in noted] == ["reduction" if width <= 1024 else "chain"]

"""Functions with jit_compile=True: one program, compiled once for each combination of shapes."""

import logging

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins
from eagerflow.functions import compilation

pytestmark = pytest.mark.skipif(
    not any("cpu" in p.name for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)


def programs(function, *args):
    """How many programs a function has for arguments like these."""
    return function.get_concrete_function(*args).graph.program[0]


def check(function, *args, tolerance=1e-5):
    """Compares a compiled function with the same one on the CPU's kernels."""
    compiled = tf.function(function, jit_compile=True)
    mine = tf.nest.flatten(compiled(*args))
    theirs = tf.nest.flatten(tf.function(function)(*args))
    for x, y in zip(mine, theirs, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x.numpy(), y.numpy(), tolerance, tolerance)
    assert programs(compiled, *args) == 1


def test_products_and_gradients():
    """A tape inside of the function is a part of the program."""

    def f(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.reduce_sum(tf.nn.softmax(tf.tanh(x @ w)) ** 2)
        return y, tape.gradient(y, [x, w])

    check(f, tf.random.normal([4, 5]), tf.random.normal([5, 3]))


def test_one_program_for_each_shape():
    """Unknown sizes of the trace are known to programs."""

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 2])])
    def f(x):
        return tf.reduce_mean(x, 0) * tf.cast(tf.shape(x)[0], tf.float32)

    for size, expected in ((3, 1), (4, 2), (3, 2)):
        np.testing.assert_allclose(f(tf.ones([size, 2])).numpy(), [size, size])
        assert programs(f) == expected
    assert f.experimental_get_tracing_count() == 1


def test_loops():
    """A while loop is one of the program's, and a gradient goes through its iterations."""

    def loop(x):
        total, i = tf.zeros([5]), tf.constant(0)
        while i < 4:
            total += x[i] * tf.cast(i, tf.float32)
            i += 1
        return total

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = tf.sin(y) * x
        return tape.gradient(y, x)

    def until(x):
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
        return x

    check(loop, tf.random.normal([4, 5]))
    check(gradient, tf.random.normal([3]))
    check(until, tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_choices(value):
    """tf.cond and switch_case on values."""

    def f(x):
        if tf.reduce_sum(x) > 0:
            y = x * 2
        else:
            y = x - 1
        index = tf.cast(tf.reduce_sum(x), tf.int32)
        return y, tf.switch_case(index, {1: lambda: x, 0: lambda: -x}, default=lambda: x * x)

    check(f, tf.constant([value]))


def test_variables():
    """They are read before and assigned after the program, also in branches and loops."""
    v, count = tf.Variable([1.0, 2.0]), tf.Variable(0)

    @tf.function(jit_compile=True)
    def step(x):
        v.assign_add(x)
        if tf.reduce_sum(v) > 6.0:
            v.assign(v * 0.5)
        for _ in tf.range(3):
            count.assign_add(1)
        v.assign_sub(tf.ones([2]))
        return v * 2

    x = tf.constant([1.0, 1.0])
    values = [step(x).numpy() for _ in range(3)]
    np.testing.assert_allclose(values, [[2, 4], [2, 4], [2, 4]])
    np.testing.assert_allclose(v.numpy(), [1, 2])
    assert int(count) == 9
    v.assign([3.0, 3.0])
    np.testing.assert_allclose(step(x).numpy(), [2, 2])


def test_sums_of_metrics_keep_what_rounding_loses():
    """Also through a reset, a loop and a branch, and after steps outside of programs."""
    metric = tf.keras.metrics.Sum()
    full = tf.constant(2.0**24)

    @tf.function(jit_compile=True)
    def step(first, count):
        if first > 0.0:
            metric.reset_state()
            metric.update_state(first)
        for _ in tf.range(count):
            metric.update_state(1.0)
        return metric.result()

    assert step(full, 1).numpy() == full.numpy()
    assert step(tf.constant(0.0), 1).numpy() == full.numpy() + 2
    metric.update_state(1.0)
    assert step(tf.constant(0.0), 1).numpy() == full.numpy() + 4
    metric.total.assign(full)
    assert step(tf.constant(0.0), 1).numpy() == full.numpy()
    assert np.isinf(step(tf.constant(np.inf), 3).numpy())
    assert step(full, 4).numpy() == full.numpy() + 4


def test_random_numbers_are_tensorflows():
    """The streams are the function's, whichever way it runs."""

    def f():
        return (
            tf.random.uniform([5], seed=1),
            tf.random.normal([7], seed=2),
            tf.random.uniform([3], 0, 10, tf.int32, seed=3),
            tf.random.truncated_normal([9], seed=4),
        )

    results = []
    for jit in (False, True):
        tf.random.set_seed(3)
        function = tf.function(f, jit_compile=jit)
        results.append([[x.numpy() for x in function()] for _ in range(2)])
    for one, two in zip(*results, strict=True):
        for x, y in zip(one, two, strict=True):
            np.testing.assert_allclose(x, y, 1e-5, 1e-6)


def test_messages_before_and_after(capfd):
    """Messages are printed around the program."""

    @tf.function(jit_compile=True)
    def f(x):
        tf.print("of", x)
        y = x * 2.0
        tf.print("is", y)
        return y

    assert float(f(tf.constant(3.0))) == 6
    assert capfd.readouterr().err.split() == ["of", "3", "is", "6"]


def _calls_python(x):
    return tf.py_function(lambda y: y, [x], tf.float32)


def _calls_numpy(x):
    return tf.numpy_function(lambda y: y, [x], tf.float32)


def _text_in_between(x):
    return x * tf.strings.to_number(tf.strings.as_string(x))


@pytest.mark.parametrize("unknown", [_calls_python, _calls_numpy, _text_in_between])
@pytest.mark.parametrize("where", ["here", "in a branch", "in a loop", "in a call"])
@pytest.mark.parametrize("installed", [True, False])
def test_python_and_texts_are_refused(unknown, where, installed, monkeypatch):
    """No compiler knows them; whether one is installed makes no difference."""
    if not installed:

        def compiler():
            raise tf.errors.NotFoundError(None, None, "there is none")

        monkeypatch.setattr("eagerflow.framework.plugins.compiler", compiler)

    @tf.function(jit_compile=True)
    def f(x):
        if where == "in a branch":
            return tf.cond(x > 5.0, lambda: unknown(x), lambda: x)
        if where == "in a loop":
            return tf.while_loop(
                lambda y: y < 9.0, lambda y: [tf.reshape(unknown(y), []) + 1.0], [x]
            )
        return tf.function(unknown)(x) if where == "in a call" else unknown(x)

    with pytest.raises(tf.errors.InvalidArgumentError, match="unsupported operations .* 'f'"):
        f(tf.constant(1.0))


def test_gradients_of_batches_that_the_host_brings():
    """Sizes that gradients read are known once the batch is there."""
    w = tf.Variable([[1.0], [2.0]])

    @tf.function(jit_compile=True)
    def f(batches):
        x = next(batches)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w) ** 2)
        return tape.gradient(loss, w)

    batches = iter(tf.data.Dataset.from_tensor_slices(np.eye(5, 2, dtype=np.float32)).batch(3))
    for rows in np.eye(5, 2)[:3], np.eye(5, 2)[3:]:
        expected = 2 * rows.T @ (rows @ w.numpy()) / len(rows)
        np.testing.assert_allclose(f(batches), expected, rtol=1e-6)
    assert f.experimental_get_tracing_count() == 1


def test_calls_of_compiled_functions_in_others():
    """They are programs there, too, unless a tape records them."""
    w = tf.Variable(2.0)

    @tf.function(jit_compile=True)
    def inner(x):
        return tf.reduce_sum(tf.tanh(x * w))

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def outer(x):
        return inner(x) + 1.0

    for size in (3, 4, 3):
        x = tf.linspace(0.0, 1.0, size)
        np.testing.assert_allclose(outer(x), np.tanh(2 * x.numpy()).sum() + 1, rtol=1e-6)
    assert inner.get_concrete_function(tf.TensorSpec([None])).graph.program[0] == 2
    with tf.GradientTape() as tape:
        y = outer(tf.ones([2]))
    np.testing.assert_allclose(tape.gradient(y, w), 2 / np.cosh(2) ** 2, rtol=1e-5)

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            y = inner(x)
        return tape.gradient(y, w)

    np.testing.assert_allclose(gradient(tf.ones([2])), 2 / np.cosh(2) ** 2, rtol=1e-5)

    @tf.function(jit_compile=True)
    def of_text(x):
        return tf.strings.length(x)

    with pytest.raises(tf.errors.InvalidArgumentError, match="Graph execution error"):
        tf.function(lambda x: of_text(x))(tf.constant(["ab"]))


def test_models_train_evaluate_and_predict_as_programs():
    random = np.random.default_rng(0)
    x, y = random.normal(size=(10, 4)).astype(np.float32), random.integers(0, 3, 10)

    def run(**options):
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(5, "tanh"),
                tf.keras.layers.BatchNormalization(),
                tf.keras.layers.Dense(3, "softmax"),
            ]
        )
        loss = "sparse_categorical_crossentropy"
        model.compile("adam", loss, metrics=["accuracy"], **options)
        history = model.fit(x, y, batch_size=4, epochs=2, verbose=0).history
        evaluated = model.evaluate(x, y, verbose=0)
        return [*history["loss"], *history["accuracy"], *evaluated, *model.predict(x)[-1]]

    expected = run()
    np.testing.assert_allclose(run(jit_compile=True), expected, rtol=1e-4)
    several = run(jit_compile=True, steps_per_execution=2)
    np.testing.assert_allclose(several[-3:], expected[-3:], rtol=1e-4)


def test_what_cannot_be_compiled():
    """The message names the operation, as TensorFlow's error does."""

    @tf.function(jit_compile=True)
    def f(x):
        return tf.boolean_mask(x, x > 0) * 2.0

    with pytest.raises(
        tf.errors.InvalidArgumentError, match="'f' cannot be compiled: .*depends on"
    ):
        f(tf.constant([1.0, -1.0]))


def test_tapes_outside():
    """What a tape records runs operation by operation."""

    @tf.function(jit_compile=True)
    def f(x):
        return x * x

    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = f(x)
    assert float(tape.gradient(y, x)) == 6


def test_without_a_compiler(monkeypatch, caplog):
    """The function runs as others do, after one warning."""
    monkeypatch.setattr(plugins, "_of_packages", lambda: ())
    monkeypatch.delenv(plugins.VARIABLE, raising=False)
    compilation._warn_once.cache_clear()
    with caplog.at_level(logging.WARNING, "eagerflow"):
        for _ in range(2):
            assert int(tf.function(lambda x: x + 1, jit_compile=True)(tf.constant(1))) == 2
    assert caplog.text.count("xla-cpu-pjrt") == 1


@pytest.mark.parametrize(
    "optimizer", "SGD Adam Adamax Nadam RMSprop Adagrad Adadelta Ftrl Lion AdamW".split()
)
def test_training_steps(optimizer):
    """A Keras model's step with dropout's numbers, moments and metrics is one program."""
    x = np.random.RandomState(0).randn(96, 6).astype("float32")
    y = np.random.RandomState(1).randint(0, 3, 96)

    def trained(jit):
        tf.keras.utils.set_random_seed(7)
        model = tf.keras.Sequential(
            [
                tf.keras.layers.Dense(8, "relu", input_shape=(6,)),
                tf.keras.layers.BatchNormalization(),
                tf.keras.layers.Dropout(0.3, seed=3),
                tf.keras.layers.Dense(3),
            ]
        )
        model.compile(
            getattr(tf.keras.optimizers, optimizer)(0.01),
            tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
            jit_compile=jit,
        )
        history = model.fit(x, y, 32, epochs=2, shuffle=False, verbose=0).history
        return history, model.get_weights()

    (history, weights), (compiled, others) = trained(False), trained(True)
    for name, values in history.items():
        np.testing.assert_allclose(compiled[name], values, 1e-3, 1e-3)
    for one, two in zip(weights, others, strict=True):
        np.testing.assert_allclose(two, one, 2e-3, 2e-3)


def test_values_that_programs_take_over():
    """Updates write over a variable's memory, unless somebody else holds or has read the value."""
    v = tf.Variable(tf.zeros([1000]))

    @tf.function(jit_compile=True)
    def step():
        v.assign_add(tf.ones([1000]))

    held = []
    for k in range(5):
        step()
        if k % 2:
            held.append((k + 1, tf.identity(v), v.read_value()))
        if k == 3:
            np.testing.assert_array_equal(v.numpy(), np.full(1000, 4))
    for expected, copy, value in held:
        np.testing.assert_array_equal(copy.numpy(), np.full(1000, expected))
        np.testing.assert_array_equal(value.numpy(), np.full(1000, expected))
    v.scatter_update(tf.IndexedSlices(tf.constant([7.0]), tf.constant([0])))
    step()
    np.testing.assert_array_equal(v.numpy()[:2], [8, 6])


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_gradients_of_convolutions(groups, padding):
    """With strides, dilations and groups, by image and filter, and by channels."""

    def f(x, k, d):
        with tf.GradientTape() as tape:
            tape.watch([x, k, d])
            y = tf.nn.conv2d(x, k, 2, padding) if groups == 1 else tf.nn.conv2d(x, k, 1, padding)
            z = tf.nn.depthwise_conv2d(x, d, [1, 1, 1, 1], padding, dilations=[2, 2])
            loss = tf.reduce_sum(tf.sin(y)) + tf.reduce_sum(tf.cos(z))
        return tape.gradient(loss, [x, k, d])

    x = tf.random.normal([2, 8, 7, 4], seed=1)
    k = tf.random.normal([3, 2, 4 // groups, 6], seed=2)
    check(f, x, k, tf.random.normal([2, 3, 4, 2], seed=3), tolerance=1e-4)


def test_programs_are_kept(tmp_path, monkeypatch):
    """Another process finds a program in the folder; files that are damaged are written anew."""
    monkeypatch.setenv("EAGERFLOW_COMPILATION_CACHE", str(tmp_path / "programs"))

    def result():
        return tf.function(lambda x: tf.tanh(x) * 2.0, jit_compile=True)(tf.constant([0.5, 1.0]))

    expected = result().numpy()
    (file,) = (tmp_path / "programs").iterdir()
    whole, written = file.read_bytes(), file.stat().st_mtime_ns
    np.testing.assert_array_equal(result().numpy(), expected)
    assert file.stat().st_mtime_ns == written
    for damaged in (b"", b"1\n", whole[:-30], whole[:50] + b"x" + whole[51:]):
        file.write_bytes(damaged)
        np.testing.assert_array_equal(result().numpy(), expected)
        assert len(file.read_bytes()) >= len(whole) - 10
    monkeypatch.setenv("EAGERFLOW_COMPILATION_CACHE", "/proc/no/such/folder")
    np.testing.assert_array_equal(result().numpy(), expected)

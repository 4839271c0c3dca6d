"""tf.profiler.profile: calls, times, memory and lines of whatever ran."""

import inspect
import json
import threading

import numpy as np
import pytest

import eagerflow as tf

SIDE = 128
LARGE = 256


def line_of(function, text):
    """The number of the line of a function that holds a text."""
    lines, first = inspect.getsourcelines(function)
    return next(first + k for k, line in enumerate(lines) if text in line)


def named(profile, name):
    return [row for row in profile.rows() if row.name == name]


def consistent(profile):
    """Times add up, whatever the clock says."""
    wall = profile._recording.wall
    by_thread = {}
    for event in profile.events:
        assert 0 <= event.inner <= event.duration
        assert 0 <= event.begin and event.begin + event.duration <= wall
        by_thread[event.thread] = by_thread.get(event.thread, 0) + event.own
    assert all(own <= wall for own in by_thread.values())
    rows = profile.rows()
    assert sum(row.calls for row in rows) == len(profile.events)
    assert sum(row.bytes for row in rows) == sum(event.bytes for event in profile.events)
    assert all(row.own <= row.total + 1e-9 for row in rows)


def square():
    return tf.random.normal([SIDE, SIDE])


def step(x, w):
    y = x @ w  # forward
    return tf.reduce_sum(y)


def test_eager_operations_are_counted_by_line():
    x = square()
    with tf.profiler.profile() as profile:
        for _ in range(5):
            step(x, x)
    (product,), (total,) = named(profile, "MatMul"), named(profile, "Sum")
    assert (product.calls, total.calls) == (5, 5)
    assert product.line.number == line_of(step, "# forward")
    assert product.line.file == __file__ and product.line.function == "step"
    assert product.bytes == 5 * SIDE * SIDE * 4
    consistent(profile)


@pytest.mark.parametrize("traced", [False, True])
def test_backward_steps_belong_to_the_forward_line(traced):
    x, w = square(), tf.Variable(square())

    def train():
        with tf.GradientTape() as tape:
            loss = step(x, w)
        return loss, tape.gradient(loss, w)  # a graph without the loss has no forward product

    call = tf.function(train) if traced else train
    call()
    with tf.profiler.profile() as profile:
        for _ in range(3):
            call()
    forward = line_of(step, "# forward")
    rows = {row.gradient: row for row in named(profile, "MatMul")}
    assert set(rows) == {False, True}
    assert all((row.calls, row.line.number) == (3, forward) for row in rows.values())
    assert "gradient: MatMul" in profile.table()
    consistent(profile)


def test_traced_functions_have_a_row_and_their_nodes_have_lines():
    @tf.function
    def traced(x):
        return step(x, x)

    x = square()
    traced(x)
    with tf.profiler.profile() as profile:
        for _ in range(4):
            traced(x)
    (function,) = named(profile, "traced")
    (product,) = named(profile, "MatMul")
    assert (function.calls, product.calls) == (4, 4)
    assert product.line.number == line_of(step, "# forward")
    assert function.total >= product.total
    consistent(profile)


def chain(x):
    return tf.tanh(x * 2.0) + x


@pytest.mark.parametrize("traced", [False, True])
def test_fused_operations_are_one_row(traced):
    x = tf.random.normal([LARGE, LARGE])
    call = tf.function(chain) if traced else chain
    call(x).numpy()
    profile = tf.profiler.profile(call, x)
    np.testing.assert_allclose(profile.result, np.tanh(x.numpy() * 2) + x.numpy(), atol=1e-5)
    (fused,) = [row for row in profile.rows() if "Tanh" in row.name]
    # A graph's result is a copy of a handle, which the chain holds, too.
    assert fused.name.removesuffix(", Identity") == "Mul, Tanh, AddV2" and fused.calls == 1
    size = LARGE * LARGE * 4
    assert size <= fused.bytes <= size + 4096  # and what the loop itself needs
    assert traced or fused.line.number == line_of(chain, "return")
    assert not [row for row in profile.rows() if row.name in ("Mul", "AddV2")]
    consistent(profile)


def test_a_chain_that_a_reduction_reads_is_one_row():
    x = tf.random.normal([LARGE, LARGE])
    profile = tf.profiler.profile(lambda: tf.reduce_sum(tf.exp(tf.square(x))))
    names = {row.name for row in profile.rows()}
    assert any(name.endswith("Sum") and "Exp" in name for name in names)
    consistent(profile)


def test_a_single_deferred_operation_keeps_its_line():
    x = tf.random.normal([LARGE, LARGE])
    profile = tf.profiler.profile(tf.exp, x)
    assert [(row.name, row.calls) for row in profile.rows()] == [("Exp", 1)]


def test_loops_and_branches_count_each_round():
    @tf.function
    def rounds(x, n):
        for _ in tf.range(n):
            if tf.reduce_sum(x) > 1e30:
                x = x + 1.0
            else:
                x = tf.linalg.matmul(x, x)
        return x

    x, n = tf.zeros([SIDE, SIDE]), tf.constant(7)
    rounds(x, n)
    profile = tf.profiler.profile(rounds, x, n)
    (product,) = named(profile, "MatMul")
    assert product.calls == 7
    assert product.line.text() == "x = tf.linalg.matmul(x, x)"
    assert (
        sum(row.calls for row in profile.rows() if "AddV2" == row.name and row.line == product.line)
        == 0
    )
    consistent(profile)


@pytest.mark.parametrize("eagerly", [False, True])
def test_fit(eagerly):
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(8, activation="relu", input_shape=(4,)), tf.keras.layers.Dense(1)]
    )
    model.compile("adam", "mse", run_eagerly=eagerly)
    x, y = np.ones((12, 4), "f4"), np.ones((12, 1), "f4")
    model.fit(x, y, 4, verbose=0)
    with tf.profiler.profile() as profile:
        model.fit(x, y, 4, epochs=2, verbose=0)
    updates = [row for row in profile.rows() if "Adam" in row.name]
    assert sum(row.calls for row in updates) == 6
    products = [row for row in profile.rows() if "MatMul" in row.name]
    assert sum(row.calls for row in products if not row.gradient) == 12
    assert sum(row.calls for row in products if row.gradient) == 18
    consistent(profile)


def test_pipelines():
    dataset = tf.data.Dataset.range(6).map(lambda v: tf.cast(v, tf.float32) * 2.0).batch(2)
    list(dataset)
    with tf.profiler.profile() as profile:
        for element in dataset:
            assert element.shape == [2]
    assert sum(row.calls for row in named(profile, "IteratorGetNext")) == 4  # and the end
    assert sum(row.calls for row in named(profile, "Mul")) == 6
    consistent(profile)


def test_threads():
    x = square()
    everywhere = threading.Barrier(3)

    def work():
        everywhere.wait()
        for _ in range(10):
            step(x, x)

    threads = [threading.Thread(target=work) for _ in range(2)]
    with tf.profiler.profile() as profile:
        for thread in threads:
            thread.start()
        everywhere.wait()
        for thread in threads:
            thread.join()
    (product,) = named(profile, "MatMul")
    assert product.calls == 20
    assert len({event.thread for event in profile.events if event.name == "MatMul"}) == 2
    consistent(profile)


def held():
    first = tf.linalg.matmul(tf.zeros([LARGE, LARGE]), tf.zeros([LARGE, LARGE]))  # two and one
    second = first @ first  # one
    del first
    return second


def test_memory_at_the_peak_by_line():
    with tf.profiler.profile() as profile:
        result = held()
    size = LARGE * LARGE * 4
    lines = {line.number: bytes_ for line, bytes_ in profile.memory() if line is not None}
    assert result.shape == [LARGE, LARGE]
    # Zeros are written in one pass each; the product stays until the second has read it.
    assert profile.peak == sum(lines.values()) <= 4 * size
    assert lines[line_of(held, "# two and one")] >= size
    assert "Memory at the peak" in profile.table()


def test_memory_that_is_freed_counts_no_longer():
    x = square()
    with tf.profiler.profile() as profile:
        for _ in range(10):
            x @ x
    assert profile.peak in (SIDE * SIDE * 4, 2 * SIDE * SIDE * 4)
    assert profile.rows()[0].bytes == 10 * SIDE * SIDE * 4


def test_named_parts_hold_what_runs_inside():
    x = square()
    with tf.profiler.profile() as profile:
        with tf.profiler.experimental.Trace("train", step_num=3):
            step(x, x)
    (part,), (product,) = named(profile, "train"), named(profile, "MatMul")
    assert part.total >= product.total and part.calls == 1
    (event,) = [event for event in profile.events if event.name == "train"]
    assert event.details == {"step_num": "3"}
    consistent(profile)


def test_orders_and_limits():
    x = square()
    with tf.profiler.profile() as profile:
        for _ in range(3):
            tf.reduce_sum(x)
        x @ x
    assert profile.rows("calls")[0].name == "Sum"
    assert profile.rows("memory")[0].name == "MatMul"
    assert [len(profile.rows(limit=k)) for k in (0, 1, 9)] == [0, 1, 2]
    assert "... 1 more rows" in profile.table(limit=1)
    with pytest.raises(ValueError, match="sorted by one of self, total, calls, memory"):
        profile.rows("time")


def test_text_and_html():
    x = square()
    profile = tf.profiler.profile(step, x, x)
    text = str(profile)
    assert text.splitlines()[0].split() == [
        "operation",
        "calls",
        "self",
        "ms",
        "total",
        "ms",
        "memory",
        "line",
    ]
    assert "test_table.py" in text and "y = x @ w" in text
    page = profile._repr_html_()
    assert page.count("<table") == 2 and "y = x @ w" in page
    empty = tf.profiler.profile()
    with empty:
        pass
    assert empty.rows() == [] and "0 events" in str(empty) and empty.peak == 0


def test_the_timeline_is_written(tmp_path):
    x = square()
    profile = tf.profiler.profile(step, x, x)
    profile.save(tmp_path / "trace.json")
    with open(tmp_path / "trace.json") as file:
        events = [each for each in json.load(file)["traceEvents"] if each["ph"] == "X"]
    assert [each["name"] for each in events] == [event.name for event in profile.events]
    assert all(each["args"]["code"] for each in events)


def test_a_running_profile_has_no_table_and_no_second_one():
    with tf.profiler.profile() as profile:
        with pytest.raises(RuntimeError, match="after the `with` block"):
            profile.rows()
        assert profile._repr_html_() is None
        with pytest.raises(tf.errors.AlreadyExistsError), tf.profiler.profile():
            pass
    assert profile.rows() == []


def test_nothing_is_noted_outside():
    x = square()
    with tf.profiler.profile() as profile:
        pass
    x @ x
    with tf.profiler.profile() as second:
        pass
    assert profile.rows() == second.rows() == []
    assert not tf._core.profiling()


def test_a_failing_block_ends_the_profile():
    with pytest.raises(ZeroDivisionError), tf.profiler.profile() as profile:
        tf.exp(1.0)
        1 / 0  # noqa: B018
    assert [row.name for row in profile.rows()] == ["Exp"]


def test_an_operation_that_fails_is_an_event():
    with tf.profiler.profile() as profile:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.linalg.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
        tf.exp(1.0)
    assert named(profile, "Exp")[0].calls == 1
    consistent(profile)

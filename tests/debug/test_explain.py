"""eagerflow.debug: why gradients are None or NaN, and what tapes have recorded."""

import pytest

import eagerflow as tf
from eagerflow import debug
from eagerflow.debug import discarded
from eagerflow.functions.function import function


@pytest.fixture
def x():
    return tf.constant([1.0, 4.0])


def explained(f, x, persistent=True):
    with debug.trace(), tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = f(x)
    return debug.explain_gradient(tape, y, x)


def test_nothing_is_wrong(x):
    assert explained(lambda x: x * 2.0, x).kind == "connected"
    assert "persistent" in explained(lambda x: x * 2.0, x, persistent=False).text


def test_sources_that_are_not_watched(x):
    frozen = tf.Variable(1.0, trainable=False)
    with debug.trace(), tf.GradientTape() as tape:
        y = x * frozen
    assert "watch" in debug.explain_gradient(tape, y, x).text
    assert "not trainable" in debug.explain_gradient(tape, y, frozen).text
    assert debug.explain_gradient(tape, y, tf.constant(1)).kind == "integer"


def test_a_path_that_ends_in_an_operation_without_gradient(x):
    found = explained(lambda x: tf.cast(tf.argmax(x * x), tf.float32) * 2.0, x)
    assert found.kind == "no gradient" and found.step.name == "ArgMax"
    assert "test_explain.py" in str(found) and "tf.argmax(x * x)" in str(found)
    found = explained(lambda x: tf.stop_gradient(x * x) + 1.0, x)
    assert found.step.name == "StopGradient" and "purpose" in found.text


def test_a_path_that_leaves_the_operations(x):
    found = explained(lambda x: tf.constant((x * 3.0).numpy()) + 1.0, x)
    assert found.kind == "disconnected" and "NumPy" in found.text
    assert "Mul" in found.text and "AddV2" in found.text


def test_what_was_computed_outside_of_the_tape(x):
    with debug.trace():
        with tf.GradientTape() as tape:
            tape.watch(x)
        y = x * 2.0
    assert debug.explain_gradient(tape, y, x).kind == "no gradient"


def test_bad_values_and_bad_gradients():
    zero = tf.constant([0.0, 1.0])
    found = explained(lambda x: tf.math.log(x) * 2.0, zero)
    assert found.kind == "bad value" and found.step.name == "Log" and "-Inf" in found.text
    found = explained(lambda x: tf.reduce_sum(tf.sqrt(x * 1.0)) + 1.0, zero)
    assert found.kind == "bad gradient" and found.step.name == "Sqrt"
    assert found.line.number > 0 and "from 0 to 1" in found.text


def test_variables_are_followed():
    v = tf.Variable([0.0, 1.0])
    with debug.trace(), tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.sqrt(v))
    assert debug.explain_gradient(tape, y, v).step.name == "Sqrt"


def test_a_tape_as_text_and_graph(x, tmp_path):
    v = tf.Variable([1.0, 2.0], name="weights")
    with debug.trace(), tf.GradientTape() as tape:
        y = tf.reduce_sum(x * v)
        tf.exp(x)
    text = debug.show_tape(tape)
    assert "weights = float32[2] watched" in text
    assert "t1 = Mul(float32[2], weights)" in text and "Sum" in text and "Exp" not in text
    assert "test_explain.py" in text and y.shape == ()
    graph = debug.draw_tape(tape)
    assert str(graph) == text
    drawn = graph.to_string()
    assert drawn.count(" -> ") == 2 and "Exp" not in drawn and "<b>weights</b>" in drawn
    debug.draw_tape(tape, tmp_path / "tape.dot")
    assert (tmp_path / "tape.dot").read_text() == graph.to_string("transparent")


def test_variables_of_one_name_are_told_apart():
    v, w = tf.Variable(1.0, name='the "w"'), tf.Variable(2.0, name='the "w"')
    with debug.trace(), tf.GradientTape() as tape:
        y = v * w
    text = debug.show_tape(tape)
    assert 'Mul(the "w", the "w" (2))' in text and y.numpy() == 2.0
    drawn = debug.draw_tape(tape).to_string()
    assert "<b>the &quot;w&quot; (2)</b>" in drawn and drawn.count(" -> ") == 2


def test_traces_nest_and_end():
    with debug.trace() as outer:
        _ = tf.constant(1.0) + 1.0
        with debug.trace() as inner:
            _ = tf.constant(1.0) * 2.0
    _ = tf.constant(1.0) - 1.0
    assert [step.name for step in outer.steps] == ["AddV2", "Mul"]
    assert [step.name for step in inner.steps] == ["Mul"]


def test_numbers_are_checked_after_every_operation():
    debug.enable_check_numerics()
    try:
        assert tf.exp(tf.constant(1.0)).numpy() > 0
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.math.log(tf.constant([0.0, 1.0])) + 1.0
        message = str(caught.value)
        assert '"Log"' in message and "-Inf elements: 1 of 2" in message
        assert "test_explain.py" in message and "tf.math.log(tf.constant([0.0, 1.0]))" in message
        x = tf.constant(0.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sqrt(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Infinity or NaN"):
            tape.gradient(y, x)
    finally:
        debug.disable_check_numerics()
    assert tf.math.log(0.0).numpy() == float("-inf")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("place", [0, 7, 4_999, 300_000])
def test_one_bad_number_among_many_is_found(dtype, place):
    count = 300_001
    largest = tf.fill([count], tf.cast(tf.as_dtype(dtype).real_dtype.max, dtype))
    debug.enable_check_numerics()
    try:
        whole = tf.identity(largest)
        for bad in (float("inf"), float("-inf"), float("nan")):
            debug.disable_check_numerics()
            spoilt = tf.tensor_scatter_nd_update(whole, [[place]], tf.cast([bad], dtype))
            debug.enable_check_numerics()
            with pytest.raises(tf.errors.InvalidArgumentError, match="1 of 300001"):
                tf.identity(spoilt)
    finally:
        debug.disable_check_numerics()


def test_what_is_added_in_place_is_checked():
    x = tf.constant(1.0)
    debug.enable_check_numerics()
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x + x * 1.0
        with pytest.raises(tf.errors.InvalidArgumentError, match='"AddV2"'):
            tape.gradient(y, x, output_gradients=tf.constant(3e38))
    finally:
        debug.disable_check_numerics()


def test_the_path_is_followed_into_a_call():
    def inner(x):
        return tf.round(x * 3.0) * 2.0

    called = function(inner)
    x = tf.constant(2.0)
    for f in (called, function(lambda x: called(x) + 1.0)):
        f(x)
        with tf.debug.trace(), tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        explanation = tf.debug.explain_gradient(tape, y, x)
        assert explanation.kind == "no gradient"
        assert explanation.step.name == "Round"
        assert explanation.line.function == "inner"
        assert explanation.line.text() == "return tf.round(x * 3.0) * 2.0"


def test_what_where_discards():
    x = tf.constant([0.0, 2.0])
    found = explained(lambda x: tf.reduce_sum(tf.where(x > 0, tf.math.log(x), 0.0)), x)
    assert found.kind == "bad value" and found.step.name == "Log"
    assert found.rewritten == "tf.math.where_defined(x > 0, tf.math.log, x, 0.0)"
    assert found.text.endswith(found.rewritten) and "discarded" in found.text
    found = explained(lambda x: tf.reduce_sum(tf.where(x == 0, 1.0, tf.sin(x) / x)), x)
    assert found.rewritten == "tf.math.where_defined(~(x == 0), lambda x: tf.sin(x) / x, x, 1.0)"
    found = explained(lambda x: tf.reduce_sum(tf.where(x > 0, tf.acos(x / 2.0 - 1.0), 1.0)), x)
    assert found.kind == "bad gradient" and found.step.name == "Acos"
    assert (
        found.rewritten == "tf.math.where_defined(x > 0, lambda x: tf.acos(x / 2.0 - 1.0), x, 1.0)"
    )

    def in_two_lines(x):
        logarithm = tf.math.log(x)
        return tf.where(x > 0, logarithm, 0.0)

    general = "tf.math.where_defined(condition, function, x, otherwise)"
    assert explained(in_two_lines, x).rewritten == general
    kept = explained(lambda x: tf.where(x > 0, x, tf.math.log(x)), x)
    assert kept.kind == "bad value" and kept.rewritten is None
    assert explained(lambda x: tf.math.where_defined(x > 0, tf.math.log, x), x).kind == "connected"


@pytest.mark.parametrize(
    ("line", "branch", "expected"),
    [
        ("return tf.where(ok, f(a, b) + a, c)", 1, "(ok, lambda a, b: f(a, b) + a, (a, b), c)"),
        ("if tf.where(ok, c, 1 / a):", 2, "(~ok, lambda a: 1 / a, a, c)"),
        ("y = np.where(a > 0, f(a, 2), 0) * 2", 1, "(a > 0, lambda a: f(a, 2), a, 0)"),
    ],
)
def test_rewritten_lines(line, branch, expected):
    assert discarded.call_rewritten(line, branch) == f"tf.math.where_defined{expected}"


@pytest.mark.parametrize(
    "line",
    [
        "y = f(x)",
        "tf.where(ok, x=1, y=2)",
        "tf.where(ok,",
        "tf.where(ok, 1, 2)",
        "tf.where(ok, f(self.a), 0)",
    ],
)
def test_lines_that_show_no_call(line):
    assert discarded.call_rewritten(line, 1) is None

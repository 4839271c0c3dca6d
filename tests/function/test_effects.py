"""Effects of graphs: optimizer updates, metrics, prints, checks, calls of Python."""

import numpy as np
import pytest

import eagerflow as tf
from function.traced import traced

optimizers = tf.keras.optimizers
schedules = optimizers.schedules

OPTIMIZERS = {
    "SGD": lambda: optimizers.SGD(0.1),
    "momentum, clipped": lambda: optimizers.SGD(0.1, 0.9, nesterov=True, clipnorm=0.5),
    "Adam, clipped together": lambda: optimizers.Adam(0.1, global_clipnorm=0.7),
    "AMSGrad": lambda: optimizers.Adam(0.1, amsgrad=True, clipvalue=0.3),
    "AdamW": lambda: optimizers.AdamW(0.1, weight_decay=0.01),
    "Adamax": lambda: optimizers.Adamax(0.1),
    "RMSprop": lambda: optimizers.RMSprop(0.1, centered=True, momentum=0.5),
    "Adagrad": lambda: optimizers.Adagrad(0.1),
    "Adadelta": lambda: optimizers.Adadelta(1.0),
    "Ftrl": lambda: optimizers.Ftrl(0.1, l1_regularization_strength=0.01, beta=0.1),
    "Lion": lambda: optimizers.Lion(0.1),
    "Adafactor": lambda: optimizers.Adafactor(0.1),
    "Lamb": lambda: optimizers.Lamb(0.1),
    "Muon": lambda: optimizers.Muon(0.1),
    "averages": lambda: optimizers.Adam(0.1, use_ema=True, ema_overwrite_frequency=2),
    "exponential decay": lambda: optimizers.Adam(schedules.ExponentialDecay(0.1, 2, 0.5)),
    "piecewise": lambda: optimizers.SGD(
        schedules.PiecewiseConstantDecay([1, 3], [0.1, 0.05, 0.01])
    ),
    "warm-up": lambda: optimizers.SGD(
        schedules.CosineDecay(0.1, 4, warmup_target=0.2, warmup_steps=2)
    ),
    "restarts": lambda: optimizers.SGD(schedules.CosineDecayRestarts(0.1, 2)),
    "a function": lambda: optimizers.legacy.SGD(lambda: 0.2),
    "legacy SGD": lambda: optimizers.legacy.SGD(0.1, 0.9, decay=0.1),
    "legacy Adam": lambda: optimizers.legacy.Adam(0.1, clipnorm=0.5),
    "legacy RMSprop": lambda: optimizers.legacy.RMSprop(0.1, centered=True),
    "legacy Adagrad": lambda: optimizers.legacy.Adagrad(0.1),
    "legacy Nadam": lambda: optimizers.legacy.Nadam(0.1),
}


def training(make):
    """A training step, and the variables of a model and its optimizer after some steps."""
    random = np.random.RandomState(0)
    x, y = (tf.constant(random.randn(8, n).astype("f")) for n in (3, 2))
    rows = tf.constant([0, 2, 2])
    optimizer = make()
    variables = [
        tf.Variable(tf.ones([3, 2]) * 0.5),
        tf.Variable([0.1, 0.2]),
        tf.Variable(tf.ones([4, 2])),
    ]

    def step(x, y, rows):
        w, b, table = variables
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
            loss += tf.reduce_sum(tf.gather(table, rows) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    def after(run):
        losses = [float(run(x, y, rows)) for _ in range(5)]
        state = [v.numpy() for v in variables + list(optimizer.variables)]
        return losses, state

    return step, after


SPECS = [
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
    tf.TensorSpec([3], tf.int32),
]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_traced_step_trains_as_an_eager_one(name):
    step, after = training(OPTIMIZERS[name])
    losses, state = after(step)
    step, after = training(OPTIMIZERS[name])
    traced_losses, traced_state = after(traced(step, *SPECS))
    np.testing.assert_allclose(traced_losses, losses, rtol=1e-6)
    for mine, expected in zip(traced_state, state, strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-7)


def test_nadam_trains_as_keras_does_when_it_traces_twice():
    step, after = training(lambda: optimizers.Nadam(0.1))
    traced(step, *SPECS)
    losses, _ = after(traced(step, *SPECS))
    np.testing.assert_allclose(losses, [9.07309, 7.67547, 6.72432, 5.85655, 5.06143], rtol=1e-5)


def test_an_optimizer_is_one_node():
    step, _ = training(lambda: optimizers.Adam(0.1))
    nodes = [node for node in traced(step, *SPECS).graph.nodes if node.has_effects]
    assert [node.type for node in nodes] == ["ResourceApplyAdam", "AssignAddVariableOp"]
    assert len(nodes[0].variables) == 9


def test_a_gradient_that_cannot_fit_is_refused_while_tracing():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="its variable has shape"):
        traced(lambda: optimizers.SGD(0.1).apply_gradients([(tf.ones([3]), v)]) and None)


def test_prints_run_with_every_call_in_order(capsys, tmp_path):
    path = tmp_path / "printed.txt"

    def program(x, words):
        print("traced")
        tf.print("x:", x, words, {"first": x[0], "rest": [1, "q"]}, 3.5, sep="|", end="<\n")
        tf.print(x, summarize=-1)
        tf.print("done", output_stream=f"file://{path}")

    run = traced(program, tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.string))
    for _ in range(2):
        run(list(range(8)), ["a", "b"])
    out, err = capsys.readouterr()
    assert out == "traced\n"
    once = (
        "x:|[0 1 2 ... 5 6 7]|[\"a\" \"b\"]|{'first': 0, 'rest': [1, 'q']}|3.5<\n"
        "[0 1 2 3 4 5 6 7]\n"
    )
    assert err == once * 2
    assert path.read_text() == "done\n" * 2


FLOATS = tf.TensorSpec([None], tf.float32)
ANY = tf.TensorSpec(None, tf.float32)
debugging = tf.debugging

CHECKS = {
    "equal": (lambda x: debugging.assert_equal(x, [1.0, 2.0]), FLOATS, [1.0, 2.0], [1.0, 3.0]),
    "less": (lambda x: debugging.assert_less(x, 3.0), FLOATS, [1.0], [1.0, 3.0]),
    "positive": (debugging.assert_positive, FLOATS, [1.0], [0.0]),
    "near": (lambda x: debugging.assert_near(x, 1.0), FLOATS, [1.0], [1.1]),
    "rank": (lambda x: debugging.assert_rank(x, 2), ANY, [[1.0]], [1.0]),
    "rank at least": (lambda x: debugging.assert_rank_at_least(x, 1), ANY, [1.0], 1.0),
    "rank in": (lambda x: debugging.assert_rank_in(x, [0, 2]), ANY, 1.0, [1.0]),
    "shapes": (
        lambda x: debugging.assert_shapes([(x, ("N", "N"))]),
        tf.TensorSpec([None, 2], tf.float32),
        [[1.0, 2.0], [3.0, 4.0]],
        [[1.0, 2.0]],
    ),
    "numerics": (lambda x: debugging.check_numerics(x, "bad"), FLOATS, [1.0], [np.nan]),
    "Assert": (lambda x: debugging.Assert(x[0] > 1, ["small", x]), FLOATS, [2.0], [0.0]),
}


@pytest.mark.parametrize("name", CHECKS)
def test_checks_of_unknown_values_and_shapes_run_with_every_call(name):
    check, spec, good, bad = CHECKS[name]

    def program(x):
        check(x)
        return x

    run = traced(program, spec)
    run(good)
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(bad)
    run(good)


def test_checks_of_known_values_raise_while_tracing():
    with pytest.raises(tf.errors.InvalidArgumentError, match="hey"):
        traced(lambda: debugging.assert_equal(2, 1, message="hey"))
    with pytest.raises(ValueError, match="must have rank 2"):
        traced(lambda x: debugging.assert_rank(x, 2), FLOATS)
    with pytest.raises(ValueError, match="must have size 4"):
        traced(
            lambda x: debugging.assert_shapes([(x, ("N", 4))]),
            tf.TensorSpec([None, 3], tf.float32),
        )
    with pytest.raises(TypeError):
        traced(debugging.assert_integer, FLOATS)
    assert not traced(lambda: debugging.assert_equal(1, 1)).graph.has_effects


def test_python_functions_are_called_by_every_run_with_values():
    seen = []

    def note(x):
        seen.append(x.numpy().tolist())
        return x * 2, 1

    run = traced(lambda x: tf.py_function(note, [x], [tf.float32, tf.int32]), FLOATS)
    assert [run([k])[0].numpy().tolist() for k in (1.0, 2.0)] == [[2.0], [4.0]]
    assert seen == [[1.0], [2.0]]
    unused = traced(lambda x: tf.py_function(note, [x], [tf.float32, tf.int32]) and None, FLOATS)
    unused([3.0])
    assert seen[-1] == [3.0]


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: 1 / 0, tf.errors.UnknownError),
        (lambda x: int("x"), tf.errors.InvalidArgumentError),
        (lambda x: "x", tf.errors.InvalidArgumentError),
        (lambda x: next(iter([])), tf.errors.OutOfRangeError),
    ],
)
def test_errors_of_python_functions_are_those_of_operations(function, error):
    for call in (tf.py_function, tf.numpy_function):
        run = traced(lambda x: call(function, [x], tf.float32), FLOATS)  # noqa: B023
        with pytest.raises(error):
            run([1.0])


def test_python_functions_are_differentiated_and_those_of_numpy_are_not():
    def gradients(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a**3, [x], tf.float32)
            z = tf.numpy_function(lambda a: a**3, [x], tf.float32)
        assert tape.gradient(z, x) is None
        return tape.gradient(y, x)

    run = traced(gradients, tf.TensorSpec([2], tf.float32))
    assert run([1.0, 2.0]).numpy().tolist() == [3.0, 12.0]


def test_numpy_functions_must_return_the_dtypes_they_were_declared_with():
    run = traced(lambda x: tf.numpy_function(np.sinh, [x], tf.float64), FLOATS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expects float64"):
        run([0.0])
    run = traced(lambda x: tf.numpy_function(lambda a: 3.0, [x], tf.float64), FLOATS)
    assert run([0.0]) == 3.0


def test_functions_that_only_order_operations_do_nothing_in_graphs():
    v = tf.Variable(1.0)

    def program(x):
        with tf.control_dependencies([v.assign_add(x)]):
            y = v * 2
        tf.group(y, tf.no_op())
        return tf.tuple([y]), tf.identity_n([y, x]), tf.timestamp()

    run = traced(program, tf.TensorSpec([], tf.float32))
    (y,), (same, x), before = run(2.0)
    assert (float(y), float(same), float(x)) == (6.0, 6.0, 2.0)
    assert run(1.0)[2] > before


metrics = tf.keras.metrics
LABELS = tf.TensorSpec([None, 3], tf.float32)
CLASSES = tf.TensorSpec([None], tf.int32)

METRICS = {
    "mean": (metrics.Mean, [LABELS]),
    "sum": (metrics.Sum, [LABELS]),
    "squared error": (metrics.MeanSquaredError, [LABELS, LABELS]),
    "binary accuracy": (metrics.BinaryAccuracy, [LABELS, LABELS]),
    "AUC": (metrics.AUC, [LABELS, LABELS]),
    "AUC by label": (lambda: metrics.AUC(multi_label=True, num_labels=3), [LABELS, LABELS]),
    "precision": (metrics.Precision, [LABELS, LABELS]),
    "recall at precision": (lambda: metrics.RecallAtPrecision(0.5), [LABELS, LABELS]),
    "accuracy of classes": (metrics.SparseCategoricalAccuracy, [CLASSES, LABELS]),
    "top k": (lambda: metrics.SparseTopKCategoricalAccuracy(k=2), [CLASSES, LABELS]),
    "intersection over union": (lambda: metrics.MeanIoU(3), [CLASSES, CLASSES]),
    "F1": (metrics.F1Score, [LABELS, LABELS]),
    "R2": (lambda: metrics.R2Score(num_regressors=1), [LABELS, LABELS]),
}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_count_batches_of_unknown_size(name, weighted):
    make, specs = METRICS[name]
    random = np.random.RandomState(0)
    specs = specs + [tf.TensorSpec([None], tf.float32)] * weighted

    def batch(size):
        values = []
        for spec in specs:
            shape = [size, *spec.shape[1:]]
            whole = spec.dtype is tf.int32
            values.append(random.randint(0, 3, shape) if whole else random.rand(*shape).astype("f"))
        return values

    batches = [batch(4), batch(6)]
    eager, metric = make(), make()

    def update(metric, *values):
        metric.update_state(
            *values[: len(values) - weighted], **({"sample_weight": values[-1]} if weighted else {})
        )
        return metric.result()

    run = traced(lambda *values: update(metric, *values), *specs)
    reset = traced(lambda: metric.reset_state())
    for values in batches:
        expected = update(eager, *map(tf.constant, values))
        np.testing.assert_allclose(run(*values), expected, rtol=1e-5)
    np.testing.assert_allclose(metric.result(), expected, rtol=1e-5)
    reset()
    assert all(not np.any(variable.numpy()) for variable in metric.variables)


def test_losses_of_batches_of_unknown_size():
    loss = tf.keras.losses.MeanSquaredError()
    run = traced(
        lambda y, p, w: (loss(y, p), loss(y, p, sample_weight=w)),
        LABELS,
        LABELS,
        tf.TensorSpec([None], tf.float32),
    )
    plain, weighted = run(np.zeros([2, 3]), np.ones([2, 3]), [1.0, 2.0])
    assert (float(plain), float(weighted)) == (1.0, 1.5)
    assert run(np.zeros([0, 3]), np.ones([0, 3]), np.zeros([0]))[0] == 0


def written(folder):
    """The steps, tags and values of the summaries in a folder."""
    (path,) = folder.iterdir()
    return [
        (event.step, value.tag, tf.make_ndarray(value.tensor).tolist())
        for event in tf.compat.v1.train.summary_iterator(str(path))
        for value in event.summary.value
    ]


def test_summaries_are_written_by_every_run(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    def program(x, step):
        with writer.as_default(), tf.name_scope("scope"):
            recorded = tf.summary.scalar("loss", x, step=step)
            with tf.summary.record_if(tf.equal(step % 2, 0)):
                tf.summary.text("even", tf.strings.as_string(x), step=step)
        return recorded

    run = traced(program, tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int64))
    with tf.name_scope("elsewhere"):
        assert all(bool(run(k / 2, k)) for k in range(3))
    assert written(tmp_path) == [
        (0, "scope/loss", 0.0),
        (0, "scope/even", b"0.000000"),
        (1, "scope/loss", 0.5),
        (2, "scope/loss", 1.0),
        (2, "scope/even", b"1.000000"),
    ]


def test_a_function_that_is_traced_without_a_writer_writes_nothing(tmp_path):
    run = traced(lambda x: tf.summary.scalar("loss", x, step=1), tf.TensorSpec([], tf.float32))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        assert not run(1.0)
    assert written(tmp_path) == []


def test_the_default_step_of_a_summary_may_be_a_variable(tmp_path):
    step = tf.Variable(0, dtype=tf.int64)
    writer = tf.summary.create_file_writer(str(tmp_path))

    def program(x):
        with writer.as_default(step=step):
            tf.summary.histogram("h", x)
            step.assign_add(1)

    run = traced(program, tf.TensorSpec([None], tf.float32))
    run([1.0, 2.0])
    run([3.0])
    assert [entry[:2] for entry in written(tmp_path)] == [(0, "h"), (1, "h")]
    with pytest.raises(ValueError, match="No step set"), writer.as_default():
        traced(lambda: tf.summary.scalar("loss", 1.0))


def test_variables_are_control_inputs():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        with tf.control_dependencies([v.assign_add(1.0), v]):
            return tf.identity(v)

    assert float(f()) == 2.0

"""What programs of the first generation find besides: metrics, savers, summaries, tutorials' data."""

import glob

import numpy as np
import pytest

import eagerflow as tf
import eagerflow.contrib.eager as tfe
from eagerflow.framework import shapes
from eagerflow_compat.v1 import input_data

tf1 = tf.compat.v1


def test_metrics_networks_and_savers(tmp_path):
    mean = tfe.metrics.Mean()
    mean([1.0, 2.0])
    mean(6.0)
    assert mean.result().numpy() == 3.0
    accuracy = tfe.metrics.Accuracy()
    accuracy([1, 2, 3], [1, 2, 0])
    np.testing.assert_allclose(accuracy.result(), 2 / 3, rtol=1e-12)
    assert issubclass(tfe.Network, tf.keras.Model)

    v = tfe.Variable([1.0, 2.0], name="v")
    path = tfe.Saver([v]).save(str(tmp_path / "model"), global_step=3)
    v.assign([0.0, 0.0])
    tfe.Saver([v]).restore(path)
    assert path.endswith("model-3") and v.numpy().tolist() == [1.0, 2.0]
    saved = tfe.Checkpoint(v=v).save(str(tmp_path / "object"))
    v.assign([0.0, 0.0])
    tfe.Checkpoint(v=v).restore(saved)
    assert v.numpy().tolist() == [1.0, 2.0]


def test_metrics_add_in_double_precision_and_pass_values_on(tmp_path):
    mean = tfe.metrics.Mean("loss")
    assert mean([1.0, 2.0]).numpy().tolist() == [1.0, 2.0]
    mean(5.0, weights=2.0)
    assert mean.name == "loss" and len(mean.variables) == 2
    assert mean.result().dtype == tf.float64 and mean.result().numpy() == 13 / 4
    path = tfe.Checkpoint(mean=mean).save(str(tmp_path / "mean"))
    mean.init_variables()
    mean(7.0)
    assert mean.value().numpy() == 7.0
    tfe.Checkpoint(mean=mean).restore(path)
    assert mean.value().numpy() == 13 / 4

    sparse = tfe.metrics.SparseAccuracy()
    labels, predictions = sparse([0, 1], [[0.9, 0.1], [0.8, 0.2]])
    assert labels.shape == 2 and predictions.shape == (2, 2) and sparse.result().numpy() == 0.5
    binary = tfe.metrics.BinaryAccuracy(threshold=0.6)
    binary([0, 1, 1], [0.5, 0.7, 0.55], weights=[1, 1, 2])
    assert binary.result().numpy() == 0.5
    categorical = tfe.metrics.CategoricalAccuracy()
    categorical([[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.8]])
    assert categorical.result().numpy() == 0.5
    for metric, labels, predictions in (
        (tfe.metrics.Accuracy(), [1, 2], [1, 2, 3]),
        (tfe.metrics.Accuracy(), [[1], [2]], [1, 2]),
        (tfe.metrics.BinaryAccuracy(), [1], [0.5, 0.7]),
        (tfe.metrics.CategoricalAccuracy(), [[0, 1]], [[0.5, 0.7, 0.2]]),
        (tfe.metrics.SparseAccuracy(), [1, 0, 1], [[0.5, 0.7], [0.1, 0.2]]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="unequal"):
            metric(labels, predictions)


def test_metrics_of_a_program_and_in_graphs(tmp_path):
    class Largest(tfe.metrics.Metric):
        def build(self, values):
            self.best = self.add_variable("best", [], tf.float32, tf1.zeros_initializer())

        def call(self, values):
            return self.best.assign(tf.maximum(self.best, tf.reduce_max(values)))

        def result(self):
            return self.best.read_value()

    largest = Largest()
    largest([3.0, 9.0])
    largest([4.0])
    assert largest.result().numpy() == 9.0 and largest.name == "Largest"
    with pytest.raises(RuntimeError, match="build"):
        largest.add_variable("more", [])

    class Total(tfe.metrics.Metric):
        def __init__(self):
            super().__init__(use_global_variables=True)
            self.total = self.add_variable("total", [], tf.float32, tf1.zeros_initializer())

        def build(self, values):
            pass

        def call(self, values):
            self.total.assign_add(tf.reduce_sum(values))
            return values

        def result(self):
            return self.total.read_value()

    total = Total()
    total([1.0, 2.0])
    assert total.result().numpy() == 3.0
    with tf.Graph().as_default(), tf1.Session() as session:
        total, accuracy = Total(), tfe.metrics.Accuracy()
        adds = total([1.0, 2.0])
        labels = tf1.placeholder(tf.int32, [None])
        compares = accuracy(labels, [1, 2])
        assert [variable.op.name for variable in tf1.global_variables()] == ["total"]
        names = [variable.op.name for variable in tf1.local_variables()]
        assert names == ["Accuracy/numer", "Accuracy/denom"]
        assert len(tf1.get_collection(tf1.GraphKeys.METRIC_VARIABLES)) == 3
        session.run([total.init_variables(), accuracy.init_variables()])
        session.run(adds)
        session.run(adds)
        session.run(compares, {labels: [1, 0]})
        assert session.run([total.result(), accuracy.value()]) == [6.0, 0.5]
        with pytest.raises(tf.errors.InvalidArgumentError, match="unequal"):
            session.run(compares, {labels: [1]})
    with tf.Graph().as_default(), tf1.Session() as session:
        mean, values = tfe.metrics.Mean(), tf1.placeholder(tf.float32, [None])
        step, result = mean(values), mean.value()
        session.run(mean.init_variables())
        session.run(step, {values: [1.0, 2.0]})
        session.run(step, {values: [6.0]})
        assert session.run(result) == 3.0


def test_variables_that_begin_with_a_checkpoint(tmp_path):
    saved = tfe.Variable([1.0, 2.0], name="kept/v")
    path = tfe.Saver([saved]).save(str(tmp_path / "model"))
    with tfe.restore_variables_on_create(path):
        assert tfe.Variable([0.0, 0.0], name="kept/v").numpy().tolist() == [1.0, 2.0]
        with pytest.raises(ValueError, match="kept/v"):
            tfe.Variable(0.0, name="other")
    with tfe.restore_variables_on_create(path, lambda name: f"kept/{name}"):
        assert tf1.get_variable("v", [2]).numpy().tolist() == [1.0, 2.0]
    assert tfe.Variable(0.0, name="other").numpy() == 0.0


def test_checkpoints_of_networks_in_folders(tmp_path):
    class Line(tfe.Network):
        def __init__(self):
            super().__init__(name="line")
            self.layer = self.track_layer(tf.keras.layers.Dense(1))

        def call(self, x):
            return self.layer(x)

    first, second = Line(), Line()
    value = first(tf.ones([1, 2]))
    tfe.save_network_checkpoint(first, str(tmp_path), global_step=3)
    path = tfe.save_network_checkpoint(first, str(tmp_path), global_step=7)
    assert path == str(tmp_path / "line-7")
    tfe.restore_network_checkpoint(second, str(tmp_path))
    np.testing.assert_array_equal(second(tf.ones([1, 2])), value)
    with pytest.raises(tf.errors.NotFoundError):
        tfe.restore_network_checkpoint(second, str(tmp_path / "elsewhere"))


def test_summaries_at_the_global_step(tmp_path):
    import eagerflow.contrib.summary as summary

    step = tf1.train.get_or_create_global_step()
    start = int(step)
    writer = summary.create_file_writer(str(tmp_path), flush_millis=10)
    with writer.as_default(), summary.record_summaries_every_n_global_steps(2):
        for _ in range(4):
            summary.scalar("loss", 1.5)
            step.assign_add(1)
    writer.close()
    (path,) = glob.glob(str(tmp_path / "events.out.tfevents.*"))
    from eagerflow.protos.event import MESSAGES

    events = map(MESSAGES["Event"].FromString, tf.data.TFRecordDataset(path).as_numpy_iterator())
    steps = [event.step for event in events if event.summary.value]
    assert steps == [k for k in range(start, start + 4) if k % 2 == 0]


def test_summaries_that_sessions_write(tmp_path):
    import eagerflow.contrib.summary as summary

    with tf.Graph().as_default() as graph:
        step = tf1.train.get_or_create_global_step()
        x = tf1.placeholder(tf.float32, [])
        writer = summary.create_file_writer(str(tmp_path))
        with writer.as_default(), summary.record_summaries_every_n_global_steps(2):
            loss = summary.scalar("loss", x)
            summary.histogram("values", tf.stack([x, x]))
            summary.scalar("later", x, step=100)
            assert summary.all_summary_ops()[0] is loss
            assert tf1.summary.all_v2_summary_ops() == summary.all_summary_ops()
            with summary.never_record_summaries():
                unwritten = summary.scalar("unwritten", x)
            is_on = summary.should_record_summaries()
            count = step.assign_add(1)
            with tf1.Session() as session:
                session.run(tf1.global_variables_initializer())
                session.run([writer.init(), summary.summary_writer_initializer_op()])
                summary.initialize(graph=graph)
                for k in range(3):
                    assert session.run(is_on) == (k % 2 == 0)
                    session.run(summary.all_summary_ops(), {x: k})
                    session.run(count)
                assert not session.run(unwritten, {x: 0.0})
                session.run([writer.flush(), summary.flush()])
    (path,) = glob.glob(str(tmp_path / "events.out.tfevents.*"))
    events = list(tf1.train.summary_iterator(path))
    found = [(event.step, value.tag) for event in events for value in event.summary.value]
    written = [(k, tag) for k in (0, 2) for tag in ("loss", "values")]
    assert sorted(found) == sorted([*written, (100, "later"), (100, "later")])
    assert [event.WhichOneof("what") for event in events].count("graph_def") == 1


def test_sizes_have_values():
    assert tf.zeros([2, 3]).shape[1] == 3
    shapes.show_dimensions(True)
    try:
        shape = tf.zeros([2, 3]).shape
        assert shape[1].value == 3 and shape[0] * 2 == 4 and list(range(shape[0])) == [0, 1]
        assert str(shape[1]) == "3" and tf.zeros([shape[0], 4]).shape == (2, 4)
        unknown = tf.TensorShape([None, 3])
        assert unknown[0].value is None and unknown.as_list() == [None, 3]
        assert str(unknown) == "(?, 3)" and str(tf.TensorShape([4])) == "(4,)"
        assert repr(unknown) == "TensorShape([Dimension(None), Dimension(3)])"
        assert (unknown[0] * 2).value is None and (tf1.Dimension(3) + 1).value == 4
        assert tf.keras.layers.Dense(2)(tf.ones([3, 4])).shape.as_list() == [3, 2]
    finally:
        shapes.show_dimensions(False)
    assert type(tf.zeros([2]).shape[0]) is int


def test_digits_in_batches():
    images = np.arange(7 * 28 * 28).reshape(7, 28, 28) % 256
    data = input_data.DataSet(images.astype(np.uint8), np.arange(7), seed=1)
    assert data.images.shape == (7, 784) and data.images.max() == 1.0
    seen = np.concatenate([data.next_batch(3)[1] for _ in range(7)])
    assert sorted(seen) == sorted([*range(7)] * 3) and data.epochs_completed == 2
    assert data.next_batch(2, shuffle=False)[0].shape == (2, 784)
    assert input_data.dense_to_one_hot(np.array([1, 0]), 3).tolist() == [[0, 1, 0], [1, 0, 0]]


def test_flags_and_logging():
    flags = tf1.flags
    values = flags.FlagValues()
    flags.DEFINE_float("rate", 0.1, "How fast.", flag_values=values)
    flags.DEFINE_bool("verbose", False, "More words.", flag_values=values)
    flags.DEFINE_enum("mode", "train", ["train", "test"], "What to do.", flag_values=values)
    flags.DEFINE_list("parts", "a,b", "Of the whole.", flag_values=values)
    flags.DEFINE_multi_enum("kinds", ["x"], ["x", "y"], "Several.", flag_values=values)
    rest = values(["program", "--rate", "0.5", "file", "--verbose", "--mode=test", "--", "--x"])
    assert rest == ["program", "file", "--x"]
    assert (values.rate, values.verbose, values.mode, values.parts) == (
        0.5,
        True,
        "test",
        ["a", "b"],
    )
    assert values(["p", "--noverbose"]) == ["p"] and values.verbose is False
    with pytest.raises(flags.IllegalFlagValueError, match="rate=fast"):
        values(["p", "--rate=fast"])
    with pytest.raises(flags.IllegalFlagValueError, match="train|test"):
        values(["p", "--mode=run"])
    with pytest.raises(flags.UnrecognizedFlagError, match="speed"):
        values(["p", "--speed=1"])
    with pytest.raises(flags.DuplicateFlagError):
        flags.DEFINE_string("rate", "", "", flag_values=values)
    config = tf1.ConfigProto(allow_soft_placement=True)
    config.gpu_options.allow_growth = True
    assert config.gpu_options.allow_growth is True


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("exponential_decay", (10, 0.5), 0.1 * 0.5**2.5),
        ("exponential_decay", (10, 0.5, True), 0.1 * 0.5**2),
        ("natural_exp_decay", (10, 0.5), 0.1 * np.exp(-1.25)),
        ("inverse_time_decay", (10, 0.5), 0.1 / 2.25),
        ("polynomial_decay", (50, 0.02), 0.06),
        ("polynomial_decay", (20, 0.02, 1.0, True), 0.05),
        ("cosine_decay", (50,), 0.05),
    ],
)
def test_learning_rates_fall(name, arguments, expected):
    function = getattr(tf1.train, name)
    rate = function(0.1, tf.Variable(25), *arguments)
    np.testing.assert_allclose(rate(), expected, rtol=1e-6)
    with tf.Graph().as_default(), tf1.Session() as session:
        step = tf1.placeholder(tf.int64, [])
        node = function(0.1, step, *arguments)
        np.testing.assert_allclose(session.run(node, {step: 25}), expected, rtol=1e-6)


def test_learning_rates_in_pieces():
    step = tf.Variable(5)
    rate = tf1.train.piecewise_constant(step, [5, 10], [1.0, 0.5, 0.1])
    found = []
    for value in (0, 5, 6, 10, 11):
        step.assign(value)
        found.append(float(rate()))
    np.testing.assert_allclose(found, [1.0, 1.0, 0.5, 0.5, 0.1], rtol=1e-6)
    v = tf.Variable(1.0)
    tf1.train.GradientDescentOptimizer(rate).minimize(lambda: v * v)
    np.testing.assert_allclose(v.numpy(), 0.8, rtol=1e-6)

"""Datasets, checkpoints and summaries in graphs."""

import glob

import numpy as np
import pytest

import eagerflow
import eagerflow.compat.v1 as tf
from eagerflow.framework import context


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_one_shot_iterators():
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(5.0), np.arange(5)))
    dataset = dataset.map(lambda x, n: (tf.square(x), n + 1)).batch(2)
    x, n = dataset.make_one_shot_iterator().get_next()
    assert x.shape.as_list() == [None] and n.dtype == tf.int64
    for _ in range(2):  # each session begins at the beginning
        with tf.Session() as session:
            found = [session.run([x, n]) for _ in range(3)]
            with pytest.raises(eagerflow.errors.OutOfRangeError, match="End of sequence"):
                session.run(x)
    assert found[1][0].tolist() == [4.0, 9.0] and found[2][1].tolist() == [5]


def test_initializable_iterators_take_placeholders():
    values = tf.placeholder(tf.float32, [None, 2])
    dataset = tf.data.Dataset.from_tensor_slices(values).map(lambda row: row * 2.0).batch(2)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        with pytest.raises(eagerflow.errors.FailedPreconditionError, match="initialized"):
            session.run(element)
        session.run(iterator.initializer, {values: [[1, 2], [3, 4], [5, 6]]})
        assert session.run(element).tolist() == [[2.0, 4.0], [6.0, 8.0]]
        session.run(iterator.initializer, {values: [[7, 8]]})
        assert session.run(element).tolist() == [[14.0, 16.0]]
    with pytest.raises(ValueError, match="initializable"):
        dataset.make_one_shot_iterator()


def test_iterators_change_their_dataset():
    train, test = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
    iterator = tf.data.Iterator.from_structure(
        tf.data.get_output_types(train), tf.data.get_output_shapes(train)
    )
    element = iterator.get_next()
    starts = [iterator.make_initializer(train), iterator.make_initializer(test)]
    with tf.Session() as session:
        for start, expected in zip(starts, (0, 10), strict=True):
            session.run(start)
            assert session.run(element) == expected


def test_files_and_batch_sizes_may_be_placeholders(tmp_path):
    names, size = tf.placeholder(tf.string, [None]), tf.placeholder(tf.int64, [])
    lines = tf.data.TextLineDataset(names).skip(1)
    lines = lines.map(lambda line: tf.string_split([line], ",").values).batch(size)
    features = {"x": tf.FixedLenFeature([2], tf.float32), "n": tf.FixedLenFeature([], tf.int64)}

    def parse(record):
        example = tf.parse_single_example(record, features)
        return example["x"] * 2.0, example["n"]

    records = tf.data.TFRecordDataset(names).map(parse).batch(2)
    whole = (
        tf.data.TFRecordDataset(names).batch(2).map(lambda r: tf.parse_example(r, features)["x"])
    )
    iterators = [d.make_initializable_iterator() for d in (lines, records, whole)]
    text, (x, n), y = [iterator.get_next() for iterator in iterators]
    assert x.shape.as_list() == [None, 2] and n.dtype == tf.int64
    assert y.shape.as_list() == [None, 2] and text.dtype == tf.string
    path = str(tmp_path / "lines")
    (tmp_path / "lines").write_text("a,b\n1,2\n3,4\n5,6\n")
    data = str(tmp_path / "records")
    with tf.io.TFRecordWriter(data) as writer:
        for k in range(3):
            example = tf.train.Example()
            example.features.feature["x"].float_list.value.extend([k, k + 0.5])
            example.features.feature["n"].int64_list.value.append(k)
            writer.write(example.SerializeToString())
    with tf.Session() as session:
        session.run(iterators[0].initializer, {names: [path], size: 2})
        assert session.run(text).tolist() == [[b"1", b"2"], [b"3", b"4"]]
        session.run(iterators[0].initializer, {names: [path, path], size: 5})
        assert session.run(text).shape == (5, 2)
        session.run([it.initializer for it in iterators[1:]], {names: [data]})
        assert [part.tolist() for part in session.run([x, n])] == [[[0.0, 1.0], [2.0, 3.0]], [0, 1]]
        assert session.run(y).tolist() == [[0.0, 0.5], [1.0, 1.5]]
        session.run(iterators[1].initializer, {names: ["nothing"]})
        with pytest.raises(eagerflow.errors.NotFoundError):
            session.run(x)
    assert isinstance(eagerflow.data.TextLineDataset("a"), tf.data.TextLineDataset)


def test_a_handle_says_which_iterator_is_read():
    train = tf.data.Dataset.from_tensor_slices((np.arange(3.0), ["a", "b", "c"])).repeat()
    check = tf.data.Dataset.from_tensor_slices(([7.0, 8.0], ["x", "y"]))
    check = check.map(lambda x, text: (tf.cast(x, tf.float64), text))
    handle = tf.placeholder(tf.string, shape=[])
    reader = tf.data.Iterator.from_string_handle(
        handle, tf.data.get_output_types(train), tf.data.get_output_shapes(train)
    )
    number, text = reader.get_next()
    assert number.dtype == tf.float64 and number.shape.as_list() == []
    training, checking = train.make_one_shot_iterator(), check.make_initializable_iterator()
    with tf.Session() as session:
        first, second = session.run([training.string_handle(), checking.string_handle()])

        def read(which):
            return session.run(number, {handle: which})

        assert [read(first) for _ in range(4)] == [0.0, 1.0, 2.0, 0.0]
        for _ in range(2):
            session.run(checking.initializer)
            assert session.run([number, text], {handle: second}) == [7.0, b"x"]
            assert read(first) in (1.0, 2.0)
            assert read(second) == 8.0
            with pytest.raises(eagerflow.errors.OutOfRangeError):
                read(second)
        with pytest.raises(eagerflow.errors.InvalidArgumentError, match="no iterator"):
            read(b"nothing")
        other = tf.data.Dataset.range(3).make_one_shot_iterator()
        with pytest.raises(eagerflow.errors.InvalidArgumentError, match="expected"):
            read(session.run(other.string_handle()))
    with pytest.raises(ValueError, match="cannot be initialized"):
        reader.make_initializer(train)


def test_elements_that_may_be_missing():
    iterator = tf.data.Dataset.range(1, 3).make_one_shot_iterator()
    element = iterator.get_next_as_optional()
    there, value = element.has_value(), element.get_value()
    assert value.dtype == tf.int64 and element.element_spec.dtype == tf.int64
    with tf.Session() as session:
        assert session.run([there, value]) == [True, 1]
        assert session.run([there, value]) == [True, 2]
        assert not session.run(there)
        with pytest.raises(eagerflow.errors.InvalidArgumentError, match="does not have a value"):
            session.run(value)


def test_a_saver_restores_variables(tmp_path):
    v, w = tf.get_variable("v", [2, 2]), tf.Variable(3, name="w")
    step = tf.Variable(7, trainable=False, name="step")
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        value = session.run(v)
        path = saver.save(session, str(tmp_path / "model"), global_step=step)
        assert path.endswith("model-7")
        for k in (8, 9):
            saver.save(session, str(tmp_path / "model"), global_step=k)
        assert not tf.train.checkpoint_exists(path) and len(saver.last_checkpoints) == 2
    latest = tf.train.latest_checkpoint(str(tmp_path))
    assert latest.endswith("model-9")
    names = [name for name, _ in eagerflow.train.list_variables(latest)]
    assert names == ["step", "v", "w"]
    with tf.Session() as session:
        saver.restore(session, latest)
        assert (session.run(v) == value).all() and session.run(w) == 3
        with pytest.raises(eagerflow.errors.NotFoundError, match="other"):
            tf.train.Saver({"other": v}).restore(session, latest)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables to save"):
        tf.train.Saver()


def test_summaries_reach_the_log(tmp_path):
    x = tf.placeholder(tf.float32, [3])
    tf.summary.scalar("total", tf.reduce_sum(x))
    tf.summary.histogram("spread", x)
    merged = tf.summary.merge_all()
    with tf.summary.FileWriter(str(tmp_path)) as writer, tf.Session() as session:
        for step in range(3):
            writer.add_summary(session.run(merged, {x: [step, 1, 2]}), global_step=step)
    (path,) = glob.glob(str(tmp_path / "events.out.tfevents.*"))
    from eagerflow.protos.event import MESSAGES

    totals = {}
    with context.running_eagerly():
        records = list(eagerflow.data.TFRecordDataset(path).as_numpy_iterator())
    for raw in records:
        event = MESSAGES["Event"].FromString(raw)
        for value in event.summary.value:
            if value.tag == "total":
                totals[event.step] = value.simple_value
            else:
                assert value.tag == "spread" and sum(value.histo.bucket) == 3
    assert totals == {0: 3.0, 1: 4.0, 2: 5.0}


def test_metrics_add_up_over_runs():
    labels = tf.placeholder(tf.int64, [None])
    predictions = tf.placeholder(tf.int64, [None])
    weights = tf.placeholder(tf.float32, [None])
    value, update = tf.metrics.accuracy(labels, predictions, weights)
    error, more = tf.metrics.mean_squared_error([1.0, 2.0], [1.0, 4.0])
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(value) == 0.0
        feeds = {labels: [1, 2], predictions: [1, 0], weights: [1.0, 1.0]}
        assert session.run(update, feeds) == 0.5
        feeds = {labels: [1, 2], predictions: [1, 0], weights: [2.0, 0.0]}
        assert session.run(update, feeds) == 0.75 and session.run(value) == 0.75
        assert session.run([more, error])[0] == 2.0
    assert tf.trainable_variables() == [] and len(tf.local_variables()) == 4
    with pytest.raises(RuntimeError, match="eager"), context.running_eagerly():
        tf.metrics.mean([1.0])

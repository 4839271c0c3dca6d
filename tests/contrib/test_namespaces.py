"""tf.contrib's smaller namespaces: autograph, checkpoint, data, lookup, stateless, signal."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import contrib
from eagerflow.compat import v1


def test_converted_by_a_decorator():
    @contrib.autograph.convert()
    def collatz(n):
        """Steps to one."""
        steps = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    assert collatz(6) == 8 and int(collatz(tf.constant(6))) == 8
    assert collatz.__doc__ == "Steps to one."
    traced = tf.function(collatz, autograph=False)
    assert int(traced(tf.constant(6))) == 8
    assert contrib.autograph.stack(3, strict=False) == 3


def test_assertions_and_lists_are_converted_too():
    def thirds(n):
        assert n > 0, "nothing to count"
        found = []
        contrib.autograph.set_element_type(found, tf.int32)
        for k in tf.range(n):
            found.append(k // 3)
        return contrib.autograph.stack(found)

    convert = contrib.autograph.convert()(thirds)
    assert "assert_stmt" in contrib.autograph.to_code(thirds)
    for function in (convert, contrib.autograph.to_graph(thirds)):
        traced = tf.function(function, autograph=False)
        assert traced(tf.constant(4)).numpy().tolist() == [0, 0, 0, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="nothing to count"):
            traced(tf.constant(0))


def test_containers_are_saved(tmp_path):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.rows = contrib.checkpoint.List([tf.keras.layers.Dense(2)])
            self.named = contrib.checkpoint.Mapping(last=tf.keras.layers.Dense(1))

        def call(self, x):
            return self.named["last"](self.rows[0](x))

    model = Model()
    model(tf.ones([1, 3]))
    assert len(model.trainable_variables) == 4
    tracker = contrib.checkpoint.UniqueNameTracker()
    assert tracker.track(tf.Variable(1.0), "v") is tracker.v
    tracker.track(tf.Variable(2.0), "v")
    path = tf.train.Checkpoint(model=model, tracker=tracker).save(str(tmp_path / "c"))
    names = [name.partition("/.ATT")[0] for name, _ in tf.train.list_variables(path)]
    assert {"model/rows/0/kernel", "model/named/last/bias", "tracker/v", "tracker/v_1"} < set(names)


def test_lists_are_made_like_those_of_python():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    both = contrib.checkpoint.List([a, b])
    assert len(both) == 2 and both[1] is b and not contrib.checkpoint.List()
    assert list(contrib.checkpoint.List(iter("ab"))) == ["a", "b"]
    for longer in (both + [3], [3] + both, both.copy()):
        assert isinstance(longer, contrib.checkpoint.List)
    assert [len(longer) for longer in (both + [3], [3] + both, both.copy())] == [3, 3, 2]
    with pytest.raises(TypeError):
        contrib.checkpoint.List(a, b)


def values(dataset):
    return [np.asarray(value).tolist() for value in dataset.as_numpy_iterator()]


def test_batches():
    data, numbers = contrib.data, tf.data.Dataset.range(7)
    assert values(numbers.apply(data.batch_and_drop_remainder(3))) == [[0, 1, 2], [3, 4, 5]]
    rows = numbers.map(lambda n: tf.fill([n], n)).skip(1)
    padded = rows.apply(data.padded_batch_and_drop_remainder(2, [None]))
    assert [np.shape(batch) for batch in values(padded)] == [(2, 2), (2, 4), (2, 6)]
    pairs = tf.data.Dataset.zip((numbers, numbers.map(lambda n: -n)))
    windows = pairs.apply(data.sliding_window_batch(2, stride=3))
    assert values(windows) == [[[0, 1], [0, -1]], [[3, 4], [-3, -4]]]
    named = numbers.map(lambda n: {"a": n}).apply(data.sliding_window_batch(3, window_stride=2))
    assert next(iter(named))["a"].numpy().tolist() == [0, 2, 4]
    with pytest.raises(ValueError, match="both"):
        data.sliding_window_batch(2, stride=1, window_shift=1)
    assert values(numbers.apply(data.map_and_batch(lambda n: n * 2, 4)))[1] == [8, 10, 12]


def test_elements_of_a_shape():
    unknown = tf.data.Dataset.from_generator(lambda: iter([[1, 2]]), tf.int32)
    known = unknown.apply(contrib.data.assert_element_shape([2]))
    assert known.element_spec.shape == [2] and values(known) == [[1, 2]]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="shape"):
        values(unknown.apply(contrib.data.assert_element_shape([3])))


def test_words(tmp_path):
    lookup = contrib.lookup
    table = lookup.index_table_from_tensor(["a", "b"], num_oov_buckets=2)
    found = table.lookup(tf.constant(["b", "zz", "a"])).numpy()
    assert found[[0, 2]].tolist() == [1, 0] and found[1] in (2, 3)
    numbers = lookup.index_table_from_tensor([7, 9], dtype=tf.int64)
    assert numbers.lookup(tf.constant([9, 8], tf.int64)).numpy().tolist() == [1, -1]
    path = tmp_path / "words"
    path.write_text("x\ny\nz\n")
    file = lookup.index_table_from_file(str(path), default_value=5, vocab_size=2)
    assert file.lookup(tf.constant(["y", "z"])).numpy().tolist() == [1, 5]
    back = lookup.index_to_string_table_from_file(str(path))
    assert back.lookup(tf.constant([2, 3], tf.int64)).numpy().tolist() == [b"z", b"UNK"]
    with pytest.raises(ValueError, match="vocabulary_file must be"):
        lookup.index_table_from_file()


def test_other_names():
    seeded = contrib.stateless.stateless_random_normal([2], seed=[1, 2])
    np.testing.assert_array_equal(seeded, tf.random.stateless_normal([2], [1, 2]))
    assert contrib.stateless.stateless_multinomial([[0.0, 9.0]], 3, [1, 2]).shape == (1, 3)
    np.testing.assert_array_equal(contrib.signal.hann_window(4), tf.signal.hann_window(4))


@pytest.mark.parametrize("training", [True, False])
def test_dropout_by_placeholders(training):
    with tf.Graph().as_default(), v1.Session() as session:
        kept, in_training = v1.placeholder(tf.float32, []), v1.placeholder(tf.bool, [])
        dropped = contrib.layers.dropout(tf.ones([100]), kept, is_training=in_training)
        found = session.run(dropped, {kept: 0.5, in_training: training})
    assert set(found.tolist()) == ({0.0, 2.0} if training else {1.0})


def test_older_datasets(tmp_path):
    data = contrib.data
    assert data.Dataset.range(3).make_one_shot_iterator().get_next().numpy() == 0
    mixed = data.Dataset.range(2).apply(
        data.sloppy_interleave(lambda n: tf.data.Dataset.from_tensors(n), cycle_length=2)
    )
    assert sorted(values(mixed)) == [0, 1]
    path = str(tmp_path / "rows")
    with tf.io.TFRecordWriter(path) as file:
        for k in range(4):
            feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[k]))
            features = tf.train.Features(feature={"n": feature})
            file.write(tf.train.Example(features=features).SerializeToString())
    wanted = {"n": tf.io.FixedLenFeature([], tf.int64)}
    with tf.Graph().as_default(), v1.Session() as session:
        batch = data.read_batch_features(path, 2, wanted, randomize_input=False)
        assert [session.run(batch)["n"].tolist() for _ in range(3)] == [[0, 1], [2, 3], [0, 1]]


def test_a_page_of_embeddings(tmp_path):
    projector = contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig()
    embedding = config.embeddings.add()
    embedding.tensor_name = "words:0"
    embedding.sprite.image_path = "words.png"
    embedding.sprite.single_image_dim.extend([28, 28])
    with tf.Graph().as_default():
        writer = v1.summary.FileWriter(str(tmp_path / "log"))
        projector.visualize_embeddings(writer, config)
        writer.close()
        contrib.deprecated.scalar_summary("loss", 1.0)
        assert contrib.deprecated.merge_all_summaries() is not None
    text = (tmp_path / "log" / "projector_config.pbtxt").read_text()
    assert 'image_path: "words.png"' in text and text.count("single_image_dim: 28") == 2
    assert projector.ProjectorConfig.FromString(config.SerializeToString()) == config

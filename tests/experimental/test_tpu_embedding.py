"""Tables of embeddings as TPUs name them, against what TensorFlow gives on a processor."""

import numpy as np
import pytest

import eagerflow as tf

embedding = tf.tpu.experimental.embedding


def table(**options):
    values = [[row, 10.0 * row] for row in range(6)]
    return embedding.TableConfig(6, 2, initializer=tf.constant_initializer(values), **options)


def looked_up(ids, weights=None, combiner="mean", **options):
    feature = embedding.FeatureConfig(table=table(combiner=combiner), **options)
    return embedding.TPUEmbeddingForServing(feature, embedding.SGD())(ids, weights).numpy()


RAGGED = tf.ragged.constant([[1, 2], [3], []])
WEIGHTS = tf.ragged.constant([[1.0, 2.0], [0.5], []])


@pytest.mark.parametrize(
    ("combiner", "plain", "weighted"),
    [
        ("mean", [1.5, 3.0, 0.0], [5 / 3, 3.0, 0.0]),
        ("sum", [3.0, 3.0, 0.0], [5.0, 1.5, 0.0]),
        ("sqrtn", [3 / 2**0.5, 3.0, 0.0], [5**0.5, 3.0, 0.0]),
    ],
)
def test_rows_are_combined(combiner, plain, weighted):
    for ids, weights in ((RAGGED, WEIGHTS), (RAGGED.to_sparse(), WEIGHTS.to_sparse())):
        first = looked_up(ids, combiner=combiner)
        np.testing.assert_allclose(first, np.outer(plain, [1, 10]), rtol=1e-6)
        second = looked_up(ids, weights, combiner)
        np.testing.assert_allclose(second, np.outer(weighted, [1, 10]), rtol=1e-6)


@pytest.mark.parametrize("ids", [RAGGED, RAGGED.to_sparse()], ids=["ragged", "sparse"])
def test_sequences_are_kept(ids):
    expected = np.zeros([3, 3, 2])
    expected[0, :2, 0], expected[1, 0, 0] = [1, 2], 3
    expected[..., 1] = 10 * expected[..., 0]
    np.testing.assert_array_equal(looked_up(ids, max_sequence_length=3), expected)
    np.testing.assert_array_equal(looked_up(ids, max_sequence_length=1), expected[:, :1])


def test_dense_ids_and_ids_of_more_axes():
    np.testing.assert_array_equal(looked_up(tf.constant([[1, 2]])), [[[1, 10], [2, 20]]])
    ids = tf.sparse.from_dense([[[1, 2], [3, 0]]])
    np.testing.assert_array_equal(looked_up(ids, output_shape=[1, 2]), [[[1.5, 15], [3, 30]]])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((tf.constant([1]), tf.constant([1.0])), {}, "input is dense"),
        ((RAGGED, WEIGHTS.to_sparse()), {}, "does not match type of the input"),
        ((RAGGED, WEIGHTS), {"max_sequence_length": 3}, "this is a sequence feature"),
        ((tf.constant([1]),), {"max_sequence_length": 2}, "a dense tensor was passed"),
        ((tf.ragged.constant([[[1]]]),), {}, "Only rank 2 ragged tensor"),
        ((RAGGED,), {"output_shape": [2, 2]}, "should be the factor"),
        (("x",), {}, "Tensor, SparseTensor or RaggedTensor expected"),
    ],
)
def test_refused_inputs(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        looked_up(*arguments, **options)


def test_variables_slots_and_checkpoints(tmp_path):
    video = embedding.TableConfig(10, 4, name="video", optimizer=embedding.Adam(0.1))
    user = embedding.TableConfig(5, 2, combiner="sum")
    features = {"a": embedding.FeatureConfig(video), "b": embedding.FeatureConfig(user)}
    layer = embedding.TPUEmbeddingForServing(features, embedding.Adagrad(0.1))
    assert sorted(layer.variables["video"]) == ["momenta", "parameters", "velocities"]
    accumulators = layer.variables["table_1"]["accumulators"]
    assert not accumulators.trainable and float(tf.reduce_max(accumulators)) == np.float32(0.1)
    assert layer.embedding_tables[video].trainable
    path = tf.train.Checkpoint(m=layer).write(str(tmp_path / "c"))
    assert {name for name, _ in tf.train.list_variables(path)} == {
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "m/table_1/.ATTRIBUTES/VARIABLE_VALUE",
        "m/table_1.Saccumulators/.ATTRIBUTES/VARIABLE_VALUE",
        "m/video/.ATTRIBUTES/VARIABLE_VALUE",
        "m/video.Smomenta/.ATTRIBUTES/VARIABLE_VALUE",
        "m/video.Svelocities/.ATTRIBUTES/VARIABLE_VALUE",
    }
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer({"b": tf.ragged.constant([[0, 1], [1]])})["b"])
    gradient = tape.gradient(loss, layer.embedding_tables[user])
    np.testing.assert_array_equal(tf.convert_to_tensor(gradient)[:, 0], [1, 2, 0, 0, 0])
    with pytest.raises(ValueError, match="not a subset"):
        layer({"c": tf.constant([1])})


def test_refused_configurations():
    for options, message in [
        ({"vocabulary_size": 0, "dim": 1}, "vocabulary_size"),
        ({"vocabulary_size": 1, "dim": -1}, "dim"),
        ({"vocabulary_size": 1, "dim": 1, "initializer": 3}, "callable"),
        ({"vocabulary_size": 1, "dim": 1, "combiner": "max"}, "combiner"),
    ]:
        with pytest.raises(ValueError, match=message):
            embedding.TableConfig(**options)
    for kind, options in [
        (embedding.SGD, {"clipvalue": 1.0, "use_gradient_accumulation": False}),
        (embedding.Adagrad, {"initial_accumulator_value": 0}),
        (embedding.Adam, {"beta_1": 1}),
        (embedding.Adam, {"epsilon": 0}),
        (embedding.FTRL, {"initial_accumulator_value": 0}),
        (embedding.AdagradMomentum, {"epsilon": 0}),
    ]:
        with pytest.raises(ValueError):
            kind(**options)
    same = [embedding.FeatureConfig(table(name="t")) for _ in range(2)]
    with pytest.raises(ValueError, match="Multiple tables"):
        embedding.TPUEmbeddingForServing(same, embedding.SGD())
    with pytest.raises(ValueError, match="unsupported optimizer"):
        embedding.TPUEmbeddingForServing(embedding.FeatureConfig(table()), "sgd")
    assert embedding.SGD(clipvalue=2.0).clip_gradient_min == -2.0


def test_layers_list_tables_among_their_weights():
    layer = tf.keras.layers.Layer()
    tables = embedding.TPUEmbeddingForServing(embedding.FeatureConfig(table()), None)
    layer.tables = tables.embedding_tables.values()
    assert len(layer.trainable_weights) == 1

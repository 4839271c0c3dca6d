"""Programs where the sizes of shapes have a value, as in version 1, and None is a Dimension."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def dimensions():
    v1.disable_v2_tensorshape()
    yield
    v1.enable_v2_tensorshape()


def test_parameters_are_counted_by_values():
    count = 0
    for variable in [tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([4]))]:
        size = 1
        for dim in variable.get_shape():
            size *= dim.value
        count += size
    assert count == 10
    assert np.prod([dim.value for dim in tf.zeros([5, 6]).shape[1:]]) == 6
    assert list(tf.TensorShape([None, 2])) == [None, 2]


def test_datasets_of_placeholders_of_unknown_size():
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.int64, [None])
        iterator = v1.data.make_initializable_iterator(
            tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
        )
        element = iterator.get_next()
        session.run(iterator.initializer, {x: np.ones((3, 2)), y: [1, 2, 3]})
        assert [session.run(element)[1].tolist() for _ in range(2)] == [[1, 2], [3]]


def test_batches_of_unknown_size_are_taken_apart():
    spec = tf.TensorSpec([None, 2], tf.float32)
    dataset = tf.data.Dataset.from_generator(lambda: iter([np.ones((3, 2))]), output_signature=spec)
    assert dataset.unbatch().cardinality() == tf.data.UNKNOWN_CARDINALITY
    assert len(list(dataset.unbatch().batch(2))) == 2


def test_rows_of_unknown_number_are_learned():
    table = tf.Variable(tf.ones([4, 2]))
    optimizer = tf.keras.optimizers.Adagrad(0.5)
    optimizer.build([table])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def step(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    step([1, 1])
    assert (table.numpy()[[0, 2, 3]] == 1).all() and (table.numpy()[1] < 1).all()


def test_lengths_of_ragged_tensors_in_functions():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
    def rows(ragged):
        return len(ragged) + 1

    assert rows(tf.ragged.constant([[1], [2, 3]])) == 3

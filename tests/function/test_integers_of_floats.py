"""Lists with floats without a value, where operations take integers: they are cast, as eagerly."""

import pytest

import eagerflow as tf

CALLS = {
    "tile": lambda d: tf.tile([[1.0, 2.0]], [d, 1]),
    "reshape": lambda d: tf.reshape([1.0, 2.0], [d, 1]),
    "broadcast_to": lambda d: tf.broadcast_to([[1.0, 2.0]], [d, 2]),
    "fill": lambda d: tf.fill([d, 1], 3.0),
    "zeros": lambda d: tf.zeros([d, 1]),
    "ones": lambda d: tf.ones([2, d]),
    "slice": lambda d: tf.slice([[1.0, 2.0]], [0, 0], [d - 1, 1]),
    "reduce_sum": lambda d: tf.reduce_sum([[1.0, 2.0]], [d - 1]),
    "transpose": lambda d: tf.transpose([[1.0, 2.0]], [d - 1, 0]),
}


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("name", CALLS)
def test_floats_in_lists_are_cast(name, dtype):
    call = CALLS[name]
    value = tf.constant(2.0, dtype)
    expected = call(value).numpy()
    assert tf.function(call)(value).numpy().tolist() == expected.tolist()
    general = tf.function(call, input_signature=[tf.TensorSpec([], dtype)])
    assert general(value).numpy().tolist() == expected.tolist()


def test_sizes_that_are_divided():
    @tf.function
    def repeated(x, y):
        return tf.tile(x, [tf.shape(y)[0] / tf.shape(x)[0], 1])

    assert repeated(tf.ones([2, 3]), tf.ones([6, 3])).shape == (6, 3)


def test_tensors_of_floats_are_refused():
    @tf.function
    def tiled(d):
        return tf.tile([[1.0, 2.0]], tf.stack([d, 1.0]))

    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tiled(tf.constant(2.0))

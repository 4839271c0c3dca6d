"""tf.keras.backend: values against NumPy's, state, and symbolic tensors."""

import numpy as np
import pytest

import eagerflow as tf

K = tf.keras.backend
X = np.arange(1.0, 13.0, dtype=np.float32).reshape(2, 3, 2)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std"])
@pytest.mark.parametrize("axis", [None, 1, (0, 2)])
def test_reductions(name, axis):
    expected = getattr(np, name)(X, axis=axis)
    np.testing.assert_allclose(getattr(K, name)(X, axis=axis), expected, rtol=1e-5)


def test_products():
    other = np.ones([4, 2, 5], np.float32)
    np.testing.assert_allclose(K.dot(X, other), np.dot(X, other), rtol=1e-6)
    a, b = X, X.transpose(0, 2, 1).copy()
    np.testing.assert_allclose(K.batch_dot(a, b), a @ b, rtol=1e-6)
    np.testing.assert_allclose(
        K.batch_dot(a, a, axes=2), np.einsum("bik,bjk->bij", a, a), rtol=1e-6
    )
    flat = X.reshape(2, 6)
    np.testing.assert_allclose(
        K.batch_dot(flat, flat, axes=1), np.sum(flat * flat, axis=1, keepdims=True)
    )
    with pytest.raises(ValueError, match="rank < 2"):
        K.batch_dot(X[0, 0], X[0, 0])


def test_shapes():
    assert K.int_shape(X) == (2, 3, 2)
    assert K.int_shape(tf.keras.Input([3])) == (None, 3)
    assert K.batch_flatten(X).shape == [2, 6]
    np.testing.assert_array_equal(K.repeat_elements(X, 2, 1), np.repeat(X, 2, 1))
    np.testing.assert_array_equal(K.permute_dimensions(X, (1, 0, 2)), X.transpose(1, 0, 2))
    assert K.spatial_2d_padding(X[..., None]).shape == [2, 5, 4, 1]
    np.testing.assert_array_equal(K.clip(X, 2, 3), np.clip(X, 2, 3))
    assert K.arange(3).numpy().tolist() == [0, 1, 2]


def test_variables():
    v = K.variable([1.0, 2.0])
    K.set_value(v, [3, 4])
    assert K.get_value(v).tolist() == [3, 4]
    K.update_add(v, [1.0, 1.0])
    K.moving_average_update(v, [0.0, 0.0], 0.5)
    assert K.get_value(v).tolist() == [2, 2.5]
    assert K.count_params(K.zeros([2, 3])) == 6


def test_phases():
    assert K.in_train_phase(1, 2) == 2
    with K.learning_phase_scope(1):
        assert K.in_train_phase(lambda: 1, 2) == 1
        x = tf.keras.layers.Dropout(0.5)(tf.ones([100]))
        assert (x.numpy() == 0).any()
    assert K.learning_phase() == 0
    with pytest.raises(ValueError, match="0 or 1"):
        K.set_learning_phase(2)


def test_layers_of_images():
    images = np.random.default_rng(0).normal(size=[1, 5, 5, 2]).astype(np.float32)
    kernel = np.ones([3, 3, 2, 1], np.float32)
    expected = sum(
        images[:, i : i + 3, j : j + 3].sum(-1, keepdims=True) for i in range(3) for j in range(3)
    )
    np.testing.assert_allclose(K.conv2d(images, kernel), expected, rtol=1e-4, atol=1e-5)
    pooled = K.pool2d(images, (5, 5), pool_mode="avg")
    np.testing.assert_allclose(pooled[0, 0, 0], images.mean(axis=(0, 1, 2)), rtol=1e-4, atol=1e-6)
    moved = K.bias_add(images, np.array([1.0, 2.0], np.float32))
    np.testing.assert_allclose(moved, images + [1, 2], rtol=1e-6)


def test_functions_between_symbolic_tensors():
    x = tf.keras.Input([2])
    h = K.mean(K.square(x), axis=-1)
    assert h.shape.as_list() == [None]
    function = K.function([x], [h, x])
    first, second = function([np.array([[1.0, 3.0]])])
    assert first.tolist() == [5.0] and second.tolist() == [[1.0, 3.0]]


def test_clear_session_starts_names_again():
    tf.keras.layers.Dense(1)
    K.clear_session()
    assert tf.keras.layers.Dense(1).name == "dense"
    assert K.backend() == "tensorflow"


def test_crossentropies():
    target, output = np.array([[1.0, 0.0]]), np.array([[0.7, 0.2]])
    expected = -(target * np.log(output) + (1 - target) * np.log(1 - output))
    np.testing.assert_allclose(K.binary_crossentropy(target, output), expected, rtol=1e-5)
    logits = np.log(output / (1 - output))
    np.testing.assert_allclose(
        K.binary_crossentropy(target, logits, from_logits=True), expected, rtol=1e-5
    )


def test_loops_over_time_steps():
    x = np.random.default_rng(0).normal(size=[2, 4, 3]).astype(np.float32)
    mask = np.array([[1, 1, 0, 1], [0, 1, 1, 0]], bool)

    def step(inputs, states):
        total = states[0] + inputs
        return total * 2, [total]

    last, outputs, states = K.rnn(step, x, [tf.zeros([2, 3])])
    np.testing.assert_allclose(outputs, 2 * np.cumsum(x, axis=1), rtol=1e-5)
    np.testing.assert_allclose(last, outputs[:, -1])
    last, outputs, states = K.rnn(step, x, [tf.zeros([2, 3])], mask=mask, zero_output_for_mask=True)
    sums = np.cumsum(x * mask[..., None], axis=1)
    np.testing.assert_allclose(outputs, 2 * sums * mask[..., None], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(states[0], sums[:, -1], rtol=1e-4, atol=1e-6)


def test_locally_connected():
    x = np.random.default_rng(0).normal(size=[2, 5, 3]).astype(np.float32)
    kernel = np.random.default_rng(1).normal(size=[2, 9, 4]).astype(np.float32)
    found = K.local_conv1d(x, tf.constant(kernel), (3,), (2,))
    for place in range(2):
        window = x[:, 2 * place : 2 * place + 3].reshape(2, -1)
        np.testing.assert_allclose(found[:, place], window @ kernel[place], rtol=1e-4, atol=1e-5)


def test_decoding():
    probabilities = np.array([[[0.9, 0.05, 0.05], [0.05, 0.05, 0.9], [0.1, 0.8, 0.1]]], np.float32)
    labels, _ = K.ctc_decode(probabilities, [3])
    assert labels[0].numpy().tolist() == [[0, 1, -1]]
    labels, _ = K.ctc_decode(probabilities, [3], greedy=False, beam_width=5)
    assert labels[0].numpy()[0, :2].tolist() == [0, 1]
    sparse = K.ctc_label_dense_to_sparse(np.array([[1, 2], [3, 0]]), [2, 1])
    assert sparse.values.numpy().tolist() == [1, 2, 3]
    assert K.to_dense(sparse).numpy().tolist() == [[1, 2], [3, 0]]


IMAGE, KERNEL = tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1])


@pytest.mark.parametrize(
    ("function", "args", "error"),
    [
        (K.resize_volumes, (tf.ones([1, 2, 2, 2, 1]), 1, 1, 1, "last"), ValueError),
        (K.switch, (tf.constant([[True]]), tf.ones([1]), tf.ones([1])), ValueError),
        (K.is_keras_tensor, ("x",), ValueError),
        (K.is_keras_tensor, (np.ones(2),), ValueError),
        (K.separable_conv2d, (IMAGE, KERNEL, KERNEL[:1, :1], (1,)), ValueError),
        (K.separable_conv2d, (IMAGE, KERNEL, KERNEL[:1, :1], (1, 2, 3)), ValueError),
        (K.pool2d, (IMAGE, (2,)), ValueError),
        (K.pool2d, (IMAGE, (2, 2), (1,)), ValueError),
        (K.bias_add, (tf.ones([1, 4]), tf.ones([4]), "last"), ValueError),
        (K.spatial_2d_padding, (IMAGE, ((1, 1),)), AssertionError),
        (K.temporal_padding, (tf.ones([1, 4, 1]), (1, 1, 1)), AssertionError),
    ],
)
def test_arguments_that_do_not_fit_are_refused(function, args, error):
    with pytest.raises(error):
        function(*args)


def test_a_vector_of_conditions_belongs_to_the_last_axis():
    one, two = tf.ones([2, 2]), tf.fill([2, 2], 2.0)
    vector, column = tf.constant([True, False]), tf.constant([[True], [False]])
    assert K.switch(vector, one, two).numpy().tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert K.switch(column, one, two).numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]
    matrix = K.switch(tf.constant([[True, False]]), tf.ones([1, 2, 1]), tf.zeros([1, 2, 1]))
    assert matrix.numpy().tolist() == [[[1.0], [0.0]]]


def test_which_tensors_are_symbolic():
    assert K.is_keras_tensor(tf.keras.Input([1]))
    sparse, ragged = tf.sparse.from_dense([1]), tf.ragged.constant([[1]])
    assert not any(map(K.is_keras_tensor, (tf.ones(2), tf.Variable(1.0), sparse, ragged)))


@pytest.mark.parametrize(
    ("function", "sizes"),
    [
        (lambda x, s: K.conv2d_transpose(x, tf.ones([3, 3, 5, 2]), s, (2, 2)), [9, 9, 5]),
        (K.reshape, [32]),
        (lambda x, s: K.tile(x[0], s), [1, 1]),
        (lambda x, s: K.random_normal(s), [3]),
        (lambda x, s: K.random_uniform(s), [3]),
        (lambda x, s: K.truncated_normal(s), [3]),
        (lambda x, s: K.random_bernoulli(s), [3]),
        (lambda x, s: K.dropout(x, 0.5, s), [1, 1, 2]),
    ],
)
def test_shapes_are_lists_with_tensors_or_tensors(function, sizes):
    x = tf.ones([6, 4, 4, 2])
    shape = function(x, [6, *sizes]).shape
    for spelled in (list, tuple, tf.stack):

        def compute(value, spelled=spelled):
            return function(value, spelled([tf.shape(value)[0], *sizes]))

        unknown = tf.function(compute, input_signature=[tf.TensorSpec([None, 4, 4, 2])])
        for call in (compute, tf.function(compute), unknown):
            assert call(x).shape == shape

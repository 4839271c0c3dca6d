"""Random operations of graphs draw TensorFlow's numbers, anew in every session."""

import numpy as np

import eagerflow as tf
from eagerflow.framework import context

tf1 = tf.compat.v1


def test_seeded_operations_and_initializers():
    with tf1.Graph().as_default():
        tf1.set_random_seed(1)
        weights = tf1.get_variable(
            "weights", [3], initializer=tf1.truncated_normal_initializer(stddev=0.1, seed=2)
        )
        kernel = tf1.get_variable(
            "kernel", [3, 2], initializer=tf1.glorot_uniform_initializer(seed=3)
        )
        drawn = tf1.random_normal([2], seed=4)
        for _ in range(2):
            with tf1.Session() as session:
                session.run(tf1.global_variables_initializer())
                # Recorded from TensorFlow 2.21.
                np.testing.assert_allclose(
                    session.run(weights), [-0.10467793, 0.08397046, 0.12358364], rtol=1e-5
                )
                np.testing.assert_array_equal(
                    session.run(kernel).ravel(),
                    np.float32(
                        [0.6107886, 0.65989125, 0.49158025, -0.589581, 0.49764156, -0.7002289]
                    ),
                )
                first = session.run(drawn)
                np.testing.assert_allclose(first, [1.0529343, -0.8934997], rtol=1e-5)
                assert (session.run(drawn) != first).all()


def test_a_graphs_seed_is_enough():
    def numbers(seed):
        with tf1.Graph().as_default():
            if seed is not None:
                tf1.set_random_seed(seed)
            one, other = tf1.random_uniform([4]), tf1.random_uniform([4])
            with tf1.Session() as session:
                return np.stack(session.run([one, other]) + session.run([one, other]))

    first = numbers(7)
    np.testing.assert_array_equal(numbers(7), first)
    assert len(np.unique(first)) == first.size
    assert (numbers(8) != first).all()
    unseeded = numbers(None)
    assert len(np.unique(unseeded)) == unseeded.size


def test_building_a_graph_draws_nothing():
    tf.random.set_seed(5)
    expected = tf.random.uniform([2], seed=1).numpy()
    tf.random.set_seed(5)
    with tf1.Graph().as_default():
        tf1.random_uniform([2], seed=1)
    np.testing.assert_array_equal(tf.random.uniform([2], seed=1).numpy(), expected)


def test_first_weights_are_those_of_the_graphs_seed():
    """Keras's layers and variables of scopes draw alike; recorded from TensorFlow 2.21."""
    first, other = (
        [-0.912768, 0.77083313, 0.9744998, 0.7301804],
        [0.68112755, 0.01295412, 0.30627584, -0.85294676],
    )
    initializers = tf1.keras.initializers
    seeded = {
        initializers.glorot_uniform: [-0.25065827, 0.83911717, -1.2136757, 0.2503382],
        initializers.he_normal: [-1.2900254, 0.84817964, -2.2374635, -0.72894466],
        initializers.Orthogonal: [-0.49948454, 0.8663229, -0.8663229, -0.49948448],
        initializers.RandomNormal: [-0.05673697, 0.03730403, -0.09840652, -0.13158077],
    }

    def by_names(x, initializer):
        name = f"weight_{len(tf1.global_variables())}"
        return tf1.get_variable(name, [2, 2], initializer=initializer)

    def by_older_layers(x, initializer):
        tf1.layers.dense(x, 2, kernel_initializer=initializer, use_bias=False)
        return tf1.global_variables()[-1]

    def by_keras(x, initializer):
        layer = tf1.keras.layers.Dense(2, kernel_initializer=initializer, use_bias=False)
        layer(x)
        return layer.kernel

    for make in (by_names, by_older_layers, by_keras):
        with tf1.Graph().as_default():
            tf1.set_random_seed(3)
            x = tf1.placeholder(tf.float32, [None, 2])
            variables = [make(x, initializers.glorot_uniform()) for _ in range(2)]
            variables += [make(x, kind(seed=5)) for kind in seeded]
            with tf1.Session() as session:
                session.run(tf1.global_variables_initializer())
                found = [value.ravel() for value in session.run(variables)]
        for got, wanted in zip(found, [first, other, *seeded.values()], strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_the_seed_set_in_a_graph_is_the_graphs():
    # Recorded from TensorFlow 2.21.
    tf.random.set_seed(1)
    with tf1.Graph().as_default() as graph:
        tf.random.set_seed(3)
        assert graph.seed == 3
        drawn = tf.random.uniform([2])
        np.testing.assert_allclose(tf1.Session().run(drawn), [0.12736404, 0.8146913], rtol=1e-6)
        tf.keras.utils.set_random_seed(4)
        assert graph.seed == 4

    @tf.function
    def traced():
        tf.random.set_seed(5)
        return tf.random.uniform([2])

    first = tf.random.uniform([2])
    np.testing.assert_allclose(traced(), [0.18286479, 0.68998957], rtol=1e-6)
    np.testing.assert_allclose(traced(), [0.9363872, 0.651327], rtol=1e-6)
    # The seed outside is that from before, and its operations go on.
    second = tf.random.uniform([2])
    tf.random.set_seed(1)
    np.testing.assert_array_equal([tf.random.uniform([2]), tf.random.uniform([2])], [first, second])


def test_weights_in_graphs_are_those_of_eager_execution():
    layers = tf.keras.layers

    def weights():
        tf.keras.utils.set_random_seed(1)
        made = [
            layers.Dense(3),
            layers.Embedding(4, 3),
            layers.Dense(2, "relu", True, "orthogonal"),
        ]
        for layer in made:
            layer.build((None, 2))
        return [tf.keras.backend.get_value(layer.weights[0]) for layer in made]

    expected = weights()
    tf1.disable_eager_execution()
    try:
        found = weights()
    finally:
        context.set_eager(True)
        context.reset_default_graph()
    np.testing.assert_allclose(found[0][0], [-0.528005, 0.7940814, 0.9604876], rtol=1e-5)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)

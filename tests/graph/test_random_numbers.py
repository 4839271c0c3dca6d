"""Random operations of graphs draw TensorFlow's numbers, anew in every session."""

import numpy as np

import eagerflow as tf

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

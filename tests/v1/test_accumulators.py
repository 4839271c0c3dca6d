"""Accumulators of gradients, and the optimizer on them; expected values are TensorFlow's."""

import threading

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def test_mean_of_gradients(session):
    accumulator = v1.ConditionalAccumulator(tf.float32, shape=[2])
    apply, count = accumulator.apply_grad([1.0, 2.0]), accumulator.num_accumulated()
    session.run(apply)
    session.run(accumulator.apply_grad([3.0, 6.0]))
    assert session.run(count) == 2
    taken = accumulator.take_grad(2)
    assert taken.shape == [2]
    assert session.run(taken).tolist() == [2, 4]
    assert session.run(count) == 0
    session.run(apply)  # of step 0, and the accumulator is at step 1
    assert session.run(count) == 0
    session.run(accumulator.set_global_step(5))
    session.run(accumulator.apply_grad([1.0, 2.0], local_step=4))
    assert session.run(count) == 0
    session.run(accumulator.apply_grad([1.0, 2.0], local_step=5))
    assert session.run(count) == 1


def test_sum_of_gradients(session):
    accumulator = v1.ConditionalAccumulator(tf.float32, reduction_type="SUM")
    for _ in range(2):
        session.run(accumulator.apply_grad([3.0, 4.0]))
    assert session.run(accumulator.take_grad(1)).tolist() == [6, 8]


def test_a_thread_waits_for_enough_gradients(session):
    accumulator = v1.ConditionalAccumulator(tf.float32, [])
    taken, apply, found = accumulator.take_grad(2), accumulator.apply_grad(3.0), []
    thread = threading.Thread(target=lambda: found.append(session.run(taken)))
    thread.start()
    session.run(apply)
    assert not found
    session.run(apply)
    thread.join(60)
    assert found == [3]


def test_closing_the_session_ends_the_waiting():
    with tf.Graph().as_default():
        taken, errors = v1.ConditionalAccumulator(tf.float32, []).take_grad(1), []
        session = v1.Session()

        def wait():
            try:
                session.run(taken)
            except tf.errors.CancelledError as error:
                errors.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        session.close()
        thread.join(60)
        assert errors and not thread.is_alive()


def test_rows(session):
    accumulator = v1.SparseConditionalAccumulator(tf.float32, shape=[4, 2])
    first = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 2]))
    second = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([2]))
    session.run(accumulator.apply_indexed_slices_grad(first))
    session.run(accumulator.apply_indexed_slices_grad(second))
    found = session.run(accumulator.take_indexed_slices_grad(1))
    assert found.values.tolist() == [[1, 2], [2, 3]]
    assert found.indices.tolist() == [0, 2]
    assert found.dense_shape.tolist() == [4, 2]


@pytest.mark.parametrize(
    ("indices", "values"), [([7], [[1.0]]), ([0], [[1.0, 2.0]]), ([0, 1], [[1.0]])]
)
def test_rows_that_do_not_fit(session, indices, values):
    accumulator = v1.SparseConditionalAccumulator(tf.float32, [3, 1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(accumulator.apply_grad(indices, values))


def test_bad_arguments(session):
    with pytest.raises(ValueError, match="reduction_type"):
        v1.ConditionalAccumulator(tf.float32, reduction_type="MAX")
    accumulator = v1.ConditionalAccumulator(tf.float32, [2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
        session.run(accumulator.apply_grad([1.0, 2.0, 3.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        session.run(accumulator.take_grad(0))


def test_synchronous_training():
    with tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        w = v1.get_variable("w", initializer=[1.0, 2.0])
        inner = v1.train.GradientDescentOptimizer(0.1)
        optimizer = v1.train.SyncReplicasOptimizer(inner, replicas_to_aggregate=1)
        with pytest.raises(ValueError, match="after apply_gradients"):
            optimizer.get_init_tokens_op()
        train = optimizer.minimize(tf.reduce_sum(tf.square(w)), global_step=step)
        with pytest.raises(ValueError, match="Too few tokens"):
            v1.train.SyncReplicasOptimizer.get_init_tokens_op(optimizer, -2)
        hook = optimizer.make_session_run_hook(is_chief=True)
        with v1.train.MonitoredTrainingSession(hooks=[hook], stop_grace_period_secs=0.1) as session:
            # The second gradient is of step 0, like the first, whose mean is applied already.
            for _ in range(3):
                session.run(train)
            np.testing.assert_allclose(session.run(w), [0.64, 1.28], 1e-6)
            assert session.run(step) == 2
            assert optimizer.get_slot_names() == []


def test_stale_steps_need_a_step():
    optimizer = v1.train.SyncReplicasOptimizer(v1.train.GradientDescentOptimizer(0.1), 1)
    with tf.Graph().as_default():
        w = v1.get_variable("w", initializer=1.0)
        with pytest.raises(ValueError, match="Global step is required"):
            optimizer.minimize(w * w)
        with pytest.raises(ValueError, match="at least one variable"):
            optimizer.apply_gradients([])

"""Random operations in graphs: TensorFlow's values for the same seeds, over several runs."""

import numpy as np
import pytest

import eagerflow as tf
from function.traced import lists, traced

UNKNOWN = tf.TensorSpec([None, None], tf.float32)


def numbers(*tensors):
    return [float(t) for t in tensors]


def test_operations_are_numbered_in_a_trace_and_streams_continue():
    tf.random.set_seed(1)
    f = traced(
        lambda: (tf.random.uniform([]), tf.random.uniform([]), tf.random.uniform([], seed=3))
    )
    first, second = f(), f()
    assert first[0] == np.float32(0.8126964569091797)
    assert first[0] != first[1]
    assert first[2] == np.float32(0.7787855863571167)
    assert second[0] == np.float32(0.5272892713546753)
    assert second[2] == np.float32(0.09788680076599121)


def test_setting_the_seed_restarts_streams_and_keeps_the_seed_of_the_trace():
    tf.random.set_seed(1)
    f = traced(lambda: tf.random.uniform([]))
    first = float(f())
    assert float(f()) != first
    tf.random.set_seed(2)
    assert float(f()) == first
    assert float(traced(lambda: tf.random.uniform([]))()) != first


def test_each_call_of_a_graph_has_its_own_streams():
    tf.random.set_seed(1)
    inner = traced(lambda: tf.random.uniform([]))
    outer = traced(lambda: (inner(), inner(), tf.random.uniform([])))
    assert numbers(*outer()) == [np.float32(0.8126964569091797)] * 3
    assert numbers(*outer()) == [np.float32(0.5272892713546753)] * 3
    assert float(inner()) == np.float32(0.8126964569091797)


def test_a_call_under_a_tape_has_its_own_streams():
    tf.random.set_seed(1)
    f = traced(lambda x: x * tf.random.uniform([]), tf.TensorSpec([], tf.float32))
    x = tf.constant(1.0)
    first, second = f(x), f(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(y) == float(first)
    assert tape.gradient(y, x) == y
    assert float(f(x)) not in (float(first), float(second))


def test_without_seeds_values_differ():
    tf.random.set_seed(1)
    tf.random.set_seed(None)
    f = traced(lambda: tf.random.uniform([4]))
    assert len({tuple(f().numpy()) for _ in range(3)}) == 3


def test_seeds_of_shapes_bounds_and_rates_that_are_unknown():
    """As TensorFlow draws them in a function of the same arguments."""
    tf.random.set_seed(7)

    def draw(shape, x, seed, n):
        return {
            "normal": tf.random.normal(shape)[0],
            "like": tf.random.uniform(tf.shape(x))[0],
            "ints": tf.random.uniform([2], n, n + 10, tf.int32),
            "vector": tf.random.uniform([n]),
            "shuffle": tf.random.shuffle(x),
            "classes": tf.random.categorical(x, n),
            "gamma": tf.random.gamma([2], x[0] + 1),
            "poisson": tf.random.poisson(shape[:1], [3.0]),
            "stateless_ints": tf.random.stateless_uniform(shape, seed, 0, n, tf.int32),
            "stateless_shuffle": tf.random.experimental.stateless_shuffle(x, seed),
            "stateless_binomial": tf.random.stateless_binomial([3, 2], seed, [3.0, 4.0], x[0] / 4),
            "bounded": tf.random.stateless_parameterized_truncated_normal(
                shape, seed, x[0, 0], 1.0
            )[0],
            "folded": tf.random.fold_in(seed, n),
            "indices": tf.random.experimental.index_shuffle(tf.range(n), [3, 4], n),
        }

    f = traced(
        draw,
        tf.TensorSpec([None], tf.int32),
        UNKNOWN,
        tf.TensorSpec([None], tf.int32),
        tf.TensorSpec([], tf.int32),
    )
    arguments = [2, 2], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [3, 4], 3
    result = f(*arguments)
    assert result["shuffle"].shape == [3, 2] and result["vector"].shape == [3]
    expected = {
        "stateless_ints": [[1, 1], [0, 0]],
        "stateless_shuffle": [[3.0, 4.0], [5.0, 6.0], [1.0, 2.0]],
        "stateless_binomial": [[3, 2], [1, 4], [0, 3]],
        "bounded": [0.8260661363601685, 1.3481701612472534],
        "folded": [-1860230133, 3],
        "indices": [1, 3, 0],
    }
    drawn = lists(result)
    for name, values in expected.items():
        assert drawn[name] == values
    again = lists(f(*arguments))
    assert {name for name in drawn if drawn[name] == again[name]} == expected.keys() | (
        {name for name in ("shuffle", "classes", "poisson") if drawn[name] == again[name]}
    )


def test_values_of_each_distribution():
    tf.random.set_seed(2)
    f = traced(
        lambda: (
            tf.random.normal([2], 1.0, 2.0),
            tf.random.truncated_normal([2]),
            tf.random.uniform([2], 0, 10, tf.int32),
            tf.random.shuffle(tf.range(4)),
            tf.random.categorical([[0.0, 1.0, 2.0]], 3),
            tf.random.gamma([2], [1.0, 2.0]),
            tf.random.poisson([2], [3.0]),
            tf.random.stateless_uniform([2], [1, 2]),
            tf.nn.dropout(tf.ones([4]), 0.5),
            tf.random.uniform([2], seed=5),
        )
    )
    assert lists(f()) == (
        [0.2347933053970337, 0.043902814388275146],
        [1.188279390335083, -1.2064299583435059],
        [0, 8],
        [2, 3, 0, 1],
        [[2, 1, 2]],
        [[0.20371155440807343, 0.31761497259140015], [0.05782096087932587, 0.7512104511260986]],
        [[3.0], [1.0]],
        [0.8440604209899902, 0.19204533100128174],
        [0.0, 2.0, 2.0, 2.0],
        [0.47397124767303467, 0.5518649816513062],
    )
    assert lists(f()[3:7]) == (
        [0, 2, 3, 1],
        [[1, 1, 2]],
        [[1.2081714868545532, 1.5678080320358276], [1.3615007400512695, 0.6695417761802673]],
        [[6.0], [3.0]],
    )


def test_a_generator_is_a_variable_of_the_graph():
    generator = tf.random.Generator.from_seed(1)
    f = traced(
        lambda: (
            generator.normal([2]),
            generator.uniform([2], 0, 10, tf.int32),
            generator.make_seeds(2),
            generator.uniform_full_int([2]),
            generator.binomial([2, 1], [5.0], [0.5]),
        )
    )
    assert lists(f()) == (
        [0.4384227395057678, -0.5343984365463257],
        [3, 5],
        [[-7860742046827996452, 5023477788091584457], [0, 0]],
        [13221018172261337930, 6443273789380984323],
        [[3], [3]],
    )
    f()
    assert generator.state.numpy().tolist() == [132097, 0, 0]


def test_a_generator_moves_on_although_nobody_needs_its_values():
    generator = tf.random.Generator.from_seed(1)

    def skip(n):
        before = generator.skip(n)
        generator.normal([2])
        return before

    f = traced(skip, tf.TensorSpec([], tf.int32))
    assert f(3).numpy().tolist() == [1, 0, 0]
    assert generator.state.numpy().tolist() == [1 + 256 * 5, 0, 0]


def test_a_generator_is_reset_by_a_graph():
    generator = tf.random.Generator.from_seed(1)

    def reset(seed):
        generator.reset_from_seed(seed)
        return generator.normal([])

    f = traced(reset, tf.TensorSpec([], tf.int64))
    assert f(5) == tf.random.Generator.from_seed([5]).normal([])


def test_gamma_samples_are_differentiable_in_a_graph():
    tf.random.set_seed(7)
    f = traced(lambda a: tf.random.gamma([3], a), tf.TensorSpec([None], tf.float32))
    a = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = f(a)
    np.testing.assert_allclose(tape.gradient(y, a), [4.1371808, 2.5946364], rtol=1e-6)


def test_unused_draws_are_dropped():
    def two():
        tf.random.normal([1000, 1000])
        return tf.random.uniform([], seed=3)

    f = traced(two)
    assert not f.graph.has_effects


def test_bounds_in_the_wrong_order_are_found_when_the_graph_runs():
    f = traced(lambda n: tf.random.uniform([2], n, 3, tf.int32), tf.TensorSpec([], tf.int32))
    assert f(1).shape == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="minval < maxval"):
        f(3)


def test_samplers_that_work_on_the_host_continue_their_streams():
    """TensorFlow's values in a function, over two runs."""
    tf.random.set_seed(5)
    true = tf.TensorSpec([None, None], tf.int64)
    run = traced(lambda x: tf.random.log_uniform_candidate_sampler(x, 1, 3, True, 10, seed=2), true)
    first, second = (run([[1], [2]]) for _ in range(2))
    assert int(tf.reduce_sum(first.sampled_candidates)) == 7
    assert int(tf.reduce_sum(second.sampled_candidates)) == 11
    np.testing.assert_allclose(tf.reduce_sum(second.true_expected_count), 0.924, atol=1e-3)


def test_pooling_with_a_seed_has_the_same_regions_in_every_call():
    tf.random.set_seed(5)
    images = np.random.RandomState(0).rand(1, 6, 7, 3).astype("f")

    def total(x):
        return tf.reduce_sum(tf.nn.fractional_max_pool(x, 1.5, pseudo_random=True, seed=3).output)

    run = traced(total, tf.TensorSpec([None, None, None, 3], tf.float32))
    for value in (run(images), run(images), total(images), total(images)):
        np.testing.assert_allclose(value, 34.117, atol=1e-3)

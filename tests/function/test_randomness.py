"""Random operations inside functions: the values of a traced function in TensorFlow."""

import numpy as np
import pytest

import eagerflow as tf


def draw_four(x):
    seeded = tf.random.normal([2], seed=3), tf.random.normal([2], seed=3)
    return tf.random.normal([2]), *seeded, tf.random.uniform([2])


FIRST = [
    [-1.7138785, -0.6787023],
    [-1.4616988, -0.5901872],
    [-1.4616988, -0.5901872],
    [0.3875184, 0.7485455],
]
SECOND = [
    [-0.2950869, -0.2106566],
    [-1.1615473, -0.1216567],
    [-1.1615473, -0.1216567],
    [0.9647000, 0.2685586],
]
AFTER_SEED_7 = [
    [0.3536911, 0.6635877],
    [0.9447038, -0.9667907],
    [0.9447038, -0.9667907],
    [0.4603748, 0.9285182],
]


def test_each_operation_has_a_stream_that_goes_on():
    draws = tf.function(draw_four)
    tf.random.set_seed(5)
    np.testing.assert_allclose(draws(tf.ones([2])), FIRST, rtol=1e-5)
    np.testing.assert_allclose(draws(tf.ones([2])), SECOND, rtol=1e-5)
    # Setting a seed restarts the streams, but the seed of the first call stays in use.
    for seed in (5, 6):
        tf.random.set_seed(seed)
        np.testing.assert_allclose(draws(tf.ones([2])), FIRST, rtol=1e-5)
    # Arguments of other shapes cause a new trace.
    tf.random.set_seed(7)
    for size in (3, 4):
        np.testing.assert_allclose(draws(tf.ones([size])), AFTER_SEED_7, rtol=1e-5)
    np.testing.assert_allclose(draws(tf.ones([2])), FIRST, rtol=1e-5)


def test_functions_called_by_functions():
    @tf.function
    def inner():
        return tf.random.normal([])

    @tf.function
    def outer():
        return inner(), tf.random.normal([]), inner(), tf.random.normal([])

    tf.random.set_seed(5)
    first = [-1.7138785, -1.7138785, -1.7138785, -1.3768897]
    np.testing.assert_allclose(outer(), first, rtol=1e-5)
    np.testing.assert_allclose(outer(), [0.2360682] * 3 + [-0.1062282], rtol=1e-5)


def test_methods_draw_by_object():
    class Source:
        @tf.function
        def draw(self):
            return tf.random.normal([])

    tf.random.set_seed(5)
    a, b = Source(), Source()
    values = [a.draw(), a.draw(), b.draw(), a.draw()]
    np.testing.assert_allclose(values, [-1.7138785, 0.2360682, -1.7138785, -0.2950869], rtol=1e-5)


def test_objects_without_a_hash():
    class Source(list):
        @tf.function
        def draw(self):
            return tf.random.normal([])

    tf.random.set_seed(5)
    source = Source()
    np.testing.assert_allclose([source.draw(), source.draw()], [-1.7138785, 0.2360682], rtol=1e-5)


def test_eager_functions_and_blocks_draw_as_the_program_does():
    @tf.function
    def draw():
        with tf.init_scope():
            return tf.random.normal([])

    tf.random.set_seed(5)
    expected = float(tf.random.normal([]))
    tf.random.set_seed(5)
    assert float(draw()) == expected
    tf.config.run_functions_eagerly(True)
    try:
        tf.random.set_seed(5)
        assert float(tf.function(tf.random.normal)([])) == expected
    finally:
        tf.config.run_functions_eagerly(False)


def test_without_a_seed_numbers_differ():
    draw = tf.function(lambda: tf.random.normal([]))
    assert len({float(draw()) for _ in range(4)}) == 4
    # The seed was read when the function was traced.
    tf.random.set_seed(5)
    first = float(draw())
    tf.random.set_seed(5)
    assert float(draw()) != first


def test_many_operations():
    tf.random.set_seed(1)
    draw = tf.function(lambda: [float(tf.random.uniform([])) for _ in range(5000)])
    assert len(set(np.ravel(draw()).tolist())) > 4990


def uniform(x):
    return tf.random.uniform([], 0, 100, tf.int32)


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (lambda r: r(3).map(uniform), [17, 56, 33]),
        (lambda r: r(3).map(uniform).map(uniform), [17, 56, 33]),
        (lambda r: r(3).map(uniform).repeat(2), [17, 56, 33, 49, 4, 57]),
        (lambda r: r(8).filter(lambda x: uniform(x) > 40), [1, 3, 5, 7]),
        (lambda r: r(3).flat_map(lambda x: r(2).map(uniform)), [17, 56, 33, 49, 4, 57]),
    ],
)
def test_functions_of_datasets_start_afresh_with_each_iterator(make, values):
    tf.random.set_seed(5)
    dataset = make(tf.data.Dataset.range)
    assert [int(value) for value in dataset] == values
    assert [int(value) for value in dataset] == values


ORDERS = [7, 4, 5, 9, 1, 2, 8, 6, 0, 3, 6, 4, 9, 0, 3, 5, 2, 1, 7, 8]
BATCHES = [1, 0, 3, 2, 8, 9, 6, 5, 7, 4, 8, 9, 6, 5, 7, 4, 1, 3, 2, 0]


class Recording(tf.keras.Model):
    """Records its training samples, and the random values that it draws."""

    def train_step(self, data):
        x, y = data
        tf.py_function(self.record, [x, y, tf.random.normal([2])], [])
        return {"loss": tf.reduce_mean(x)}

    def record(self, x, y, numbers):
        assert x.numpy().tolist() == y.numpy().tolist()
        self.samples.extend(x.numpy().ravel().astype(int).tolist())
        self.numbers.append(float(numbers[0]))


@pytest.mark.parametrize(("shuffle", "orders"), [(True, ORDERS), ("batch", BATCHES)])
def test_fit_mixes_samples_as_keras_does(shuffle, orders):
    data = np.arange(10.0)[:, None]
    for _ in range(2):
        tf.random.set_seed(5)
        model = Recording()
        model.samples, model.numbers = [], []
        model.compile("sgd", "mse")
        model.fit(data, data, batch_size=4, epochs=2, verbose=0, shuffle=shuffle)
        assert model.samples == orders
        expected = [-1.7138785, -0.2950869, 0.2259746, 0.0566889, -2.0248287, 0.8492373]
        np.testing.assert_allclose(model.numbers, expected, rtol=1e-4)


def test_sequences_are_mixed_by_python():
    class Batches(tf.keras.utils.Sequence):
        def __len__(self):
            return 5

        def __getitem__(self, index):
            return np.full((2, 1), float(index)), np.full((2, 1), float(index))

    tf.keras.utils.set_random_seed(5)
    model = Recording()
    model.samples, model.numbers = [], []
    model.compile("sgd", "mse")
    model.fit(Batches(), epochs=2, verbose=0)
    assert model.samples[::2] == [0, 1, 3, 2, 4, 2, 3, 1, 0, 4]


def test_seeds_are_drawn_in_the_order_of_building():
    tf.keras.utils.set_random_seed(11)
    inputs = tf.keras.Input((4, 4, 1))
    tf.keras.layers.RandomFlip()(inputs)
    kernel = float(tf.keras.initializers.GlorotUniform()((1,))[0])
    tf.keras.utils.set_random_seed(11)
    tf.keras.layers.RandomFlip()(np.ones((1, 4, 4, 1), np.float32), training=True)
    assert float(tf.keras.initializers.GlorotUniform()((1,))[0]) == kernel


def test_symbolic_calls_draw_nothing():
    class Noisy(tf.keras.layers.Layer):
        def call(self, x):
            return x + tf.random.normal(tf.shape(x))

    tf.random.set_seed(3)
    expected = float(tf.random.normal([]))
    tf.random.set_seed(3)
    Noisy()(tf.keras.Input((None,)))
    assert float(tf.random.normal([])) == expected


def test_backend_functions_take_seeds_from_numpy():
    backend = tf.keras.backend
    tf.keras.utils.set_random_seed(4)
    first = backend.random_normal([2]).numpy().tolist()
    following = float(tf.random.normal([]))
    tf.keras.utils.set_random_seed(4)
    assert float(tf.random.normal([])) == following
    assert backend.random_normal([2]).numpy().tolist() == first


class Drawing(tf.keras.Model):
    def train_step(self, data):
        tf.py_function(self.record, [tf.random.normal([1])], [])
        return {"loss": tf.reduce_mean(data)}

    def record(self, number):
        self.drawn.append(round(float(number[0]), 5))


def test_steps_draw_by_kinds_of_batches():
    tf.keras.utils.set_random_seed(11)
    model = Drawing()
    model.compile()
    data = np.arange(8.0, dtype=np.float32)[:, None]
    dataset = tf.data.Dataset.from_tensor_slices(data)

    def drawn(batches):
        model.drawn = []
        model.fit(batches, verbose=0)
        return model.drawn

    assert drawn(data) == [-0.42235]
    assert drawn(dataset.batch(4)) == [-0.2238, 1.19233]
    assert drawn(data[:4] for _ in range(2)) == [-0.42235, -0.2238]
    assert drawn(dataset.batch(4, drop_remainder=True)) == [-1.22337, 0.49945]


def test_no_dropout_draws_nothing():
    tf.random.set_seed(3)
    expected = float(tf.random.normal([]))
    tf.random.set_seed(3)
    tf.keras.layers.Dropout(0.0)(tf.ones([2, 2]), training=True)
    assert float(tf.random.normal([])) == expected


def test_datasets_are_shuffled_as_if_opened_once_before():
    tf.random.set_seed(7)
    dataset = tf.data.Dataset.range(5).shuffle(5).batch(5)
    orders = [batch.numpy().tolist() for _ in range(3) for batch in dataset]
    tf.random.set_seed(7)
    dataset = tf.data.Dataset.range(5).shuffle(5).batch(5)
    seen = []

    class Seeing(tf.keras.Model):
        def train_step(self, data):
            tf.py_function(lambda data: seen.append(data.numpy().tolist()), [data], [])
            return {"loss": 0.0}

    model = Seeing()
    model.compile()
    model.fit(dataset, epochs=2, verbose=0)
    assert seen == orders[1:]


@pytest.mark.parametrize(
    ("make", "orders"),
    [
        (lambda r: r.shuffle(6, seed=1).cache(), [[0, 4, 2, 1, 3, 5]] * 2),
        (
            lambda r: r.shuffle(6, seed=1).cache().shuffle(6, seed=2),
            [[0, 4, 2, 1, 5, 3], [1, 2, 0, 4, 3, 5]],
        ),
        (
            lambda r: r.shuffle(6, seed=1).shuffle(6, seed=2),
            [[0, 4, 2, 1, 5, 3], [5, 3, 2, 4, 0, 1]],
        ),
    ],
)
def test_shuffles_after_shuffles_that_were_opened_in_vain(make, orders):
    tf.keras.utils.set_random_seed(11)
    dataset = make(tf.data.Dataset.range(6))
    iter(dataset)
    assert [[int(value) for value in dataset] for _ in range(2)] == orders


def test_a_cache_before_a_prefetch_is_complete_after_an_epoch():
    tf.random.set_seed(2)
    dataset = tf.data.Dataset.range(6).shuffle(6, seed=1).batch(2).cache()
    seen = []

    class Seeing(tf.keras.Model):
        def train_step(self, data):
            tf.py_function(lambda data: seen.extend(data.numpy().tolist()), [data], [])
            return {"loss": 0.0}

    model = Seeing()
    model.compile()
    model.fit(dataset.prefetch(1), epochs=3, verbose=0)
    assert seen[:6] == seen[6:12] == seen[12:]

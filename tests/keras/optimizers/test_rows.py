"""Gradients of embeddings, which go to the update rules as rows."""

import numpy as np
import pytest

import eagerflow as tf

optimizers = tf.keras.optimizers
MAKERS = {
    "adam": lambda: optimizers.Adam(0.1),
    "amsgrad": lambda: optimizers.Adam(0.1, amsgrad=True),
    "adamw": lambda: optimizers.AdamW(0.1, weight_decay=0.1),
    "clipped": lambda: optimizers.Adam(0.1, clipnorm=0.5),
    "adamax": lambda: optimizers.Adamax(0.1),
    "nadam": lambda: optimizers.Nadam(0.1),
    "rmsprop": lambda: optimizers.RMSprop(0.1, momentum=0.5, centered=True),
    "momentum": lambda: optimizers.SGD(0.1, momentum=0.9),
    "nesterov": lambda: optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "sgd": lambda: optimizers.SGD(0.1),
    "adadelta": lambda: optimizers.Adadelta(1.0),
    "lion": lambda: optimizers.Lion(0.1),
    "ftrl": lambda: optimizers.Ftrl(0.1),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_rows_are_updated_as_by_the_dense_gradient(name: str, traced: bool) -> None:
    rng = np.random.default_rng(0)
    start = rng.normal(size=(40, 5)).astype("f")
    batches = [rng.integers(0, 40, (3, 6)) for _ in range(4)]
    found = []
    for dense in (False, True):
        table = tf.Variable(start)
        optimizer = MAKERS[name]()

        def step(indices, table=table, optimizer=optimizer, dense=dense):
            with tf.GradientTape() as tape:
                rows = tf.gather(table, indices)
                # The square of a sum: rows that repeat have other gradients than alone.
                loss = tf.reduce_sum(tf.square(tf.reduce_sum(rows, 1) - 1.0))
            gradient = tape.gradient(loss, table)
            assert isinstance(gradient, tf.IndexedSlices)
            if dense and name != "clipped":
                gradient = tf.convert_to_tensor(gradient)
            optimizer.apply_gradients([(gradient, table)])

        run = tf.function(step) if traced else step
        for indices in batches:
            run(tf.constant(indices))
        found.append([table.numpy(), *(v.numpy() for v in optimizer.variables)])
    for value, other in zip(*found, strict=True):
        np.testing.assert_allclose(value, other, rtol=1e-5, atol=1e-6)


def test_a_large_table_is_trained_without_a_gradient_of_its_size() -> None:
    table = tf.Variable(tf.zeros([200_000, 32]))
    optimizer = optimizers.Adam(0.1)
    optimizer.build([table])
    memory = tf.config.experimental

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, [3, 5, 3, 199_999]))
        optimizer.apply_gradients([(tape.gradient(loss, table), table)])

    step()
    memory.reset_memory_stats("CPU:0")
    before = memory.get_memory_info("CPU:0")["peak"]
    step()
    grown = memory.get_memory_info("CPU:0")["peak"] - before
    assert grown < 4 * 200_000 * 32 // 2


legacy = optimizers.legacy
ALONE = {
    "momentum": lambda: legacy.SGD(0.1, 0.9),
    "nesterov": lambda: legacy.SGD(0.1, 0.9, nesterov=True),
    "rmsprop": lambda: legacy.RMSprop(0.1, momentum=0.5),
    "centered": lambda: legacy.RMSprop(0.1, momentum=0.5, centered=True),
    "adamax": lambda: legacy.Adamax(0.1),
    "adadelta": lambda: legacy.Adadelta(1.0),
    "adagrad": lambda: legacy.Adagrad(0.1),
    "ftrl": lambda: legacy.Ftrl(0.1),
}


def slots_of(optimizer):
    return [w for w in optimizer.get_weights() if np.ndim(w)]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", ALONE)
def test_legacy_optimizers_leave_other_rows_and_their_slots(name: str, traced: bool) -> None:
    rng = np.random.default_rng(1)
    start, first = rng.normal(size=(2, 6, 3)).astype("f")
    rows = [4, 1]
    whole, part = tf.Variable(start), tf.Variable(start[rows])
    one, other = ALONE[name](), ALONE[name]()
    one.apply_gradients([(tf.constant(first), whole)])
    other.apply_gradients([(tf.constant(first[rows]), part)])
    before = [whole.numpy(), *slots_of(one)]

    def step(values):
        one.apply_gradients([(tf.IndexedSlices(values, tf.constant(rows)), whole)])
        other.apply_gradients([(values, part)])

    run = tf.function(step) if traced else step
    for _ in range(3):
        run(tf.constant(rng.normal(size=(2, 3)).astype("f")))
    after, alone = [whole.numpy(), *slots_of(one)], [part.numpy(), *slots_of(other)]
    for was, value, expected in zip(before, after, alone, strict=True):
        np.testing.assert_allclose(value[rows], expected, rtol=1e-6)
        np.testing.assert_array_equal(np.delete(value, rows, 0), np.delete(was, rows, 0))


DECAYING = {
    "adam": lambda: legacy.Adam(0.1),
    "amsgrad": lambda: legacy.Adam(0.1, amsgrad=True),
    "rmsprop": lambda: legacy.RMSprop(0.1, centered=True),
    "nadam": lambda: legacy.Nadam(0.1),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", DECAYING)
def test_legacy_optimizers_whose_averages_all_decay(name: str, traced: bool) -> None:
    rng = np.random.default_rng(2)
    start, first, values = rng.normal(size=(3, 6, 3)).astype("f")
    rows = [4, 1, 4]
    tables = [tf.Variable(start), tf.Variable(start)]
    found = []
    for table, dense in zip(tables, (False, True), strict=True):
        optimizer = DECAYING[name]()
        optimizer.apply_gradients([(tf.constant(first), table)])
        before = table.numpy()
        gradient = tf.IndexedSlices(tf.constant(values[:3]), tf.constant(rows), tf.constant([6, 3]))

        def step(table=table, dense=dense, optimizer=optimizer, gradient=gradient):
            given = tf.convert_to_tensor(gradient) if dense else gradient
            optimizer.apply_gradients([(given, table)])

        (tf.function(step) if traced else step)()
        found.append([table.numpy(), *slots_of(optimizer)])
    (value, *slots), (expected, *other) = found
    if name == "nadam":  # the others' averages decay, but they do not move
        others = np.setdiff1d(np.arange(6), rows)
        expected[others] = before[others]
    for one, two in zip([value, *slots], [expected, *other], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)

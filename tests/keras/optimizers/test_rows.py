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

"""Gradients that travel during the backward pass are those that travel after it."""

import horovod.tensorflow as hvd
import numpy as np
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy(
    communication_options=tf.distribute.experimental.CommunicationOptions(bytes_per_pack=1 << 10)
)
communicator = strategy.extended._communicator
rank, size = communicator.rank, communicator.size
ids = np.random.RandomState(rank).randint(0, 40, [4, 7])


def model_of(seed):
    tf.keras.utils.set_random_seed(seed)
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input([7], dtype="int32"),
            tf.keras.layers.Embedding(40, 16),
            tf.keras.layers.Flatten(),
            *[tf.keras.layers.Dense(48, activation="tanh") for _ in range(3)],
            tf.keras.layers.Dense(1),
        ]
    )


def loss_of(model, batch):
    return tf.reduce_sum(tf.square(model(batch))) / (4 * size)


def trained(early, traced):
    with strategy.scope():
        model = model_of(3)
        optimizer = tf.keras.optimizers.SGD(0.05)

    def of_replica(batch):
        with tf.GradientTape() as tape:
            loss = loss_of(model, batch)
        if early:
            optimizer.minimize(loss, model.trainable_variables, tape=tape)
        else:
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    run = tf.function(strategy.run) if traced else strategy.run
    for _ in range(3):
        run(of_replica, (tf.constant(ids),))
    return model.get_weights()


started = communicator.start_sums
calls = []
communicator.start_sums = lambda values: calls.append(len(values)) or started(values)
expected = trained(early=False, traced=False)
assert not calls
for traced in (False, True):
    del calls[:]
    found = trained(early=True, traced=traced)
    assert len(calls) >= 3, calls  # several buckets left in each backward pass
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(one, other)

# Horovod's tape and optimizer.
hvd.init()
for options, tolerance in (
    ({}, 1e-6),
    ({"gradient_predivide_factor": 2.0}, 1e-6),
    ({"sparse_as_dense": True}, 1e-6),
    ({"compression": hvd.Compression.bf16}, 5e-2),
    ({"compression": hvd.Compression.fp16}, 5e-3),
):
    model = model_of(5)
    weights = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = loss_of(model, ids)
    own = [tf.convert_to_tensor(each) for each in tape.gradient(loss, weights)]
    means = [hvd.allreduce(each) for each in own]
    with tf.GradientTape() as tape:
        loss = loss_of(model, ids)
    early = hvd.DistributedGradientTape(tape, **options).gradient(loss, weights)
    assert isinstance(early[0], tf.IndexedSlices) == ("sparse_as_dense" not in options)
    for one, other in zip(means, early, strict=True):
        np.testing.assert_allclose(
            one, tf.convert_to_tensor(other), atol=tolerance * np.abs(one).max()
        )
    before = [each.numpy() for each in weights]
    optimizer = hvd.DistributedOptimizer(tf.keras.optimizers.SGD(1.0), **options)
    with tf.GradientTape() as tape:
        loss = loss_of(model, ids)
    optimizer.minimize(loss, weights, tape=tape)
    for one, old, new in zip(means, before, weights, strict=True):
        np.testing.assert_allclose(one, old - new, atol=3 * tolerance * np.abs(one).max() + 1e-6)
print("done")

"""Replicas on two and four GPUs."""

import numpy as np

from device_programs import keras, show, tf

context = tf.distribute.get_replica_context
x = np.random.RandomState(0).randn(96, 6).astype("float32")
y = np.random.RandomState(1).randint(0, 3, 96)


def places(values):
    return [value.device.rpartition("device:")[2] for value in values]


def losses(scope):
    keras.utils.set_random_seed(3)
    with scope:
        model = keras.Sequential(
            [keras.layers.Dense(8, "relu", input_shape=(6,)), keras.layers.Dense(3)]
        )
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss, metrics=["accuracy"])
    history = model.fit(x, y, 32, epochs=2, verbose=0, shuffle=False).history
    return np.round([*history["loss"], *history["accuracy"], *model.evaluate(x, y, verbose=0)], 4)


alone = losses(tf.device("CPU:0"))
for count in (2, 4):
    strategy = tf.distribute.MirroredStrategy([f"GPU:{k}" for k in range(count)])
    with strategy.scope():
        w = tf.Variable([2.0, 1.0])
    show("variables", lambda w=w: places(w.values))

    def step(w=w):
        number = tf.cast(context().replica_id_in_sync_group + 1, tf.float32)
        with tf.GradientTape() as tape:
            loss = number * tf.reduce_sum(tf.square(w))
        gradient = context().all_reduce("SUM", tape.gradient(loss, w))
        w.assign_sub(0.01 * gradient)
        return loss, gradient

    for function in (step, tf.function(step)):
        loss, gradient = strategy.run(function)
        show("losses", lambda loss=loss: [float(v) for v in loss.values])
        show("gradients", lambda g=gradient: [v.numpy() for v in g.values])
        show("updated", lambda w=w: [v.numpy() for v in w.values])
    show("sum", lambda s=strategy, v=loss: s.reduce("SUM", v, axis=None).numpy())
    show("as on one device", lambda s=strategy: np.allclose(losses(s.scope()), alone, atol=2e-3))

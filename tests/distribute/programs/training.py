"""Models, optimizers, losses and metrics in the replicas of a strategy."""

import numpy as np

from device_programs import keras, show, tf

cpu = tf.config.list_physical_devices("CPU")[0]
part = tf.config.LogicalDeviceConfiguration
tf.config.set_logical_device_configuration(cpu, [part(), part()])
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
run = strategy.run
rng = np.random.RandomState(0)
x, y = rng.rand(10, 3).astype("float32"), rng.rand(10, 1).astype("float32")


def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def model(regularizer=None):
    layers = keras.layers
    hidden = layers.Dense(
        2, kernel_initializer="ones", activation="tanh", kernel_regularizer=regularizer
    )
    return keras.Sequential([hidden, layers.Dense(1, kernel_initializer="ones")])


def trained(optimizer, size=4, **options):
    with strategy.scope():
        made = model(options.pop("regularizer", None))
        made.compile(optimizer, options.pop("loss", "mse"), **options)
    show("fit", lambda: made.fit(x, y, batch_size=size, epochs=2, shuffle=False, verbose=0).history)
    show("evaluate", lambda: made.evaluate(x, y, batch_size=size, verbose=0))
    show("predict", lambda: made.predict(x, batch_size=size, verbose=0).ravel())
    show("weights", lambda: [w.numpy() for w in made.weights])
    show("iterations", lambda: made.optimizer.iterations.numpy())
    return made


for optimizer in ("adam", keras.optimizers.SGD(0.1, momentum=0.9), "rmsprop"):
    trained(optimizer, metrics=["mae"])
trained("adam", regularizer="l2", weighted_metrics=["mse"])
trained(keras.optimizers.SGD(0.1, clipnorm=0.01), size=3)
trained("sgd", loss=keras.losses.MeanSquaredError(reduction="sum"))
made = trained("adam", run_eagerly=True)
show("strategy", lambda: made.distribute_strategy is strategy)
show("kinds", lambda: {type(w).__name__ for w in made.weights})
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
show("dataset", lambda: made.fit(dataset, epochs=2, verbose=0).history)
show("validation", lambda: made.fit(dataset, validation_data=dataset, verbose=0).history)

with strategy.scope():
    bce = keras.losses.BinaryCrossentropy
    show("mean", lambda: run(lambda: bce()(tf.ones([2, 1]), tf.ones([2, 1]))))
    show("mean for all", lambda: bce()(tf.ones([2, 1]), tf.ones([2, 1])))
    none = bce(reduction="none")
    show("none", lambda: run(lambda: none(tf.ones([2, 1]), tf.fill([2, 1], 0.25))))
    v = tf.Variable(1.0)
    optimizer = keras.optimizers.SGD(1.0)


def step(**options):
    optimizer.apply_gradients([(number() + 1.0, v)], **options)
    return v.read_value()


show("summed", lambda: run(step))
show("variable", lambda: v)
show("own", lambda: run(step, kwargs={"skip_gradients_aggregation": True}))
show("own variable", lambda: v)
show("own, older", lambda: run(step, kwargs={"experimental_aggregate_gradients": False}))
show("iterations", lambda: optimizer.iterations)

with strategy.scope():
    mean = keras.metrics.Mean()
    accuracy = keras.metrics.BinaryAccuracy()


def measured():
    mean.update_state(number())
    accuracy.update_state([[1.0], [0.0]], tf.stack([[number()], [0.0]]))
    return mean.result(), accuracy.result()


show("metrics", lambda: run(measured))
show("result", lambda: (mean.result(), accuracy.result()))
show("total", lambda: mean.total)
show("reset", lambda: mean.reset_state())
show("after", lambda: (mean.total, mean.result()))
losses = tf.constant([1.0, 2.0])
show("average", lambda: run(lambda: tf.nn.compute_average_loss(losses)))
show("average of 8", lambda: run(lambda: tf.nn.compute_average_loss(losses, global_batch_size=8)))
show("scaled", lambda: run(lambda: tf.nn.scale_regularization_loss(losses)))
show("average for all", lambda: tf.nn.compute_average_loss(losses))
with strategy.scope():
    show("average in a scope", lambda: tf.nn.compute_average_loss(losses))
    show("scaled in a scope", lambda: tf.nn.scale_regularization_loss(losses))
    synchronized = keras.layers.BatchNormalization(synchronized=True)
    own = keras.layers.BatchNormalization()
for label, layer in (("synchronized", synchronized), ("own", own)):

    def normalized(layer=layer):
        with tf.GradientTape() as tape:
            batch = tf.constant([[1.0, 2.0], [3.0, 5.0]]) * (1.0 + number())
            tape.watch(batch)
            outputs = layer(batch, training=True)
            loss = tf.reduce_sum(outputs**3)
        return outputs, tape.gradient(loss, batch)

    show(label, lambda normalized=normalized: run(normalized))
    show(f"{label} function", lambda normalized=normalized: run(tf.function(normalized)))
    show(f"{label} weights", lambda layer=layer: [w.numpy() for w in layer.weights])

with strategy.scope():
    net = model()
    net.build([None, 3])
    optimizer = keras.optimizers.Adam(0.1)
    loss_object = keras.losses.MeanSquaredError(reduction=keras.losses.Reduction.NONE)
    train_loss = keras.metrics.Mean()
distributed = strategy.experimental_distribute_dataset(dataset)


def custom_step(batch):
    features, labels = batch
    with tf.GradientTape() as tape:
        per_example = loss_object(labels, net(features, training=True))
        loss = tf.nn.compute_average_loss(per_example, global_batch_size=4)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
    train_loss.update_state(loss)
    return loss


@tf.function
def train_step(batch):
    return strategy.reduce(tf.distribute.ReduceOp.SUM, run(custom_step, args=(batch,)), axis=None)


show("custom", lambda: [train_step(batch) for batch in distributed])
show("custom loss", lambda: train_loss.result())
show("custom eagerly", lambda: [run(custom_step, args=(batch,)) for batch in distributed])
show("custom weights", lambda: [w.numpy() for w in net.weights])


@tf.function
def epoch(iterator):
    total = 0.0
    for batch in iterator:
        total += strategy.reduce("SUM", run(custom_step, args=(batch,)), axis=None)
    return total


show("epoch", lambda: epoch(distributed))


central = tf.distribute.experimental.CentralStorageStrategy()
mixed = keras.mixed_precision


def in_central(function):
    with central.scope():
        return function()


show(
    "scaled loss, one place",
    lambda: in_central(lambda: mixed.LossScaleOptimizer(keras.optimizers.SGD())),
)
show("policy, one place", lambda: in_central(lambda: mixed.set_global_policy("mixed_float16")))
for policy in ("mixed_float16", "mixed_bfloat16", "float64"):
    show(
        f"layer, one place, {policy}",
        lambda: in_central(lambda: keras.layers.Dense(2, dtype=policy).compute_dtype),  # noqa: B023
    )

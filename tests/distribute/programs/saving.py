"""SavedModels of models whose variables have a copy for each replica."""

import pathlib
import tempfile

from device_programs import keras, show, tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
folder = pathlib.Path(tempfile.mkdtemp())
x = tf.reshape(tf.range(12.0), [4, 3]) / 10

with strategy.scope():
    model = keras.Sequential(
        [
            keras.layers.Dense(2, kernel_initializer="ones", input_shape=(3,)),
            keras.layers.BatchNormalization(),
        ]
    )
    model.compile(keras.optimizers.SGD(0.1), "mse")
model.fit(x, x[:, :2], batch_size=4, shuffle=False, verbose=0)
model.save(folder / "keras", save_format="tf")
model.save(folder / "model.keras")
tf.saved_model.save(model, folder / "plain")
show("written", lambda: model(x).numpy())
show("keras", lambda: keras.models.load_model(folder / "keras").predict(x, verbose=0))
show("archive", lambda: keras.models.load_model(folder / "model.keras")(x).numpy())
loaded = tf.saved_model.load(folder / "plain")
show("plain", lambda: loaded.signatures["serving_default"](x)["batch_normalization"].numpy())
show("names", lambda: sorted(v.name for v in loaded.variables))
with strategy.scope():
    again = keras.models.load_model(folder / "keras")
show("in scope", lambda: [type(v).__name__ for v in again.variables])
again.fit(x, x[:, :2], batch_size=4, shuffle=False, verbose=0)
show("trained on", lambda: again(x).numpy())


class Module(tf.Module):
    def __init__(self):
        super().__init__()
        with strategy.scope():
            self.v = tf.Variable([1.0, 2.0])
            self.total = tf.Variable(
                1.0,
                trainable=False,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM,
            )

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def __call__(self, x):
        return self.v * x

    @tf.function(input_signature=[])
    def sum(self):
        return self.total.read_value()

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def change(self, x):
        self.v.assign_add(x)


module = Module()
strategy.run(lambda: module.total.assign_add(1.0))
tf.saved_model.save(module, folder / "module")
module = tf.saved_model.load(folder / "module")
show("call", lambda: module(3.0))
module.change([1.0, 1.0])
show("changed", lambda: module.v)
show("sum", lambda: module.sum())
result = loaded(x, training=True)
show("moments", lambda: [v.numpy() for v in loaded.variables if "moving" in v.name])

with strategy.scope():
    counted = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    show("numbered", lambda: counted.save(folder / "numbered")[-1])
    show("numbered again", lambda: counted.save(folder / "numbered")[-1])
    show("how often", lambda: counted.save_counter)
    manager = tf.train.CheckpointManager(counted, folder / "managed", 2)
    show("managed", lambda: manager.save()[-1])
    show("managed by number", lambda: manager.save(checkpoint_number=7)[-1])

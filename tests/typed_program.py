"""A program as type checkers see it: comments that begin with "error" say what mypy finds there."""

import numpy as np

import eagerflow as tf
from eagerflow.typing import Axes, DTypeLike, ShapeLike, TensorLike


def center(x: TensorLike, axis: Axes | None = None) -> tf.Tensor:
    return tf.subtract(x, tf.reduce_mean(x, axis, keepdims=True))


def filled(shape: ShapeLike, dtype: DTypeLike = tf.float32) -> tf.Tensor:
    return tf.ones(shape, dtype)


# What functions accept.
x: tf.Tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
y: tf.Tensor = tf.add(x, 1) + tf.matmul(x, np.eye(2), transpose_b=True) * [2.0, 3.0]
v = tf.Variable(x, name="v")
tf.abs(v)
tf.math.maximum(1.0, [[1.0, 2.0], [3.0, v[0, 0]]])
tf.reduce_sum(tf.ragged.constant([[1], [2, 3]]), axis=1)
tf.reduce_max(x, axis=[0, 1], keepdims=True)
tf.reshape(x, [-1, x.shape[0]])
tf.reshape(x, tf.shape(x))
tf.cast([1, 2], "float64")
tf.cast(x, np.float16)
tf.nn.relu(tf.linalg.matvec(x, [1.0, 2.0]), name="relu")
tf.strings.join(["a", b"b"], separator="-")
tf.image.resize(tf.zeros([1, 4, 4, 3]), (2, 2))
tf.signal.fft(tf.zeros([8], tf.complex64))
tf.concat([x, y], 0)
tf.random.normal([2, 3], seed=1)
tf.one_hot([0, 1], depth=3)
center(np.arange(3.0))
center([1, 2.0], axis=0)
filled((2, 3), "int32")
filled(x.shape)
x.set_shape([2, None])
print(x.get_shape().rank, x.ref().deref())


@tf.function(input_signature=[tf.TensorSpec([None, 2])])
def traced(values: tf.Tensor) -> tf.Tensor:
    return tf.square(values)


print(traced(x), traced.get_concrete_function())

# Mistakes.
tf.redcue_mean(x)  # error: Module has no attribute "redcue_mean"
tf.nn.rellu(x)  # error: Module has no attribute "rellu"
tf.keras.layers.Dence(1)  # error: Module has no attribute "Dence"
tf.reduce_mean(x, axes=1)  # error: Unexpected keyword argument "axes" for "reduce_mean"
tf.matmul(x)  # error: Missing positional argument "b" in call to "matmul"
tf.add(x)  # error: Missing positional argument "y" in call to "add"
tf.add(x, y, z=1)  # error: Unexpected keyword argument "z" for "add"
tf.reduce_sum(x, 0, True, None, 1)  # error: Too many arguments for "reduce_sum"
tf.abs(None)  # error: Argument 1 to "abs" has incompatible type "None"
tf.argsort(x, direction="UP")
sum_ = tf.add(x, y).shap  # error: "Tensor" has no attribute "shap"
v.assing(x)  # error: "Variable" has no attribute "assing"
center(x, axis="0")  # error: Argument "axis" to "center" has incompatible type "str"


class Scale(tf.keras.layers.Layer):
    def build(self, input_shape: tf.TensorShape) -> None:
        self.factor = self.add_weight("factor", [input_shape[-1]])

    def call(self, inputs: tf.Tensor, mask: tf.Tensor | None = None) -> tf.Tensor:
        return inputs * self.factor

    def get_config(self):
        return {**super().get_config()}


class Classifier(tf.keras.Model):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, activation="relu")
        self.dropout = tf.keras.layers.Dropout(0.5)
        self.head = tf.keras.layers.Dense(classes)

    def call(self, inputs, training=False):
        return self.head(self.dropout(self.hidden(inputs), training=training))

    def train_step(self, data):
        inputs, labels = data
        with tf.GradientTape() as tape:
            loss = self.compiled_loss(labels, self(inputs, training=True))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        return {"loss": loss}


class Rate(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step: tf.Tensor) -> tf.Tensor:
        return 0.1 / (1.0 + tf.cast(step, tf.float32))


class Hinge(tf.keras.losses.Loss):
    def call(self, y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(tf.nn.relu(1.0 - y_true * y_pred), axis=-1)


class Share(tf.keras.metrics.Metric):
    def __init__(self) -> None:
        super().__init__(name="share")
        self.total = self.add_weight(name="total", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(tf.reduce_sum(y_pred))

    def result(self) -> tf.Tensor:
        return self.total / 2.0


class Decay(tf.keras.regularizers.Regularizer):
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.abs(x))


class Halves(tf.keras.initializers.Initializer):
    def __call__(self, shape, dtype=None, **kwargs):
        return tf.fill(shape, 0.5)


class Positive(tf.keras.constraints.Constraint):
    def __call__(self, w):
        return tf.nn.relu(w)


class Stop(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch: int, logs: dict[str, float] | None = None) -> None:
        self.model.stop_training = bool(logs and logs["loss"] < 0.1)


model = Classifier(2)
model.compile(optimizer=tf.keras.optimizers.SGD(Rate()), loss=Hinge())
result: tf.keras.callbacks.History = model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
losses: list[float] = result.history["loss"]
print(result.histroy)  # error: "History" has no attribute "histroy"
outputs: tf.Tensor = model(x)
print(Scale()(x).shap)  # error: "Tensor" has no attribute "shap"
print(tf.keras.layers.Dense(2)(x).shap)  # error: "Tensor" has no attribute "shap"
tf.keras.layers.Dense(2, nmae="head")  # error: Unexpected keyword argument "nmae" for "Dense"
tf.keras.layers.Dense(2, name=2)  # error: Argument "name" to "Dense" has incompatible type
tf.keras.layers.Dense(2, input_shape=(3,), dtype=tf.float16, activity_regularizer="l2")
tf.keras.layers.Dropout(0.5, weights=[], trainable=False, activity_regularizer="l2")
model.ftt(x)  # error: "Classifier" has no attribute "ftt"
dataset = tf.data.Dataset.range(4).map(lambda i: i + 1).batch(2)


class Stepped(tf.keras.Model):
    @tf.function
    def call(self, inputs: tf.Tensor, training: bool = False) -> tf.Tensor:
        return inputs

    @tf.function(reduce_retracing=True)
    def train_step(self, data):
        return {"loss": tf.reduce_sum(data)}

"""compile, fit, evaluate and predict on data of every kind."""

import copy
import itertools
import pickle
import warnings

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def data(rows=40, columns=3, seed=0):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=[rows, columns]).astype(np.float32)
    y = (x @ generator.normal(size=[columns, 1]) + 0.5).astype(np.float32)
    return x, y


def linear(columns=3, optimizer="sgd", **kwargs):
    model = tf.keras.Sequential(
        [layers.Dense(1, kernel_initializer="zeros", input_shape=(columns,))]
    )
    model.compile(optimizer, "mse", **kwargs)
    return model


def descend(x, y, epochs, batch, rate=0.01, weights=None):
    """Gradient descent on the mean squared error with NumPy: each epoch's mean loss, and weights."""
    w, b = np.zeros([x.shape[1], 1]), np.zeros(1)
    losses = []
    for _ in range(epochs):
        total = 0.0
        for start in range(0, len(x), batch):
            xs, ys = x[start : start + batch].astype(np.float64), y[start : start + batch]
            factor = 1.0 if weights is None else weights[start : start + batch, None]
            error = xs @ w + b - ys
            total += np.sum(factor * error**2)
            w = w - rate * 2 * xs.T @ (factor * error) / len(xs)
            b = b - rate * 2 * np.mean(factor * error, axis=0)
        losses.append(total / len(x))
    return losses, w, b


def test_fit_descends_as_numpy_does():
    x, y = data()
    model = linear(metrics=["mae"])
    history = model.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0)
    losses, w, b = descend(x, y, 3, 16)
    np.testing.assert_allclose(history.history["loss"], losses, rtol=1e-5)
    np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-4)
    np.testing.assert_allclose(model.get_weights()[1], b, rtol=1e-4)
    assert list(history.history) == ["loss", "mae"]
    assert history.epoch == [0, 1, 2]
    error = x @ w + b - y
    loss, mae = model.evaluate(x, y, verbose=0)
    np.testing.assert_allclose(loss, np.mean(error**2), rtol=1e-4)
    np.testing.assert_allclose(mae, np.mean(np.abs(error)), rtol=1e-4)
    np.testing.assert_allclose(model.predict(x, verbose=0), x @ w + b, rtol=1e-4, atol=1e-5)


def test_sample_and_class_weights():
    x, y = data()
    weights = np.linspace(0.0, 2.0, len(x)).astype(np.float32)
    model = linear()
    history = model.fit(
        x, y, batch_size=16, epochs=2, shuffle=False, verbose=0, sample_weight=weights
    )
    losses, w, _ = descend(x, y, 2, 16, weights=weights)
    np.testing.assert_allclose(history.history["loss"], losses, rtol=1e-5)
    np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-4)
    labels = np.arange(40) % 2
    table = {0: 0.5, 1: 2.0}
    by_class = linear()
    by_class.fit(x, labels, 16, 1, 0, shuffle=False, class_weight=table)
    by_sample = linear()
    chosen = np.where(labels == 1, 2.0, 0.5)
    by_sample.fit(x, labels, 16, 1, 0, shuffle=False, sample_weight=chosen)
    np.testing.assert_array_equal(by_class.get_weights()[0], by_sample.get_weights()[0])
    with pytest.raises(ValueError, match="class_weight"):
        linear().fit(x, labels, class_weight={1: 2.0}, verbose=0)


def kinds():
    x, y = data()

    class Batches:
        def __len__(self):
            return 5

        def __getitem__(self, index):
            return x[index * 8 : index * 8 + 8], y[index * 8 : index * 8 + 8]

        def on_epoch_end(self):
            pass

    def generator():
        for start in range(0, 40, 8):
            yield x[start : start + 8], y[start : start + 8]

    return {
        "arrays": ((x, y), {"batch_size": 8}),
        "tensors": ((tf.constant(x), tf.constant(y)), {"batch_size": 8}),
        "lists": ((x.tolist(), y.tolist()), {"batch_size": 8}),
        "dataset": ((tf.data.Dataset.from_tensor_slices((x, y)).batch(8),), {}),
        "generator": ((generator(),), {}),
        "endless generator": (
            (itertools.cycle(generator()),),
            {"steps_per_epoch": 5},
        ),
        "sequence": ((Batches(),), {}),
        "sequence with threads": ((Batches(),), {"workers": 3}),
    }


@pytest.mark.parametrize("kind", kinds())
def test_kinds_of_data(kind):
    args, kwargs = kinds()[kind]
    model = linear()
    history = model.fit(*args, **kwargs, epochs=1, shuffle=False, verbose=0)
    losses, w, _ = descend(*data(), 1, 8)
    np.testing.assert_allclose(history.history["loss"], losses, rtol=1e-5)
    np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-4)


def test_tables():
    pandas = pytest.importorskip("pandas")
    x, y = data(columns=2)
    frame = pandas.DataFrame(x.astype(np.float64), columns=["a", "b"])
    model = linear(2)
    history = model.fit(frame, pandas.Series(y[:, 0]), 8, shuffle=False, verbose=0)
    np.testing.assert_allclose(history.history["loss"], descend(x, y, 1, 8)[0], rtol=1e-5)
    assert model.predict(frame, verbose=0).shape == (40, 1)


def test_inputs_and_outputs_by_name():
    a, b = tf.keras.Input([2], name="a"), tf.keras.Input([1], name="b")
    total = layers.Dense(1, name="total")(layers.Concatenate()([a, b]))
    kind = layers.Dense(3, activation="softmax", name="kind")(a)
    model = tf.keras.Model([a, b], [total, kind])
    model.compile(
        "adam",
        {"total": "mse", "kind": "sparse_categorical_crossentropy"},
        metrics={"kind": ["accuracy"], "total": "mae"},
        loss_weights={"total": 0.5},
    )
    generator = np.random.default_rng(0)
    x = {"a": generator.normal(size=[20, 2]), "b": generator.normal(size=[20, 1])}
    y = {"total": generator.normal(size=[20, 1]), "kind": generator.integers(0, 3, 20)}
    history = model.fit(x, y, epochs=2, verbose=0)
    assert list(history.history) == [
        "loss",
        "total_loss",
        "kind_loss",
        "total_mae",
        "kind_accuracy",
    ]
    values = model.evaluate([x["a"], x["b"]], [y["total"], y["kind"]], verbose=0, return_dict=True)
    np.testing.assert_allclose(
        values["loss"], 0.5 * values["total_loss"] + values["kind_loss"], rtol=1e-5
    )
    outputs = model.predict(x, verbose=0)
    assert [output.shape for output in outputs] == [(20, 1), (20, 3)]
    with pytest.raises(ValueError, match="do not correspond"):
        model.compile("adam", {"totl": "mse"})
        model.fit(x, y, verbose=0)


def test_accuracy_takes_the_kind_that_suits():
    x, _ = data(12)
    for units, labels, name in (
        (1, np.arange(12) % 2, "binary_accuracy"),
        (3, np.arange(12) % 3, "sparse_categorical_accuracy"),
        (3, np.eye(3)[np.arange(12) % 3], "categorical_accuracy"),
    ):
        model = tf.keras.Sequential([layers.Dense(units, activation="sigmoid")])
        model.compile("sgd", "mse", metrics=["accuracy"])
        logs = model.test_on_batch(x, labels[:, None] if units == 1 else labels, return_dict=True)
        function = getattr(tf.keras.metrics, name)
        outputs = model(x)
        expected = np.mean(function(labels[:, None] if units == 1 else labels, outputs))
        np.testing.assert_allclose(logs["accuracy"], expected)


def test_validation():
    x, y = data()
    model = linear()
    history = model.fit(x, y, epochs=2, validation_split=0.25, batch_size=10, verbose=0)
    expected = model.evaluate(x[30:], y[30:], verbose=0)
    np.testing.assert_allclose(history.history["val_loss"][-1], expected, rtol=1e-6)
    other = data(seed=3)
    history = model.fit(x, y, epochs=4, validation_data=other, validation_freq=2, verbose=0)
    assert len(history.history["val_loss"]) == 2
    with pytest.raises(ValueError, match="not sufficient to split"):
        model.fit(x[:1], y[:1], validation_split=0.5, verbose=0)


def test_one_batch():
    x, y = data()
    model = linear(metrics=["mse"])
    loss, mse = model.train_on_batch(x, y)
    np.testing.assert_allclose(loss, np.mean(y**2), rtol=1e-5)
    np.testing.assert_allclose(mse, loss, rtol=1e-6)
    losses, w, b = descend(x, y, 1, 40)
    error = np.mean((x @ w + b - y) ** 2)
    assert model.test_on_batch(x, y, return_dict=True)["loss"] == pytest.approx(error, rel=1e-4)
    np.testing.assert_allclose(model.predict_on_batch(x), x @ w + b, rtol=1e-4, atol=1e-5)
    assert model.metrics_names == ["loss", "mse"]


def test_own_steps():
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1, kernel_initializer="zeros")
            self.tracker = tf.keras.metrics.Mean(name="own_loss")

        def call(self, inputs):
            return self.dense(inputs)

        @property
        def metrics(self):
            return [self.tracker]

        def train_step(self, batch):
            x, y = batch
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(self(x, training=True) - y))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            self.tracker.update_state(loss)
            return {"own_loss": self.tracker.result()}

    x, y = data()
    model = Own()
    model.compile("sgd")
    history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0)
    assert list(history.history) == ["own_loss"]
    np.testing.assert_allclose(history.history["own_loss"], descend(x, y, 2, 8)[0], rtol=1e-5)
    names = [variable.name for variable in model.trainable_weights]
    assert names == ["own/dense/kernel:0", "own/dense/bias:0"]


def test_losses_of_layers_count():
    x, y = data()
    model = tf.keras.Sequential(
        [layers.Dense(1, kernel_initializer="ones", kernel_regularizer="l2", input_shape=(3,))]
    )
    model.compile("sgd", "mse")
    plain = float(np.mean((x.sum(axis=1, keepdims=True) - y) ** 2))
    assert model.evaluate(x, y, verbose=0) == pytest.approx(plain + 0.01 * 3, rel=1e-5)
    alone = tf.keras.Sequential([layers.Dense(1, activity_regularizer="l1", input_shape=(3,))])
    alone.compile("sgd")
    assert alone.fit(x, epochs=1, verbose=0).history["loss"][0] > 0


def test_several_steps_per_execution():
    x, y = data()
    model = linear(steps_per_execution=3)
    steps = []
    counting = tf.keras.callbacks.LambdaCallback(
        on_batch_end=lambda batch, logs: steps.append(batch)
    )
    history = model.fit(x, y, 8, shuffle=False, verbose=0, callbacks=[counting])
    assert steps == [2, 4]
    np.testing.assert_allclose(history.history["loss"], descend(x, y, 1, 8)[0], rtol=1e-5)


def test_stops_when_asked_and_when_data_end(caplog):
    x, y = data()

    class Stop(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            self.model.stop_training = epoch == 1

    assert len(linear().fit(x, y, epochs=9, verbose=0, callbacks=[Stop()]).epoch) == 2
    few = tf.data.Dataset.from_tensor_slices((x, y)).batch(8).take(3)
    history = linear().fit(few, epochs=3, steps_per_epoch=2, verbose=0)
    assert "ran out of data" in caplog.text
    assert len(history.epoch) == 2


def test_interrupted_training_leaves_the_model_whole():
    x, y = data()
    model = linear()

    class Interrupt(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(x, y, 8, verbose=0, shuffle=False, callbacks=[Interrupt()])
    _, w, _ = descend(x[:24], y[:24], 1, 8)
    np.testing.assert_allclose(model.get_weights()[0], w, rtol=1e-4)
    assert np.isfinite(model.fit(x, y, verbose=0).history["loss"]).all()


def test_a_loss_that_is_nan_is_told_once():
    x, y = data()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        linear().fit(x * np.nan, y, epochs=3, verbose=0)
    assert sum("NaN" in str(w.message) for w in caught) == 1


def test_fit_shows_a_bar(capsys):
    x, y = data()
    model = linear()
    model.fit(x, y, batch_size=20, epochs=2)
    out = capsys.readouterr().out
    assert out.startswith("Epoch 1/2\n")
    assert "2/2 [==============================] - " in out
    model.fit(x, y, verbose=2)
    assert capsys.readouterr().out.startswith("2/2 - 0s - loss: ")


def test_misuse_says_what_to_do():
    x, y = data()
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(3,))])
    with pytest.raises(RuntimeError, match="must compile your model"):
        model.fit(x, y)
    with pytest.raises(ValueError, match="Unknown loss function: 'mean_square'"):
        model.compile("sgd", "mean_square")
        model.fit(x, y, verbose=0)
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="x sizes: 40\n  y sizes: 39"):
        model.fit(x, y[:39], verbose=0)
    with pytest.raises(ValueError, match="Target data is missing"):
        model.fit(x, verbose=0)
    with pytest.raises(ValueError, match="incompatible with the layer"):
        model.fit(x[:, :2], y, verbose=0)
    with pytest.raises(ValueError, match="no samples"):
        model.fit(x[:0], y[:0], verbose=0)
    with pytest.raises(TypeError, match="Invalid keyword"):
        model.compile("sgd", "mse", metric=["mae"])
    with pytest.raises(ValueError, match="data adapter"):
        model.fit(object(), y)


def test_training_changes_what_could_be_trained_when_the_model_was_compiled() -> None:
    """A discriminator that a larger model freezes still learns by itself; values are Keras's."""
    layers, constant = tf.keras.layers, tf.keras.initializers.Constant
    judge = tf.keras.Sequential(
        [
            layers.Dense(8, "relu", input_shape=(4,), kernel_initializer=constant(0.1)),
            layers.Dense(1, "sigmoid", kernel_initializer=constant(0.1)),
        ]
    )
    judge.compile("sgd", "binary_crossentropy")
    maker = tf.keras.Sequential(
        [layers.Dense(4, input_shape=(2,), kernel_initializer=constant(0.1))]
    )
    noise = layers.Input((2,))
    judge.trainable = False
    both = tf.keras.Model(noise, judge(maker(noise)))
    both.compile("sgd", "binary_crossentropy")
    losses = []
    for _ in range(2):
        made = maker.predict(np.ones((4, 2)), verbose=0)
        losses.append(judge.train_on_batch(made, np.zeros((4, 1))))
        losses.append(both.train_on_batch(np.ones((4, 2)), np.ones((4, 1))))
    np.testing.assert_allclose(losses, [0.7257, 0.6645, 0.7228, 0.6672], atol=1e-4)
    assert judge.trainable_weights == []
    before = judge.get_weights()
    both.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0)
    np.testing.assert_array_equal(before[0], judge.get_weights()[0])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_of_a_trained_model_train_themselves(copied) -> None:
    """Neither a copy nor a pickle of a model that has been trained trains the original."""
    x, y = np.ones((4, 2)), np.ones((4, 1))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    model.fit(x, y, verbose=0)
    model.evaluate(x, y, verbose=0)
    before = model.get_weights()[0]
    other = copied(model)
    other.fit(x, y, verbose=0)
    np.testing.assert_array_equal(model.get_weights()[0], before)
    assert not np.array_equal(other.get_weights()[0], before)
    other.compile(tf.keras.optimizers.SGD(0.01, momentum=0.9), "mse")
    other.fit(x, y, verbose=0)
    third = copied(other)  # with its momentum
    for one in (other, third):
        one.fit(x, y, verbose=0)
    np.testing.assert_array_equal(other.get_weights()[0], third.get_weights()[0])


def test_weighted_metrics_are_told_from_those_without_weights():
    """Recorded from Keras 2: after the output's name, if there are several."""
    x = tf.keras.Input([3])
    outputs = [tf.keras.layers.Dense(1, name=name)(x) for name in "ab"]
    x_values, y = np.ones([4, 3], "f"), np.ones([4, 1], "f")
    model = tf.keras.Model(x, outputs)
    model.compile("sgd", "mse", metrics={"a": ["mae"]}, weighted_metrics={"a": ["mae"]})
    history = model.fit(x_values, [y, y], verbose=0).history
    assert list(history) == ["loss", "a_loss", "b_loss", "a_mae", "a_weighted_mae"]
    model = tf.keras.Model(x, outputs[0])
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mae", "mse"])
    history = model.fit(x_values, y, verbose=0).history
    assert list(history) == ["loss", "mae", "weighted_mae", "mse"]


def test_sequences_are_looked_at_before_the_first_epoch():
    """As in Keras, so that sequences with random numbers of their own go on from the same ones."""

    class Batches(tf.keras.utils.Sequence):
        def __init__(self):
            super().__init__()
            self.asked = []

        def __len__(self):
            return 2

        def __getitem__(self, index):
            self.asked.append(index)
            return np.ones([4, 3], "f"), np.ones([4, 1], "f")

    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    batches = Batches()
    model.fit(batches, epochs=2, shuffle=False, verbose=0)
    assert batches.asked == [0, 0, 1, 0, 1]

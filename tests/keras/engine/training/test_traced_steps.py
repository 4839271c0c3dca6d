"""Steps of models are traced: how often Python runs, and what that means, as in tf_keras."""

import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras
layers = keras.layers

X = np.arange(60.0, dtype="float32").reshape(20, 3) / 60
Y = X.sum(1, keepdims=True)


class Counted(keras.Model):
    """Counts how often Python runs `call`, `train_step`, `test_step` and `predict_step`."""

    def __init__(self, inner=None):
        super().__init__()
        self.inner = inner or layers.Dense(1, kernel_initializer="zeros")
        self.runs = {"call": 0, "train": 0, "test": 0, "predict": 0}
        self.shapes = []

    def counts(self):
        return tuple(self.runs.values())

    def call(self, inputs, training=None):
        self.runs["call"] += 1
        self.shapes.append(tuple(inputs.shape))
        return self.inner(inputs)

    def train_step(self, data):
        self.runs["train"] += 1
        return super().train_step(data)

    def test_step(self, data):
        self.runs["test"] += 1
        return super().test_step(data)

    def predict_step(self, data):
        self.runs["predict"] += 1
        return super().predict_step(data)


def counted(inner=None, optimizer="sgd", **arguments):
    model = Counted(inner)
    model.compile(optimizer, "mse", **arguments)
    return model


def losses(history):
    return np.round(history.history["loss"], 5).tolist()


def after_epochs(function):
    return keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: function(epoch))


@pytest.mark.parametrize(
    ("batch", "arguments", "counts", "shapes"),
    [
        (
            5,
            {},
            [(2, 2, 0, 0), (2, 2, 0, 0), (3, 2, 1, 0), (4, 2, 1, 1), (5, 3, 1, 1), (5, 3, 1, 1)],
            [(5, 3)] * 4 + [(None, 3)],
        ),
        (
            8,
            {"metrics": ["mae"]},
            [(2, 2, 0, 0), (2, 2, 0, 0), (3, 2, 1, 0), (4, 2, 1, 1), (4, 2, 1, 1), (4, 2, 1, 1)],
            [(None, 3)] * 4,
        ),
        (
            5,
            {"steps_per_execution": 3},
            [(4, 4, 0, 0), (4, 4, 0, 0), (6, 4, 2, 0), (8, 4, 2, 2), (10, 6, 2, 2), (10, 6, 2, 2)],
            [(5, 3)] * 8 + [(None, 3)] * 2,
        ),
    ],
)
def test_python_runs_once_for_each_kind_of_batch(batch, arguments, counts, shapes):
    model = counted(**arguments)
    found = []
    for _ in range(2):
        model.fit(X, Y, batch, epochs=2, verbose=0)
        found.append(model.counts())
    model.evaluate(X, Y, batch, verbose=0)
    found.append(model.counts())
    model.predict(X, batch, verbose=0)
    found.append(model.counts())
    for size in (3, 7):
        model.fit(X, Y, size, verbose=0)
        found.append(model.counts())
    assert found == counts
    assert model.shapes == shapes


def test_python_runs_every_step_if_it_shall():
    model = counted(run_eagerly=True)
    model.fit(X, Y, 5, epochs=2, verbose=0)
    assert model.counts() == (8, 8, 0, 0) and model.run_eagerly
    model = counted(steps_per_execution=4, run_eagerly=True)
    history = model.fit(X, Y, 2, verbose=0, shuffle=False)
    assert model.counts() == (10, 10, 0, 0) and losses(history) == [2.20723]


def test_single_batches():
    model = counted()
    for size in (2, 2, 4):
        model.train_on_batch(X[:size], Y[:size])
    assert model.counts() == (3, 3, 0, 0)
    assert model.shapes == [(2, 3), (2, 3), (None, 3)]
    model.predict(X[:4], verbose=0)
    model.predict(X[:3], verbose=0)
    assert model.counts() == (4, 3, 0, 1)


def test_a_new_compile_traces_anew():
    model = counted()
    model.fit(X, Y, verbose=0)
    model.compile("sgd", "mae")
    for _ in range(2):
        model.fit(X, Y, verbose=0)
    assert model.counts() == (4, 4, 0, 0)


def test_train_functions_are_functions_of_iterators():
    model = counted()
    function = model.make_train_function()
    assert isinstance(function, type(tf.function(len)))
    assert model.train_function is function and model.train_tf_function is function
    iterator = iter(tf.data.Dataset.from_tensor_slices((X, Y)).batch(4))
    assert sorted(function(iterator)) == ["loss"]
    for _ in range(4):
        function(iterator)
    with pytest.raises(tf.errors.OutOfRangeError):
        function(iterator)
    assert model.counts() == (2, 2, 0, 0) and function.experimental_get_tracing_count() == 2
    assert int(model._train_counter) == int(model.optimizer.iterations) == 5


def test_the_program_may_make_the_train_function():
    class Own(Counted):
        def make_train_function(self, force=False):
            if self.train_function is None:
                self.train_function = tf.function(lambda batches: self.train_step(next(batches)))
            return self.train_function

    model = Own()
    model.compile("sgd", "mse")
    history = model.fit(X, Y, 8, epochs=2, verbose=0, shuffle=False)
    assert losses(history) == [2.78164, 2.16022]
    assert model.counts() == (2, 2, 0, 0)


def test_steps_in_a_function_of_the_program():
    model = counted()

    @tf.function
    def epoch(batches):
        total = 0.0
        for data in batches:
            total += model.train_step(data)["loss"]
        return total

    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(5)
    model(X)
    assert round(float(epoch(iter(batches))), 5) == 5.12601


# Several steps at a time.


def test_callbacks_are_called_after_several_steps():
    model = counted(steps_per_execution=4)
    seen = []
    callback = keras.callbacks.LambdaCallback(
        on_train_batch_begin=lambda batch, logs: seen.append(("begin", batch)),
        on_train_batch_end=lambda batch, logs: seen.append(("end", batch)),
    )
    callback.on_test_batch_end = lambda batch, logs: seen.append(("test", batch))
    callback.on_predict_batch_end = lambda batch, logs: seen.append(logs["outputs"].shape[0])
    history = model.fit(X, Y, 2, verbose=0, shuffle=False, callbacks=[callback])
    model.evaluate(X, Y, 2, verbose=0, callbacks=[callback])
    outputs = model.predict(X, 2, verbose=0, callbacks=[callback])
    trained = [("begin", 0), ("end", 3), ("begin", 4), ("end", 7), ("begin", 8), ("end", 9)]
    assert seen == [*trained, ("test", 3), ("test", 7), ("test", 9), 8, 8, 4]
    assert losses(history) == [2.20723] and outputs.shape == (20, 1)
    assert int(model._train_counter) == int(model.optimizer.iterations) == 10
    assert model.counts() == (8, 4, 2, 2) and int(model.steps_per_execution) == 4


def test_several_steps_need_a_known_number_of_batches():
    batches = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2).filter(lambda x, y: True)
    with pytest.raises(ValueError, match="Could not infer the size of the data"):
        counted(steps_per_execution=2).fit(batches, verbose=0)


def test_the_number_of_steps_is_found():
    model = counted(steps_per_execution="auto")
    model.fit(X, Y, 2, epochs=2, verbose=0)
    assert model.autotune_steps_per_execution and int(model.steps_per_execution) == 1
    assert model.counts() == (4, 4, 0, 0)


# Data of other kinds.


def test_generators_build_the_model_first():
    model = counted()
    for _ in range(2):
        model.fit(((X[:k], Y[:k]) for k in (4, 5, 6)), verbose=0)
    assert model.counts() == (3, 2, 0, 0)
    assert model.shapes == [(4, 3), (None, None), (None, None)]


def test_datasets_of_unknown_sizes():
    def batches():
        for k in range(0, 20, 5):
            yield X[k : k + 5], Y[k : k + 5]

    signature = tf.TensorSpec([None, 3]), tf.TensorSpec([None, None])
    dataset = tf.data.Dataset.from_generator(batches, output_signature=signature)
    model = counted(metrics=["mae"])
    history = model.fit(dataset, epochs=2, verbose=0)
    np.testing.assert_allclose(history.history["loss"], [2.689, 2.0348], atol=1e-4)
    assert model.counts() == (2, 2, 0, 0) and model.shapes == [(None, 3)] * 2


def test_ragged_batches():
    class RowSums(layers.Layer):
        def call(self, rows):
            return tf.expand_dims(tf.reduce_sum(rows, axis=1), -1)

    values = np.arange(12.0, dtype="float32") / 12
    rows = tf.RaggedTensor.from_row_lengths(values, [1, 2, 3, 2, 4])
    inner = keras.Sequential([RowSums(), layers.Dense(1, kernel_initializer="zeros")])
    model = counted(inner)
    history = model.fit(rows, Y[:5], 2, epochs=2, verbose=0, shuffle=False)
    np.testing.assert_allclose(history.history["loss"], [0.1563, 0.0956], atol=1e-4)
    assert model.counts() == (2, 2, 0, 0) and model.predict(rows, verbose=0).shape == (5, 1)


def test_sparse_batches():
    model = counted()
    sparse = tf.sparse.from_dense(X * (X > 0.3))
    history = model.fit(sparse, Y, 6, epochs=2, verbose=0, shuffle=False)
    np.testing.assert_allclose(history.history["loss"], [2.7255, 1.9437], atol=1e-4)
    assert model.counts() == (2, 2, 0, 0) and model.shapes == [(None, 3)] * 2


# What changes in the middle.


def test_the_learning_rate_may_change():
    model = counted(optimizer=keras.optimizers.SGD(0.1))

    def lower(epoch):
        model.optimizer.learning_rate = 0.1 / (epoch + 2)

    history = model.fit(X, Y, epochs=4, verbose=0, shuffle=False, callbacks=[after_epochs(lower)])
    assert losses(history) == [2.92375, 1.28116, 0.91322, 0.74335]
    assert model.counts() == (2, 2, 0, 0)


def test_layers_that_are_frozen_in_the_middle_go_on_being_trained():
    model = counted(optimizer=keras.optimizers.SGD(0.1))

    def freeze(epoch):
        model.inner.trainable = False

    history = model.fit(X, Y, epochs=4, verbose=0, shuffle=False, callbacks=[after_epochs(freeze)])
    assert losses(history) == [2.92375, 1.28116, 0.61882, 0.34846]
    assert losses(model.fit(X, Y, epochs=2, verbose=0, shuffle=False)) == [0.23502, 0.18456]
    assert model.counts() == (2, 2, 0, 0)


def test_the_train_function_may_be_replaced():
    model = counted(optimizer=keras.optimizers.SGD(0.1))
    seen = []

    def replace(epoch):
        before = model.train_function
        if epoch == 0:
            model.train_function = lambda batches: seen.append(epoch) or before(batches)
        elif epoch == 1:
            model.make_train_function(force=True)

    callbacks = [after_epochs(replace)]
    history = model.fit(X, Y, 10, epochs=4, verbose=0, shuffle=False, callbacks=callbacks)
    assert losses(history) == [2.38901, 0.48962, 0.23157, 0.18417]
    assert model.counts() == (3, 3, 0, 0) and seen == [0, 0]


# Code of the program.


def test_control_flow_of_the_program_is_converted():
    traced = []

    class Scaled(layers.Layer):
        def call(self, inputs):
            traced.append("layer")
            if tf.reduce_sum(inputs) > 1e6:
                return inputs * 2.0
            return inputs * 3.0

    def loss(y_true, y_pred):
        traced.append("loss")
        if tf.reduce_sum(y_pred) > 1e6:
            return tf.reduce_mean(y_true - y_pred)
        return tf.reduce_mean((y_true - y_pred) ** 2)

    class Batches(keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="batches")
            self.count = self.add_weight(name="count", initializer="zeros")

        def update_state(self, y_true, y_pred, sample_weight=None):
            traced.append("metric")
            if tf.reduce_sum(y_pred) > 1e6:
                self.count.assign_add(100.0)
            else:
                self.count.assign_add(1.0)

        def result(self):
            return self.count

    model = keras.Sequential([Scaled(), layers.Dense(1)])
    model.compile("sgd", loss, metrics=[Batches()])
    history = model.fit(X, Y, 4, epochs=3, verbose=0)
    assert history.history["batches"] == [5.0, 5.0, 5.0]
    assert traced.count("loss") == traced.count("metric") == 2


def test_steps_are_not_converted():
    class Choosing(keras.Model):
        def train_step(self, data):
            return {"loss": 1.0 if tf.reduce_sum(data[0]) > 0 else 2.0}

    model = Choosing()
    model.compile()
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="symbolic"):
        model.fit(X, Y, verbose=0)


def test_printing_layers(capfd):
    class Printing(layers.Layer):
        def call(self, inputs):
            print("python")
            tf.print("step")
            return inputs

    model = keras.Sequential([Printing(), layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    capfd.readouterr()
    model.fit(X, Y, 10, epochs=2, verbose=0)
    out, err = capfd.readouterr()
    assert out.count("python") == 3 and err.count("step") == 4


def test_tensors_of_a_step_have_no_value_outside():
    class Leaking(Counted):
        def train_step(self, data):
            self.kept = tf.reduce_mean(self(data[0]))
            return {"loss": self.kept}

    model = Leaking()
    model.compile()
    model.fit(X, Y, verbose=0)
    with pytest.raises(TypeError, match="out of scope"):
        model.kept + 1


def test_layers_that_need_python():
    class Doubling(layers.Layer):
        def __init__(self):
            super().__init__(dynamic=True)

        def call(self, inputs):
            return tf.constant(inputs.numpy() * 2)

        def compute_output_shape(self, input_shape):
            return input_shape

    model = keras.Sequential([Doubling()])
    model.compile()
    assert model.run_eagerly
    np.testing.assert_array_equal(model.predict(X, verbose=0), 2 * X)
    model.compile(run_eagerly=False)
    with pytest.raises(ValueError, match="dynamic=True"):
        model.predict(X, verbose=0)


def test_functions_that_run_eagerly():
    model = counted()
    assert not model.run_eagerly
    tf.config.run_functions_eagerly(True)
    try:
        assert model.run_eagerly
        model.fit(X, Y, 5, verbose=0)
    finally:
        tf.config.run_functions_eagerly(False)
    assert model.counts() == (4, 4, 0, 0)


@pytest.mark.parametrize("method", ["fit", "evaluate", "train_on_batch", "test_on_batch"])
def test_arguments_that_steps_do_not_give(method):
    class Two(keras.Model):
        def call(self, first, second, third=None):
            return first + second

    model = Two()
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match=rf"Models passed to `{method}` .*\['second'\]"):
        getattr(model, method)(X, Y)


def test_the_number_of_steps_begins_as_it_was_set():
    model = Counted()
    model.steps_per_execution = 5
    model.compile("sgd", "mse", steps_per_execution="auto")
    assert int(model.steps_per_execution) == 5 and model.autotune_steps_per_execution


def test_batches_of_other_ranks():
    class Line(keras.Model):
        def build(self, shape):
            self.slope = self.add_weight(initializer="ones", name="slope")

        def call(self, inputs):
            return inputs * self.slope

    model = Line()
    model.compile("sgd", "mse", metrics=["binary_accuracy"])
    x = X[:, 0]
    vector = model.evaluate(x, 2 * x, verbose=0)
    np.testing.assert_allclose(model.evaluate(x[:, None], 2 * x[:, None], verbose=0), vector)


def test_training_layers_of_keras_imports_no_transpiler():
    program = (
        "import sys, eagerflow as tf\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "model.fit(tf.ones([2, 1]), tf.ones([2, 1]), verbose=0)\n"
        "print('malt' in sys.modules)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"

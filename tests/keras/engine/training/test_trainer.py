"""Steps of training: replaced step functions, and the structures of batches."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


L = keras.layers


X = np.linspace(-1, 1, 32, dtype="float32").reshape(8, 4)


Y = X[:, :1] * 2


def ones(units, name=None, **kwargs):
    return L.Dense(units, kernel_initializer="ones", name=name, **kwargs)


class TestFunctionsOfSteps:
    def test_callbacks_may_replace_them(self):
        model = keras.Sequential([ones(1)])
        model.compile("sgd", "mse")
        calls = []

        class Replace(keras.callbacks.Callback):
            def replace(self, name):
                before = getattr(model, name)
                setattr(model, name, lambda batches: (calls.append(name), before(batches))[1])

            def on_train_batch_begin(self, batch, logs=None):
                if batch == 1:
                    self.replace("train_function")

            def on_predict_batch_begin(self, batch, logs=None):
                if batch == 3:
                    self.replace("predict_function")

        model.fit(X, Y, batch_size=2, verbose=0, callbacks=[Replace()])
        model.predict(X, batch_size=2, verbose=0, callbacks=[Replace()])
        assert calls == ["train_function"] * 3 + ["predict_function"]

    def test_a_step_on_one_batch_gets_a_tuple(self):
        class Sees(keras.Model):
            def call(self, x):
                return x

            def predict_step(self, data):
                assert isinstance(data, tuple) and len(data) == 1
                return data[0]

        assert Sees().predict_on_batch(X).shape == (8, 4)


class TestStructures:
    def model(self, structure):
        inputs = keras.Input((4,))
        return keras.Model(inputs, structure(ones(1)(inputs)))

    @pytest.mark.parametrize(
        ("structure", "kind"),
        [
            (lambda y: {"out": y}, dict),
            (lambda y: (y,), tuple),
            (lambda y: [y], np.ndarray),
            (lambda y: [[y]], list),
            (lambda y: [{"u": y}], dict),
        ],
    )
    def test_single_outputs_keep_what_is_around_them(self, structure, kind):
        model = self.model(structure)
        assert type(model.predict(X, verbose=0)) is kind
        assert type(model.predict_on_batch(X)) is kind
        called = model(tf.constant(X))
        assert isinstance(called, tf.Tensor if kind is np.ndarray else kind)

    def test_batches_of_inputs_alone(self):
        pack = keras.utils.pack_x_y_sample_weight
        assert pack({"a": 1}) == {"a": 1}
        assert pack([1, 2]) == [1, 2]
        assert pack((1, 2)) == ((1, 2),)
        assert pack(1) == 1 and pack([1], 2) == ([1], 2) and pack(1, None, 3) == 1

    def test_lists_of_inputs_are_no_labels(self):
        a, b = keras.Input((4,)), keras.Input((1,))
        model = keras.Model([a, b], L.Add()([ones(1)(a), b]))
        np.testing.assert_allclose(
            model.predict([X, Y], verbose=0), X.sum(1, keepdims=True) + Y, rtol=1e-5
        )

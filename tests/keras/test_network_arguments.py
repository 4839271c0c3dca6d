"""What models accept beside what their signatures say, as Keras 2 does."""

import numpy as np

import eagerflow as tf


def test_a_subclass_may_pass_itself_on():
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__(self)
            self.dense = tf.keras.layers.Dense(2)

        def call(self, inputs):
            return self.dense(inputs)

    assert Net()(tf.ones([3, 4])).shape == (3, 2)


def test_columns_may_come_as_vectors():
    number = tf.keras.Input([1], name="number")
    kind = tf.keras.Input([1], name="kind")
    joined = tf.keras.layers.concatenate([number, kind])
    model = tf.keras.Model([number, kind], tf.keras.layers.Dense(1)(joined))
    columns = {"number": tf.constant([1.0]), "kind": tf.constant([2.0])}
    assert model(columns).shape == (1, 1)
    assert model.predict(columns, verbose=0).shape == (1, 1)
    rows = {name: np.ones(5, np.float32) for name in columns}
    assert model.predict(rows, verbose=0).shape == (5, 1)

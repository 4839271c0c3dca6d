"""Subclasses of Dense that are called with sparse tensors."""

import numpy as np

import eagerflow as tf

X = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]], np.float32)
SPARSE = tf.sparse.from_dense(X)


class Own(tf.keras.layers.Dense):
    def call(self, inputs):
        assert isinstance(inputs, tf.SparseTensor)
        return tf.sparse.sparse_dense_matmul(inputs, self.kernel) + self.bias


class Inherited(tf.keras.layers.Dense):
    def call(self, inputs):
        return super().call(inputs) * 2.0


def test_their_own_call_gets_the_sparse_tensor():
    layer = Own(2, kernel_initializer="ones")
    np.testing.assert_allclose(layer(SPARSE), [[3.0, 3.0], [0.0, 0.0]])


def test_the_call_of_dense_accepts_sparse_tensors():
    layer = Inherited(2, kernel_initializer="ones", activation="relu")
    for inputs in (SPARSE, X):
        np.testing.assert_allclose(layer(inputs), [[6.0, 6.0], [0.0, 0.0]])
    np.testing.assert_allclose(tf.function(layer)(SPARSE), layer(X))

"""Matrices of scipy.sparse as data: they stay sparse."""

import numpy as np
import pytest

import eagerflow as tf

sparse = pytest.importorskip("scipy.sparse")
X = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 4.0]])


class Filled(tf.keras.layers.Layer):
    def call(self, x):
        return tf.sparse.to_dense(x, default_value=-1.0)


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix", "coo_matrix"])
def test_layers_get_sparse_tensors(kind):
    inputs = tf.keras.Input([3], sparse=True)
    model = tf.keras.Model(inputs, Filled()(inputs))
    matrix = getattr(sparse, kind)(X)
    result = model.predict(matrix, batch_size=3, verbose=0)
    np.testing.assert_array_equal(result, np.where(X == 0, -1, X))


@pytest.mark.parametrize("given", [{"sparse": True}, {}], ids=["sparse", "dense"])
def test_dense_layers_learn_the_same(given):
    def trained(x):
        model = tf.keras.Sequential(
            [tf.keras.Input([3], **given), tf.keras.layers.Dense(1, kernel_initializer="ones")]
        )
        model.compile("sgd", "mse")
        model.fit(x, np.ones([4, 1]), batch_size=2, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()[0]

    dense = X if not given else tf.sparse.from_dense(X.astype(np.float32))
    np.testing.assert_allclose(trained(sparse.csr_matrix(X)), trained(dense), rtol=1e-6)

"""`predict` of models whose outputs are sparse or ragged."""

import numpy as np

import eagerflow as tf


class Sparse(tf.keras.Model):
    def call(self, x):
        return {"sparse": tf.sparse.from_dense(x), "dense": x}


def test_batches_of_sparse_outputs_are_joined():
    x = np.eye(5, 3, dtype=np.float32)
    result = Sparse().predict(x, batch_size=2, verbose=0)
    assert isinstance(result["sparse"], tf.SparseTensor)
    np.testing.assert_array_equal(tf.sparse.to_dense(result["sparse"]).numpy(), x)
    np.testing.assert_array_equal(result["dense"], x)

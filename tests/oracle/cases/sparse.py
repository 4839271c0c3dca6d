"""Expressions of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracle import registry


def names(tf: Any) -> dict[str, Any]:
    """What the expressions are about."""
    return {
        "tf": tf,
        "np": np,
        "sp": tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]]),
        "sf": tf.sparse.from_dense([[1.0, 0, 2.0], [0, 3.0, 0]]),
        "s2": tf.sparse.from_dense([[0, 5.0, -2.0], [0, 1.0, 0]]),
        "ss": tf.SparseTensor([[0, 0], [1, 1]], ["a", "b"], [2, 3]),
        "uns": tf.SparseTensor([[1, 1], [0, 0], [0, 2]], [3.0, 1.0, 2.0], [2, 3]),
        "emp": tf.SparseTensor([[0, 0], [2, 1]], [1.0, 2.0], [4, 3]),
        "s3": tf.sparse.from_dense(np.arange(12.0).reshape(2, 3, 2) % 4),
    }


def shown(tf: Any, value: Any) -> str:
    if isinstance(value, tf.SparseTensor):
        parts = (value.indices, value.values, value.dense_shape)
        return repr(tuple(np.asarray(part).tolist() for part in parts))
    return repr(value)


def run(tf: Any, expression: str) -> str:
    """What an expression shows."""
    value = eval(expression, names(tf))
    return shown(tf, value)


EXPRESSIONS = r"""
tf.sparse.from_dense([["a",""],["","b"]])
tf.sparse.from_dense(5)
tf.sparse.to_dense(sf)
tf.sparse.to_dense(sf,default_value=9.)
tf.sparse.to_dense(ss)
tf.sparse.to_dense(uns)
tf.sparse.to_dense(uns,validate_indices=False)
tf.sparse.to_dense(tf.SparseTensor([[0,0],[0,0]],[1,2],[1,1]))
tf.sparse.to_dense(tf.SparseTensor([[0,0],[0,0]],[1,2],[1,1]),validate_indices=False)
tf.sparse.add(sf,s2)
tf.sparse.add(sf,s2,threshold=2)
tf.sparse.add(sf,tf.ones([2,3]))
tf.sparse.add(tf.ones([2,3]),sf)
tf.sparse.add(sf,tf.ones([2,1]))
tf.sparse.add(tf.ones([2]),tf.ones([2]))
tf.sparse.add(sf,sp)
tf.sparse.add(sf,emp)
tf.sparse.sparse_dense_matmul(sf,[[1.,2.],[3.,4.],[5.,6.]])
tf.sparse.sparse_dense_matmul(sf,[[1.,2.],[3.,4.]],adjoint_a=True)
tf.sparse.sparse_dense_matmul(sf,[[1.,2.,3.]],adjoint_b=True)
tf.sparse.sparse_dense_matmul([[1.,2.]],sf)
tf.sparse.sparse_dense_matmul(sf,[[1.,2.]])
tf.sparse.sparse_dense_matmul(sf,[1.,2.,3.])
tf.sparse.sparse_dense_matmul(sp,[[1],[2],[3]])
tf.sparse.concat(0,[sf,s2])
tf.sparse.concat(1,[sf,emp],expand_nonconcat_dims=True)
tf.sparse.concat(1,[sf,emp])
tf.sparse.concat(-1,[sf,s2])
tf.sparse.slice(sf,[0,1],[2,2])
tf.sparse.slice(sf,[0,1],[5,5])
tf.sparse.split(sf,num_split=2,axis=1)
tf.sparse.reorder(uns)
tf.sparse.reshape(sf,[3,2])
tf.sparse.reshape(sf,[-1])
tf.sparse.reshape(sf,[4,2])
tf.sparse.reduce_sum(sf)
tf.sparse.reduce_sum(sf,axis=1)
tf.sparse.reduce_sum(sf,axis=1,keepdims=True)
tf.sparse.reduce_sum(sf,axis=[0,1])
tf.sparse.reduce_sum(sf,axis=-1)
tf.sparse.reduce_sum(sf,axis=0,output_is_sparse=True)
tf.sparse.reduce_sum(emp,axis=1,output_is_sparse=True)
tf.sparse.reduce_max(sf,axis=1)
tf.sparse.reduce_max(emp,axis=1)
tf.sparse.reduce_max(s2,axis=0)
tf.sparse.reduce_max(emp,axis=1,output_is_sparse=True)
tf.sparse.reduce_max(s2)
tf.sparse.reduce_sum(s3,axis=[0,2])
tf.sparse.reduce_sum(sf,axis=5)
tf.sparse.retain(sf,[True,False,True])
tf.sparse.retain(sf,[True,False])
tf.sparse.reset_shape(emp)
tf.sparse.reset_shape(emp,[5,5])
tf.sparse.reset_shape(emp,[2,2])
tf.sparse.reset_shape(emp,[5])
tf.sparse.fill_empty_rows(emp,7.)
tf.sparse.fill_empty_rows(emp,7.)[0]
tf.sparse.fill_empty_rows(emp,[7.])
tf.sparse.softmax(sf)
tf.sparse.softmax(s3)
tf.sparse.transpose(sf)
tf.sparse.transpose(s3,[2,0,1])
tf.sparse.expand_dims(sf,0)
tf.sparse.expand_dims(sf)
tf.sparse.expand_dims(sf,1)
tf.sparse.expand_dims(sf,5)
tf.sparse.maximum(sf,s2)
tf.sparse.minimum(sf,s2)
tf.sparse.eye(2,3)
tf.sparse.eye(2)
tf.sparse.map_values(tf.add,sp,5)
tf.sparse.map_values(tf.add,sf,sf)
tf.sparse.map_values(tf.add,sf,s2)
tf.sparse.map_values(tf.add,1,2)
tf.sparse.to_indicator(tf.SparseTensor([[0,0],[0,1],[1,0]],[2,0,1],[2,2]),4)
tf.sparse.segment_sum([[1.,2.],[3.,4.],[5.,6.]],[0,2,1],[0,0,2])
tf.sparse.segment_sum([[1.,2.],[3.,4.],[5.,6.]],[0,2,1],[0,0,1],num_segments=4)
tf.sparse.segment_mean([[1.,2.],[3.,4.],[5.,6.]],[0,2,1],[0,0,2])
tf.sparse.segment_sqrt_n([[1.,2.],[3.,4.],[5.,6.]],[0,2,1],[0,0,2])
tf.sparse.segment_sum([[1.]],[0,1],[0,0])
tf.sparse.segment_sum([[1.],[2.]],[0,1],[1,0])
tf.sparse.bincount([1,1,3])
tf.sparse.bincount([[1,1,3],[0,2,2]],axis=-1)
tf.sparse.bincount([[1,1,3],[0,2,2]],axis=-1,binary_output=True)
tf.sparse.bincount([[1,1,3],[0,2,2]],axis=-1,weights=[[1.,2.,3.],[4.,5.,6.]])
tf.sparse.bincount([[1,1,3],[0,2,2]],axis=-1,minlength=6)
tf.sparse.bincount([[1,1,3],[0,2,2]],axis=-1,maxlength=2)
tf.sparse.bincount(tf.sparse.from_dense([[1,1,3],[0,2,2]]),axis=-1)
tf.sparse.bincount([[1,1,3],[0,2,2]])
tf.sparse.cross([tf.sparse.from_dense([['a','b'],['c','']]),tf.sparse.from_dense([['d'],['e']])])
tf.sparse.cross([tf.sparse.from_dense([['a','b'],['c','']]),tf.constant([['d'],['e']])],separator='-')
tf.sparse.cross_hashed([tf.sparse.from_dense([['a','b'],['c','']]),tf.sparse.from_dense([['d'],['e']])],num_buckets=100)
tf.sparse.cross_hashed([tf.constant([['a'],['a longer string with more than sixteen bytes']]),tf.constant([['some other string that is still longer, more than 32'],['and this one has more than sixty four bytes so that the loop is run at least once, or twice']])])
tf.sparse.cross_hashed([tf.constant([[1],[2]],tf.int64),tf.constant([[3],[4]],tf.int64)],num_buckets=1000,hash_key=7)
tf.sparse.cross([tf.constant([[1],[2]],tf.int64),tf.constant([['x'],['y']])])
tf.sparse.sampled_addmm([[0,0],[1,1]],[1.,2.],[2,2],[[1.,2.],[3.,4.]],[[1.,0.],[0.,1.]],beta=1.0,alpha=2.0)
tf.ragged.cross_hashed([tf.ragged.constant([['a'],['b','c']]),tf.ragged.constant([['d'],['e']])],num_buckets=100)
tf.ragged.cross([tf.ragged.constant([[1],[2,3]]),tf.constant([['x'],['y']])])
tf.ragged.cross([tf.ragged.constant([[1],[2,3]],dtype=tf.int64),tf.sparse.from_dense([['x'],['y']])])
"""  # noqa: E501

registry.expressions("sparse", EXPRESSIONS, run)

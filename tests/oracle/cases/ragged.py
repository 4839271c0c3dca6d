"""Expressions of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracle import registry


def names(tf: Any) -> dict[str, Any]:
    """What the expressions are about."""
    return {
        "tf": tf,
        "np": np,
        "rt": tf.ragged.constant([[1, 2], [], [3, 4, 5]]),
        "r2": tf.ragged.constant([[[1], [2, 3]], [], [[4]]]),
        "rf": tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]]),
        "ru": tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
        "rs": tf.ragged.constant([["a"], ["b", "c"]]),
        "rd": tf.RaggedTensor.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3]),
    }


def run(tf: Any, expression: str) -> str:
    """What an expression shows."""
    value = eval(expression, names(tf))
    return repr(value)


EXPRESSIONS = r"""
rt
str(rt)
r2
rs
ru
rd
tf.ragged.constant([[1.5]*30,[2]])
tf.ragged.constant([list(range(100)) for _ in range(30)])
repr(tf.ragged.constant([list(range(10)) for _ in range(10)]))
rt[0]
rt[1:]
rt[:,0]
rt[:,:1]
rt[0,1]
rt[-1]
rt[...,None]
rt[None]
rt[:,None]
r2[:,0]
r2[:,:1]
r2[0,1]
r2[0][1]
r2[:,:,0]
rt[::2]
rt[::-1]
rt[:,::2]
rt[:,::-1]
rt[:,-2:]
rt[5]
rt[0,7]
rt[rt>2]
rd[0]
rd[:,:,0]
rd[...,0]
rd[0,1]
rd[:,1:]
rt+1
1+rt
rt+rt
rt*rf
rt+tf.ragged.constant([[1],[2],[3]])
rt+[[10],[20],[30]]
rt+tf.constant([[10],[20],[30]])
rt+tf.ragged.constant([[1,2],[3],[4,5,6]])
rt/2
rt//2
rt%2
rt**2
-rt
abs(rt)
rt==rt
rt!=2
rt>2
~(rt>1)
bool(rt)
len(rt)
list(rt)
hash(rt)
rt.shape
r2.shape
rd.shape
ru.shape
rt.ragged_rank
rt.dtype
rt.values
r2.flat_values
rt.row_splits
r2.nested_row_splits
rt.row_lengths()
r2.row_lengths(axis=2)
r2.row_lengths(axis=0)
rt.value_rowids()
rt.row_starts()
rt.row_limits()
rt.nrows()
rt.bounding_shape()
r2.bounding_shape()
r2.bounding_shape(axis=1)
r2.nested_row_lengths()
r2.nested_value_rowids()
ru.uniform_row_length
rt.uniform_row_length
rt.to_tensor()
rt.to_tensor(default_value=-1)
rt.to_tensor(shape=[None,2])
rt.to_tensor(shape=[5,None])
rt.to_tensor(shape=[2,2])
r2.to_tensor()
rd.to_tensor()
rd.to_tensor(default_value=[7,8])
rt.to_list()
rt.numpy()
r2.numpy()
ru.numpy()
rt.to_sparse()
tf.RaggedTensor.from_sparse(rt.to_sparse())
tf.RaggedTensor.from_tensor([[1,2,0],[3,0,0]])
tf.RaggedTensor.from_tensor([[1,2,0],[3,0,0]],padding=0)
tf.RaggedTensor.from_tensor([[1,2,0],[3,0,0]],lengths=[2,0])
tf.RaggedTensor.from_tensor([[[1,2],[0,0]],[[3,0],[0,0]]],ragged_rank=2)
tf.RaggedTensor.from_tensor([[[1,2],[0,0]],[[3,0],[0,0]]],ragged_rank=2,padding=0)
tf.RaggedTensor.from_tensor([[[1,2],[0,0]],[[3,0],[0,0]]],lengths=([1,2],[2,1,0]))
tf.RaggedTensor.from_row_splits([1,2,3],[0,1])
tf.RaggedTensor.from_row_splits([1,2,3],[0,2,1,3])
tf.RaggedTensor.from_row_splits([1,2,3],[1,3])
tf.RaggedTensor.from_row_splits([1,2,3],[0,3],validate=False)
tf.RaggedTensor.from_row_splits([1,2,3],[])
tf.RaggedTensor.from_row_splits([1,2,3],tf.constant([0,3],tf.int32))
tf.RaggedTensor.from_value_rowids([1,2,3],[0,0,2])
tf.RaggedTensor.from_value_rowids([1,2,3],[0,0,2],nrows=5)
tf.RaggedTensor.from_value_rowids([1,2,3],[0,2,1])
tf.RaggedTensor.from_row_lengths([1,2,3],[1,0,2])
tf.RaggedTensor.from_row_lengths([1,2,3],[1,0,1])
tf.RaggedTensor.from_row_starts([1,2,3],[0,1,1])
tf.RaggedTensor.from_row_limits([1,2,3],[0,1,3])
tf.RaggedTensor.from_nested_row_splits([1,2,3],[[0,1],[0,3]])
tf.RaggedTensor.from_uniform_row_length([1,2,3],2)
tf.RaggedTensor.from_uniform_row_length([],0,nrows=3)
rt.with_values([1.,2.,3.,4.,5.])
r2.with_flat_values([1,2,3,9])
rt.with_row_splits_dtype(tf.int32).row_splits.dtype
r2.merge_dims(0,1)
r2.merge_dims(1,2)
rd.merge_dims(1,2)
r2.merge_dims(0,2)
tf.RaggedTensor([1],[1])
tf.ragged.constant([[1,2],3])
tf.ragged.constant([])
tf.ragged.constant([[]])
tf.ragged.constant(3)
tf.ragged.constant([[1,2],[3]],dtype=tf.float32)
tf.ragged.constant([[[1,2],[3,4]],[[5,6]]],ragged_rank=1)
tf.ragged.constant([[[1,2],[3,4]],[[5,6]]],inner_shape=(2,))
tf.ragged.constant([[[1,2],[3,4]],[[5,6]]])
tf.ragged.constant([[1,2],[3,4]],ragged_rank=0)
tf.ragged.constant([1,2])
tf.ragged.constant([[[],[]],[]])
tf.ragged.constant([[1,'a']])
tf.ragged.constant([np.array([1,2]),np.array([3])])
tf.ragged.constant([[],[]],dtype=tf.int32,ragged_rank=2)
tf.convert_to_tensor(rt)
tf.constant(rt)
tf.reduce_sum(rt)
tf.reduce_sum(rt,axis=0)
tf.reduce_sum(rt,axis=1)
tf.reduce_sum(rt,axis=1,keepdims=True)
tf.reduce_sum(rt,axis=[0,1])
tf.reduce_sum(r2,axis=1)
tf.reduce_sum(r2,axis=2)
tf.reduce_sum(r2,axis=0)
tf.reduce_sum(r2,axis=-1)
tf.reduce_mean(rt,axis=1)
tf.reduce_mean(rf,axis=1)
tf.reduce_mean(rf)
tf.reduce_max(rt,axis=1)
tf.reduce_max(rf,axis=1)
tf.reduce_min(rt,axis=0)
tf.reduce_prod(rt,axis=1)
tf.reduce_any(rt>2,axis=1)
tf.reduce_all(rt>2,axis=1)
tf.math.reduce_variance(rf,axis=1)
tf.math.reduce_std(rf,axis=1)
tf.math.count_nonzero(rt,axis=1)
tf.concat([rt,rt],0)
tf.concat([rt,rt],1)
tf.concat([rt,[[1],[2],[3]]],1)
tf.concat([rt,rt],axis=-1)
tf.concat([r2,r2],2)
tf.stack([rt,rt])
tf.stack([rt,rt],1)
tf.ragged.stack([rt,rt])
tf.ragged.stack([[1,2],[3]])
tf.ragged.stack([tf.constant([1,2]),tf.constant([3])],axis=0)
tf.stack([rt,rt],2)
tf.ragged.map_flat_values(tf.square,rt)
tf.ragged.map_flat_values(lambda a,b:a*b,rt,rt)
tf.ragged.map_flat_values(tf.reduce_sum,rt)
tf.ragged.boolean_mask([[1,2,3],[4,5,6]],[[True,False,True],[False,False,False]])
tf.ragged.boolean_mask(rt,tf.ragged.constant([[True,False],[],[True,True,False]]))
tf.ragged.boolean_mask(rt,[True,False,True])
tf.ragged.boolean_mask([1,2,3],[True,False,True])
tf.boolean_mask(rt,[True,False,True])
tf.ragged.range([3,5,2])
tf.ragged.range([0,5,8],[3,3,12])
tf.ragged.range([0,5,8],[3,3,12],2)
tf.ragged.range([0.,1.],[2.,3.],.5)
tf.ragged.row_splits_to_segment_ids([0,2,2,5])
tf.ragged.segment_ids_to_row_splits([0,0,2])
tf.ragged.segment_ids_to_row_splits([0,0,2],num_segments=5)
tf.ragged.stack_dynamic_partitions(['a','b','c'],[1,0,1],2)
tf.ragged.cross([tf.ragged.constant([['a'],['b','c']]),tf.ragged.constant([['d'],['e']])])
tf.ragged.cross_hashed([tf.ragged.constant([['a'],['b','c']]),tf.ragged.constant([['d'],['e']])],num_buckets=100)
tf.gather(rt,[2,0])
tf.gather(rt,[[2],[0]])
tf.gather([10,20,30,40,50,60],rt)
tf.gather(rt,tf.ragged.constant([[0],[1,2]]))
tf.gather(rt,[[0,1],[],[2]] and tf.ragged.constant([[0,1],[],[2]]),batch_dims=1)
tf.gather_nd(rt,[[0,1],[2,0]])
tf.gather_nd(rt,[[2]])
tf.expand_dims(rt,0)
tf.expand_dims(rt,1)
tf.expand_dims(rt,2)
tf.expand_dims(rt,-1)
tf.squeeze(tf.expand_dims(rt,0),[0])
tf.tile(rt,[2,1])
tf.tile(rt,[1,2])
tf.size(rt)
tf.rank(rt)
tf.reverse(rt,[1])
tf.reverse(rt,[0])
tf.where(rt>2)
tf.where(rt>2,rt,-rt)
tf.where(rt>2,rt,0)
tf.one_hot(rt,3)
tf.cast(rt,tf.float32)
tf.zeros_like(rt)
tf.ones_like(rt)
tf.identity(rt)
tf.split(rt,[1,2],0)
tf.split(rt,3)
tf.unstack(rt)
tf.reshape(rt,[5])
tf.transpose(rt)
tf.matmul(rf,rf)
tf.nn.softmax(rf)
tf.nn.relu(rf)
tf.nn.dropout(rf,0.0)
tf.clip_by_value(rt,2,4)
tf.sqrt(rf)
tf.math.maximum(rt,2)
tf.add_n([rt,rt])
tf.math.add(rt,[1])
tf.math.add(rt,tf.constant([[1,2,3]]))
tf.math.equal(rt,rt)
tf.nest.flatten(rt)
tf.is_tensor(rt)
tf.map_fn(tf.reduce_sum,rt,fn_output_signature=tf.int32)
tf.map_fn(lambda x:x+1,rt,fn_output_signature=tf.RaggedTensorSpec([None],tf.int32))
tf.RaggedTensorSpec([None,None],tf.int32).is_compatible_with(rt)
tf.RaggedTensorSpec.from_value(r2)
tf.RaggedTensorSpec([None,None],tf.int32).dtype
tf.RaggedTensorSpec([None,None])
tf.RaggedTensorSpec([None,None],ragged_rank=3)
rt.values.shape
tf.print(rt)
tf.argmax(rf,axis=1)
tf.sort(rt)
tf.math.cumsum(rt,axis=1)
tf.linalg.matmul(rf,[[1.]])
tf.ragged.constant([[1,2],[3]]).get_shape()
tf.unique(rt)
tf.concat([rt,rt],2)
tf.nn.embedding_lookup(tf.reshape(tf.range(12.),[6,2]),rt)
tf.divide(rt,2)
tf.divide(2,rt)
tf.truediv(rf,rf)
tf.bitcast(rt,tf.uint32)
tf.math.unsorted_segment_sum(rt,tf.ragged.constant([[0,0],[],[1,1,0]]),2)
tf.dynamic_partition(rt,[0,1,0],2)
tf.repeat(rt,2,axis=0)
rt.device
rt.name
rt.consumers()
rt._type_spec
np.array(rt)
tf.debugging.assert_equal(rt,rt)
tf.sequence_mask([1,2])
ru+ru
ru[0]
ru[:,0]
tf.RaggedTensor.from_row_splits(rt,[0,1,3])
tf.reduce_sum(ru,axis=1)
tf.concat([ru,ru],0).shape
"""

registry.expressions("ragged", EXPRESSIONS, run)

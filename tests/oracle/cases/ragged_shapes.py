"""Expressions of shapes of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracle import registry


def names(tf: Any) -> dict[str, Any]:
    """What the expressions are about."""
    rt = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    return {
        "tf": tf,
        "np": np,
        "D": tf.experimental.DynamicRaggedShape,
        "P": tf.experimental.RowPartition,
        "rt": rt,
        "s": tf.shape(rt),
        "r2": tf.ragged.constant([[[1], [2, 3]], [], [[4]]]),
        "ru": tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
        "rd": tf.RaggedTensor.from_row_splits([[1, 2], [3, 4], [5, 6]], [0, 2, 3]),
        "ri": tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32),
    }


def run(tf: Any, expression: str) -> str:
    """What an expression shows."""
    value = eval(expression, names(tf))
    return repr(value)


EXPRESSIONS = r"""
tf.shape(rt)
tf.shape(rt, tf.int64).dtype
(tf.shape(rt).rank, tf.shape(rt).num_row_partitions, tf.shape(rt).inner_rank, tf.shape(rt).inner_shape)
tf.shape(rt)[0]
tf.shape(rt)[1]
tf.shape(rt)[-1]
tf.shape(rt)[:1]
tf.shape(rt)[:2]
tf.shape(rt)[1:]
tf.shape(rt) == tf.shape(rt)
list(tf.shape(rt))
[tf.shape(rt).is_uniform(i) for i in range(len(rt.shape))]
tf.shape(rt).row_partitions
tf.shape(rt)._type_spec
D.from_tensor(rt)
tf.zeros(tf.shape(rt))
tf.ones(tf.shape(rt), tf.int32)
tf.fill(tf.shape(rt), 7)
tf.broadcast_to(3, tf.shape(rt))
tf.reshape(rt.flat_values, tf.shape(rt))
tf.reshape(rt, [-1])
tf.reduce_prod(tf.shape(rt))
tf.convert_to_tensor(tf.shape(rt))
tf.random.uniform(tf.shape(rt))
len(tf.shape(rt))
tf.shape(rt).static_lengths()
tf.nest.flatten(tf.shape(rt), expand_composites=True)
tf.function(lambda q: q)(tf.shape(rt))
tf.shape(r2)
tf.shape(r2, tf.int64).dtype
(tf.shape(r2).rank, tf.shape(r2).num_row_partitions, tf.shape(r2).inner_rank, tf.shape(r2).inner_shape)
tf.shape(r2)[0]
tf.shape(r2)[1]
tf.shape(r2)[-1]
tf.shape(r2)[:1]
tf.shape(r2)[:2]
tf.shape(r2)[1:]
tf.shape(r2) == tf.shape(r2)
list(tf.shape(r2))
[tf.shape(r2).is_uniform(i) for i in range(len(r2.shape))]
tf.shape(r2).row_partitions
tf.shape(r2)._type_spec
D.from_tensor(r2)
tf.zeros(tf.shape(r2))
tf.ones(tf.shape(r2), tf.int32)
tf.fill(tf.shape(r2), 7)
tf.broadcast_to(3, tf.shape(r2))
tf.reshape(r2.flat_values, tf.shape(r2))
tf.reshape(r2, [-1])
tf.reduce_prod(tf.shape(r2))
tf.convert_to_tensor(tf.shape(r2))
tf.random.uniform(tf.shape(r2))
len(tf.shape(r2))
tf.shape(r2).static_lengths()
tf.nest.flatten(tf.shape(r2), expand_composites=True)
tf.function(lambda q: q)(tf.shape(r2))
tf.shape(ru)
tf.shape(ru, tf.int64).dtype
(tf.shape(ru).rank, tf.shape(ru).num_row_partitions, tf.shape(ru).inner_rank, tf.shape(ru).inner_shape)
tf.shape(ru)[0]
tf.shape(ru)[1]
tf.shape(ru)[-1]
tf.shape(ru)[:1]
tf.shape(ru)[:2]
tf.shape(ru)[1:]
tf.shape(ru) == tf.shape(ru)
list(tf.shape(ru))
[tf.shape(ru).is_uniform(i) for i in range(len(ru.shape))]
tf.shape(ru).row_partitions
tf.shape(ru)._type_spec
D.from_tensor(ru)
tf.zeros(tf.shape(ru))
tf.ones(tf.shape(ru), tf.int32)
tf.fill(tf.shape(ru), 7)
tf.broadcast_to(3, tf.shape(ru))
tf.reshape(ru.flat_values, tf.shape(ru))
tf.reshape(ru, [-1])
tf.reduce_prod(tf.shape(ru))
tf.convert_to_tensor(tf.shape(ru))
tf.random.uniform(tf.shape(ru))
len(tf.shape(ru))
tf.nest.flatten(tf.shape(ru), expand_composites=True)
tf.shape(rd)
tf.shape(rd, tf.int64).dtype
(tf.shape(rd).rank, tf.shape(rd).num_row_partitions, tf.shape(rd).inner_rank, tf.shape(rd).inner_shape)
tf.shape(rd)[0]
tf.shape(rd)[1]
tf.shape(rd)[-1]
tf.shape(rd)[:1]
tf.shape(rd)[:2]
tf.shape(rd)[1:]
tf.shape(rd) == tf.shape(rd)
list(tf.shape(rd))
[tf.shape(rd).is_uniform(i) for i in range(len(rd.shape))]
tf.shape(rd).row_partitions
tf.shape(rd)._type_spec
D.from_tensor(rd)
tf.zeros(tf.shape(rd))
tf.ones(tf.shape(rd), tf.int32)
tf.fill(tf.shape(rd), 7)
tf.broadcast_to(3, tf.shape(rd))
tf.reshape(rd.flat_values, tf.shape(rd))
tf.reshape(rd, [-1])
tf.reduce_prod(tf.shape(rd))
tf.convert_to_tensor(tf.shape(rd))
tf.random.uniform(tf.shape(rd))
len(tf.shape(rd))
tf.shape(rd).static_lengths()
tf.nest.flatten(tf.shape(rd), expand_composites=True)
tf.function(lambda q: q)(tf.shape(rd))
tf.shape(ri)
tf.shape(ri, tf.int64).dtype
(tf.shape(ri).rank, tf.shape(ri).num_row_partitions, tf.shape(ri).inner_rank, tf.shape(ri).inner_shape)
tf.shape(ri)[0]
tf.shape(ri)[1]
tf.shape(ri)[-1]
tf.shape(ri)[:1]
tf.shape(ri)[:2]
tf.shape(ri)[1:]
tf.shape(ri) == tf.shape(ri)
list(tf.shape(ri))
[tf.shape(ri).is_uniform(i) for i in range(len(ri.shape))]
tf.shape(ri).row_partitions
tf.shape(ri)._type_spec
D.from_tensor(ri)
tf.zeros(tf.shape(ri))
tf.ones(tf.shape(ri), tf.int32)
tf.fill(tf.shape(ri), 7)
tf.broadcast_to(3, tf.shape(ri))
tf.reshape(ri.flat_values, tf.shape(ri))
tf.reshape(ri, [-1])
tf.reduce_prod(tf.shape(ri))
tf.convert_to_tensor(tf.shape(ri))
tf.random.uniform(tf.shape(ri))
len(tf.shape(ri))
tf.shape(ri).static_lengths()
tf.nest.flatten(tf.shape(ri), expand_composites=True)
tf.function(lambda q: q)(tf.shape(ri))
s[2]
s[-3]
s[::2]
s[:-1]
s[0:5]
s[:0]
s[True]
s['a']
s == D.from_lengths([3,(2,0,3)])
s == D.from_lengths([3,(2,1,2)])
s==D.from_lengths([3,2])
s==3
s!=s
s.static_lengths()
s.static_lengths(False)
D.from_lengths([3,2]).static_lengths(False)
s.with_dtype(tf.int64)
s.with_dtype(tf.int64).dtype
s.with_dtype('float32')
D.from_lengths([3,(2,0,3)]).dtype
D.from_lengths([3,(2,0,3)],dtype=tf.int32).dtype
D.from_lengths([])
D.from_lengths([2])
D.from_lengths([(1,2)])
D.from_lengths([2,(1,2),(1,2,3)])
D.from_lengths([2,(1,2),3,(1,)*9])
D.from_lengths([2,(1,2),3],num_row_partitions=2)
D.from_lengths([2,(1,2),3],num_row_partitions=0)
D.from_lengths('a')
D.from_lengths([-1])
D.from_tensor([[1,2]])
D.from_tensor(3)
D.from_row_partitions([])
D.from_row_partitions([P.from_row_lengths([2,1]),P.from_row_lengths([2,1])])
D.from_row_partitions([P.from_row_lengths([2,1],dtype='int32')]).dtype
D([P.from_row_lengths([2,1])],[3],dtype='int32').dtype
D([], [2]).dtype
D([],tf.constant([2,3],tf.int32)).dtype
D([P.from_row_lengths([2,1])],[4,4],validate=True)
D(3,[2])
D([P.from_row_lengths([2,1])],[])
D([],2)
s.inner_shape
s.inner_rank
s.num_row_partitions
s.rank
s.is_uniform(2)
s.is_uniform(-1)
D.from_lengths([2,3]).inner_shape
D.from_lengths([2,3])[1]
D.from_lengths([2,3])[1:]
D.from_lengths([2,3,4])[1:2]
D.from_lengths([2,(1,2),3])[:1]
P.from_value_rowids([0,0,2]).static_nvals
P.from_row_splits([0,2]).static_nvals
P.from_row_limits([2]).static_nvals
P.from_row_limits([2]).static_nrows
P.from_value_rowids([0,2]).static_nrows
P.from_value_rowids([0,2],nrows=4).static_nrows
P.from_uniform_row_length(2,nrows=2)
P.from_uniform_row_length(2,nrows=2).nvals()
P.from_uniform_row_length(2)
P.from_uniform_row_length(-1,nrows=2)
P.from_uniform_row_length(0,nvals=0)
P.from_uniform_row_length(3,nvals=6)._type_spec
P.from_uniform_row_length(3,nvals=6).row_splits()
P.from_row_lengths([2.0])
P.from_row_lengths([[2]])
P.from_row_lengths([2],dtype=tf.float32)
P.from_row_lengths([2]).with_dtype('int32')
P.from_row_lengths([2]).with_dtype('int32').dtype
P.from_row_lengths([2]).with_dtype('float32')
P.from_row_lengths([2])==P.from_row_lengths([2])
P.from_row_splits([0,2,3],dtype_hint='int32').dtype
P.from_row_splits(tf.constant([0,2])).dtype
P.from_row_splits([0,5],validate=False)
P.from_value_rowids([0,3],nrows=2)
P.from_row_starts([1],nvals=3)
P.from_row_starts([0,2],nvals=1)
P.from_row_limits([2,1])
P.from_row_limits([])
P.from_row_lengths([])
P.from_value_rowids([])
P.from_row_starts([],nvals=0)
P.from_row_starts([],nvals=3)
tf.zeros(s, 'int32').row_splits.dtype
tf.zeros(s, name='a')
tf.fill(s, 'a')
tf.fill(s, [1,2])
tf.ones(shape=s, dtype=tf.bool)
tf.broadcast_to(tf.constant([1.0,2.0,3.0]), s)
tf.broadcast_to(tf.constant([[1.0,2.0,3.0]]), D.from_lengths([3,2,(1,)*6]))
tf.broadcast_to(tf.ragged.constant([[1,2],[]]), D.from_lengths([3,2,(2,0)*3]))
tf.broadcast_to(tf.ragged.constant([[[1],[2]],[[3]]]), D.from_lengths([2,(2,1),4]))
tf.broadcast_to(tf.constant([[[1]]]), s)
tf.broadcast_to(3, D.from_lengths([2,2]))
tf.broadcast_to(rt, D.from_lengths([3,(2,0,3)]))
tf.broadcast_to(rt, D.from_lengths([3,(2,1,3)]))
tf.broadcast_to(rt,[2,3,None])
tf.broadcast_to(rt,[3,5])
tf.reshape([1,2,3,4,5,6], D.from_lengths([2,(1,2),2]))
tf.reshape([1,2,3,4,5], D.from_lengths([2,(1,2)]))
tf.reshape(rt, D.from_lengths([2,(1,4)]))
tf.reshape(rt, D.from_lengths([5]))
tf.reshape([[1,2],[3,4]], D.from_lengths([2,(1,3)]))
tf.reshape(rt, [5,1])
tf.reshape(rt,[3,-1])
tf.reshape(rt,[-1,None])
tf.reshape(tf.RaggedTensor.from_uniform_row_length(rt,3),[3,-1])
tf.reshape(tf.constant(3), s)
tf.broadcast_dynamic_shape(s, D.from_lengths([3,1],dtype='int32'))
tf.broadcast_dynamic_shape(s, tf.constant([1,1]))
tf.broadcast_dynamic_shape(D.from_lengths([2,3]),D.from_lengths([3]))
tf.broadcast_dynamic_shape(s,[2])
tf.broadcast_dynamic_shape(s,tf.shape(tf.ragged.constant([[1],[],[3]])))
tf.broadcast_dynamic_shape([2,3],[3])
tf.nest.map_structure(lambda x: x, s, expand_composites=True)
tf.function(lambda q: q)(s)
tf.identity(s)
tf.shape(rt)._type_spec.is_compatible_with(tf.shape(rt))
D.Spec([],tf.TensorShape([2]),tf.int64)
tf.is_tensor(s)
D.from_lengths([2,(1,2),2]).row_partitions
tf.shape(rt, tf.int64).row_partitions[0].dtype
tf.size(rt).numpy()
tf.ones_like(rt)
tf.zeros_like(rt).row_splits.dtype
tf.shape(rt).row_partitions[0].value_rowids()
tf.broadcast_to(tf.constant([[10],[20],[30]]), s)
tf.broadcast_to([1, 2], tf.shape(rd))
tf.broadcast_to(tf.constant([[10],[20]]), s)
D([], [2, 3])
D([P.from_row_lengths([2, 1])], [3, 4])
tf.zeros(D([], [2, 3]))
tf.broadcast_static_shape(rt.shape, tf.TensorShape([3, 1]))
s + s
s * 2
tf.concat([s, [2]], 0)
P.from_row_lengths([2, 0, 1]).row_splits()
P.from_row_lengths([2, 0, 1]).value_rowids()
P.from_row_lengths([2, 0, 1]).offsets_in_rows()
P.from_row_lengths([2, 0, 1]).row_starts()
P.from_row_lengths([2, 0, 1]).row_limits()
P.from_row_lengths([2, 0, 1]).nvals()
P.from_row_lengths([2, 0, 1])._type_spec
P([0, 1])
P.from_uniform_row_length(2, nvals=4).uniform_row_length()
tf.nest.flatten(P.from_row_lengths([2, 0, 1]), expand_composites=True)
"""

registry.expressions("ragged_shapes", EXPRESSIONS, run)

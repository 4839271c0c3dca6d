"""Expressions of ragged tensors of several ragged ranks."""

import functools
from typing import Any

import numpy as np

from oracle import registry

# Ragged rank, shape of the elements, and whether the innermost rows have one length by construction.
CONFIGURATIONS = {
    "rows": (1, (), False),
    "rows of vectors": (1, (2,), False),
    "rows of rows": (2, (), False),
    "rows of pairs": (2, (), True),
    "rows of rows of rows": (3, (), False),
}


def names(tf: Any, configuration: str) -> dict[str, Any]:
    """What expressions are about: ragged tensors of the same rows, and what fits them."""
    rank, inner, uniform = CONFIGURATIONS[configuration]
    rng = np.random.default_rng(list(CONFIGURATIONS).index(configuration) + 3)
    ragged_tensor = tf.RaggedTensor
    lengths, count = [], 4
    for level in range(rank):
        if uniform and level == rank - 1:
            lengths.append(None)
            count *= 2
        else:
            row = rng.integers(0, 3, count)
            row[rng.integers(0, count)] = 2
            lengths.append(row)
            count = int(row.sum())

    def ragged(flat: Any) -> Any:
        value = tf.constant(flat)
        for row in reversed(lengths):
            if row is None:
                value = ragged_tensor.from_uniform_row_length(value, 2)
            else:
                value = ragged_tensor.from_row_lengths(value, row)
        return value

    def floats(low: float = -1.0) -> Any:
        return ragged(rng.uniform(low, low + 2, (count, *inner)).round(2).astype(np.float32))

    x, y, p = floats(), floats(), floats(0.5)
    i, i2 = (ragged(rng.integers(1, 5, (count, *inner)).astype(np.int32)) for _ in range(2))
    b, b2 = (ragged(rng.random((count, *inner)) > 0.5) for _ in range(2))
    words = np.array([b"a", b"Bc", b"d e", b"12"], object)
    s = ragged(words[rng.integers(0, 4, (count, *inner))])
    columns = [4] + [1] * (len(x.shape) - 1)
    column = tf.reshape(tf.constant([0.5, -1.0, 2.0, 3.0]), columns)
    places = [[0] if length else [] for length in x.row_lengths().numpy()]

    def grad(function: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(function(x))
        return tape.gradient(total, x)

    def grad_column(function: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(column)
            total = tf.reduce_sum(function(column))
        return tape.gradient(total, column)

    found = dict(locals())
    return found | {"np": np, "R": ragged_tensor, "g": tf.ragged.constant(places, dtype=tf.int32)}


_names = functools.cache(names)


def parts(tf: Any, value: Any) -> Any:
    """A result as tensors that a case may return, with shapes and row splits."""
    if isinstance(value, (list, tuple)):
        return [parts(tf, item) for item in value]
    if isinstance(value, tf.RaggedTensor):
        splits = [part.numpy().tolist() for part in value.nested_row_splits]
        return ["ragged", str(value.shape), splits, parts(tf, value.flat_values)]
    if isinstance(value, tf.SparseTensor):
        return ["sparse", value.indices, value.values, value.dense_shape]
    return value if isinstance(value, tf.Tensor) else repr(value)


def run(tf: Any, expression: str) -> Any:
    """What an expression gives for each of the configurations; the type of what it raises."""
    results = {}
    for configuration in CONFIGURATIONS:
        try:
            value = eval(expression, dict(_names(tf, configuration)))
            results[configuration] = parts(tf, value)
        except Exception as error:
            results[configuration] = ["raised", type(error).__name__]
    return results


EXPRESSIONS = r"""
tf.abs(x)
tf.negative(x)
tf.exp(x)
tf.square(x)
tf.sqrt(p)
tf.math.log(p)
tf.math.log1p(p)
tf.sigmoid(x)
tf.tanh(x)
tf.nn.relu(x)
tf.nn.elu(x)
tf.nn.gelu(x)
tf.nn.selu(x)
tf.nn.relu6(x)
tf.nn.leaky_relu(x)
tf.nn.silu(x)
tf.nn.softsign(x)
tf.nn.softplus(x)
tf.math.erf(x)
tf.math.rsqrt(p)
tf.sign(x)
tf.round(x)
tf.floor(x)
tf.math.ceil(x)
tf.cast(x,tf.int32)
tf.cast(i,tf.float64)
tf.math.is_nan(x)
tf.ones_like(x)
tf.zeros_like(x)
tf.zeros_like(x,dtype=tf.int64)
tf.clip_by_value(x,-0.5,0.5)
tf.identity(x)
tf.stop_gradient(x)
tf.math.reciprocal(p)
tf.math.lgamma(p)
tf.math.digamma(p)
tf.saturate_cast(x,tf.int8)
tf.math.log_sigmoid(x)
tf.debugging.check_numerics(x,'m')
tf.nn.dropout(x,0.0)
tf.strings.as_string(i)
tf.strings.lower(s)
tf.strings.upper(s)
tf.strings.length(s)
tf.strings.strip(s)
tf.strings.regex_replace(s,'a','b')
tf.strings.substr(s,0,1)
tf.strings.to_hash_bucket_fast(s,10)
tf.strings.to_hash_bucket_strong(s,10,[1,2])
tf.strings.to_hash_bucket(s,10)
tf.strings.regex_full_match(s,'[a-z]+')
tf.strings.reduce_join(s,axis=-1)
tf.strings.reduce_join(s,axis=1)
tf.strings.reduce_join(s,axis=0,separator=',')
tf.strings.join([s,s],separator='-')
tf.strings.split(s)
tf.strings.bytes_split(s)
tf.strings.unicode_decode(s,'UTF-8')
tf.strings.unicode_split(s,'UTF-8')
tf.strings.unicode_transcode(s,'UTF-8','UTF-16-BE')
tf.strings.unicode_script(i)
tf.strings.ngrams(s,2)
tf.strings.format('{}',s)
tf.strings.to_number(tf.strings.as_string(i))
tf.io.encode_base64(s)
tf.bitwise.invert(i)
tf.logical_not(b)
tf.add(x,y)
x+y
x-y
x*p
x/p
x//p
x%p
x**2
2.0*x
1.0-x
x/2
x+1
-x
abs(x)
i//2
i%3
b&b
b|b2
~b
b^b2
x>y
x<=0
tf.equal(i,i2)
i==i2
i!=2
tf.maximum(x,y)
tf.minimum(x,0.0)
tf.pow(p,x)
tf.math.divide_no_nan(x,y)
tf.math.squared_difference(x,y)
tf.math.floormod(i,i2)
tf.math.atan2(x,y)
tf.logical_and(b,b2)
tf.logical_xor(b,b2)
tf.math.xlogy(p,p)
tf.complex(x,y)
tf.bitwise.bitwise_and(i,i2)
tf.bitwise.left_shift(i,i2)
tf.math.add_n([x,y,x])
tf.add_n([x,y])
tf.where(b,x,y)
tf.where(b)
tf.math.multiply_no_nan(x,y)
tf.nn.sigmoid_cross_entropy_with_logits(tf.abs(y),x)
tf.math.scalar_mul(3.0,x)
tf.math.truediv(i,i2)
tf.realdiv(x,p)
x*column
tf.math.zeta(p+1,p)
tf.reduce_sum(x)
tf.reduce_sum(x,0)
tf.reduce_sum(x,1)
tf.reduce_sum(x,-1)
tf.reduce_sum(x,[0,1])
tf.reduce_sum(x,1,keepdims=True)
tf.reduce_sum(x,0,keepdims=True)
tf.reduce_mean(x)
tf.reduce_mean(x,1)
tf.reduce_mean(x,-1,keepdims=True)
tf.reduce_mean(x,0)
tf.reduce_max(x,1)
tf.reduce_max(x,0)
tf.reduce_max(x)
tf.reduce_min(x,-1)
tf.reduce_prod(x,1)
tf.reduce_any(b,1)
tf.reduce_all(b,-1)
tf.reduce_any(b)
tf.reduce_all(b,0)
tf.math.reduce_std(x,1)
tf.math.reduce_variance(x,1)
tf.math.reduce_variance(x)
tf.reduce_mean(i,1)
tf.reduce_sum(i,0)
tf.math.reduce_euclidean_norm(x,1)
tf.math.count_nonzero(i,1)
tf.reduce_max(x,[1],keepdims=True)
tf.reduce_mean(x,[-1,0])
tf.reduce_max(i,1)
tf.reduce_min(i,1)
tf.argmax(x,1)
tf.reduce_sum(x,(1,))
tf.reduce_sum(x,[])
tf.concat([x,y],0)
tf.concat([x,y],1)
tf.concat([x,x],-1)
tf.concat([x,y,x],axis=0)
tf.concat([x],0)
tf.stack([x,y])
tf.stack([x,y],1)
tf.stack([x,y],axis=-1)
tf.expand_dims(x,0)
tf.expand_dims(x,1)
tf.expand_dims(x,-1)
tf.expand_dims(x,2)
tf.squeeze(tf.expand_dims(x,0),0)
tf.squeeze(tf.expand_dims(x,1),[1])
tf.squeeze(tf.expand_dims(x,-1),-1)
tf.tile(x,[2]+[1]*(len(x.shape)-1))
tf.tile(x,[1,2]+[1]*(len(x.shape)-2))
tf.tile(x,[1]*(len(x.shape)-1)+[2])
tf.reverse(x,[0])
tf.reverse(x,[1])
tf.reverse(x,[-1])
tf.reverse(x,[0,1])
tf.gather(x,[2,0,0])
tf.gather(x,[[1],[2]])
tf.gather(x,1)
tf.gather(x,tf.ragged.constant([[0],[],[1,2]]))
tf.gather(x,g,batch_dims=1)
tf.gather(x,g,axis=1,batch_dims=1)
tf.gather([1.,2.,3.,4.,5.,6.,7.],i)
tf.gather_nd(x,[[0],[2]])
tf.gather_nd(x,tf.ragged.constant([[[0]],[[1],[2]]],ragged_rank=1))
tf.boolean_mask(x,[True,False,True,True])
tf.ragged.boolean_mask(x,b)
tf.ragged.boolean_mask(x,[True,False,True,True])
tf.boolean_mask(x,b)
tf.split(x,2)
tf.split(x,[1,3])
tf.split(x,[1,1,2],axis=0)
tf.size(x)
tf.rank(x)
tf.size(x,tf.int64)
tf.unstack(x)
tf.shape(x)
tf.reshape(x,[-1])
tf.dynamic_partition(x,[0,1,0,1],2)
tf.dynamic_partition(x,i*0,2)
tf.one_hot(i,7)
tf.cumsum(x,1)
tf.math.cumsum(x,axis=-1)
tf.math.cumsum(x,1,exclusive=True,reverse=True)
tf.ragged.stack_dynamic_partitions(x,[0,2,0,1],3)
tf.transpose(x)
tf.roll(x,1,0)
tf.repeat(x,2,axis=0)
tf.repeat(x,2,axis=1)
tf.sort(x)
tf.pad(x,[[0,0],[1,1]])
tf.slice(x,[0,0],[1,1])
tf.unique(x)
tf.searchsorted([1,2,3],i)
tf.reverse_sequence(x,[1],1)
tf.broadcast_to(x,tf.experimental.DynamicRaggedShape.from_tensor(x))
tf.tensordot(x,x,1)
tf.ensure_shape(x,[None]*len(x.shape))
tf.zeros(tf.shape(x))
tf.ones(tf.shape(x))
tf.fill(tf.shape(x),2.5)
tf.bitcast(x,tf.int32)
tf.math.bincount(i)
tf.math.bincount(i,axis=-1)
tf.math.bincount(i,axis=-1,minlength=8)
tf.sparse.bincount(i)
tf.sparse.bincount(i,axis=-1)
tf.sparse.bincount(i,axis=-1,binary_output=True)
tf.math.bincount(i,weights=x)
tf.nn.softmax(x)
tf.nn.softmax(x,axis=-1)
tf.nn.log_softmax(x)
tf.math.unsorted_segment_sum(x,[0,0,1,1],3)
tf.math.unsorted_segment_mean(x,[2,0,1,1],3)
tf.math.unsorted_segment_max(x,[2,0,1,1],3)
tf.math.unsorted_segment_sqrt_n(x,[2,0,1,1],3)
tf.math.unsorted_segment_prod(x,i*0,1)
tf.math.unsorted_segment_sum(x,i,6)
tf.ragged.map_flat_values(tf.square,x)
tf.map_fn(lambda r: r*2,x)
tf.sets.intersection(i,i)
tf.sets.size(i)
tf.nn.ctc_loss(i,x,[1],[1])
tf.image.resize(x,[1,1])
tf.convert_to_tensor(x)
tf.edit_distance(i,i)
tf.linalg.norm(x)
tf.norm(x)
tf.math.l2_normalize(x)
tf.nn.l2_normalize(x,1)
tf.math.accumulate_n([x,y])
tf.scatter_nd([[0]],x,[5])
tf.einsum('ij->i',x)
tf.debugging.assert_equal(i,i)
tf.debugging.assert_non_negative(i)
tf.nn.bias_add(x,[1.,2.])
tf.as_string(x).dtype
tf.tensor_scatter_nd_update(x,[[0]],x)
tf.nn.top_k(x,1)
tf.math.top_k(x,1)
tf.math.confusion_matrix(i,i)
x[0]
x[1]
x[-1]
x[3]
x[4]
x[1:]
x[:2]
x[::2]
x[::-1]
x[:,:1]
x[:,1:]
x[:,-1:]
x[:,::2]
x[:,0]
x[...,0]
x[0,0]
x[0,:1]
x[...]
x[tf.newaxis]
x[:,tf.newaxis]
x[...,tf.newaxis]
x[1:3,:1]
x[tf.constant(1)]
x[:,:,:1]
x[...,:1]
x[0][0]
x[:,::-1]
x[2:1]
x[:0]
x[1:3,...,:1]
x.to_tensor()
x.to_tensor(default_value=-1.0)
x.to_tensor(shape=[5,3]+[None]*(len(x.shape)-2))
x.to_tensor(shape=[None]*len(x.shape))
s.to_tensor('z')
x.to_sparse()
x.to_list()
R.from_tensor(x.to_tensor(),padding=0.0)
R.from_tensor(x.to_tensor(),lengths=x.row_lengths())
R.from_tensor(x.to_tensor(),ragged_rank=min(2,len(x.shape)-1))
R.from_sparse(x.to_sparse())
x.bounding_shape()
x.bounding_shape(axis=1)
x.bounding_shape(axis=[0,1],out_type=tf.int32)
x.row_lengths()
x.row_lengths(axis=2)
x.row_lengths(axis=-1)
x.row_starts()
x.row_limits()
x.value_rowids()
x.nrows()
x.nested_row_lengths()
x.nested_value_rowids()
x.merge_dims(0,1)
x.merge_dims(1,2)
x.merge_dims(0,-1)
x.merge_dims(-2,-1)
x.with_values(x.values*2)
x.with_flat_values(x.flat_values*2)
x.with_row_splits_dtype(tf.int32)
x.uniform_row_length
x.values
x.consumers()
x.get_shape()
tf.ragged.row_splits_to_segment_ids(x.row_splits)
tf.type_spec_from_value(x)
tf.function(lambda q:q*2)(x)
tf.nest.flatten(x,expand_composites=True)
tf.cond(tf.constant(True),lambda:x,lambda:y)
tf.ragged.constant(x.to_list())
tf.ragged.range(i.flat_values if i.flat_values.shape.rank==1 else [1])
grad(tf.reduce_sum)
grad(lambda q: q*q)
grad(lambda q: tf.reduce_mean(q,1))
grad(lambda q: tf.reduce_max(q,1))
grad(lambda q: tf.concat([q,q*2],1)*3)
grad(lambda q: tf.concat([q,q*2],0)**2)
grad(lambda q: tf.gather(q,[2,0,0])**2)
grad(lambda q: q[:,:1]**2)
grad(lambda q: q[1]**2)
grad(lambda q: q.to_tensor()**2)
grad(lambda q: tf.reverse(q,[1])*q)
grad(lambda q: tf.stack([q,q])**2)
grad(lambda q: tf.tile(q,[2]+[1]*(len(q.shape)-1))**2)
grad(lambda q: tf.reduce_prod(q,1))
grad(lambda q: tf.reduce_sum(q,-1)**2)
grad(lambda q: tf.reduce_sum(q,0)**2)
grad(lambda q: tf.nn.softmax(q)*q)
grad(lambda q: tf.math.cumsum(q,1)**2)
grad(lambda q: tf.expand_dims(q,1)**3)
grad(lambda q: q.merge_dims(0,1)**2)
grad(lambda q: tf.boolean_mask(q,b)**2)
grad(lambda q: tf.ragged.boolean_mask(q,b)**2)
grad(lambda q: tf.split(q,2)[1]**2)
grad(lambda q: tf.reduce_sum(q*column))
grad(lambda q: tf.where(b,q,y)**2)
grad(lambda q: tf.math.reduce_variance(q,1))
grad(lambda q: tf.squeeze(tf.expand_dims(q,0),0)**2)
grad(lambda q: tf.math.unsorted_segment_sum(q,[2,0,1,1],3)**2)
grad(lambda q: tf.clip_by_value(q,-.5,.5))
grad(lambda q: tf.gather(q,g,batch_dims=1)**2)
grad_column(lambda c: x*c)
grad_column(lambda c: tf.where(b,c,x))
"""

# Values have two digits, so that sums of several of them are short of float32's precision.
registry.expressions("ragged_ranks", EXPRESSIONS, run, loose=20)

"""Static shapes of operations on arrays when those of the inputs are partly unknown."""

from oracle import registry
from oracle.static_shapes import ask

UNARY = """
abs acos acosh angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e ceil conj cos
cosh digamma erf erfc erfinv exp expm1 floor imag is_finite is_inf is_nan lgamma log log1p ndtri
negative real reciprocal rint round rsqrt sigmoid sign sin sinh softplus softsign sqrt square tan
tanh special.bessel_j0 special.bessel_j1 special.bessel_k0 special.bessel_k0e special.bessel_k1
special.bessel_k1e special.bessel_y0 special.bessel_y1 special.dawsn special.expint
special.fresnel_cos special.fresnel_sin special.spence
"""
ACTIVATIONS = "relu relu6 elu selu gelu leaky_relu silu"
BINARY = """
add subtract multiply divide truediv floordiv floormod atan2 pow maximum minimum squared_difference
multiply_no_nan divide_no_nan xdivy xlogy xlog1py equal not_equal less less_equal greater
greater_equal igamma igammac polygamma zeta
"""
INTEGERS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift"

ELEMENTWISE = """
tf.add(x(2, 3), x(2, 3))
tf.add(x(2, 1), x(1, 3))
tf.add(x(0, 1), x(1, 3))
tf.add(x(), x(2, 3))
tf.add(x(2, 3), x(4, 3))
tf.add(x(2, 3), x(4, 1, 3))
tf.equal(x(2, 3), x(4, 3))
tf.add_n([x(2, 3), x(2, 3)])
tf.add_n([x(2, 3), x(2, 3), x(2, 4)])
tf.bitwise.invert(n(2, 3))
tf.truncatediv(n(2, 3), n(3))
tf.truncatemod(n(2, 3), n(3))
tf.math.logical_and(b(2, 3), b(3))
tf.math.logical_or(b(2, 3), b(3))
tf.math.logical_xor(b(2, 3), b(3))
tf.math.logical_not(b(2, 3))
tf.math.betainc(x(2, 3), x(2, 3), x(2, 3))
tf.math.betainc(x(2, 3), x(), x(2, 3))
tf.math.betainc(x(2, 3), x(), x(2, 4))
tf.math.real(z(2, 3))
tf.math.imag(z(2, 3))
tf.abs(z(2, 3))
tf.math.angle(z(2, 3))
tf.complex(x(2, 1), x(1, 3))
tf.complex(x(2, 3), x(4))
tf.cast(x(2, 3), 'int32')
tf.identity(x(2, 3))
tf.stop_gradient(x(2, 3))
tf.where(b(2, 3), x(2, 3), x(2, 3))
tf.where(b(2, 1), x(3), x())
tf.where(b(2), x(3), x(3))
tf.clip_by_value(x(2, 3), x(), x())
tf.clip_by_value(x(2, 3), x(3), x(2, 3))
tf.clip_by_value(x(3), x(2, 3), x())
raw('ReluGrad', x(2, 3), x(2, 3))
raw('ReluGrad', x(2, 3), x(2, 4))
raw('Relu6Grad', x(2, 3), x(2, 3))
raw('LeakyReluGrad', x(2, 3), x(2, 3))
raw('EluGrad', x(2, 3), x(2, 3))
raw('SeluGrad', x(2, 3), x(2, 3))
raw('SoftplusGrad', x(2, 3), x(2, 3))
raw('SoftsignGrad', x(2, 3), x(2, 3))
raw('IgammaGradA', x(2, 3), x(3))
raw('RandomGammaGrad', x(2, 3), x(3))
"""

SHAPES = """
tf.shape(x(2, 3))
tf.ensure_shape(x(2, 3), [2, None])
tf.ensure_shape(x(2, 3), [None, 3])
tf.ensure_shape(x(2, 3), [2, 4])
tf.ensure_shape(x(2, 3), [2])
tf.reshape(x(2, 3), [0, -1])
tf.reshape(x(2, 3), [-1, 0])
tf.reshape(x(2, 3), [3, 2])
tf.reshape(x(2, 3), [-1])
tf.reshape(x(2, 3), [3, -1])
tf.reshape(x(2, 3), [4, -1])
tf.reshape(x(2, 3), [4, 2])
tf.reshape(x(0, 3), [0, 5])
tf.reshape(x(), [1, -1])
tf.reshape(x(2, 3, 4), [-1, 12])
tf.reshape(x(2, 3, 4), [6, -1, 2])
tf.reshape(x(2, 3), [])
tf.transpose(x(2, 3))
tf.transpose(x(2, 3, 4), [2, 0, 1])
tf.transpose(x(2, 3), [1, 0, 2])
tf.transpose(x(2, 3), [1, 2])
tf.transpose(x(2, 3, 4), [-1, 0, 1])
tf.expand_dims(x(2, 3), 0)
tf.expand_dims(x(2, 3), 1)
tf.expand_dims(x(2, 3), -1)
tf.expand_dims(x(2, 3), 3)
tf.expand_dims(x(), 0)
tf.squeeze(x(1, 3, 1))
tf.squeeze(x(1, 3, 1), [0])
tf.squeeze(x(1, 3, 1), [-1, 0])
tf.squeeze(x(1, 3, 1), [1])
tf.squeeze(x(1, 3, 1), [3])
tf.broadcast_to(x(3), [2, 3])
tf.broadcast_to(x(2, 1), [2, 3])
tf.broadcast_to(x(2, 4), [2, 3])
tf.broadcast_to(x(1, 2, 3), [2, 3])
tf.tile(x(2, 3), [2, 1])
tf.tile(x(2, 3), [2])
tf.tile(x(2, 3), [2, 0])
tf.reverse(x(2, 3), [0])
tf.reverse(x(2, 3), [-1, 0])
tf.reverse(x(2, 3), [2])
tf.reverse(x(2, 3), [1, 1])
tf.reverse(x(2, 3), [1, -1])
"""

CREATION = """
tf.fill([2, 3], x())
tf.fill([2, 3], x(1))
tf.zeros_like(x(2, 3))
tf.ones_like(x(2, 3), 'int32')
tf.range(n())
tf.range(n(), n(), n())
tf.range(x(2))
tf.linspace(x(), x(), 5)
tf.linalg.band_part(x(2, 3), 1, 0)
tf.linalg.band_part(x(2, 3), -1, 2)
tf.linalg.diag(x(2, 3))
tf.linalg.diag(x(3), num_rows=4)
tf.linalg.diag(x(3), num_rows=2)
tf.linalg.diag(x())
tf.linalg.diag_part(x(2, 3))
tf.linalg.diag_part(x(4, 2, 3))
tf.linalg.diag_part(x(2, 3), k=1)
tf.linalg.diag_part(x(2, 3), k=-1)
tf.linalg.diag_part(x(2, 3), k=3)
tf.linalg.diag_part(x(3))
"""

INDEXING = """
tf.gather(x(5, 3), n(2))
tf.gather(x(5, 3), n())
tf.gather(x(5, 3), n(2, 4))
tf.gather(x(5, 3), n(2, 4), axis=1)
tf.gather(x(5, 3), n(2, 4), axis=-1)
tf.gather(x(5, 3), n(2, 4), axis=2)
tf.gather(x(5, 3), n(2, 4), axis=-3)
tf.gather(x(5, 3), n(5, 4), batch_dims=3)
tf.gather(x(), n(2))
tf.gather_nd(x(5, 3), n(2, 1))
tf.gather_nd(x(5, 3), n(2, 2))
tf.gather_nd(x(5, 3), n(2, 4, 2))
tf.gather_nd(x(5, 3), n(2))
tf.gather_nd(x(5, 3), n(2, 3))
tf.gather_nd(x(5, 3), n())
tf.scatter_nd(n(4, 1), x(4, 3), [5, 3])
tf.scatter_nd(n(4, 2), x(4), [5, 3])
tf.scatter_nd(n(4, 2), x(4, 3), [5, 3])
tf.scatter_nd(n(), x(4), [5, 3])
tf.tensor_scatter_nd_update(x(5, 3), n(4, 1), x(4, 3))
tf.tensor_scatter_nd_update(x(5, 3), n(4, 2), x(4))
tf.tensor_scatter_nd_add(x(5, 3), n(4, 1), x(4, 3))
tf.tensor_scatter_nd_sub(x(5, 3), n(4, 1), x(4, 3))
tf.tensor_scatter_nd_max(x(5, 3), n(4, 1), x(4, 3))
tf.tensor_scatter_nd_min(x(5, 3), n(4, 1), x(4, 3))
tf.math.unsorted_segment_sum(x(4, 3), n(4), 5)
tf.math.unsorted_segment_sum(x(4, 3), n(4, 3), 5)
tf.math.unsorted_segment_sum(x(4, 3), n(2), 5)
tf.math.unsorted_segment_sum(x(4), n(4, 2), 5)
tf.one_hot(n(2, 3), 4)
tf.one_hot(n(2, 3), 4, axis=0)
tf.one_hot(n(2, 3), 4, axis=1)
tf.one_hot(n(), 4)
tf.one_hot(n(2), 4, x(), x())
tf.where(b(2, 3))
tf.where(b())
raw('Where', b(2, 3))
"""

SORTING = """
tf.sort(x(2, 3))
tf.sort(x(2, 3), 0)
tf.sort(x(2, 3), 2)
tf.argsort(x(2, 3))
tf.argsort(x(2, 3), 0, 'DESCENDING')
tf.math.top_k(x(2, 3), 2)
tf.math.top_k(x(2, 3), 4)
tf.math.top_k(x(), 1)
tf.math.in_top_k(n(4), x(4, 3), 2)
tf.math.in_top_k(n(5), x(4, 3), 2)
tf.math.in_top_k(n(4), x(4), 2)
tf.math.in_top_k(n(4, 1), x(4, 3), 2)
tf.math.invert_permutation(n(4))
tf.math.invert_permutation(n(4, 1))
tf.reverse_sequence(x(2, 3), n(2), seq_axis=1)
tf.reverse_sequence(x(2, 3), n(3), seq_axis=0, batch_axis=1)
tf.reverse_sequence(x(2, 3), n(3), seq_axis=1)
tf.reverse_sequence(x(2, 3), n(2), seq_axis=2)
tf.reverse_sequence(x(2, 3), n(2, 1), seq_axis=1)
tf.dynamic_partition(x(4, 3), n(4), 2)
tf.dynamic_partition(x(4, 3), n(4, 3), 2)
tf.dynamic_partition(x(4, 3), n(2), 2)
"""

SLICING = """
tf.slice(x(4, 5), [1, 2], [2, 3])
tf.slice(x(4, 5), [1, 2], [-1, 3])
tf.slice(x(4, 5), [1, 2], [-1, -1])
tf.slice(x(4, 5), [0, 0], [-2, 1])
tf.slice(x(4, 5), [1], [2])
x(4, 5)[1]
x(4, 5)[-1]
x(4, 5)[4]
x(4, 5)[-5]
x(4, 5)[1:3]
x(4, 5)[1:]
x(4, 5)[:-1]
x(4, 5)[:3]
x(4, 5)[::2]
x(4, 5)[1::2]
x(4, 5)[::-1]
x(4, 5)[2:0:-1]
x(4, 5)[-3:-1]
x(4, 5)[1:-1]
x(4, 5)[-2:1]
x(4, 5)[3:1]
x(4, 5)[:0]
x(4, 5)[0:0]
x(4, 5)[2:2]
x(4, 5)[-2:-2]
x(4, 5)[-2:-4]
x(4, 5)[:, 1]
x(4, 5)[..., 1]
x(4, 5)[..., 1:3]
x(4, 5)[..., -1:]
x(4, 5)[...]
x(4, 5)[:, None]
x(4, 5)[None]
x(4, 5)[..., None]
x(4, 5)[None, ..., 1, None]
x(4, 5)[:, :]
x(4, 5)[1, 2]
x(4, 5)[1, 2, 3]
x(4, 5)[1, :, 3]
x(4, 5, 6)[:, ..., 2:4]
x(4, 5, 6)[1, ..., None]
x()[0]
x()[...]
x()[None]
tf.pad(x(2, 3), [[1, 2], [0, 3]])
tf.pad(x(2, 3), [[1, 1]])
tf.pad(x(2, 3), [[1, 1], [-1, 1]])
tf.pad(x(2, 3), [[1, 1], [2, 2]], 'REFLECT')
tf.pad(x(2, 3), [[2, 2], [3, 3]], 'SYMMETRIC')
raw('MirrorPadGrad', x(7, 6), paddings=[[1, 2], [2, 1]], mode='REFLECT', ours={'paddings': [1, 2, 2, 1]})
raw('MirrorPadGrad', x(5, 6), paddings=[[1, 2]], mode='REFLECT', ours={'paddings': [1, 2]})
"""

JOINING = """
tf.concat([x(2, 3), x(4, 3)], 0)
tf.concat([x(2, 3), x(2, 4)], -1)
tf.concat([x(2, 3), x(4, 3), x(1, 3)], 0)
tf.concat([x(2, 3), x(2, 4)], 0)
tf.concat([x(2, 3), x(2)], 0)
tf.concat([x(2, 3), x(2, 3)], 2)
tf.concat([x(), x()], 0)
tf.concat([x(2, 3)], 0)
tf.stack([x(2, 3), x(2, 3)])
tf.stack([x(2, 3), x(2, 3)], 1)
tf.stack([x(2, 3), x(2, 3)], -1)
tf.stack([x(), x(), x()])
tf.stack([x(2, 3), x(2, 4)])
tf.stack([x(2, 3), x(2, 3)], 3)
tf.unstack(x(2, 3))
tf.unstack(x(2, 3), axis=1)
tf.unstack(x(2, 3), axis=-1)
tf.unstack(x(2, 3), 2)
tf.unstack(x(2, 3), 3)
tf.unstack(x(2, 3), 3, axis=1)
tf.unstack(x(2, 3), axis=2)
tf.unstack(x())
tf.split(x(6, 3), 3)
tf.split(x(6, 3), 4)
tf.split(x(2, 6), 2, axis=1)
tf.split(x(2, 6), 2, axis=-1)
tf.split(x(2, 6), [1, 5], axis=1)
tf.split(x(2, 6), [1, -1], axis=1)
tf.split(x(2, 6), [1, 4], axis=1)
tf.split(x(2, 6), [1, 5], axis=2)
"""

REDUCTIONS = """
tf.reduce_sum(x(2, 3))
tf.reduce_sum(x(2, 3), 0)
tf.reduce_sum(x(2, 3), -1)
tf.reduce_sum(x(2, 3), [0, 1])
tf.reduce_sum(x(2, 3), [])
tf.reduce_sum(x(2, 3), 2)
tf.reduce_sum(x(2, 3), keepdims=True)
tf.reduce_sum(x(2, 3), 1, True)
tf.reduce_sum(x(2, 3, 4), [0, 2])
tf.reduce_sum(x(2, 3, 4), [-1, 0], True)
tf.reduce_mean(x(2, 3), 0)
tf.reduce_mean(x(2, 3))
tf.reduce_prod(x(2, 3), 0)
tf.reduce_max(x(2, 3), 0)
tf.reduce_min(x(2, 3), 0)
tf.reduce_all(b(2, 3), 0)
tf.reduce_any(b(2, 3), 0)
tf.argmax(x(2, 3))
tf.argmax(x(2, 3), 1)
tf.argmax(x(2, 3), -1)
tf.argmax(x(2, 3), 2)
tf.argmin(x(2, 3), 1, 'int32')
tf.cumsum(x(2, 3))
tf.cumsum(x(2, 3), 1)
tf.math.cumprod(x(2, 3), -1)
tf.nn.l2_loss(x(2, 3))
"""

PRODUCTS = """
tf.matmul(x(2, 3), x(3, 4))
tf.matmul(x(2, 3), x(4, 3), transpose_b=True)
tf.matmul(x(3, 2), x(3, 4), transpose_a=True)
tf.matmul(x(2, 3), x(4, 3), adjoint_b=True)
tf.matmul(x(2, 3), x(4, 3))
tf.matmul(x(5, 2, 3), x(5, 3, 4))
tf.matmul(x(5, 2, 3), x(3, 4))
tf.matmul(x(2, 3), x(5, 3, 4))
tf.matmul(x(5, 1, 2, 3), x(6, 3, 4))
tf.matmul(x(5, 2, 3), x(5, 4, 3), transpose_b=True)
tf.matmul(x(5, 2, 3), x(6, 3, 4))
tf.matmul(x(5, 2, 3), x(5, 2, 3))
tf.matmul(x(3), x(3, 4))
tf.matmul(x(3), x(3))
tf.nn.softmax(x(2, 3))
tf.nn.softmax(x())
tf.nn.log_softmax(x(2, 3))
tf.nn.bias_add(x(2, 3), x(3))
tf.nn.bias_add(x(2, 3, 4), x(4))
tf.nn.bias_add(x(2, 3, 4, 5), x(3), data_format='NCHW')
tf.nn.bias_add(x(2, 3), x(4))
tf.nn.bias_add(x(3), x(3))
tf.nn.bias_add(x(2, 3), x(1, 3))
raw('BiasAddGrad', x(2, 3))
raw('BiasAddGrad', x(2, 3, 4, 5), data_format='NCHW')
raw('BiasAddGrad', x(3))
"""

RANDOM = """
tf.random.uniform([2, 3])
raw('Multinomial', x(2, 3), 4, ours={'dtype': tf.int64, 'key': 1, 'counter_low': 0, 'counter_high': 0})
raw('Multinomial', x(2), 4, ours={'dtype': tf.int64, 'key': 1, 'counter_low': 0, 'counter_high': 0})
"""

ARGUMENTS = """
tf.reshape(x(2, 3), v(3, 2))
tf.reshape(x(2, 3), v(3, -1))
tf.reshape(x(2, 3), v(-1))
tf.reshape(x(2, 3), v(4, 2))
tf.reshape(x(2, 3, 4), v(2, 3, 4))
tf.broadcast_to(x(3), v(2, 3))
tf.broadcast_to(x(2, 1), v(2, 3))
tf.tile(x(2, 3), v(2, 1))
tf.reverse(x(2, 3), v(0))
tf.fill(v(2, 3), x())
tf.zeros(v(2, 3))
tf.ones(v(2, 3))
tf.range(k(5))
tf.range(k(1), k(9), k(2))
tf.linspace(x(), x(), k(5))
tf.eye(k(2))
tf.eye(k(2), k(3))
tf.eye(k(2), batch_shape=v(4, 5))
tf.linalg.band_part(x(2, 3), k(1), k(0))
tf.gather(x(5, 3), n(2, 4), axis=k(1))
tf.scatter_nd(n(4, 1), x(4, 3), v(5, 3))
tf.math.unsorted_segment_sum(x(4, 3), n(4), k(5))
tf.one_hot(n(2, 3), k(4))
tf.one_hot(n(2, 3), k(4), axis=0)
tf.math.top_k(x(2, 3), k(2))
tf.math.in_top_k(n(4), x(4, 3), k(2))
tf.slice(x(4, 5), v(1, 2), v(2, 3))
x(4, 5)[k(1)]
x(4, 5)[k(1):k(3)]
x(4, 5)[:k(2)]
x(4, 5)[k(1):]
x(4, 5)[..., k(1)]
x(4, 5)[k(1), k(2)]
tf.pad(x(2, 3), [v(1, 2), v(0, 3)])
tf.pad(x(2, 3), [v(1, 1), v(1, 1)], 'REFLECT')
tf.concat([x(2, 3), x(4, 3)], k(0))
tf.split(x(6, 3), 3, k(0))
tf.reduce_sum(x(2, 3), v(0), True)
tf.argmax(x(2, 3), k(1))
tf.cumsum(x(2, 3), k(1))
tf.random.uniform(v(2, 3))
raw('Multinomial', x(2, 3), k(4), ours={'dtype': tf.int64, 'key': 1, 'counter_low': 0, 'counter_high': 0})
"""

# What is better than TensorFlow's, by the reason why.
BETTER = {
    "what no sizes can make right is refused at once": """
tf.reshape(x(2, 3), [-1, -1])
tf.transpose(x(2, 3), [1, 1])
tf.tile(x(2, 3), [2, -1])
tf.linalg.band_part(x(4, 2, 3), 3, 0)
tf.linalg.band_part(x(3), 1, 0)
tf.gather(x(5, 3), n(6, 4), batch_dims=1)
tf.gather(x(5, 3, 2), n(5, 3, 2), batch_dims=2, axis=1)
tf.gather_nd(x(), n(2))
tf.scatter_nd(n(4, 3), x(4), [5, 3])
tf.tensor_scatter_nd_update(x(5, 3), n(4, 2), x(3))
tf.tensor_scatter_nd_update(x(5, 3), n(4, 3), x(4))
tf.one_hot(n(2, 3), 4, axis=3)
tf.searchsorted(x(2, 3), x(5, 4))
tf.reverse_sequence(x(2, 3), n(2), seq_axis=0)
tf.slice(x(4, 5), [1, 2], [2, 4])
tf.slice(x(4, 5), [5, 0], [0, 1])
tf.slice(x(4, 5), [-1, 0], [1, 1])
raw('MirrorPadGrad', x(5, 6), paddings=[[1, 2], [4, 4]], mode='REFLECT', ours={'paddings': [1, 2, 4, 4]})
tf.reduce_sum(x(2, 3), [0, 0])
tf.reduce_sum(x(2, 3), [0, -2])
tf.argmax(x())
tf.cumsum(x(2, 3), 2)
""",
    "inputs whose sizes are the same tell of each other": """
raw('TanhGrad', x(2, 3), x(2, 3))
raw('SigmoidGrad', x(2, 3), x(2, 3))
raw('SqrtGrad', x(2, 3), x(2, 3))
raw('RsqrtGrad', x(2, 3), x(2, 3))
raw('ReciprocalGrad', x(2, 3), x(2, 3))
tf.gather(x(5, 3), n(5, 4), batch_dims=1)
tf.gather(x(5, 3, 2), n(5, 4), batch_dims=1, axis=2)
tf.gather(x(5, 3, 2), n(5, 4), batch_dims=-1, axis=-1)
tf.searchsorted(x(2, 3), x(2, 4))
tf.searchsorted(x(3), x(4))
""",
    "an unknown size that broadcasts to a known one above 1 becomes it": """
tf.linspace(x(2), x(2), k(5), axis=1)
tf.linspace(x(2, 3), x(2, 3), 5)
tf.linspace(x(2, 3), x(2, 3), 5, axis=1)
tf.linspace(x(2, 3), x(2, 3), 5, axis=-1)
""",
    "only vectors have distinct elements": """
tf.unique(x(4, 2))
tf.unique_with_counts(x(4))
""",
    "a number that is known tells, though others of its list are not": """
tf.transpose(x(2, 3, 4), v(2, 0, 1))
tf.slice(x(4, 5), v(1, 2), v(-1, 3))
tf.strided_slice(x(4, 5), v(1, 0), v(3, 2))
tf.split(x(6, 3), v(2, 4))
""",
    "the rank does not depend on which axis it is": """
tf.expand_dims(x(2, 3), k(1))
tf.expand_dims(x(2, 3), k(5))
tf.reduce_sum(x(2, 3), v(0))
tf.reduce_sum(x(2, 3), k(0))
tf.reduce_sum(x(2, 3), v(0, 1))
x(4, 5)[::k(2)]
""",
    "a number tells of one diagonal, whichever it is": """
tf.linalg.diag_part(x(2, 3), k=k(1))
""",
    "-1 beside a 0 is the product of the other sizes, as when it runs": """
tf.reshape(x(0, 3), [0, -1])
""",
    "TensorFlow takes an unknown length or number of rows for a number": """
tf.linalg.diag(x(3), k=k(1))
tf.linalg.diag(x(3), num_rows=k(4))
tf.linalg.diag(x(3), k=1)
tf.linalg.diag(x(3), k=-2)
tf.linalg.diag(x(3), num_rows=4, num_cols=3)
""",
}

registry.expressions(
    "partial_shapes", "\n".join(f"tf.math.{name}(x(2, 3))" for name in UNARY.split()), ask
)
registry.expressions(
    "partial_shapes", "\n".join(f"tf.nn.{name}(x(2, 3))" for name in ACTIVATIONS.split()), ask
)
registry.expressions(
    "partial_shapes", "\n".join(f"tf.math.{name}(x(2, 3), x(3))" for name in BINARY.split()), ask
)
registry.expressions(
    "partial_shapes",
    "\n".join(f"tf.bitwise.{name}(n(2, 3), n(3))" for name in INTEGERS.split()),
    ask,
)
for lines in (
    ELEMENTWISE,
    SHAPES,
    CREATION,
    INDEXING,
    SORTING,
    SLICING,
    JOINING,
    REDUCTIONS,
    PRODUCTS,
    RANDOM,
    ARGUMENTS,
):
    registry.expressions("partial_shapes", lines, ask)
for reason, lines in BETTER.items():
    registry.expressions("partial_shapes", lines, ask, better=reason)

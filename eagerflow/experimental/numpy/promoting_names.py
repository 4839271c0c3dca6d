"""The functions that promote dtypes as operators do, or pass the weakness of a tensor on.

TensorFlow was asked about each function that both have, and TensorFlow's answers are this list.
"""

# The result is weak if the first argument is.
UNARY = """
abs acos acosh asin asinh atan atanh cos cosh exp expand_dims floor identity ones_like
reduce_max reduce_mean reduce_min reduce_prod reduce_sum reshape round sigmoid sign sin sinh sqrt
square squeeze stop_gradient tan tanh transpose zeros_like
math.angle math.ceil math.conj math.digamma math.erf math.erfc math.erfcinv math.erfinv math.expm1
math.imag math.lgamma math.log math.log1p math.log_sigmoid math.ndtri math.negative math.real
math.reciprocal math.reciprocal_no_nan math.reduce_euclidean_norm math.reduce_logsumexp
math.reduce_std math.reduce_variance math.rint math.rsqrt math.softplus
math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.special.bessel_j0
math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1
math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn
math.special.expint math.special.fresnel_cos math.special.fresnel_sin math.special.spence
nn.gelu nn.leaky_relu nn.log_softmax nn.relu6 nn.scale_regularization_loss nn.silu
linalg.diag linalg.diag_part linalg.matrix_transpose linalg.tensor_diag_part linalg.trace
debugging.check_numerics
"""

# The first two arguments are promoted.
BINARY = """
add divide multiply pow realdiv scalar_mul subtract truediv truncatediv truncatemod
math.divide_no_nan math.floordiv math.floormod math.multiply_no_nan linalg.matmul linalg.matvec
"""

# They are promoted, and the result is never weak.
BINARY_STRONG = """
equal maximum minimum nn.log_poisson_loss nn.sigmoid_cross_entropy_with_logits
nn.softmax_cross_entropy_with_logits tensordot
"""

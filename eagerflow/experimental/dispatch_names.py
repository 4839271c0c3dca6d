"""The functions of corresponding elements that programs can define for types of their own."""

UNARY = """
zeros_like ones_like debugging.check_numerics math.abs math.softplus math.sign math.real math.imag
math.angle math.round cast dtypes.saturate_cast math.sigmoid math.log_sigmoid math.conj
math.reciprocal_no_nan math.erfinv math.ndtri math.erfcinv math.ceil math.sqrt math.exp math.rsqrt
math.acos math.floor bitwise.invert math.acosh math.asin math.asinh math.atan math.atanh math.cos
math.cosh math.digamma math.erf math.erfc math.expm1 math.is_finite math.is_inf math.is_nan
math.lgamma math.log math.log1p math.logical_not math.negative math.nextafter math.reciprocal
math.rint math.sin math.sinh math.square math.tan math.tanh nn.relu6 nn.leaky_relu nn.gelu nn.elu
nn.relu nn.selu nn.softsign strings.regex_full_match strings.regex_replace strings.length
strings.substr strings.to_number strings.to_hash_bucket strings.as_string io.decode_base64
io.encode_base64 strings.lower strings.upper strings.unicode_transcode strings.strip
strings.to_hash_bucket_fast strings.to_hash_bucket_strong strings.unicode_script
math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin
math.special.spence math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e
math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_y0 math.special.bessel_y1
clip_by_value nn.silu image.random_brightness image.stateless_random_brightness
image.adjust_brightness image.adjust_gamma image.convert_image_dtype io.decode_compressed
"""

BINARY = """
math.divide math.multiply math.subtract math.scalar_mul math.pow dtypes.complex math.truediv
math.divide_no_nan math.multiply_no_nan math.floordiv math.logical_xor math.equal math.not_equal
math.add math.xdivy math.xlog1py bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor
bitwise.left_shift bitwise.right_shift math.atan2 math.floormod math.greater math.greater_equal
math.less math.less_equal math.logical_and math.logical_or math.maximum math.minimum realdiv
math.squared_difference truncatediv truncatemod math.xlogy math.zeta
nn.sigmoid_cross_entropy_with_logits
"""

BINARY_ASSERT = """
debugging.assert_equal debugging.assert_none_equal debugging.assert_near debugging.assert_less
debugging.assert_less_equal debugging.assert_greater debugging.assert_greater_equal
"""

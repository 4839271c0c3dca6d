"""The functions of the operation table; `python tools/op_stubs.py` writes this file from it."""

from collections.abc import Sequence

from eagerflow._core import Tensor
from eagerflow.typing import Axes, DTypeLike, ShapeLike, Size, TensorLike

def abs(x: TensorLike, name: str | None = None) -> Tensor: ...
def acos(x: TensorLike, name: str | None = None) -> Tensor: ...
def acosh(x: TensorLike, name: str | None = None) -> Tensor: ...
def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def add_n(inputs: Sequence[TensorLike] | TensorLike, name: str | None = None) -> Tensor: ...
def angle(input: TensorLike, name: str | None = None) -> Tensor: ...
def argmax(
    input: TensorLike,
    axis: Size | None = None,
    output_type: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor: ...
def argmin(
    input: TensorLike,
    axis: Size | None = None,
    output_type: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor: ...
def argsort(
    values: TensorLike, axis: Size = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor: ...
def asin(x: TensorLike, name: str | None = None) -> Tensor: ...
def asinh(x: TensorLike, name: str | None = None) -> Tensor: ...
def atan(x: TensorLike, name: str | None = None) -> Tensor: ...
def atan2(y: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def atanh(x: TensorLike, name: str | None = None) -> Tensor: ...
def attention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    mask: TensorLike | None = None,
    scale: float = 1.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def attention_grad(
    dy: TensorLike,
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    result: TensorLike,
    kept: TensorLike,
    mask: TensorLike | None = None,
    scale: float = 1.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def avg_pool(
    value: TensorLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def avg_pool_grad(
    grad: TensorLike,
    shape: ShapeLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def base64_decode(input: TensorLike, name: str | None = None) -> Tensor: ...
def base64_encode(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor: ...
def batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    epsilon: float = 0.001,
    axis: Size = -1,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def batch_norm_grad(
    dy: TensorLike,
    x: TensorLike,
    scale: TensorLike,
    mean: TensorLike,
    inverse: TensorLike,
    axis: Size = -1,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def batch_norm_inference(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    epsilon: float = 0.001,
    axis: Size = -1,
    name: str | None = None,
) -> Tensor: ...
def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor: ...
def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor: ...
def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def bias_add(
    value: TensorLike, bias: TensorLike, data_format: str = "NHWC", name: str | None = None
) -> Tensor: ...
def bias_add_grad(dy: TensorLike, data_format: str = "NHWC", name: str | None = None) -> Tensor: ...
def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor: ...
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def broadcast_to(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor: ...
def bytes_string(x: TensorLike, prefix: TensorLike, name: str | None = None) -> Tensor: ...
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor: ...
def ceil(x: TensorLike, name: str | None = None) -> Tensor: ...
def cholesky_factor(input: TensorLike, name: str | None = None) -> Tensor: ...
def cholesky_factor_grad(factor: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor: ...
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor: ...
def cofactors(input: TensorLike, name: str | None = None) -> Tensor: ...
def cofactors_grad(input: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor: ...
def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor: ...
def concat(
    values: Sequence[TensorLike] | TensorLike, axis: Size, name: str | None = None
) -> Tensor: ...
def conj(x: TensorLike, name: str | None = None) -> Tensor: ...
def conv2d(
    input: TensorLike,
    filters: TensorLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def conv2d_backprop_filter(
    input: TensorLike,
    out_backprop: TensorLike,
    filter_sizes: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def conv2d_backprop_input(
    filter: TensorLike,
    out_backprop: TensorLike,
    input_sizes: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def cos(x: TensorLike, name: str | None = None) -> Tensor: ...
def cosh(x: TensorLike, name: str | None = None) -> Tensor: ...
def count_integers(
    arr: TensorLike,
    rows: Size,
    length: Size,
    binary: bool,
    dtype: DTypeLike,
    name: str | None = None,
) -> Tensor: ...
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    crop_size: ShapeLike,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor: ...
def crop_and_resize_grad_boxes(
    dy: TensorLike,
    image: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    name: str | None = None,
) -> Tensor: ...
def crop_and_resize_grad_image(
    dy: TensorLike,
    boxes: TensorLike,
    box_indices: TensorLike,
    shape: ShapeLike,
    method: str,
    dtype: DTypeLike,
    name: str | None = None,
) -> Tensor: ...
def csv_fields(
    input: TensorLike,
    delimiter: Size,
    columns: ShapeLike,
    quotes: bool,
    all: bool,
    name: str | None = None,
) -> Tensor: ...
def cumprod(
    x: TensorLike,
    axis: Size = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor: ...
def cumsum(
    x: TensorLike,
    axis: Size = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor: ...
def dawsn(x: TensorLike, name: str | None = None) -> Tensor: ...
def depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def depthwise_conv2d_backprop_filter(
    input: TensorLike,
    out_backprop: TensorLike,
    filter_sizes: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def depthwise_conv2d_backprop_input(
    filter: TensorLike,
    out_backprop: TensorLike,
    input_sizes: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def diag(
    diagonal: TensorLike,
    k: Size = 0,
    num_rows: Size = -1,
    num_cols: Size = -1,
    name: str | None = None,
) -> Tensor: ...
def diag_part(input: TensorLike, k: Size = 0, name: str | None = None) -> Tensor: ...
def digamma(x: TensorLike, name: str | None = None) -> Tensor: ...
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def divide_real(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: Size, name: str | None = None
) -> list[Tensor]: ...
def eigh_factors(
    input: TensorLike, compute_v: bool = True, name: str | None = None
) -> tuple[Tensor, Tensor]: ...
def elu(features: TensorLike, name: str | None = None) -> Tensor: ...
def elu_grad(gradients: TensorLike, outputs: TensorLike, name: str | None = None) -> Tensor: ...
def ensure_shape(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor: ...
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def erf(x: TensorLike, name: str | None = None) -> Tensor: ...
def erfc(x: TensorLike, name: str | None = None) -> Tensor: ...
def erfinv(x: TensorLike, name: str | None = None) -> Tensor: ...
def exp(x: TensorLike, name: str | None = None) -> Tensor: ...
def expand_dims(input: TensorLike, axis: Size, name: str | None = None) -> Tensor: ...
def expint(x: TensorLike, name: str | None = None) -> Tensor: ...
def expm1(x: TensorLike, name: str | None = None) -> Tensor: ...
def eye(
    num_rows: Size,
    num_columns: Size | None = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor: ...
def fake_quant(
    inputs: TensorLike, limits: TensorLike, divide: bool, name: str | None = None
) -> Tensor: ...
def fake_quant_grad(
    gradients: TensorLike, inputs: TensorLike, limits: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
def fake_quant_limits(
    min: TensorLike,
    max: TensorLike,
    least: float,
    most: float,
    divide: bool,
    name: str | None = None,
) -> Tensor: ...
def fill(value: TensorLike, dims: ShapeLike, name: str | None = None) -> Tensor: ...
def floor(x: TensorLike, name: str | None = None) -> Tensor: ...
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def fourier(
    input: TensorLike, axes: Axes, kind: str, length: Size = 0, name: str | None = None
) -> Tensor: ...
def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor: ...
def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor: ...
def gather(
    params: TensorLike,
    indices: TensorLike,
    axis: Size = 0,
    batch_dims: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def gather_grad(
    dy: TensorLike,
    indices: TensorLike,
    shape: ShapeLike,
    axis: Size = 0,
    batch_dims: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def gather_nd(
    params: TensorLike, indices: TensorLike, batch_dims: Size = 0, name: str | None = None
) -> Tensor: ...
def gather_nd_grad(
    dy: TensorLike,
    indices: TensorLike,
    shape: ShapeLike,
    batch_dims: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def gather_or_default(
    params: TensorLike, indices: TensorLike, default_value: TensorLike, name: str | None = None
) -> Tensor: ...
def gather_or_zero(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor: ...
def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor: ...
def gelu_grad(
    gradients: TensorLike, features: TensorLike, approximate: bool = False, name: str | None = None
) -> Tensor: ...
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def gru(
    projection: TensorLike,
    h: TensorLike,
    kernel: TensorLike,
    bias: TensorLike,
    mask: TensorLike | None = None,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def gru_grad(
    dstates: TensorLike,
    dh: TensorLike,
    states: TensorLike,
    gates: TensorLike,
    h: TensorLike,
    kernel: TensorLike,
    mask: TensorLike | None = None,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def hypot(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def identity(input: TensorLike, name: str | None = None) -> Tensor: ...
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def igamma_grad_a(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def imag(input: TensorLike, name: str | None = None) -> Tensor: ...
def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: Size, name: str | None = None
) -> Tensor: ...
def int8_conv2d(
    input: TensorLike,
    filters: TensorLike,
    scale: TensorLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def int8_depthwise_conv2d(
    input: TensorLike,
    filter: TensorLike,
    scale: TensorLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    dilations: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def int8_matmul(
    x: TensorLike, kernel: TensorLike, scale: TensorLike, name: str | None = None
) -> Tensor: ...
def invert(x: TensorLike, name: str | None = None) -> Tensor: ...
def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor: ...
def is_finite(x: TensorLike, name: str | None = None) -> Tensor: ...
def is_inf(x: TensorLike, name: str | None = None) -> Tensor: ...
def is_nan(x: TensorLike, name: str | None = None) -> Tensor: ...
def l2_loss(t: TensorLike, name: str | None = None) -> Tensor: ...
def layer_norm(
    x: TensorLike,
    gamma: TensorLike,
    beta: TensorLike,
    epsilon: float = 0.001,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def layer_norm_grad(
    dy: TensorLike,
    x: TensorLike,
    gamma: TensorLike,
    mean: TensorLike,
    inverse: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor: ...
def leaky_relu_grad(
    gradients: TensorLike, features: TensorLike, alpha: float = 0.2, name: str | None = None
) -> Tensor: ...
def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def lgamma(x: TensorLike, name: str | None = None) -> Tensor: ...
def linear_scan(
    coefficients: TensorLike,
    terms: TensorLike,
    axis: Size = 0,
    reverse: bool = False,
    previous: bool = False,
    name: str | None = None,
) -> Tensor: ...
def linspace(
    start: TensorLike, stop: TensorLike, num: Size, axis: Size = 0, name: str | None = None
) -> Tensor: ...
def log(x: TensorLike, name: str | None = None) -> Tensor: ...
def log1p(x: TensorLike, name: str | None = None) -> Tensor: ...
def log_softmax(logits: TensorLike, name: str | None = None) -> Tensor: ...
def log_softmax_grad(dy: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def logical_not(x: TensorLike, name: str | None = None) -> Tensor: ...
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def logical_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def lstm(
    projection: TensorLike,
    h: TensorLike,
    c: TensorLike,
    kernel: TensorLike,
    mask: TensorLike | None = None,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]: ...
def lstm_grad(
    dstates: TensorLike,
    dh: TensorLike,
    dc: TensorLike,
    states: TensorLike,
    cells: TensorLike,
    gates: TensorLike,
    h: TensorLike,
    c: TensorLike,
    kernel: TensorLike,
    mask: TensorLike | None = None,
    activation: str = "tanh",
    recurrent_activation: str = "sigmoid",
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]: ...
def lu_determinant(input: TensorLike, name: str | None = None) -> Tensor: ...
def lu_factors(input: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]: ...
def lu_inverse(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor: ...
def lu_log_determinant(input: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]: ...
def lu_solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor: ...
def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor: ...
def matrix_band_part(
    input: TensorLike, num_lower: Size, num_upper: Size, name: str | None = None
) -> Tensor: ...
def max_pool(
    input: TensorLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def max_pool_grad(
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def max_pool_grad_grad(
    orig_input: TensorLike,
    orig_output: TensorLike,
    grad: TensorLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def max_pool_places(
    input: TensorLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def max_pool_winners(
    input: TensorLike,
    output: TensorLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def mirror_pad_grad(
    dy: TensorLike, paddings: TensorLike, mode: str = "REFLECT", name: str | None = None
) -> Tensor: ...
def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def ndtri(x: TensorLike, name: str | None = None) -> Tensor: ...
def negative(x: TensorLike, name: str | None = None) -> Tensor: ...
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def one_hot(
    indices: TensorLike,
    on_value: TensorLike,
    off_value: TensorLike,
    depth: Size,
    axis: Size = -1,
    name: str | None = None,
) -> Tensor: ...
def ones(shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor: ...
def ones_like(
    input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor: ...
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: float = 0.0,
    name: str | None = None,
) -> Tensor: ...
def pad_rows(
    values: TensorLike,
    default_value: TensorLike,
    splits: TensorLike,
    width: Size,
    name: str | None = None,
) -> Tensor: ...
def partition_order(
    partitions: TensorLike, num_partitions: Size, name: str | None = None
) -> Tensor: ...
def philox_binomial(
    counts: TensorLike,
    probs: TensorLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    name: str | None = None,
) -> Tensor: ...
def philox_categorical(
    logits: TensorLike,
    num_samples: Size,
    dtype: DTypeLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    name: str | None = None,
) -> Tensor: ...
def philox_gamma(
    alpha: TensorLike, key: Size, counter_low: Size, counter_high: Size, name: str | None = None
) -> Tensor: ...
def philox_normal(
    shape: ShapeLike,
    dtype: DTypeLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    name: str | None = None,
) -> Tensor: ...
def philox_poisson(
    rate: TensorLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    highest: float,
    name: str | None = None,
) -> Tensor: ...
def philox_shuffle(
    n: Size, key: Size, counter_low: Size, counter_high: Size, name: str | None = None
) -> Tensor: ...
def philox_truncated_normal(
    shape: ShapeLike,
    dtype: DTypeLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    name: str | None = None,
) -> Tensor: ...
def philox_uniform(
    shape: ShapeLike,
    dtype: DTypeLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    name: str | None = None,
) -> Tensor: ...
def philox_uniform_full_int(
    shape: ShapeLike,
    dtype: DTypeLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    name: str | None = None,
) -> Tensor: ...
def philox_uniform_int(
    shape: ShapeLike,
    dtype: DTypeLike,
    key: Size,
    counter_low: Size,
    counter_high: Size,
    minval: Size,
    maxval: Size,
    name: str | None = None,
) -> Tensor: ...
def pick_winners(
    input: TensorLike,
    winners: TensorLike,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor: ...
def pow(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def qr_factors(
    input: TensorLike, full_matrices: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]: ...
def ragged_from_variant(
    encoded: TensorLike,
    input_ragged_rank: Size,
    output_ragged_rank: Size,
    values_dtype: DTypeLike,
    splits_dtype: DTypeLike = "int64",
    name: str | None = None,
) -> list[Tensor]: ...
def ragged_to_variant(
    values: TensorLike,
    splits: Sequence[TensorLike] | TensorLike | None,
    batched_input: bool,
    name: str | None = None,
) -> Tensor: ...
def ragged_to_variant_grad(
    dy: TensorLike,
    splits: Sequence[TensorLike] | TensorLike | None,
    batched_input: bool,
    dtype: DTypeLike,
    shape: ShapeLike,
    name: str | None = None,
) -> Tensor: ...
def random_gamma_grad(alpha: TensorLike, sample: TensorLike, name: str | None = None) -> Tensor: ...
def range(
    start: TensorLike, limit: TensorLike, delta: TensorLike, name: str | None = None
) -> Tensor: ...
def real(input: TensorLike, name: str | None = None) -> Tensor: ...
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor: ...
def reciprocal_grad(y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor: ...
def reduce_all(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor: ...
def reduce_any(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor: ...
def reduce_max(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor: ...
def reduce_mean(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor: ...
def reduce_min(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor: ...
def reduce_prod(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor: ...
def reduce_sum(
    input_tensor: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor: ...
def relu(features: TensorLike, name: str | None = None) -> Tensor: ...
def relu6(features: TensorLike, name: str | None = None) -> Tensor: ...
def relu6_grad(gradients: TensorLike, features: TensorLike, name: str | None = None) -> Tensor: ...
def relu_grad(gradients: TensorLike, features: TensorLike, name: str | None = None) -> Tensor: ...
def remaining_boxes(
    boxes: TensorLike, order: TensorLike, limit: Size, overlap: float, name: str | None = None
) -> Tensor: ...
def resample(
    images: TensorLike,
    row_indices: TensorLike,
    row_weights: TensorLike,
    column_indices: TensorLike,
    column_weights: TensorLike,
    name: str | None = None,
) -> Tensor: ...
def reshape(tensor: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor: ...
def reverse(tensor: TensorLike, axis: Axes, name: str | None = None) -> Tensor: ...
def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: Size,
    batch_axis: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def roll(input: TensorLike, shift: Size, axis: Size, name: str | None = None) -> Tensor: ...
def round(x: TensorLike, name: str | None = None) -> Tensor: ...
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor: ...
def rsqrt_grad(y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor: ...
def scaled_norm(
    total: TensorLike,
    tensors: Sequence[TensorLike] | TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    mean: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def scatter_nd(
    indices: TensorLike, updates: TensorLike, shape: ShapeLike, name: str | None = None
) -> Tensor: ...
def schur(input: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]: ...
def searchsorted(
    sorted_sequence: TensorLike,
    values: TensorLike,
    side: str = "left",
    output_type: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor: ...
def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor: ...
def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor: ...
def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor: ...
def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor: ...
def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor: ...
def select(
    condition: TensorLike, x: TensorLike, y: TensorLike, name: str | None = None
) -> Tensor: ...
def selu(features: TensorLike, name: str | None = None) -> Tensor: ...
def selu_grad(gradients: TensorLike, outputs: TensorLike, name: str | None = None) -> Tensor: ...
def set_rows(
    a: TensorLike,
    b: TensorLike,
    a_splits: TensorLike,
    b_splits: TensorLike,
    operation: str,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def shape(input: TensorLike, out_type: DTypeLike = "int32", name: str | None = None) -> Tensor: ...
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor: ...
def sigmoid_cross_entropy(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor: ...
def sigmoid_grad(y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor: ...
def sign(x: TensorLike, name: str | None = None) -> Tensor: ...
def simple_rnn(
    projection: TensorLike,
    h: TensorLike,
    kernel: TensorLike,
    mask: TensorLike | None = None,
    activation: str = "tanh",
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def simple_rnn_grad(
    dstates: TensorLike,
    dh: TensorLike,
    states: TensorLike,
    h: TensorLike,
    kernel: TensorLike,
    mask: TensorLike | None = None,
    activation: str = "tanh",
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
def sin(x: TensorLike, name: str | None = None) -> Tensor: ...
def sinh(x: TensorLike, name: str | None = None) -> Tensor: ...
def slice(
    input_: TensorLike, begin: ShapeLike, size: ShapeLike, name: str | None = None
) -> Tensor: ...
def softmax(logits: TensorLike, name: str | None = None) -> Tensor: ...
def softmax_cross_entropy(
    features: TensorLike, labels: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]: ...
def softmax_grad(dy: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def softplus(features: TensorLike, name: str | None = None) -> Tensor: ...
def softplus_grad(
    gradients: TensorLike, features: TensorLike, name: str | None = None
) -> Tensor: ...
def softsign(features: TensorLike, name: str | None = None) -> Tensor: ...
def softsign_grad(
    gradients: TensorLike, features: TensorLike, name: str | None = None
) -> Tensor: ...
def sort(
    values: TensorLike, axis: Size = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor: ...
def sparse_dots(
    indices: TensorLike, a: TensorLike, b: TensorLike, name: str | None = None
) -> Tensor: ...
def sparse_fill_rows(
    indices: TensorLike, rows: Size, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
def sparse_flat_places(
    indices: TensorLike, shape: ShapeLike, axes: Axes, name: str | None = None
) -> Tensor: ...
def sparse_intersection(
    a: TensorLike, b: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
def sparse_layout(
    indices: TensorLike, rows: Size, columns: Size, name: str | None = None
) -> Tensor: ...
def sparse_matmul(
    values: TensorLike,
    indices: TensorLike,
    b: TensorLike,
    layout: TensorLike | None,
    rows: Size,
    columns: Size,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor: ...
def sparse_multiply(
    a: TensorLike,
    a_indices: TensorLike,
    b: TensorLike,
    b_indices: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def sparse_order(
    indices: TensorLike, shape: ShapeLike, perm: ShapeLike, name: str | None = None
) -> tuple[Tensor, Tensor]: ...
def sparse_product(
    a: TensorLike,
    a_indices: TensorLike,
    b: TensorLike,
    b_indices: TensorLike,
    rows: Size,
    inner: Size,
    columns: Size,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def sparse_product_term(
    x: TensorLike,
    y: TensorLike,
    a_indices: TensorLike,
    b_indices: TensorLike,
    c_indices: TensorLike,
    rows: Size,
    inner: Size,
    columns: Size,
    of: Size,
    name: str | None = None,
) -> Tensor: ...
def sparse_reshape_places(
    indices: TensorLike, shape: ShapeLike, new_shape: ShapeLike, name: str | None = None
) -> Tensor: ...
def sparse_segment_sum(
    data: TensorLike,
    indices: TensorLike,
    segment_ids: TensorLike,
    num_segments: Size | None = None,
    scale: str = "sum",
    name: str | None = None,
) -> Tensor: ...
def sparse_slice_places(
    indices: TensorLike,
    begin: ShapeLike,
    size: ShapeLike,
    step: ShapeLike,
    in_order: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def sparse_softmax_cross_entropy(
    features: TensorLike, labels: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]: ...
def sparse_sum(
    a: TensorLike,
    a_indices: TensorLike,
    b: TensorLike,
    b_indices: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def sparse_to_dense(
    values: TensorLike,
    default_value: TensorLike,
    indices: TensorLike,
    shape: ShapeLike,
    ordered: bool = True,
    name: str | None = None,
) -> Tensor: ...
def sparse_union(
    a: TensorLike, b: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
def spence(x: TensorLike, name: str | None = None) -> Tensor: ...
def split(
    value: TensorLike, size_splits: ShapeLike, axis: Size = 0, name: str | None = None
) -> list[Tensor]: ...
def spread_to_winners(
    grad: TensorLike,
    winners: TensorLike,
    rows: Size,
    cols: Size,
    ksize: ShapeLike,
    strides: ShapeLike,
    padding: str,
    explicit_paddings: ShapeLike | None = None,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor: ...
def sqrt(x: TensorLike, name: str | None = None) -> Tensor: ...
def sqrt_grad(y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor: ...
def square(x: TensorLike, name: str | None = None) -> Tensor: ...
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def squeeze(input: TensorLike, axis: Axes | None = None, name: str | None = None) -> Tensor: ...
def stack(
    values: Sequence[TensorLike] | TensorLike, axis: Size = 0, name: str | None = None
) -> Tensor: ...
def stitch_rows(indices: TensorLike, rows: TensorLike, name: str | None = None) -> Tensor: ...
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor: ...
def strided_slice(
    input_: TensorLike,
    begin: ShapeLike,
    end: ShapeLike,
    strides: ShapeLike,
    begin_mask: Size = 0,
    end_mask: Size = 0,
    ellipsis_mask: Size = 0,
    new_axis_mask: Size = 0,
    shrink_axis_mask: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def strided_slice_grad(
    dy: TensorLike,
    shape: ShapeLike,
    begin: ShapeLike,
    end: ShapeLike,
    strides: ShapeLike,
    begin_mask: Size = 0,
    end_mask: Size = 0,
    ellipsis_mask: Size = 0,
    new_axis_mask: Size = 0,
    shrink_axis_mask: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def strided_slice_update(
    input_: TensorLike,
    value: TensorLike,
    begin: ShapeLike,
    end: ShapeLike,
    strides: ShapeLike,
    begin_mask: Size = 0,
    end_mask: Size = 0,
    ellipsis_mask: Size = 0,
    new_axis_mask: Size = 0,
    shrink_axis_mask: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def string_bytes(
    input: TensorLike, dtype: DTypeLike, offset: Size = 0, name: str | None = None
) -> Tensor: ...
def string_case(input: TensorLike, upper: bool, name: str | None = None) -> Tensor: ...
def string_hash(
    input: TensorLike,
    buckets: Size,
    method: str,
    key0: Size = 0,
    key1: Size = 0,
    name: str | None = None,
) -> Tensor: ...
def string_join(
    separator: TensorLike, inputs: Sequence[TensorLike] | TensorLike, name: str | None = None
) -> Tensor: ...
def string_join_rows(
    separator: TensorLike, inputs: TensorLike, name: str | None = None
) -> Tensor: ...
def string_length(
    input: TensorLike, characters: bool = False, name: str | None = None
) -> Tensor: ...
def string_of_number(
    input: TensorLike, precision: Size = 6, format: str = "fixed", name: str | None = None
) -> Tensor: ...
def string_part(
    input: TensorLike,
    pos: TensorLike,
    len: TensorLike,
    characters: bool = False,
    name: str | None = None,
) -> Tensor: ...
def string_replace(
    input: TensorLike,
    rewrite: TensorLike,
    members: ShapeLike,
    runs: bool,
    everywhere: bool,
    name: str | None = None,
) -> Tensor: ...
def string_split(
    input: TensorLike, separator: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]: ...
def string_strip(input: TensorLike, name: str | None = None) -> Tensor: ...
def string_to_number(input: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor: ...
def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def tan(x: TensorLike, name: str | None = None) -> Tensor: ...
def tanh(x: TensorLike, name: str | None = None) -> Tensor: ...
def tanh_grad(y: TensorLike, dy: TensorLike, name: str | None = None) -> Tensor: ...
def tensor_list_concat(
    list: TensorLike,
    lengths: TensorLike | None,
    element_dtype: DTypeLike,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]: ...
def tensor_list_erase(list: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor: ...
def tensor_list_from_tensor(
    tensor: TensorLike, element_shape: ShapeLike | None = None, name: str | None = None
) -> Tensor: ...
def tensor_list_gather(
    list: TensorLike,
    indices: TensorLike,
    element_dtype: DTypeLike,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor: ...
def tensor_list_get_item(
    list: TensorLike,
    index: TensorLike,
    element_dtype: DTypeLike,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor: ...
def tensor_list_length(list: TensorLike, name: str | None = None) -> Tensor: ...
def tensor_list_reserve(
    num_elements: TensorLike,
    element_dtype: DTypeLike,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor: ...
def tensor_list_resize(list: TensorLike, size: TensorLike, name: str | None = None) -> Tensor: ...
def tensor_list_scatter(
    list: TensorLike,
    indices: TensorLike,
    tensor: TensorLike,
    accumulate: bool = False,
    name: str | None = None,
) -> Tensor: ...
def tensor_list_set_item(
    list: TensorLike,
    index: TensorLike,
    item: TensorLike,
    resize: bool = False,
    name: str | None = None,
) -> Tensor: ...
def tensor_list_split(
    tensor: TensorLike,
    lengths: TensorLike,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor: ...
def tensor_list_stack(
    list: TensorLike,
    element_dtype: DTypeLike,
    element_shape: ShapeLike | None = None,
    num_elements: Size = -1,
    name: str | None = None,
) -> Tensor: ...
def tensor_scatter_nd_add(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor: ...
def tensor_scatter_nd_max(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor: ...
def tensor_scatter_nd_min(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor: ...
def tensor_scatter_nd_sub(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor: ...
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor: ...
def tile(input: TensorLike, multiples: ShapeLike, name: str | None = None) -> Tensor: ...
def top_k(
    input: TensorLike, k: Size = 1, sorted: bool = True, name: str | None = None
) -> tuple[Tensor, Tensor]: ...
def transpose(
    a: TensorLike, perm: ShapeLike | None = None, conjugate: bool = False, name: str | None = None
) -> Tensor: ...
def triangle_root(input: TensorLike, name: str | None = None) -> Tensor: ...
def triangle_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor: ...
def tridiagonal_solve(
    diagonals: TensorLike, rhs: TensorLike, name: str | None = None
) -> Tensor: ...
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = "int32", name: str | None = None
) -> tuple[Tensor, Tensor, Tensor]: ...
def unpad_rows(
    padded: TensorLike, splits: TensorLike, count: Size, name: str | None = None
) -> Tensor: ...
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: Size, name: str | None = None
) -> Tensor: ...
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: Size, name: str | None = None
) -> Tensor: ...
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: Size, name: str | None = None
) -> Tensor: ...
def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: Size, name: str | None = None
) -> Tensor: ...
def unstack(
    value: TensorLike, num: Size | None = None, axis: Size = 0, name: str | None = None
) -> list[Tensor]: ...
def utf8_decode(input: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]: ...
def utf8_encode(codes: TensorLike, splits: TensorLike, name: str | None = None) -> Tensor: ...
def variant_add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def variant_zeros_like(input: TensorLike, name: str | None = None) -> Tensor: ...
def where_indices(condition: TensorLike, name: str | None = None) -> Tensor: ...
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def xlog1py(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def xlogy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor: ...
def zeros(shape: ShapeLike, dtype: DTypeLike = "float32", name: str | None = None) -> Tensor: ...
def zeros_like(
    input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor: ...
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor: ...

"""Export rules for host functions on matrices, spectra, images and scalars.

Each rule has the name and the parameters of its function; see `host_lowering.py`. `rules.txt` has the rules
for functions that are one operation with the same arguments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.graphdef.emitters import NoSuchNodeError
from eagerflow.graphdef.host_lowering import op, rules_of
from eagerflow.typing import Axes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_factorization = rules_of("ops.linalg.factorization")
_solvers = rules_of("ops.linalg.solvers")
_banded = rules_of("ops.linalg.banded")
_fourier = rules_of("signal.fourier")


def _complex_of(x: Tensor) -> dtypes.DType:
    return dtypes.complex128 if x.dtype.size == 8 and not x.dtype.is_complex else (
        x.dtype if x.dtype.is_complex else dtypes.complex64
    )  # fmt: skip


@_factorization
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: Any = None) -> Any:
    s, u, v = op("Svd", tensor, compute_uv=compute_uv, full_matrices=full_matrices)
    s = tf.cast(s, tensor.dtype.real_dtype)
    return (s, u, v) if compute_uv else s


@_factorization
def eig(tensor: Any, name: str | None = None) -> Any:
    return op("Eig", tensor, compute_v=True, Tout=_complex_of(tensor))


@_solvers
def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Any:
    return op("MatrixSolveLs", matrix, rhs, tf.cast(l2_regularizer, tf.float64), fast=fast)


def _epsilon(x: Tensor) -> float:
    return float(tf.experimental.numpy.finfo(x.dtype.as_numpy_dtype).eps)


def _larger_side(a: Tensor) -> Tensor:
    return tf.cast(tf.reduce_max(tf.shape(a)[-2:]), a.dtype.real_dtype)


@_solvers
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    real = a.dtype.real_dtype
    rcond = 10.0 * _larger_side(a) * _epsilon(a) if rcond is None else tf.cast(rcond, real)
    s, u, v = op("Svd", a, compute_uv=True, full_matrices=False)
    s = tf.cast(s, real)
    cutoff = rcond * tf.reduce_max(s, -1)
    s = tf.where(s > tf.expand_dims(cutoff, -1), s, tf.constant(math.inf, real))
    return tf.matmul(v / tf.cast(tf.expand_dims(s, -2), a.dtype), u, adjoint_b=True)


@_solvers
def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: object = None) -> Any:
    s = tf.cast(op("Svd", a, compute_uv=False, full_matrices=False)[0], a.dtype.real_dtype)
    if tol is None:
        tol = _epsilon(a) * _larger_side(a) * tf.reduce_max(s, -1, keepdims=True)
    return tf.reduce_sum(tf.cast(s > tf.cast(tol, s.dtype), tf.int32), -1)


def _triangles(lower_upper: Tensor) -> tuple[Tensor, Tensor]:
    lower = tf.linalg.band_part(lower_upper, -1, 0)
    ones = tf.ones_like(tf.linalg.diag_part(lower_upper))
    return tf.linalg.set_diag(lower, ones), tf.linalg.band_part(lower_upper, 0, -1)


def _rows_taken(x: Tensor, perm: Tensor) -> Tensor:
    """Permutes the rows of each matrix by its own order."""
    rank = perm.shape.rank
    if rank is None:
        raise NoSuchNodeError("the rank of the permutation must be known")
    return tf.gather(x, perm, axis=rank - 1, batch_dims=rank - 1)


@_solvers
def lu_reconstruct(
    lower_upper: Any, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    lower, upper = _triangles(lower_upper)
    return _rows_taken(tf.matmul(lower, upper), tf.argsort(perm))


@_solvers
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    lower, upper = _triangles(lower_upper)
    half = tf.linalg.triangular_solve(lower, _rows_taken(rhs, perm))
    return tf.linalg.triangular_solve(upper, half, lower=False)


@_solvers
def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Any:
    return tf.linalg.inv(lu_reconstruct(lower_upper, perm))


@_banded
def banded_triangular_solve(
    bands: Any, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Any:
    return op("BandedTriangularSolve", bands, rhs, lower=lower, adjoint=adjoint)


@_banded
def eigh_tridiagonal(
    alpha: Any, beta: TensorLike, eigvals_only: bool = True, select: str = "a", select_range: object = None,
    tol: object = None, name: str | None = None,
) -> Any:  # fmt: skip
    if select != "a":
        raise NoSuchNodeError("TensorFlow has no operation for a choice of eigenvalues")
    whole = tf.linalg.diag(alpha) + tf.linalg.diag(tf.math.conj(beta), k=1)
    whole += tf.linalg.diag(beta, k=-1)
    values, vectors = op("SelfAdjointEigV2", whole, compute_v=not eigvals_only)
    values = tf.cast(values, alpha.dtype.real_dtype)
    return values if eigvals_only else (values, vectors)


@rules_of("ops.linalg.products")
def _spectral_norm(x: Tensor, axes: Sequence[int], keep: bool) -> Tensor:
    rank = x.shape.rank
    if rank is None:
        raise NoSuchNodeError("the rank of the matrices must be known")
    axes = [axis % rank for axis in axes]
    rest = [k for k in range(rank) if k not in axes]
    s = op("Svd", tf.transpose(x, [*rest, *axes]), compute_uv=False, full_matrices=False)[0]
    found = tf.reduce_max(s, -1)
    if keep:
        for axis in sorted(axes):
            found = tf.expand_dims(found, axis)
    return found


@rules_of("ops.linalg.matrix_functions")
def expm(input: Any, name: str | None = None) -> Any:
    """By scaling, Padé's approximation of degree 13, and squaring."""
    degrees = [math.factorial(26 - k) * math.factorial(13)
               / (math.factorial(26) * math.factorial(k) * math.factorial(13 - k))
               for k in range(14)]  # fmt: skip
    real = input.dtype.real_dtype
    size = tf.reduce_max(tf.reduce_sum(tf.abs(input), -2), -1)
    ratio = tf.math.log(tf.maximum(size, tf.constant(1e-30, real)) / 2.0) / math.log(2.0)
    squarings = tf.maximum(tf.math.ceil(ratio), tf.constant(0, real))
    scale = tf.cast(tf.pow(tf.constant(2, real), -squarings), input.dtype)
    a = input * tf.expand_dims(tf.expand_dims(scale, -1), -1)
    eye = tf.zeros_like(a)
    eye = tf.linalg.set_diag(eye, tf.ones_like(tf.linalg.diag_part(a)))
    power, odd, even = eye, tf.zeros_like(a), tf.zeros_like(a)
    for k, factor in enumerate(degrees):
        term = power * tf.cast(tf.constant(factor, tf.float64), a.dtype)
        odd, even = (odd + term, even) if k % 2 else (odd, even + term)
        power = tf.matmul(power, a)
    found = tf.linalg.solve(even - odd, even + odd)
    most = tf.cast(tf.reduce_max(squarings), tf.int32)

    def squared(k: Tensor, x: Tensor) -> list[Tensor]:
        again = tf.cast(k, real) < squarings
        chosen = tf.expand_dims(tf.expand_dims(again, -1), -1)
        return [k + 1, tf.where(chosen, tf.matmul(x, x), x)]

    found = tf.ensure_shape(found, input.shape)
    return tf.while_loop(lambda k, x: k < most, squared, [0, found])[1]


@rules_of("ops.reduction")
def cumulative_logsumexp(
    x: Any, axis: Axes = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Any:
    return op("CumulativeLogsumexp", x, axis, exclusive=bool(exclusive), reverse=bool(reverse))


# Spectra.


def _padded(x: Tensor, lengths: list[Tensor]) -> Tensor:
    """Zeros after the last axes, so that they are at least that long."""
    count = len(lengths)
    missing = [
        tf.maximum(tf.cast(length, tf.int32) - tf.shape(x)[k - count], 0)
        for k, length in enumerate(lengths)
    ]
    if x.shape.rank is None:
        raise NoSuchNodeError("the rank of the signal must be known")
    zero = tf.constant(0)
    rows = [tf.stack([zero, zero])] * (x.shape.rank - count)
    return tf.pad(x, tf.stack([*rows, *(tf.stack([zero, more]) for more in missing)]))


def _half(name: str, x: TensorLike, fft_length: Any, rank: int) -> Any:
    x = x if isinstance(x, Tensor) else tf.convert_to_tensor(x, tf.float32)
    if fft_length is None:
        return op(name, x, tf.shape(x)[-rank:], Tcomplex=_complex_of(x))
    lengths = tf.unstack(tf.cast(fft_length, tf.int32), rank)
    return op(name, _padded(x, lengths), fft_length, Tcomplex=_complex_of(x))


def _from_half(name: str, x: TensorLike, fft_length: Any, rank: int) -> Any:
    x = x if isinstance(x, Tensor) else tf.convert_to_tensor(x, tf.complex64)
    real = x.dtype.real_dtype
    if fft_length is None:
        sizes = tf.shape(x)[-rank:]
        last = tf.maximum(2 * (sizes[-1:] - 1), 0)
        return op(name, x, tf.concat([sizes[:-1], last], 0), Treal=real)
    lengths = tf.unstack(tf.cast(fft_length, tf.int32), rank)
    bins = lengths[-1] // 2 + 1
    return op(name, _padded(x, [*lengths[:-1], bins]), fft_length, Treal=real)


@_fourier
def rfft(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    return _half("RFFT", input_tensor, fft_length, 1)


@_fourier
def rfft2d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    return _half("RFFT2D", input_tensor, fft_length, 2)


@_fourier
def rfft3d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    return _half("RFFT3D", input_tensor, fft_length, 3)


@_fourier
def irfft(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    return _from_half("IRFFT", input_tensor, fft_length, 1)


@_fourier
def irfft2d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    return _from_half("IRFFT2D", input_tensor, fft_length, 2)


@_fourier
def irfft3d(input_tensor: TensorLike, fft_length: Any = None, name: str | None = None) -> Tensor:
    return _from_half("IRFFT3D", input_tensor, fft_length, 3)


# Neural networks and counts.


@rules_of("ops.nn.isotonic")
def isotonic_regression(inputs: TensorLike, decreasing: bool = True, axis: int = -1) -> Any:
    inputs = tf.convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if not rank or axis not in (-1, rank - 1):
        raise NoSuchNodeError("TensorFlow's operation works along the last axis")
    kind = inputs.dtype if inputs.dtype.is_floating else tf.float64
    flat = tf.cast(tf.reshape(inputs, tf.stack([-1, tf.shape(inputs)[-1]])), kind)
    values, segments = op("IsotonicRegression", flat if decreasing else -flat, output_dtype=kind)
    values = values if decreasing else -values
    return [tf.reshape(part, tf.shape(inputs)) for part in (values, segments)]


@rules_of("ops.segment")
def bincount(
    arr: TensorLike, weights: Any = None, minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None, dtype: Any = None, name: str | None = None, axis: Axes | None = None,
    binary_output: bool = False,
) -> Any:  # fmt: skip
    if not isinstance(arr, Tensor):
        raise NoSuchNodeError("only dense numbers are counted")
    kind = dtypes.as_dtype(dtype or tf.int32) if weights is None else weights.dtype
    counted = arr if axis else tf.reshape(arr, [-1])
    most = tf.reduce_max(tf.concat([tf.reshape(arr, [-1]), tf.constant([-1], arr.dtype)], 0)) + 1
    size = most if minlength is None else tf.maximum(tf.cast(minlength, arr.dtype), most)
    if maxlength is not None:
        size = tf.minimum(tf.cast(maxlength, arr.dtype), size)
    given = tf.constant([], kind) if weights is None else tf.reshape(weights, tf.shape(counted))
    return op("DenseBincount", counted, size, given, binary_output=binary_output)


@rules_of("ops.nn.ctc")
def ctc_greedy_decoder(
    inputs: Any, sequence_length: TensorLike, merge_repeated: bool = True, blank_index: Any = None
) -> Any:
    blank = -1 if blank_index is None else blank_index
    *decoded, score = op("CTCGreedyDecoder", inputs, sequence_length, merge_repeated=merge_repeated,
                         blank_index=blank)  # fmt: skip
    return [*decoded, score]


@rules_of("ops.nn.ctc")
def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> Any:
    found = op("CTCBeamSearchDecoder", inputs, sequence_length, beam_width=beam_width,
               top_paths=top_paths, merge_repeated=False)  # fmt: skip
    paths = [found[k::top_paths][:3] for k in range(top_paths)]
    return [*(part for path in paths for part in path), found[-1]]


@rules_of("ops.nn.ctc")
def ctc_loss(
    labels: Any, logits: Any, label_length: Any, logit_length: Any, logits_time_major: bool = True,
    unique: object = None, blank_index: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    if isinstance(labels, tf.SparseTensor):
        indices, values = labels.indices, labels.values
    else:
        inside = tf.sequence_mask(label_length, tf.shape(labels)[1])
        indices = tf.where(inside)
        values = tf.gather_nd(labels, indices)
    scores = logits if logits_time_major else tf.transpose(logits, [1, 0, 2])
    classes = scores.shape[2]
    if classes is None:
        raise NoSuchNodeError("the number of classes must be known")
    # The operation's blank is the last class.
    blank = (blank_index or 0) % classes
    scores = tf.concat(
        [scores[:, :, :blank], scores[:, :, blank + 1 :], scores[:, :, blank : blank + 1]], 2
    )
    values = tf.cast(values, tf.int32)
    values = tf.where(values > blank, values - 1, values)
    kind = logits.dtype if logits.dtype.size >= 4 else tf.float32
    loss = op("CTCLoss", tf.cast(scores, kind), tf.cast(indices, tf.int64), values,
              tf.cast(logit_length, tf.int32))[0]  # fmt: skip
    return tf.cast(loss, logits.dtype)


@rules_of("image.geometry")
def extract_glimpse(
    input: TensorLike, size: TensorLike, offsets: TensorLike, centered: bool = True, normalized: bool = True,
    noise: str = "uniform", name: str | None = None,
) -> Any:  # fmt: skip
    return op("ExtractGlimpseV2", input, size, offsets, centered=centered, normalized=normalized,
              uniform_noise=noise == "uniform", noise=noise)  # fmt: skip


@rules_of("image.suppression")
def non_max_suppression(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf, name: str | None = None,
) -> Any:  # fmt: skip
    limits = [tf.cast(limit, tf.float32) for limit in (iou_threshold, score_threshold)]
    return op("NonMaxSuppressionV3", boxes, scores, max_output_size, *limits)


@rules_of("image.suppression")
def non_max_suppression_with_scores(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = -math.inf, soft_nms_sigma: TensorLike = 0.0, name: str | None = None,
) -> Any:  # fmt: skip
    given = [tf.convert_to_tensor(part, tf.float32) for part in (boxes, scores)]
    limits = [tf.cast(v, tf.float32) for v in (iou_threshold, score_threshold, soft_nms_sigma)]
    return op("NonMaxSuppressionV5", *given, max_output_size, *limits)[:2]


@rules_of("image.boxes")
def draw_bounding_boxes(images: Any, boxes: Any, colors: object, name: str | None = None) -> Any:
    if colors is None:
        return op("DrawBoundingBoxes", images, boxes)
    return op("DrawBoundingBoxesV2", images, boxes, colors)

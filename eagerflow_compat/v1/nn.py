"""Functions of tf.nn whose arguments had other names or another order in version 1."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from eagerflow import _core, nn
from eagerflow.errors import UnimplementedError
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.graph import naming
from eagerflow.graph.partitioned import PartitionedVariable
from eagerflow.ops import array, indexing
from eagerflow.ops.nn.convolution import padding_of
from eagerflow.ops.nn.embedding import InTurn
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import ShapeLike, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.v1.arguments import either, optional_parameters, parameters_of, version_1

# Imported when it is first used: few programs need it.
raw_ops = lazy.Module("eagerflow.raw_ops")
_ops = _core.ops
Tensor = _core.Tensor
_version_1 = functools.partial(version_1, __name__)
softmax = _version_1(
    "softmax(logits, axis=None, name=None, dim=None)",
    nn.softmax,
    "The softmax along an axis, the last by default.",
    dim="axis",
)
log_softmax = _version_1(
    "log_softmax(logits, axis=None, name=None, dim=None)",
    nn.log_softmax,
    "The logarithm of the softmax along an axis, the last by default.",
    dim="axis",
)
softmax_cross_entropy_with_logits_v2 = _version_1(
    "softmax_cross_entropy_with_logits_v2(labels, logits, axis=None, name=None, dim=None)",
    nn.softmax_cross_entropy_with_logits,
    "The cross entropy of labels that are probabilities, which are differentiated, too.",
    dim="axis",
)
weighted_cross_entropy_with_logits = _version_1(
    "weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None,"
    " targets=None)",
    nn.weighted_cross_entropy_with_logits,
    "The cross entropy of independent classes, positive ones weighted.",
    targets="labels",
)
conv1d = _version_1(
    "conv1d(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None,"
    " data_format=None, name=None, input=None, dilations=None)",
    nn.conv1d,
    "A convolution along one axis.",
    value="input",
)
conv2d = _version_1(
    "conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True,"
    " data_format='NHWC', dilations=(1, 1, 1, 1), name=None, filters=None)",
    nn.conv2d,
    "A convolution of images.",
    filter="filters",
)
convolution = _version_1(
    "convolution(input, filter=None, padding=None, strides=None, dilation_rate=None, name=None,"
    " data_format=None, filters=None, dilations=None)",
    nn.convolution,
    "A convolution along one, two or three axes.",
    filter="filters",
    dilation_rate="dilations",
)
dilation2d = _version_1(
    "dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None,"
    " dilations=None)",
    functools.partial(nn.dilation2d, data_format="NHWC"),
    "Grayscale dilation of images.",
    filter="filters",
    rates="dilations",
)
erosion2d = _version_1(
    "erosion2d(value, kernel, strides, rates, padding, name=None)",
    functools.partial(nn.erosion2d, data_format="NHWC"),
    "Grayscale erosion of images.",
    kernel="filters",
    rates="dilations",
)
conv2d_transpose = _version_1(
    "conv2d_transpose(value=None, filter=None, output_shape=None, strides=None, padding='SAME',"
    " data_format='NHWC', name=None, input=None, filters=None, dilations=None)",
    nn.conv2d_transpose,
    "The transpose of a convolution of images.",
    value="input",
    filter="filters",
)
depthwise_conv2d = _version_1(
    "depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None,"
    " dilations=None)",
    nn.depthwise_conv2d,
    "A convolution of images by channel.",
    rate="dilations",
)
_POOL = "(value=None, ksize=None, strides=None, padding=None, data_format='NHWC', name=None, input=None)"


def _called(kind: str, function: Any) -> Any:
    """A function whose operations have another name than `function` gives them."""

    def call(name: str | None = None, **arguments: Any) -> Any:
        return function(name=name or kind, **arguments)

    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return call


max_pool = _version_1(
    f"max_pool{_POOL}", _called("MaxPool", nn.max_pool2d), "Max pooling of images.", value="input"
)
avg_pool = _version_1(
    f"avg_pool{_POOL}",
    _called("AvgPool", nn.avg_pool2d),
    "Average pooling of images.",
    value="input",
)
moments = _version_1(
    "moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None)",
    nn.moments,
    "Mean and variance along axes.",
    keep_dims="keepdims",
)


def _tables(params: TensorLike, strategy: str) -> Any:
    """What holds the rows of a table, for version 2's functions: one tensor, or several.

    Args:
        params: a tensor, a list of them, or a variable in parts.
        strategy: "mod": of n tensors, tensor i % n holds row i; "div": they hold the rows one after
            the other.

    Raises:
        ValueError: if there is no such strategy.
    """
    if isinstance(params, PartitionedVariable):
        params = list(params)
    if not isinstance(params, list | tuple) or len(params) < 2:
        return params
    if strategy not in ("mod", "div"):
        raise ValueError(
            f"Unrecognized partition strategy: {strategy}. Must be one of either `mod` or `div`."
        )
    return InTurn(params) if strategy == "mod" else list(params)


def _of_parts(declaration: str, function: Any, doc: str, tables: str) -> Any:
    """A function of version 2 of tables that may be in parts, with version 1's parameters."""
    names = tables.split()

    def call(partition_strategy: str, **arguments: Any) -> Any:
        for name in names:
            arguments[name] = _tables(arguments[name], partition_strategy)
        return function(**arguments)

    parameters = [*parameters_of(function), *optional_parameters(partition_strategy="mod")]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    result = _version_1(declaration, call, doc)
    result._dispatched = function
    return result


_LOSS = (
    "(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,"
)
nce_loss = _of_parts(
    f"nce_loss{_LOSS} remove_accidental_hits=False, partition_strategy='mod', name='nce_loss')",
    nn.nce_loss,
    "The loss of noise-contrastive estimation.",
    "weights biases",
)
sampled_softmax_loss = _of_parts(
    f"sampled_softmax_loss{_LOSS} remove_accidental_hits=True, partition_strategy='mod',"
    " name='sampled_softmax_loss', seed=None)",
    nn.sampled_softmax_loss,
    "The cross entropy of some of the classes.",
    "weights biases",
)
separable_conv2d = _version_1(
    "separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, rate=None,"
    " name=None, data_format=None, dilations=None)",
    nn.separable_conv2d,
    "A convolution by channel, and one that mixes channels.",
    rate="dilations",
)
conv3d = _version_1(
    "conv3d(input, filter=None, strides=None, padding=None, data_format='NDHWC',"
    " dilations=(1, 1, 1, 1, 1), name=None, filters=None)",
    nn.conv3d,
    "A convolution of volumes.",
    filter="filters",
)
conv3d_transpose = _version_1(
    "conv3d_transpose(value, filter=None, output_shape=None, strides=None, padding='SAME',"
    " data_format='NDHWC', name=None, input=None, filters=None, dilations=None)",
    nn.conv3d_transpose,
    "The transpose of a convolution of volumes.",
    value="input",
    filter="filters",
)
pool = _version_1(
    "pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None,"
    " data_format=None, dilations=None)",
    nn.pool,
    "The largest or the mean elements of windows.",
    dilation_rate="dilations",
)
max_pool_with_argmax = _version_1(
    "max_pool_with_argmax(input, ksize, strides, padding, data_format='NHWC', Targmax=None,"
    " name=None, output_dtype=None, include_batch_in_index=False)",
    nn.max_pool_with_argmax,
    "The largest elements of windows, and where they are.",
    Targmax="output_dtype",
)
avg_pool2d = _version_1(
    "avg_pool2d(value, ksize, strides, padding, data_format='NHWC', name=None, input=None)",
    _called("AvgPool", nn.avg_pool2d),
    "Average pooling of images.",
    value="input",
)
_FRACTIONAL = (
    "(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0,"
    " seed2=0, name=None)"
)
fractional_max_pool = _version_1(
    f"fractional_max_pool{_FRACTIONAL}",
    nn.fractional_max_pool,
    "The largest elements of windows of random size.",
)
fractional_avg_pool = _version_1(
    f"fractional_avg_pool{_FRACTIONAL}",
    nn.fractional_avg_pool,
    "The means of windows of random size.",
)
batch_norm_with_global_normalization = _version_1(
    "batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None,"
    " variance_epsilon=None, scale_after_normalization=None, name=None, input=None, mean=None,"
    " variance=None)",
    nn.batch_norm_with_global_normalization,
    "Images normalized by means and variances that are given.",
    t="input",
    m="mean",
    v="variance",
)
crelu = _version_1(
    "crelu(features, name=None, axis=-1)", nn.crelu, "The positive and the negative parts."
)
space_to_depth = _version_1(
    "space_to_depth(input, block_size, name=None, data_format='NHWC')",
    nn.space_to_depth,
    "Blocks of pixels as channels.",
)
depth_to_space = _version_1(
    "depth_to_space(input, block_size, name=None, data_format='NHWC')",
    nn.depth_to_space,
    "Channels as blocks of pixels.",
)
embedding_lookup_sparse = _of_parts(
    "embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None,"
    " combiner=None, max_norm=None, allow_fast_lookup=False)",
    nn.embedding_lookup_sparse,
    "Combined rows of a table.",
    "params",
)
safe_embedding_lookup_sparse = _of_parts(
    "safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None,"
    " combiner='mean', default_id=None, name=None, partition_strategy='div', max_norm=None,"
    " allow_fast_lookup=False)",
    nn.safe_embedding_lookup_sparse,
    "Combined rows of a table; zeros, or a default row, where there are none.",
    "embedding_weights",
)
sufficient_statistics = _version_1(
    "sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None)",
    nn.sufficient_statistics,
    "What mean and variance along axes follow from.",
    keep_dims="keepdims",
)
weighted_moments = _version_1(
    "weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None)",
    nn.weighted_moments,
    "Mean and variance along axes, of elements with weights.",
    keep_dims="keepdims",
)
l2_normalize = _version_1(
    "l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None)",
    nn.l2_normalize,
    "The tensor divided by its norm along axes.",
    dim="axis",
)
in_top_k = _version_1(
    "in_top_k(predictions, targets, k, name=None)",
    nn.in_top_k,
    "Whether the right class is among the k likeliest.",
)


def _both(labels: Any, logits: TensorLike | None) -> None:
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


@op_function
def softmax_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Tensor:
    """The cross entropy of labels that are probabilities, which are not differentiated.

    Raises:
        ValueError: if labels or logits are missing.

    >>> tf.compat.v1.nn.softmax_cross_entropy_with_logits(
    ...     labels=[[1.0, 0.0]], logits=[[0.0, 0.0]]
    ... ).numpy()
    array([0.6931472], dtype=float32)
    """
    _both(labels, logits)
    labels = _ops.stop_gradient(_core.as_tensor(labels))
    axis = dim if axis is None else axis
    return nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, axis=axis)


@op_function
def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The cross entropy of labels that are class ids."""
    _both(labels, logits)
    return nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


@op_function
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The cross entropy of independent classes."""
    _both(labels, logits)
    return nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)


naming.LAST_NODES |= {f"{__name__}.dropout": "SelectV2", f"{__name__}.embedding_lookup": "Identity"}


@op_function
def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> Tensor:
    """Drops elements, and scales the others up.

    Args:
        x: a floating tensor.
        keep_prob: the fraction that is kept: a number, or a scalar tensor such as a placeholder.
        noise_shape: sizes of 1 drop whole slices.
        seed: makes the choice reproducible.
        name: the node's name in a graph.
        rate: the fraction that is dropped, instead of `keep_prob`.

    Raises:
        ValueError: if neither `keep_prob` nor `rate` is given, or both, or `keep_prob` is no number.
    """
    try:
        dropped = None if keep_prob is None else 1.0 - keep_prob
    except TypeError:
        raise ValueError(
            "`keep_prob` must be a floating point number or Tensor. "
            f"Received: keep_prob={keep_prob}"
        ) from None
    rate = either("rate", rate, "keep_prob", dropped)
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    if isinstance(rate, np.generic):
        rate = rate.item()
    return nn.dropout(x, rate=rate, noise_shape=noise_shape, seed=seed)


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """A convolution of images by channel, with `dilations` for each axis of the images."""
    first = data_format == "NCHW"
    inner = dilations[2:] if first else dilations[1:3]
    return nn.depthwise_conv2d(input, filter, strides, padding, data_format, list(inner), name)


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list, Tensor]:
    """The likeliest label sequences, as `tf.nn.ctc_beam_search_decoder` finds them.

    Args:
        inputs: logits `[frames, batch, classes]`, of which the last class is the blank.
        sequence_length: how many frames each example has `[batch]`.
        beam_width: how many prefixes are kept at each frame.
        top_paths: how many sequences are returned.
        merge_repeated: whether equal labels that follow one another become one in the results, also
            where a blank was between them.

    Returns:
        A list of `top_paths` sparse tensors of labels, and log-probabilities `[batch, top_paths]`.
    """
    decoded, scores = nn.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    return [_merged(labels) for labels in decoded] if merge_repeated else decoded, scores


def _merged(labels: Any) -> Any:
    """Rows of labels without those that equal the one before."""
    rows, values = labels.indices[:, 0], labels.values
    changes = _ops.logical_or(
        _ops.not_equal(rows[1:], rows[:-1]), _ops.not_equal(values[1:], values[:-1])
    )
    kept = _ops.concat([_ops.ones_like(rows[:1], dtypes.bool), changes], 0)
    rows, values = indexing.boolean_mask(rows, kept), indexing.boolean_mask(values, kept)
    starts = indexing.searchsorted(rows, rows, out_type=dtypes.int64)
    columns = _ops.range(0, _ops.cast(array.size(rows), dtypes.int64), 1) - starts
    width = _ops.reduce_max(_ops.concat([columns + 1, [0]], 0))
    shape = _ops.stack([labels.dense_shape[0], width])
    return SparseTensor(_ops.stack([rows, columns], 1), values, shape)


@op_function
def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Rows of a table, which may be in parts.

    >>> parts = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> tf.compat.v1.nn.embedding_lookup(parts, [1, 2])[:, 0].numpy()
    array([1., 2.], dtype=float32)
    """
    return nn.embedding_lookup(_tables(params, partition_strategy), ids, max_norm=max_norm)


@op_function
def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """x @ weights + biases."""
    return nn.bias_add(_ops.matmul(x, weights), biases)


@op_function
def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> Tensor:
    """relu(x @ weights + biases)."""
    return nn.relu(nn.bias_add(_ops.matmul(x, weights), biases))


@op_function
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Batch normalization of images: the result, and the mean and variance used.

    Args:
        x: images.
        scale: for each channel.
        offset: for each channel.
        mean: the mean to use; in training, the moving mean that the batch's is added to.
        variance: the variance to use; in training, the moving variance.
        epsilon: is added to the variance.
        data_format: "NHWC" or "NCHW".
        is_training: whether the batch's own mean and variance are used.
        name: the node's name in a graph.
        exponential_avg_factor: the part of the batch in the moving mean and variance that are
            returned; 1 returns those of the batch.

    >>> x, ones, zeros = tf.reshape([1.0, 3.0], [2, 1, 1, 1]), tf.ones([1]), tf.zeros([1])
    >>> normalize = tf.compat.v1.nn.fused_batch_norm
    >>> y, mean, variance = normalize(x, ones, zeros, zeros, ones, exponential_avg_factor=0.5)
    >>> mean.numpy(), variance.numpy()
    (array([1.], dtype=float32), array([1.5], dtype=float32))
    """
    x = _core.as_tensor(x)
    axis = 1 if data_format == "NCHW" else -1
    if not is_training:
        y = _ops.batch_norm_inference(x, scale, offset, mean, variance, epsilon, axis)
        return y, mean, variance
    given_mean, given_variance = mean, variance
    y, mean, spread, _ = _ops.batch_norm(x, scale, offset, epsilon, axis)
    if None in x._shape_tuple():
        elements = _ops.cast(_ops.reduce_prod(_ops.shape(x)), spread.dtype)
        count = elements / _ops.cast(_ops.shape(x)[axis], spread.dtype)
        variance = spread * (count / _ops.maximum(count - 1, _ops.ones_like(count)))
    else:
        count = x._size // max(x._shape_tuple()[axis], 1)
        variance = spread * (count / max(count - 1, 1))
    if exponential_avg_factor != 1.0:
        kept = 1.0 - exponential_avg_factor
        mean = given_mean * kept + mean * exponential_avg_factor
        variance = given_variance * kept + variance * exponential_avg_factor
    return y, mean, variance


@op_function
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """The gradient of `conv2d` by its input, whose shape is `input_sizes`.

    >>> dy, w = tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1])
    >>> v1 = tf.compat.v1
    >>> v1.nn.conv2d_backprop_input([1, 3, 3, 1], w, dy, [1] * 4, "VALID").numpy()[0, 1, 1, 0]
    np.float32(4.0)
    """
    filter = either("filters", filters, "filter", filter)
    kind, amounts = padding_of(padding)
    return _ops.conv2d_backprop_input(
        filter,
        out_backprop,
        input_sizes,
        list(strides),
        kind,
        amounts,
        list(dilations),
        data_format,
    )


@op_function
def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` by its filters, whose shape is `filter_sizes`."""
    kind, amounts = padding_of(padding)
    return _ops.conv2d_backprop_filter(
        input,
        out_backprop,
        filter_sizes,
        list(strides),
        kind,
        amounts,
        list(dilations),
        data_format,
    )


@op_function
def conv3d_backprop_filter_v2(
    input: TensorLike,
    filter_sizes: Any,
    out_backprop: TensorLike,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` by its filters, whose shape is `filter_sizes`."""
    return raw_ops.Conv3DBackpropFilterV2(
        input=input,
        filter_sizes=filter_sizes,
        out_backprop=out_backprop,
        strides=list(strides),
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
    )


@op_function
def ctc_loss(
    labels: TensorLike,
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Tensor:
    """The negative log-probability of label sequences; the last class is the blank.

    Args:
        labels: a `tf.SparseTensor` of labels `[batch, most labels]`.
        inputs: logits `[frames, batch, classes]`, or with batches first.
        sequence_length: how many frames each example has `[batch]`.
        preprocess_collapse_repeated: must be False.
        ctc_merge_repeated: must be True.
        ignore_longer_outputs_than_inputs: accepted: the loss of an example with more labels than its
            frames can hold is infinite.
        time_major: whether frames come first.
        logits: the newer name of `inputs`.

    Returns:
        A loss for each example `[batch]`.

    Raises:
        tf.errors.UnimplementedError: if repeated labels are collapsed, or not merged.

    >>> labels = tf.sparse.from_dense([[1]])
    >>> loss = tf.compat.v1.nn.ctc_loss(labels, tf.zeros([1, 1, 3]), [1])
    >>> f"{loss.numpy()[0]:.4f}"
    '1.0986'
    """
    if preprocess_collapse_repeated or not ctc_merge_repeated:
        raise UnimplementedError._of(
            "ctc_loss merges repeated labels, and does not collapse them before."
        )
    scores = either("logits", logits, "inputs", inputs)
    return nn.ctc_loss(labels, scores, None, sequence_length, time_major, blank_index=-1)

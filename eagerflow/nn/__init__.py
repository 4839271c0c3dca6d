"""tf.nn: what neural networks are made of."""

from typing import TYPE_CHECKING, Any

from eagerflow.nn import (
    experimental,
)
from eagerflow.ops.indexing import (
    top_k,
)
from eagerflow.ops.linalg.products import (
    l2_normalize,
)
from eagerflow.ops.math import (
    sigmoid,
    tanh,
)
from eagerflow.ops.nn.activation import (
    crelu,
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
)
from eagerflow.ops.nn.candidate_sampling import (
    all_candidate_sampler,
    compute_accidental_hits,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    nce_loss,
    sampled_softmax_loss,
)
from eagerflow.ops.nn.conv3d import (
    avg_pool3d,
    conv3d,
    conv3d_transpose,
    max_pool3d,
)
from eagerflow.ops.nn.convolution import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    separable_conv2d,
)
from eagerflow.ops.nn.ctc import (
    collapse_repeated,
    ctc_beam_search_decoder,
    ctc_greedy_decoder,
    ctc_loss,
    ctc_unique_labels,
)
from eagerflow.ops.nn.embedding import (
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
)
from eagerflow.ops.nn.isotonic import (
    approx_max_k,
    approx_min_k,
    isotonic_regression,
)
from eagerflow.ops.nn.losses import (
    compute_average_loss,
    in_top_k,
    l2_loss,
    log_poisson_loss,
    scale_regularization_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from eagerflow.ops.nn.morphology import (
    dilation2d,
    erosion2d,
    local_response_normalization,
    lrn,
)
from eagerflow.ops.nn.normalization import (
    batch_norm_with_global_normalization,
    batch_normalization,
    bias_add,
    depth_to_space,
    dropout,
    embedding_lookup,
    moments,
    normalize_moments,
    space_to_depth,
    sufficient_statistics,
    weighted_moments,
)
from eagerflow.ops.nn.pool_argmax import (
    fractional_avg_pool,
    fractional_max_pool,
    max_pool_with_argmax,
)
from eagerflow.ops.nn.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    max_pool,
    max_pool1d,
    max_pool2d,
    pool,
)
from eagerflow.ops.nn.space_batch import (
    space_to_batch,
    with_space_to_batch,
)
from eagerflow.ops.reduction import (
    zero_fraction,
)

if TYPE_CHECKING:
    from eagerflow.keras.layers.rnn_cell_wrappers import (
        RNNCellDeviceWrapper,
        RNNCellDropoutWrapper,
        RNNCellResidualWrapper,
    )

# These are layers of Keras, which is imported when it is first asked for.
_CELL_WRAPPERS = ("RNNCellDeviceWrapper", "RNNCellDropoutWrapper", "RNNCellResidualWrapper")


def __getattr__(name: str) -> Any:
    """Imports the cells around other cells."""
    if name not in _CELL_WRAPPERS:
        raise AttributeError(f"module 'eagerflow.nn' has no attribute {name!r}")
    import importlib

    module = importlib.import_module("eagerflow.keras.layers.rnn_cell_wrappers")
    return getattr(module, name)


__all__ = [
    "RNNCellDeviceWrapper",
    "RNNCellDropoutWrapper",
    "RNNCellResidualWrapper",
    "all_candidate_sampler",
    "approx_max_k",
    "approx_min_k",
    "atrous_conv2d",
    "atrous_conv2d_transpose",
    "avg_pool",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm_with_global_normalization",
    "batch_normalization",
    "bias_add",
    "collapse_repeated",
    "compute_accidental_hits",
    "compute_average_loss",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_transpose",
    "convolution",
    "crelu",
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "ctc_unique_labels",
    "depth_to_space",
    "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input",
    "dilation2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "embedding_lookup_sparse",
    "erosion2d",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fractional_avg_pool",
    "fractional_max_pool",
    "gelu",
    "in_top_k",
    "isotonic_regression",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "learned_unigram_candidate_sampler",
    "local_response_normalization",
    "log_poisson_loss",
    "log_softmax",
    "lrn",
    "max_pool",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_pool_with_argmax",
    "moments",
    "nce_loss",
    "normalize_moments",
    "pool",
    "relu",
    "relu6",
    "safe_embedding_lookup_sparse",
    "sampled_softmax_loss",
    "scale_regularization_loss",
    "selu",
    "separable_conv2d",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "space_to_batch",
    "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits",
    "sufficient_statistics",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "weighted_moments",
    "with_space_to_batch",
    "zero_fraction",
]

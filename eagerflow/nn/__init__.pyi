from eagerflow._core.ops import (
    elu as elu,
    l2_loss as l2_loss,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    sigmoid as sigmoid,
    softplus as softplus,
    softsign as softsign,
    tanh as tanh,
)
from eagerflow.keras.layers.rnn_cell_wrappers import (
    RNNCellDeviceWrapper as RNNCellDeviceWrapper,
    RNNCellDropoutWrapper as RNNCellDropoutWrapper,
    RNNCellResidualWrapper as RNNCellResidualWrapper,
)
from eagerflow.nn import experimental as experimental
from eagerflow.ops.indexing import top_k as top_k
from eagerflow.ops.linalg.products import l2_normalize as l2_normalize
from eagerflow.ops.nn.activation import (
    crelu as crelu,
    gelu as gelu,
    leaky_relu as leaky_relu,
    log_softmax as log_softmax,
    silu as silu,
    softmax as softmax,
    swish as swish,
)
from eagerflow.ops.nn.candidate_sampling import (
    all_candidate_sampler as all_candidate_sampler,
    compute_accidental_hits as compute_accidental_hits,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    nce_loss as nce_loss,
    sampled_softmax_loss as sampled_softmax_loss,
)
from eagerflow.ops.nn.conv3d import (
    avg_pool3d as avg_pool3d,
    conv3d as conv3d,
    conv3d_transpose as conv3d_transpose,
    max_pool3d as max_pool3d,
)
from eagerflow.ops.nn.convolution import (
    atrous_conv2d as atrous_conv2d,
    atrous_conv2d_transpose as atrous_conv2d_transpose,
    conv1d as conv1d,
    conv1d_transpose as conv1d_transpose,
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv_transpose as conv_transpose,
    convolution as convolution,
    depthwise_conv2d as depthwise_conv2d,
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
    separable_conv2d as separable_conv2d,
)
from eagerflow.ops.nn.ctc import (
    collapse_repeated as collapse_repeated,
    ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_greedy_decoder as ctc_greedy_decoder,
    ctc_loss as ctc_loss,
    ctc_unique_labels as ctc_unique_labels,
)
from eagerflow.ops.nn.embedding import (
    embedding_lookup as embedding_lookup,
    embedding_lookup_sparse as embedding_lookup_sparse,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from eagerflow.ops.nn.isotonic import (
    approx_max_k as approx_max_k,
    approx_min_k as approx_min_k,
    isotonic_regression as isotonic_regression,
)
from eagerflow.ops.nn.losses import (
    compute_average_loss as compute_average_loss,
    in_top_k as in_top_k,
    log_poisson_loss as log_poisson_loss,
    scale_regularization_loss as scale_regularization_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from eagerflow.ops.nn.morphology import (
    dilation2d as dilation2d,
    erosion2d as erosion2d,
    local_response_normalization as local_response_normalization,
    lrn as lrn,
)
from eagerflow.ops.nn.normalization import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    batch_normalization as batch_normalization,
    bias_add as bias_add,
    depth_to_space as depth_to_space,
    dropout as dropout,
    moments as moments,
    normalize_moments as normalize_moments,
    space_to_depth as space_to_depth,
    sufficient_statistics as sufficient_statistics,
    weighted_moments as weighted_moments,
)
from eagerflow.ops.nn.pool_argmax import (
    fractional_avg_pool as fractional_avg_pool,
    fractional_max_pool as fractional_max_pool,
    max_pool_with_argmax as max_pool_with_argmax,
)
from eagerflow.ops.nn.pooling import (
    avg_pool as avg_pool,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    max_pool as max_pool,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    pool as pool,
)
from eagerflow.ops.nn.space_batch import (
    space_to_batch as space_to_batch,
    with_space_to_batch as with_space_to_batch,
)
from eagerflow.ops.reduction import zero_fraction as zero_fraction

from eagerflow.ops.nn.convolution import conv1d_transpose as conv1d_transpose
from eagerflow_compat.contrib.nn.functions import (
    alpha_dropout as alpha_dropout,
    flipped_sigmoid,
    flipped_softmax,
    flipped_sparse_softmax,
    scaled_softplus as scaled_softplus,
)

deprecated_flipped_sigmoid_cross_entropy_with_logits = flipped_sigmoid
deprecated_flipped_softmax_cross_entropy_with_logits = flipped_softmax
deprecated_flipped_sparse_softmax_cross_entropy_with_logits = flipped_sparse_softmax

"""tf.compat.v1.nn: functions of neural networks, with version 1's arguments."""

from eagerflow_compat.v1.mirror import mirror
from eagerflow_compat.v1.rnn import (
    bidirectional_dynamic_rnn,
    dynamic_rnn,
    raw_rnn,
    static_bidirectional_rnn,
    static_rnn,
    static_state_saving_rnn,
)

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow_compat.v1.nn",
    "eagerflow.nn",
    renamed={
        "avg_pool_v2": "nn.avg_pool",
        "conv3d_backprop_filter": "v1.nn.conv3d_backprop_filter_v2",
        "ctc_beam_search_decoder_v2": "nn.ctc_beam_search_decoder",
        "ctc_loss_v2": "nn.ctc_loss",
        "depthwise_conv2d_native_backprop_filter": "nn.depthwise_conv2d_backprop_filter",
        "depthwise_conv2d_native_backprop_input": "nn.depthwise_conv2d_backprop_input",
        "log_uniform_candidate_sampler": "random.log_uniform_candidate_sampler",
        "space_to_batch": "v1.arithmetic.space_to_batch",
        "max_pool_v2": "nn.max_pool",
        "uniform_candidate_sampler": "random.uniform_candidate_sampler",
    },
)

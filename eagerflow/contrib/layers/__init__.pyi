from eagerflow.contrib.layers.functions import (
    avg_pool2d as avg_pool2d,
    batch_norm as batch_norm,
    conv2d as conv2d,
    convolution2d as convolution2d,
    dropout as dropout,
    embed_sequence as embed_sequence,
    fully_connected as fully_connected,
    layer_norm as layer_norm,
    linear as linear,
    max_pool2d as max_pool2d,
    one_hot_encoding as one_hot_encoding,
    relu as relu,
    softmax as softmax,
    stack as stack,
)
from eagerflow.contrib.layers.regularizers import l2_regularizer as l2_regularizer
from eagerflow.keras.regularizers import L1
from eagerflow.v1.initializers import (
    variance_scaling_initializer as variance_scaling_initializer,
    xavier_initializer as xavier_initializer,
)
from eagerflow.v1.layers import flatten as flatten

l1_regularizer = L1
xavier_initializer_conv2d = xavier_initializer

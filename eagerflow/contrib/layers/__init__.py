"""tf.contrib.layers: layers as functions, initializers and regularizers under their first names."""

from eagerflow.contrib.layers.functions import (
    avg_pool2d,
    batch_norm,
    conv2d,
    convolution2d,
    dropout,
    embed_sequence,
    fully_connected,
    layer_norm,
    linear,
    max_pool2d,
    one_hot_encoding,
    relu,
    softmax,
    stack,
)
from eagerflow.keras.regularizers import L1, L2
from eagerflow.v1.initializers import (
    variance_scaling_initializer,
    xavier_initializer,
)
from eagerflow.v1.initializers import xavier_initializer as xavier_initializer_conv2d
from eagerflow.v1.layers import flatten

l1_regularizer = L1


def l2_regularizer(scale: float, scope: str | None = None) -> L2:
    """Gives half the sum of squares, times `scale`.

    >>> from eagerflow.contrib.layers import l2_regularizer
    >>> l2_regularizer(0.5)(tf.constant([2.0])).numpy()
    np.float32(1.0)
    """
    return L2(scale / 2)


__all__ = [
    "avg_pool2d",
    "batch_norm",
    "conv2d",
    "convolution2d",
    "dropout",
    "embed_sequence",
    "flatten",
    "fully_connected",
    "l1_regularizer",
    "l2_regularizer",
    "layer_norm",
    "linear",
    "max_pool2d",
    "one_hot_encoding",
    "relu",
    "softmax",
    "stack",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

"""The base classes of Keras's layers, by the names that its versions have given them."""

from eagerflow.keras.layers.convolution import Conv
from eagerflow.keras.layers.depthwise_convolution import DepthwiseConv
from eagerflow.keras.layers.global_pooling import GlobalPooling
from eagerflow.keras.layers.merging import Merge
from eagerflow.keras.layers.pooling import Pooling
from eagerflow.keras.layers.separable_convolution import SeparableConv

__all__ = [
    "BaseConv",
    "BaseDepthwiseConv",
    "BaseGlobalPooling",
    "BasePooling",
    "BaseSeparableConv",
    "Conv",
    "DepthwiseConv",
    "Merge",
    "SeparableConv",
    "_Merge",
]

BaseConv = Conv
BaseDepthwiseConv = DepthwiseConv
BaseGlobalPooling = GlobalPooling
BasePooling = Pooling
BaseSeparableConv = SeparableConv
_Merge = Merge

"""tf.keras.layers: what models are made of."""

import importlib as _importlib
import typing as _typing

from eagerflow.keras.engine.input_layer import Input, InputLayer
from eagerflow.keras.engine.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers import experimental
from eagerflow.keras.layers.activation import (
    ELU,
    Activation,
    LeakyReLU,
    PReLU,
    ReLU,
    Softmax,
    ThresholdedReLU,
)
from eagerflow.keras.layers.adaptive_pooling import (
    AdaptiveAveragePooling1D,
    AdaptiveAveragePooling2D,
    AdaptiveAveragePooling3D,
    AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D,
    AdaptiveMaxPooling3D,
)
from eagerflow.keras.layers.attention import AdditiveAttention, Attention
from eagerflow.keras.layers.batch_normalization import BatchNormalization
from eagerflow.keras.layers.bidirectional import Bidirectional
from eagerflow.keras.layers.category_encoding import CategoryEncoding
from eagerflow.keras.layers.color_augmentation import (
    AutoContrast,
    Equalization,
    RandomColorDegeneration,
    RandomColorJitter,
    RandomGaussianBlur,
    RandomGrayscale,
    RandomHue,
    RandomInvert,
    RandomPosterization,
    RandomSaturation,
    RandomSharpness,
    Solarization,
)
from eagerflow.keras.layers.conv_lstm import ConvLSTM1D, ConvLSTM2D, ConvLSTM3D
from eagerflow.keras.layers.convolution import (
    Conv1D,
    Conv2D,
    Conv3D,
    Convolution1D,
    Convolution2D,
    Convolution3D,
)
from eagerflow.keras.layers.convolution_transpose import (
    Conv1DTranspose,
    Conv2DTranspose,
    Conv3DTranspose,
    Convolution1DTranspose,
    Convolution2DTranspose,
    Convolution3DTranspose,
)
from eagerflow.keras.layers.dense import Dense
from eagerflow.keras.layers.depthwise_convolution import DepthwiseConv1D, DepthwiseConv2D
from eagerflow.keras.layers.discretization import Discretization
from eagerflow.keras.layers.dropout import (
    AlphaDropout,
    Dropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from eagerflow.keras.layers.einsum_dense import EinsumDense
from eagerflow.keras.layers.embedding import Embedding
from eagerflow.keras.layers.feature_normalization import Normalization
from eagerflow.keras.layers.global_pooling import (
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
)
from eagerflow.keras.layers.group_query_attention import GroupQueryAttention
from eagerflow.keras.layers.gru import GRU, GRUCell
from eagerflow.keras.layers.hashing import HashedCrossing, Hashing
from eagerflow.keras.layers.identity import ActivityRegularization, Identity
from eagerflow.keras.layers.image_preprocessing import CenterCrop, Rescaling, Resizing
from eagerflow.keras.layers.lambda_layer import Lambda
from eagerflow.keras.layers.layer_normalization import (
    GroupNormalization,
    LayerNormalization,
    UnitNormalization,
)
from eagerflow.keras.layers.locally_connected import LocallyConnected1D, LocallyConnected2D
from eagerflow.keras.layers.lookup import IntegerLookup, StringLookup
from eagerflow.keras.layers.lstm import LSTM, LSTMCell
from eagerflow.keras.layers.masking import Masking
from eagerflow.keras.layers.merging import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    minimum,
    multiply,
    subtract,
)
from eagerflow.keras.layers.mixed_changes import (
    AugMix,
    MaxNumBoundingBoxes,
    RandAugment,
    RandomShear,
)
from eagerflow.keras.layers.mixing_augmentation import CutMix, MixUp, RandomErasing
from eagerflow.keras.layers.multi_head_attention import MultiHeadAttention
from eagerflow.keras.layers.padding import (
    Cropping1D,
    Cropping2D,
    Cropping3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)
from eagerflow.keras.layers.pipeline import Pipeline
from eagerflow.keras.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from eagerflow.keras.layers.random_images import (
    RandomBrightness,
    RandomContrast,
    RandomCrop,
    RandomFlip,
    RandomRotation,
    RandomTranslation,
    RandomZoom,
)
from eagerflow.keras.layers.random_sizes import RandomHeight, RandomWidth
from eagerflow.keras.layers.reshaping import Flatten, Permute, RepeatVector, Reshape
from eagerflow.keras.layers.reversible_embedding import ReversibleEmbedding
from eagerflow.keras.layers.rms_normalization import RMSNormalization
from eagerflow.keras.layers.rnn import RNN
from eagerflow.keras.layers.rnn_cell import AbstractRNNCell
from eagerflow.keras.layers.separable_convolution import (
    SeparableConv1D,
    SeparableConv2D,
    SeparableConvolution1D,
    SeparableConvolution2D,
)
from eagerflow.keras.layers.serialization import deserialize, serialize
from eagerflow.keras.layers.simple_rnn import SimpleRNN, SimpleRNNCell
from eagerflow.keras.layers.spectrogram import MelSpectrogram, STFTSpectrogram
from eagerflow.keras.layers.stacked_rnn_cells import StackedRNNCells
from eagerflow.keras.layers.text_vectorization import TextVectorization
from eagerflow.keras.layers.time_distributed import TimeDistributed
from eagerflow.keras.layers.upsampling import UpSampling1D, UpSampling2D, UpSampling3D
from eagerflow.keras.layers.wrapper import SpectralNormalization, Wrapper

# Feature columns are imported when they are first asked for.
_LATER = {"DenseFeatures": "eagerflow.keras.layers.dense_features"}


def __getattr__(name: str) -> _typing.Any:
    """Imports a name when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    found = globals()[name] = getattr(_importlib.import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})

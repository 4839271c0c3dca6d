from eagerflow.keras.layers import experimental as experimental
from eagerflow.keras.engine.functional.input_layer import Input as Input, InputLayer as InputLayer
from eagerflow.keras.engine.calls.input_spec import InputSpec as InputSpec
from eagerflow.keras.engine.layer import Layer as Layer
from eagerflow.keras.layers.activation import (
    ELU as ELU,
    Activation as Activation,
    LeakyReLU as LeakyReLU,
    PReLU as PReLU,
    ReLU as ReLU,
    Softmax as Softmax,
    ThresholdedReLU as ThresholdedReLU,
)
from eagerflow_compat.keras.layers.adaptive_pooling import (
    AdaptiveAveragePooling1D as AdaptiveAveragePooling1D,
    AdaptiveAveragePooling2D as AdaptiveAveragePooling2D,
    AdaptiveAveragePooling3D as AdaptiveAveragePooling3D,
    AdaptiveMaxPooling1D as AdaptiveMaxPooling1D,
    AdaptiveMaxPooling2D as AdaptiveMaxPooling2D,
    AdaptiveMaxPooling3D as AdaptiveMaxPooling3D,
)
from eagerflow.keras.layers.attention import (
    AdditiveAttention as AdditiveAttention,
    Attention as Attention,
)
from eagerflow.keras.layers.batch_normalization import BatchNormalization as BatchNormalization
from eagerflow.keras.layers.bidirectional import Bidirectional as Bidirectional
from eagerflow.keras.layers.category_encoding import CategoryEncoding as CategoryEncoding
from eagerflow_compat.keras.layers.color_augmentation import (
    AutoContrast as AutoContrast,
    Equalization as Equalization,
    RandomColorDegeneration as RandomColorDegeneration,
    RandomColorJitter as RandomColorJitter,
    RandomGaussianBlur as RandomGaussianBlur,
    RandomGrayscale as RandomGrayscale,
    RandomHue as RandomHue,
    RandomInvert as RandomInvert,
    RandomPosterization as RandomPosterization,
    RandomSaturation as RandomSaturation,
    RandomSharpness as RandomSharpness,
    Solarization as Solarization,
)
from eagerflow.keras.layers.conv_lstm import (
    ConvLSTM1D as ConvLSTM1D,
    ConvLSTM2D as ConvLSTM2D,
    ConvLSTM3D as ConvLSTM3D,
)
from eagerflow.keras.layers.convolution import (
    Conv1D as Conv1D,
    Conv2D as Conv2D,
    Conv3D as Conv3D,
    Convolution1D as Convolution1D,
    Convolution2D as Convolution2D,
    Convolution3D as Convolution3D,
)
from eagerflow.keras.layers.convolution_transpose import (
    Conv1DTranspose as Conv1DTranspose,
    Conv2DTranspose as Conv2DTranspose,
    Conv3DTranspose as Conv3DTranspose,
    Convolution1DTranspose as Convolution1DTranspose,
    Convolution2DTranspose as Convolution2DTranspose,
    Convolution3DTranspose as Convolution3DTranspose,
)
from eagerflow.keras.layers.dense import Dense as Dense
from eagerflow.keras.layers.dense_features import DenseFeatures as DenseFeatures
from eagerflow.keras.layers.depthwise_convolution import (
    DepthwiseConv1D as DepthwiseConv1D,
    DepthwiseConv2D as DepthwiseConv2D,
)
from eagerflow.keras.layers.discretization import Discretization as Discretization
from eagerflow.keras.layers.dropout import (
    AlphaDropout as AlphaDropout,
    Dropout as Dropout,
    GaussianDropout as GaussianDropout,
    GaussianNoise as GaussianNoise,
    SpatialDropout1D as SpatialDropout1D,
    SpatialDropout2D as SpatialDropout2D,
    SpatialDropout3D as SpatialDropout3D,
)
from eagerflow.keras.layers.einsum_dense import EinsumDense as EinsumDense
from eagerflow.keras.layers.embedding import Embedding as Embedding
from eagerflow.keras.layers.feature_normalization import Normalization as Normalization
from eagerflow.keras.layers.global_pooling import (
    GlobalAveragePooling1D as GlobalAveragePooling1D,
    GlobalAveragePooling2D as GlobalAveragePooling2D,
    GlobalAveragePooling3D as GlobalAveragePooling3D,
    GlobalAvgPool1D as GlobalAvgPool1D,
    GlobalAvgPool2D as GlobalAvgPool2D,
    GlobalAvgPool3D as GlobalAvgPool3D,
    GlobalMaxPool1D as GlobalMaxPool1D,
    GlobalMaxPool2D as GlobalMaxPool2D,
    GlobalMaxPool3D as GlobalMaxPool3D,
    GlobalMaxPooling1D as GlobalMaxPooling1D,
    GlobalMaxPooling2D as GlobalMaxPooling2D,
    GlobalMaxPooling3D as GlobalMaxPooling3D,
)
from eagerflow_compat.keras.layers.group_query_attention import (
    GroupQueryAttention as GroupQueryAttention,
)
from eagerflow.keras.layers.gru import GRU as GRU, GRUCell as GRUCell
from eagerflow.keras.layers.hashing import HashedCrossing as HashedCrossing, Hashing as Hashing
from eagerflow.keras.layers.identity import (
    ActivityRegularization as ActivityRegularization,
    Identity as Identity,
)
from eagerflow.keras.layers.image_preprocessing import (
    CenterCrop as CenterCrop,
    Rescaling as Rescaling,
    Resizing as Resizing,
)
from eagerflow.keras.layers.lambda_layer import Lambda as Lambda
from eagerflow.keras.layers.layer_normalization import (
    GroupNormalization as GroupNormalization,
    LayerNormalization as LayerNormalization,
    UnitNormalization as UnitNormalization,
)
from eagerflow.keras.layers.locally_connected import (
    LocallyConnected1D as LocallyConnected1D,
    LocallyConnected2D as LocallyConnected2D,
)
from eagerflow.keras.layers.lookup import (
    IntegerLookup as IntegerLookup,
    StringLookup as StringLookup,
)
from eagerflow.keras.layers.lstm import LSTM as LSTM, LSTMCell as LSTMCell
from eagerflow.keras.layers.masking import Masking as Masking
from eagerflow.keras.layers.merging import (
    Add as Add,
    Average as Average,
    Concatenate as Concatenate,
    Dot as Dot,
    Maximum as Maximum,
    Minimum as Minimum,
    Multiply as Multiply,
    Subtract as Subtract,
    add as add,
    average as average,
    concatenate as concatenate,
    dot as dot,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    subtract as subtract,
)
from eagerflow_compat.keras.layers.rand_augment import (
    AugMix as AugMix,
    MaxNumBoundingBoxes as MaxNumBoundingBoxes,
    RandAugment as RandAugment,
    RandomShear as RandomShear,
)
from eagerflow_compat.keras.layers.mixing_augmentation import (
    CutMix as CutMix,
    MixUp as MixUp,
    RandomErasing as RandomErasing,
)
from eagerflow.keras.layers.multi_head_attention import MultiHeadAttention as MultiHeadAttention
from eagerflow.keras.layers.padding import (
    Cropping1D as Cropping1D,
    Cropping2D as Cropping2D,
    Cropping3D as Cropping3D,
    ZeroPadding1D as ZeroPadding1D,
    ZeroPadding2D as ZeroPadding2D,
    ZeroPadding3D as ZeroPadding3D,
)
from eagerflow_compat.keras.layers.pipeline import Pipeline as Pipeline
from eagerflow.keras.layers.pooling import (
    AveragePooling1D as AveragePooling1D,
    AveragePooling2D as AveragePooling2D,
    AveragePooling3D as AveragePooling3D,
    AvgPool1D as AvgPool1D,
    AvgPool2D as AvgPool2D,
    AvgPool3D as AvgPool3D,
    MaxPool1D as MaxPool1D,
    MaxPool2D as MaxPool2D,
    MaxPool3D as MaxPool3D,
    MaxPooling1D as MaxPooling1D,
    MaxPooling2D as MaxPooling2D,
    MaxPooling3D as MaxPooling3D,
)
from eagerflow.keras.layers.random_images import (
    RandomBrightness as RandomBrightness,
    RandomContrast as RandomContrast,
    RandomCrop as RandomCrop,
    RandomFlip as RandomFlip,
    RandomRotation as RandomRotation,
    RandomTranslation as RandomTranslation,
    RandomZoom as RandomZoom,
)
from eagerflow.keras.layers.random_sizes import (
    RandomHeight as RandomHeight,
    RandomWidth as RandomWidth,
)
from eagerflow.keras.layers.reshaping import (
    Flatten as Flatten,
    Permute as Permute,
    RepeatVector as RepeatVector,
    Reshape as Reshape,
)
from eagerflow_compat.keras.layers.reversible_embedding import (
    ReversibleEmbedding as ReversibleEmbedding,
)
from eagerflow_compat.keras.layers.rms_normalization import RMSNormalization as RMSNormalization
from eagerflow.keras.layers.rnn import RNN as RNN
from eagerflow.keras.layers.rnn_cell import AbstractRNNCell as AbstractRNNCell
from eagerflow_compat.keras.layers.saved_model_layer import TFSMLayer as TFSMLayer
from eagerflow.keras.layers.separable_convolution import (
    SeparableConv1D as SeparableConv1D,
    SeparableConv2D as SeparableConv2D,
    SeparableConvolution1D as SeparableConvolution1D,
    SeparableConvolution2D as SeparableConvolution2D,
)
from eagerflow.keras.layers.serialization import deserialize as deserialize, serialize as serialize
from eagerflow.keras.layers.simple_rnn import SimpleRNN as SimpleRNN, SimpleRNNCell as SimpleRNNCell
from eagerflow_compat.keras.layers.spectrogram import (
    MelSpectrogram as MelSpectrogram,
    STFTSpectrogram as STFTSpectrogram,
)
from eagerflow.keras.layers.stacked_rnn_cells import StackedRNNCells as StackedRNNCells
from eagerflow.keras.layers.text_vectorization import TextVectorization as TextVectorization
from eagerflow.keras.layers.time_distributed import TimeDistributed as TimeDistributed
from eagerflow.keras.layers.upsampling import (
    UpSampling1D as UpSampling1D,
    UpSampling2D as UpSampling2D,
    UpSampling3D as UpSampling3D,
)
from eagerflow.keras.layers.wrapper import (
    SpectralNormalization as SpectralNormalization,
    Wrapper as Wrapper,
)

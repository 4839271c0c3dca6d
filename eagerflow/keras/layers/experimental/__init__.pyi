from eagerflow.keras.layers.experimental import preprocessing as preprocessing
from eagerflow.keras.layers.batch_normalization import (
    SyncBatchNormalization as SyncBatchNormalization,
)
from eagerflow.keras.layers.einsum_dense import EinsumDense as EinsumDense
from eagerflow.keras.layers.random_fourier_features import (
    RandomFourierFeatures as RandomFourierFeatures,
)

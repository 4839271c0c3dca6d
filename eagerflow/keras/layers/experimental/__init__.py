"""tf.keras.layers.experimental: layers under the names they had first."""

from eagerflow.keras.layers.batch_normalization import SyncBatchNormalization
from eagerflow.keras.layers.einsum_dense import EinsumDense
from eagerflow.keras.layers.experimental import preprocessing

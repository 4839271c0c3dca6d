"""tf.compat.v1.keras.layers: Keras's layers, under the names of those for one kind of device too."""

from eagerflow_compat.v1.keras_layers import GRU, LSTM, DenseFeatures
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.keras.layers",
    renamed={
        "disable_v2_dtype_behavior": "compat.switches.disable_v2_dtype_behavior",
        "enable_v2_dtype_behavior": "compat.switches.enable_v2_dtype_behavior",
        "CuDNNGRU": "keras.layers.GRU",
        "CuDNNLSTM": "keras.layers.LSTM",
    },
)

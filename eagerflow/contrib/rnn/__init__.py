"""tf.contrib.rnn: cells of recurrent networks, where programs of the first generation found them."""

from eagerflow.v1.rnn import static_bidirectional_rnn, static_rnn
from eagerflow.v1.rnn_cells import (
    BasicLSTMCell,
    BasicRNNCell,
    DeviceWrapper,
    DropoutWrapper,
    GRUCell,
    LSTMCell,
    LSTMStateTuple,
    MultiRNNCell,
    ResidualWrapper,
    RNNCell,
)

GRUBlockCellV2 = GRUCell
LSTMBlockCell = BasicLSTMCell

from eagerflow.v1.rnn import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
)
from eagerflow.v1.rnn_cells import (
    BasicLSTMCell as BasicLSTMCell,
    BasicRNNCell as BasicRNNCell,
    DeviceWrapper as DeviceWrapper,
    DropoutWrapper as DropoutWrapper,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
    MultiRNNCell as MultiRNNCell,
    ResidualWrapper as ResidualWrapper,
    RNNCell as RNNCell,
)

LSTMBlockCell = BasicLSTMCell
GRUBlockCellV2 = GRUCell

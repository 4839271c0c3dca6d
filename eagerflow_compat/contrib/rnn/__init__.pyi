from eagerflow_compat.v1.rnn import (
    static_bidirectional_rnn as static_bidirectional_rnn,
)
from eagerflow_compat.v1.rnn import (
    static_rnn as static_rnn,
)
from eagerflow_compat.v1.rnn_cells import (
    BasicLSTMCell as BasicLSTMCell,
)
from eagerflow_compat.v1.rnn_cells import (
    BasicRNNCell as BasicRNNCell,
)
from eagerflow_compat.v1.rnn_cells import (
    DeviceWrapper as DeviceWrapper,
)
from eagerflow_compat.v1.rnn_cells import (
    DropoutWrapper as DropoutWrapper,
)
from eagerflow_compat.v1.rnn_cells import (
    GRUCell as GRUCell,
)
from eagerflow_compat.v1.rnn_cells import (
    LSTMCell as LSTMCell,
)
from eagerflow_compat.v1.rnn_cells import (
    LSTMStateTuple as LSTMStateTuple,
)
from eagerflow_compat.v1.rnn_cells import (
    MultiRNNCell as MultiRNNCell,
)
from eagerflow_compat.v1.rnn_cells import (
    ResidualWrapper as ResidualWrapper,
)
from eagerflow_compat.v1.rnn_cells import (
    RNNCell as RNNCell,
)

LSTMBlockCell = BasicLSTMCell
GRUBlockCellV2 = GRUCell

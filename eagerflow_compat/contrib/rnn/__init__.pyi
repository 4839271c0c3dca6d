from eagerflow_compat.contrib.rnn.convolutional import (
    Conv1DLSTMCell as Conv1DLSTMCell,
    Conv2DLSTMCell as Conv2DLSTMCell,
    Conv3DLSTMCell as Conv3DLSTMCell,
    ConvLSTMCell as ConvLSTMCell,
)
from eagerflow_compat.contrib.rnn.fused import (
    FusedRNNCell as FusedRNNCell,
    FusedRNNCellAdaptor as FusedRNNCellAdaptor,
    GRUBlockCell as GRUBlockCell,
    GRUBlockCellV2 as GRUBlockCellV2,
    LSTMBlockCell as LSTMBlockCell,
    LSTMBlockFusedCell as LSTMBlockFusedCell,
    TimeReversedFusedRNN as TimeReversedFusedRNN,
)
from eagerflow_compat.contrib.rnn.gated import (
    CFNCell as CFNCell,
    IntersectionRNNCell as IntersectionRNNCell,
    MinimalRNNCell as MinimalRNNCell,
    NASCell as NASCell,
    SRUCell as SRUCell,
    UGRNNCell as UGRNNCell,
)
from eagerflow_compat.contrib.rnn.grid import (
    BidirectionalGridLSTMCell as BidirectionalGridLSTMCell,
    GridLSTMCell as GridLSTMCell,
    TimeFreqLSTMCell as TimeFreqLSTMCell,
)
from eagerflow_compat.contrib.rnn.independent import (
    IndRNNCell as IndRNNCell,
    IndyGRUCell as IndyGRUCell,
    IndyLSTMCell as IndyLSTMCell,
)
from eagerflow_compat.contrib.rnn.normalized import (
    CoupledInputForgetGateLSTMCell as CoupledInputForgetGateLSTMCell,
    GLSTMCell as GLSTMCell,
    LayerNormBasicLSTMCell as LayerNormBasicLSTMCell,
    LayerNormLSTMCell as LayerNormLSTMCell,
    WeightNormLSTMCell as WeightNormLSTMCell,
)
from eagerflow_compat.contrib.rnn.phased import PhasedLSTMCell as PhasedLSTMCell
from eagerflow_compat.contrib.rnn.stacks import (
    best_effort_input_batch_size as best_effort_input_batch_size,
    stack_bidirectional_dynamic_rnn as stack_bidirectional_dynamic_rnn,
    stack_bidirectional_rnn as stack_bidirectional_rnn,
    transpose_batch_time as transpose_batch_time,
)
from eagerflow_compat.contrib.rnn.turing import (
    NTMCell as NTMCell,
    NTMControllerState as NTMControllerState,
)
from eagerflow_compat.contrib.rnn.wrappers import (
    AttentionCellWrapper as AttentionCellWrapper,
    CompiledWrapper as CompiledWrapper,
    EmbeddingWrapper as EmbeddingWrapper,
    HighwayWrapper as HighwayWrapper,
    InputProjectionWrapper as InputProjectionWrapper,
    OutputProjectionWrapper as OutputProjectionWrapper,
)
from eagerflow_compat.v1.rnn import (
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
    static_state_saving_rnn as static_state_saving_rnn,
)
from eagerflow_compat.v1.rnn_cells import (
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

LayerRNNCell = RNNCell

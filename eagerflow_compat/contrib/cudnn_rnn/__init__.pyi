from eagerflow_compat.contrib.cudnn_rnn.cells import (
    CudnnCompatibleGRUCell as CudnnCompatibleGRUCell,
    CudnnCompatibleLSTMCell as CudnnCompatibleLSTMCell,
)
from eagerflow_compat.contrib.cudnn_rnn.layers import (
    CudnnGRU as CudnnGRU,
    CudnnLSTM as CudnnLSTM,
    CudnnRNNRelu as CudnnRNNRelu,
    CudnnRNNTanh as CudnnRNNTanh,
)
from eagerflow_compat.contrib.cudnn_rnn.parameters import (
    CUDNN_GRU as CUDNN_GRU,
    CUDNN_INPUT_AUTO_MODE as CUDNN_INPUT_AUTO_MODE,
    CUDNN_INPUT_LINEAR_MODE as CUDNN_INPUT_LINEAR_MODE,
    CUDNN_INPUT_SKIP_MODE as CUDNN_INPUT_SKIP_MODE,
    CUDNN_LSTM as CUDNN_LSTM,
    CUDNN_RNN_BIDIRECTION as CUDNN_RNN_BIDIRECTION,
    CUDNN_RNN_RELU as CUDNN_RNN_RELU,
    CUDNN_RNN_TANH as CUDNN_RNN_TANH,
    CUDNN_RNN_UNIDIRECTION as CUDNN_RNN_UNIDIRECTION,
    cudnn_rnn_canonical_to_opaque_params as cudnn_rnn_canonical_to_opaque_params,
    cudnn_rnn_opaque_params_size as cudnn_rnn_opaque_params_size,
    cudnn_rnn_opaque_params_to_canonical as cudnn_rnn_opaque_params_to_canonical,
)
from eagerflow_compat.contrib.cudnn_rnn.saving import (
    CudnnGRUSaveable as CudnnGRUSaveable,
    CudnnLSTMSaveable as CudnnLSTMSaveable,
    CudnnOpaqueParamsSaveable as CudnnOpaqueParamsSaveable,
    CudnnRNNReluSaveable as CudnnRNNReluSaveable,
    CudnnRNNTanhSaveable as CudnnRNNTanhSaveable,
)

RNNParamsSaveable = CudnnOpaqueParamsSaveable

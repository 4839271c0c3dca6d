"""The names of a Keras backend, as `keras.src.backend` takes them from it."""

from . import (  # type: ignore[attr-defined]
    core,
    distribution_lib,
    image,
    linalg,
    math,
    nn,
    numpy,
    random,
    tensorboard,
)
from .core import (
    IS_THREAD_SAFE,
    SUPPORTS_COMPLEX_DTYPES,
    SUPPORTS_RAGGED_TENSORS,
    SUPPORTS_SPARSE_TENSORS,
    Variable,
    cast,
    compute_output_spec,
    cond,
    convert_to_numpy,
    convert_to_tensor,
    device_scope,
    is_tensor,
    name_scope,
    random_seed_dtype,
    scatter,
    shape,
    stop_gradient,
    vectorized_map,
)
from .rnn import bidirectional_gru, bidirectional_lstm, cudnn_ok, gru, lstm, rnn

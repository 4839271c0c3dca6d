from eagerflow_compat.contrib import (
    autograph as autograph,
)
from eagerflow_compat.contrib import (
    checkpoint as checkpoint,
)
from eagerflow_compat.contrib import (
    crf as crf,
)
from eagerflow_compat.contrib import (
    data as data,
)
from eagerflow_compat.contrib import (
    distributions as distributions,
)
from eagerflow_compat.contrib import (
    eager as eager,
)
from eagerflow_compat.contrib import (
    framework as framework,
)
from eagerflow_compat.contrib import (
    image as image,
)
from eagerflow_compat.contrib import (
    integrate as integrate,
)
from eagerflow_compat.contrib import (
    layers as layers,
)
from eagerflow_compat.contrib import (
    lookup as lookup,
)
from eagerflow_compat.contrib import (
    opt as opt,
)
from eagerflow_compat.contrib import (
    rnn as rnn,
)
from eagerflow_compat.contrib import (
    seq2seq as seq2seq,
)
from eagerflow_compat.contrib import (
    signal as signal,
)
from eagerflow_compat.contrib import (
    stateless as stateless,
)
from eagerflow_compat.contrib import (
    summary as summary,
)
from eagerflow_compat.contrib import (
    training as training,
)
from eagerflow_compat.contrib import (
    cudnn_rnn as cudnn_rnn,
)
from eagerflow_compat.contrib import (
    learn as learn,
)
from eagerflow_compat.contrib import (
    losses as losses,
)
from eagerflow_compat.contrib import (
    memory_stats as memory_stats,
)
from eagerflow_compat.contrib import (
    metrics as metrics,
)
from eagerflow_compat.contrib import (
    nn as nn,
)
from eagerflow_compat.contrib import (
    util as util,
)
from eagerflow import linalg as linalg
from eagerflow_compat.compat.v1 import keras as keras
from eagerflow_compat.contrib import (
    legacy_seq2seq as legacy_seq2seq,
)
from eagerflow_compat.contrib import (
    deprecated as deprecated,
)
from eagerflow_compat.contrib import (
    tensorboard as tensorboard,
)
from eagerflow_compat.contrib import (
    resampler as resampler,
)
from eagerflow_compat.contrib import (
    sparsemax as sparsemax,
)

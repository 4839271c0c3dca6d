from eagerflow.contrib import (
    distributions as distributions,
    eager as eager,
    framework as framework,
    layers as layers,
    rnn as rnn,
    summary as summary,
    training as training,
)

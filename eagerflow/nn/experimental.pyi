from eagerflow.ops.nn.normalization import (
    general_dropout as general_dropout,
    stateless_dropout as stateless_dropout,
)

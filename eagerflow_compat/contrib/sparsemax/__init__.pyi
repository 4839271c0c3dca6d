from eagerflow_compat.contrib.sparsemax.functions import (
    sparsemax as sparsemax,
    sparsemax_loss as sparsemax_loss,
)

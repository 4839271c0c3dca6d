from eagerflow.keras import (
    activations as activations,
    applications as applications,
    backend as backend,
    callbacks as callbacks,
    config as config,
    constraints as constraints,
    datasets as datasets,
    dtensor as dtensor,
    experimental as experimental,
    export as export,
    initializers as initializers,
    layers as layers,
    losses as losses,
    metrics as metrics,
    mixed_precision as mixed_precision,
    models as models,
    optimizers as optimizers,
    preprocessing as preprocessing,
    regularizers as regularizers,
    saving as saving,
    utils as utils,
)
from eagerflow.framework.device import device as device
from eagerflow.keras.engine.functional.input_layer import Input as Input
from eagerflow.keras.engine.calls.input_spec import InputSpec as InputSpec
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor as KerasTensor
from eagerflow.keras.engine.layer import Layer as Layer
from eagerflow.keras.engine.sequential import Sequential as Sequential
from eagerflow.keras.engine.model import Model as Model
from eagerflow.keras.initializers import Initializer as Initializer
from eagerflow.keras.losses.loss import Loss as Loss
from eagerflow.keras.metrics.metric import Metric as Metric
from eagerflow.keras.mixed_precision.policy import Policy
from eagerflow.keras.optimizers.optimizer import Optimizer as Optimizer
from eagerflow.keras.regularizers import Regularizer as Regularizer
from eagerflow.keras.release import version as version
from eagerflow.framework.name_scope import name_scope as name_scope
from eagerflow.version import VERSION
from eagerflow_compat.keras import (
    estimator as estimator,
    ops as ops,
    random as random,
    tree as tree,
    wrappers as wrappers,
)
from eagerflow_compat.keras.variable import Variable as Variable

DTypePolicy = Policy
__version__ = VERSION

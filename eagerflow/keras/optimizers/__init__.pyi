from eagerflow.keras.optimizers import (
    experimental as experimental,
    legacy as legacy,
    schedules as schedules,
)
from eagerflow.keras.optimizers.adadelta import Adadelta as Adadelta
from eagerflow.keras.optimizers.adafactor import Adafactor as Adafactor
from eagerflow.keras.optimizers.adagrad import Adagrad as Adagrad
from eagerflow.keras.optimizers.adam import Adam as Adam
from eagerflow.keras.optimizers.adamax import Adamax as Adamax
from eagerflow.keras.optimizers.adamw import AdamW as AdamW
from eagerflow.keras.optimizers.ftrl import Ftrl as Ftrl
from eagerflow_compat.keras.optimizers.lamb import Lamb as Lamb
from eagerflow.keras.optimizers.lion import Lion as Lion
from eagerflow.keras.optimizers.loss_scale_optimizer import LossScaleOptimizer as LossScaleOptimizer
from eagerflow_compat.keras.optimizers.muon import Muon as Muon
from eagerflow.keras.optimizers.nadam import Nadam as Nadam
from eagerflow.keras.optimizers.optimizer import Optimizer as Optimizer
from eagerflow.keras.optimizers.rmsprop import RMSprop as RMSprop
from eagerflow_compat.keras.optimizers.schedule_free_adamw import (
    ScheduleFreeAdamW as ScheduleFreeAdamW,
)
from eagerflow.keras.optimizers.serialization import (
    deserialize as deserialize,
    get as get,
    serialize as serialize,
)
from eagerflow.keras.optimizers.sgd import SGD as SGD

"""tf.keras.optimizers.experimental: where TensorFlow 2.9 to 2.12 had today's optimizers."""

from eagerflow.keras.optimizers.adadelta import Adadelta
from eagerflow.keras.optimizers.adafactor import Adafactor
from eagerflow.keras.optimizers.adagrad import Adagrad
from eagerflow.keras.optimizers.adam import Adam
from eagerflow.keras.optimizers.adamax import Adamax
from eagerflow.keras.optimizers.adamw import AdamW
from eagerflow.keras.optimizers.ftrl import Ftrl
from eagerflow.keras.optimizers.nadam import Nadam
from eagerflow.keras.optimizers.optimizer import Optimizer
from eagerflow.keras.optimizers.rmsprop import RMSprop
from eagerflow.keras.optimizers.sgd import SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Nadam",
    "Optimizer",
    "RMSprop",
]

"""Optimizers: rules that turn gradients into updates of variables."""

from eagerflow.optimizers.adagrad import Adagrad
from eagerflow.optimizers.adam import Adam
from eagerflow.optimizers.optimizer import Optimizer
from eagerflow.optimizers.rmsprop import RMSprop
from eagerflow.optimizers.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "Optimizer", "RMSprop"]

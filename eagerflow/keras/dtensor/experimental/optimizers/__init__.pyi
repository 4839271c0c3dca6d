from eagerflow.keras.optimizers.adadelta import Adadelta as Adadelta
from eagerflow.keras.optimizers.adagrad import Adagrad as Adagrad
from eagerflow.keras.optimizers.adam import Adam as Adam
from eagerflow.keras.optimizers.adamw import AdamW as AdamW
from eagerflow.keras.optimizers.rmsprop import RMSprop as RMSprop
from eagerflow.keras.optimizers.sgd import SGD as SGD

from eagerflow_compat.keras.random import *

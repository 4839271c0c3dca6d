from eagerflow_compat.keras.wrappers import *

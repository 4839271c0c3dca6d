from eagerflow_compat.keras.wrappers.scikit_learn import *

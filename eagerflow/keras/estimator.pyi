from eagerflow_compat.keras.estimator import *

from eagerflow_compat.keras.ops.numpy import *

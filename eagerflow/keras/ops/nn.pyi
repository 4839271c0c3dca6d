from eagerflow_compat.keras.ops.nn import *

from eagerflow_compat.keras.ops.linalg import *

from eagerflow_compat.keras.ops import *

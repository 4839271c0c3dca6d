from eagerflow_compat.keras.ops.image import *

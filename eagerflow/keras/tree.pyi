from eagerflow_compat.keras.tree import *

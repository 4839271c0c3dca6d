from eagerflow_compat.keras.datasets.california_housing import *

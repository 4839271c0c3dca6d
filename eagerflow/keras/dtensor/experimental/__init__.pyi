from eagerflow.keras.dtensor.experimental import optimizers as optimizers

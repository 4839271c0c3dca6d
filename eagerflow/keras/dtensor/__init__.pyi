from eagerflow.keras.dtensor import experimental as experimental

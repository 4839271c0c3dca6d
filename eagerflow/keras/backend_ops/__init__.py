"""The functions of tf.keras.backend."""

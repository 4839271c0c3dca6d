"""The part of `tf.compat` that is next door: `tf.compat.v1`."""

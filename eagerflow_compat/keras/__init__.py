"""Names of `tf.keras` that other versions of Keras have: Keras 3, or those before TensorFlow 2.16.

The stubs of `eagerflow.keras` list them, so programs find them beside Keras 2's.
"""

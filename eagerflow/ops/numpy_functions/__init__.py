"""The bodies of NumPy's functions, which `tf.experimental.numpy` and `keras.ops` share.

A body's first argument is the namespace's `Rules`: how values become tensors, and which dtype they
are promoted to. The namespaces say in their stubs which functions they have, with which parameters.
"""

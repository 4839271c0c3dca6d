"""What tf.sparse is made of."""

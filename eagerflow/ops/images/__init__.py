"""What tf.image is made of."""

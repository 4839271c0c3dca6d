"""What tf.ragged and RaggedTensor are made of."""

"""Programs that TensorFlow and eagerflow must answer alike, and TensorFlow's recorded answers."""

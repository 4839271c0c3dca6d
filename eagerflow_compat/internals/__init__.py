"""Names below `tensorflow.python` that programs use though they are not public."""

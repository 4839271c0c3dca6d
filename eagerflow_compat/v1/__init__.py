"""What TensorFlow 1 had and version 2 has not, or in another form."""

"""Protocol buffer messages of TensorFlow's formats, built when they are first used."""

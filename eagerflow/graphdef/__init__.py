"""TensorFlow's graphs: its operations by name, and GraphDef messages of traced functions and back."""

"""Checkpoints: files of named tensors, and the graph of the objects they belong to."""

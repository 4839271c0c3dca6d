"""Random tensors and generators."""

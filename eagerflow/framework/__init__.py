"""Tensors, variables and their specs, and the devices on which operations run."""

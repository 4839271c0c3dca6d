"""Shapes of ragged tensors as values: partitions into rows, and sizes along all axes."""

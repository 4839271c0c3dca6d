"""Metrics of Keras 3."""

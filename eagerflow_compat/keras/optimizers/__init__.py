"""Optimizers of Keras 3."""

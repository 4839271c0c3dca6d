"""Losses of Keras 3."""

"""Layers of Keras 3."""

"""Datasets of Keras 3."""

"""Layers, models, and the code that runs and trains them."""

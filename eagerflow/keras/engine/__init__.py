"""Layers, models and what runs them."""

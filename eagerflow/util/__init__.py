"""Helpers that know nothing of tensors."""

"""Matrices: products, factorisations, linear systems."""

"""Functional models: symbolic tensors, and the graph of layer calls between them."""

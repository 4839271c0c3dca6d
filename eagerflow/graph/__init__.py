"""Declarative graphs: operations as nodes that sessions run."""

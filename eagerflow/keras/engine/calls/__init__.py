"""Calls of layers: arguments, training mode, masks, ragged inputs and errors."""

"""The command `eagerflow`, also called `python -m eagerflow`."""

"""Training, evaluation and prediction: the loops, their steps and their data."""

from eagerflow.keras.metrics.py_metric import PyMetric as PyMetric

"""tf.contrib.learn.datasets.mnist: the images and labels of `tensorflow.examples.tutorials.mnist`."""

from __future__ import annotations

from eagerflow_compat.contrib.learn.datasets.base import load_mnist
from eagerflow_compat.v1.input_data import (
    DEFAULT_SOURCE_URL,
    DataSet,
    Datasets,
    dense_to_one_hot,
    extract_images,
    extract_labels,
    read_data_sets,
)

__all__ = [
    "DEFAULT_SOURCE_URL",
    "DataSet",
    "Datasets",
    "dense_to_one_hot",
    "extract_images",
    "extract_labels",
    "load_mnist",
    "read_data_sets",
]

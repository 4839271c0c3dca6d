"""tf.keras.preprocessing: data in the form that models take, as older programs prepare it."""

from eagerflow.keras.preprocessing import image, sequence, text
from eagerflow.keras.utils.directory_datasets import (
    image_dataset_from_directory,
    text_dataset_from_directory,
)
from eagerflow.keras.utils.timeseries import timeseries_dataset_from_array

__all__ = [
    "image",
    "image_dataset_from_directory",
    "sequence",
    "text",
    "text_dataset_from_directory",
    "timeseries_dataset_from_array",
]

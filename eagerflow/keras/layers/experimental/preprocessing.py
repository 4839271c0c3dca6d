"""tf.keras.layers.experimental.preprocessing: layers that prepare data, under their first names."""

from eagerflow.keras.layers.category_encoding import CategoryEncoding
from eagerflow.keras.layers.discretization import Discretization
from eagerflow.keras.layers.feature_normalization import Normalization
from eagerflow.keras.layers.hashing import HashedCrossing, Hashing
from eagerflow.keras.layers.image_preprocessing import CenterCrop, Rescaling, Resizing
from eagerflow.keras.layers.lookup import IntegerLookup, StringLookup
from eagerflow.keras.layers.preprocessing_layer import PreprocessingLayer
from eagerflow.keras.layers.random_images import (
    RandomContrast,
    RandomCrop,
    RandomFlip,
    RandomRotation,
    RandomTranslation,
    RandomZoom,
)
from eagerflow.keras.layers.random_sizes import RandomHeight, RandomWidth
from eagerflow.keras.layers.text_vectorization import TextVectorization

__all__ = [
    "CategoryEncoding",
    "CenterCrop",
    "Discretization",
    "HashedCrossing",
    "Hashing",
    "IntegerLookup",
    "Normalization",
    "PreprocessingLayer",
    "RandomContrast",
    "RandomCrop",
    "RandomFlip",
    "RandomHeight",
    "RandomRotation",
    "RandomTranslation",
    "RandomWidth",
    "RandomZoom",
    "Rescaling",
    "Resizing",
    "StringLookup",
    "TextVectorization",
]

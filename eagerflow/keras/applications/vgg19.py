"""tf.keras.applications.vgg19."""

from __future__ import annotations

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.vgg import vgg

__all__ = ["VGG19", "decode_predictions", "preprocess_input"]

VGG19 = vgg(
    19,
    (2, 2, 4, 4, 4),
    "cbe5617147190e668d6c5d5026f83318",
    "253f8cb515780f3b799900260a226db6",
    __name__,
)
preprocess_input = imagenet_utils.preprocessing("caffe", __name__)
decode_predictions = imagenet_utils.decode_predictions

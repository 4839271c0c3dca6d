"""tf.keras.applications.vgg16."""

from __future__ import annotations

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.vgg import vgg

__all__ = ["VGG16", "decode_predictions", "preprocess_input"]

VGG16 = vgg(
    16,
    (2, 2, 3, 3, 3),
    "64373286793e3c8b2b4e3219cbf3544b",
    "6d6bbae143d832006294945121d1f1fc",
    __name__,
)
preprocess_input = imagenet_utils.preprocessing("caffe", __name__)
decode_predictions = imagenet_utils.decode_predictions

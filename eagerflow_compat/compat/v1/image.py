"""tf.compat.v1.image: images, resized as version 1 did."""

from eagerflow_compat.v1.mirror import mirror

_RESIZING = ("resize_area", "resize_bicubic", "resize_bilinear", "resize_nearest_neighbor")

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow_compat.v1.image",
    "eagerflow.image",
    renamed={name: f"image.corner_resizing.{name}" for name in _RESIZING}
    | {"transpose_image": "image.transpose"},
)

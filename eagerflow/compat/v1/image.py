"""tf.compat.v1.image: images, resized as version 1 did."""

from eagerflow.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.v1.image",
    "eagerflow.v1.decoding",
    "eagerflow.image",
    renamed={"transpose_image": "image.transpose"},
)

"""tf.experimental: names whose meaning may change."""

from eagerflow import dlpack

__all__ = ["dlpack"]

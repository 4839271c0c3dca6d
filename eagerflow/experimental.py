"""tf.experimental: names whose meaning may change."""

from eagerflow import dlpack
from eagerflow.data.iterator import Optional

__all__ = ["Optional", "dlpack"]

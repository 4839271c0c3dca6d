"""tf.compat.v1.saved_model: version 2's functions under the names that version 1 has for them."""

from eagerflow.saved_model import load as load_v2

__all__ = ["load_v2"]

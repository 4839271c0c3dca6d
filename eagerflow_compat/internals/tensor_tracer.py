"""tensorflow.python.tpu.tensor_tracer: what records the tensors of programs on TPUs."""

from __future__ import annotations

__all__ = ["TensorTracer"]


class TensorTracer:
    """Records nothing: there are no TPUs."""

    @staticmethod
    def is_enabled() -> bool:
        """False."""
        return False

"""Compression: in which form gradients travel."""

from __future__ import annotations

from typing import Any

from eagerflow import _core

_ops = _core.ops


class _NoCompression:
    """Tensors travel as they are."""

    @staticmethod
    def compress(tensor: _core.Tensor) -> tuple[Any, None]:
        """The tensor, and None."""
        return tensor, None

    @staticmethod
    def decompress(tensor: _core.Tensor, context: object) -> Any:
        """The tensor."""
        return tensor


class _HalfCompression:
    """Tensors of larger floats travel as float16."""

    _dtype = "float16"

    @classmethod
    def compress(cls, tensor: _core.Tensor) -> tuple[Any, Any]:
        """The tensor in the smaller type, and its own type."""
        tensor = _core.as_tensor(tensor)
        if not tensor.dtype.is_floating or tensor.dtype.size <= 2:
            return tensor, None
        return _ops.cast(tensor, cls._dtype), tensor.dtype

    @staticmethod
    def decompress(tensor: _core.Tensor, context: Any) -> Any:
        """The tensor in the type that it had."""
        return tensor if context is None else _ops.cast(tensor, context)


class _BrainCompression(_HalfCompression):
    """Tensors of larger floats travel as bfloat16."""

    _dtype = "bfloat16"


class Compression:
    """The forms in which gradients travel: `none`, `fp16` and `bf16`."""

    none = _NoCompression
    fp16 = _HalfCompression
    bf16 = _BrainCompression

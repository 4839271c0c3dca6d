"""tensorflow.python.framework.dtypes: the types of references to variables of sessions, `float32_ref`."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow.framework import dtypes

# TensorFlow numbers the type of references to values of a type by this much more.
_REFERENCES = 100


class ReferenceDType(dtypes.DType):
    """The type of references to values of another type, which no tensor or variable here has."""

    __slots__ = ("_base",)
    _base: dtypes.DType
    _is_ref_dtype = True

    @property
    def base_dtype(self) -> dtypes.DType:
        """The type of the values."""
        return self._base

    def is_compatible_with(self, other: object) -> bool:
        """Whether `other` is this type: values are no references."""
        return other is self

    def __reduce__(self) -> tuple[Any, ...]:
        return _reference, (self._base,)


@functools.cache
def _reference(base: dtypes.DType) -> ReferenceDType:
    number, name = base.as_datatype_enum + _REFERENCES, f"{base.name}_ref"
    made: Any = ReferenceDType._make(
        number,
        name,
        base.as_numpy_dtype if base.is_numpy_compatible else None,
        base._kind,
        base.size,
    )
    made._base = base
    return made


def __getattr__(name: str) -> ReferenceDType:
    """The types of references by their names.

    >>> from eagerflow_compat.internals import reference_dtypes
    >>> reference_dtypes.float32_ref.base_dtype, reference_dtypes.float32_ref == tf.float32
    (tf.float32, False)
    """
    base = getattr(dtypes, name.removesuffix("_ref"), None) if name.endswith("_ref") else None
    if not isinstance(base, dtypes.DType):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _reference(base)

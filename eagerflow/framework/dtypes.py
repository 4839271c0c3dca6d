"""The element types of tensors."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from eagerflow import _core

_INTEGER_KINDS = "iu"


class DType:
    """The type of a tensor's elements.

    There is one object for each type, so that types can be compared with `is`. A type also equals
    its names and NumPy types.

    Attributes:
        name: the name of the type.
        as_datatype_enum: the id of the type in files and protocols.

    Args:
        type_enum: the id of the type.

    Raises:
        TypeError: if there is no type with that id.

    >>> tf.float32
    tf.float32
    >>> tf.constant([1, 2]).dtype == np.int32
    True
    """

    # Slots, which are read faster than properties: functions ask for them in each call.
    __slots__ = {
        "_kind": "",
        "_numpy_type": "",
        "as_datatype_enum": "The id of the type in files and protocols.",
        "is_bool": "Whether this is the type of truth values.",
        "is_complex": "Whether elements are complex numbers.",
        "is_floating": "Whether elements are real floats.",
        "is_integer": "Whether elements are integers, signed or not; booleans are not.",
        "is_numeric": "Whether elements are numeric; narrow types such as int4 are not.",
        "is_quantized": "Whether elements are quantized.",
        "is_unsigned": "Whether elements are integers that cannot be negative.",
        "name": "The name of the type.",
        "size": "The bytes of an element; 0 for strings.",
    }

    as_datatype_enum: int
    _numpy_type: Any
    _kind: str
    _is_ref_dtype = False
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numeric: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool
    name: str
    size: int

    def __new__(cls, type_enum: int) -> DType:
        return as_dtype(int(type_enum))

    @classmethod
    def _make(cls, type_enum: int, name: str, numpy_type: Any, kind: str, size: int) -> DType:
        self = super().__new__(cls)
        self.as_datatype_enum = type_enum
        self._numpy_type = numpy_type
        self._kind = kind
        self.is_bool = kind == "b"
        self.is_complex = kind == "c"
        self.is_floating = kind in "fF"
        self.is_integer = kind in "iuIU"
        self.is_numeric = kind in "iufcq"
        self.is_quantized = kind == "q"
        self.is_unsigned = kind in "uU"
        self.size = size
        self.name = name
        return self

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type of such elements; `object` for strings.

        Quantized types have a NumPy dtype, that of a record of one integer.

        >>> tf.float64.as_numpy_dtype
        <class 'numpy.float64'>
        """
        if self._numpy_type is None:
            import ml_dtypes

            self._numpy_type = getattr(ml_dtypes, self.name)
        return self._numpy_type

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy arrays can hold such elements."""
        return self is not resource and self is not variant

    @property
    def base_dtype(self) -> DType:
        """The type itself: there are no reference types."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real and imaginary parts; real types are their own.

        >>> tf.complex64.real_dtype
        tf.float32
        """
        if self is complex64:
            return float32
        if self is complex128:
            return float64
        return self

    @property
    def min(self) -> Any:
        """The least finite value.

        Raises:
            TypeError: if the type has none.
        """
        return self._limit("min", "minimum")

    @property
    def max(self) -> Any:
        """The largest finite value.

        Raises:
            TypeError: if the type has none.

        >>> tf.int8.max
        127
        """
        return self._limit("max", "maximum")

    def _limit(self, which: str, words: str) -> Any:
        if self.is_quantized:
            raise TypeError(f"Cannot find {words} value of {self} with quantized type {self}.")
        if self._kind in _INTEGER_KINDS:
            return int(getattr(np.iinfo(self.as_numpy_dtype), which))
        if self._kind in "IUF" or self is bfloat16:
            import ml_dtypes

            if self.is_integer:
                return int(getattr(ml_dtypes.iinfo(self.as_numpy_dtype), which))
            return getattr(ml_dtypes.finfo(self.as_numpy_dtype), which)
        if self.is_floating:
            return getattr(np.finfo(self.as_numpy_dtype), which)
        raise TypeError(f"Cannot find {words} value of {self} with type {self}.")

    @property
    def limits(self) -> tuple:
        """The range that images of this type use: 0 to 1, or 0 to the largest integer.

        Raises:
            ValueError: if images cannot have this type.
        """
        if self._kind in _INTEGER_KINDS:
            return 0, self.max
        if self.is_bool:
            return 0, True
        if self._kind == "f":
            return 0, 1
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: object) -> builtins.bool:
        """Whether values of the type `other` can be used where this type is expected."""
        return self is as_dtype(other)

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if isinstance(other, DType) or other is None:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self == other

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __reduce__(self) -> tuple:
        return as_dtype, (self.name,)

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: object) -> DType:
        return self

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"


float32 = DType._make(1, "float32", np.float32, "f", 4)
float64 = DType._make(2, "float64", np.float64, "f", 8)
int32 = DType._make(3, "int32", np.int32, "i", 4)
uint8 = DType._make(4, "uint8", np.uint8, "u", 1)
int16 = DType._make(5, "int16", np.int16, "i", 2)
int8 = DType._make(6, "int8", np.int8, "i", 1)
string = DType._make(7, "string", object, "S", 0)
complex64 = DType._make(8, "complex64", np.complex64, "c", 8)
int64 = DType._make(9, "int64", np.int64, "i", 8)
bool = DType._make(10, "bool", np.bool_, "b", 1)
bfloat16 = DType._make(14, "bfloat16", None, "f", 2)
uint16 = DType._make(17, "uint16", np.uint16, "u", 2)
complex128 = DType._make(18, "complex128", np.complex128, "c", 16)
float16 = DType._make(19, "float16", np.float16, "f", 2)
resource = DType._make(20, "resource", object, "O", 1)
variant = DType._make(21, "variant", object, "O", 1)
uint32 = DType._make(22, "uint32", np.uint32, "u", 4)
uint64 = DType._make(23, "uint64", np.uint64, "u", 8)
qint8 = DType._make(11, "qint8", np.dtype([("qint8", np.int8)]), "q", 1)
quint8 = DType._make(12, "quint8", np.dtype([("quint8", np.uint8)]), "q", 1)
qint32 = DType._make(13, "qint32", np.dtype([("qint32", np.int32)]), "q", 4)
qint16 = DType._make(15, "qint16", np.dtype([("qint16", np.int16)]), "q", 2)
quint16 = DType._make(16, "quint16", np.dtype([("quint16", np.uint16)]), "q", 2)
float8_e5m2 = DType._make(24, "float8_e5m2", None, "F", 1)
float8_e4m3fn = DType._make(25, "float8_e4m3fn", None, "F", 1)
float8_e4m3fnuz = DType._make(26, "float8_e4m3fnuz", None, "F", 1)
float8_e4m3b11fnuz = DType._make(27, "float8_e4m3b11fnuz", None, "F", 1)
float8_e5m2fnuz = DType._make(28, "float8_e5m2fnuz", None, "F", 1)
int4 = DType._make(29, "int4", None, "I", 1)
uint4 = DType._make(30, "uint4", None, "U", 1)
int2 = DType._make(31, "int2", None, "I", 1)
uint2 = DType._make(32, "uint2", None, "U", 1)
float4_e2m1fn = DType._make(33, "float4_e2m1fn", None, "F", 1)
half = float16
double = float64

_ALL = (
    *(float16, bfloat16, float32, float64, complex64, complex128),
    *(int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(bool, string),
)
_QUANTIZED = (qint8, quint8, qint32, qint16, quint16)
# Types without arithmetic, which tensors only store. Narrow types have capital letters as kinds.
_NARROW = (
    *(float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz),
    *(int4, uint4, int2, uint2, float4_e2m1fn),
)
_STORED = _QUANTIZED + _NARROW
# Types whose elements are objects of Python (resource) and of the engine (variant).
_OPAQUE = (resource, variant)
QUANTIZED_DTYPES = frozenset(_QUANTIZED)
STORED_DTYPES = frozenset(_STORED)

_BY_ENUM = {dtype.as_datatype_enum: dtype for dtype in _ALL + _STORED + _OPAQUE}
_BY_NAME = {dtype.name: dtype for dtype in _ALL + _STORED + _OPAQUE}
_BY_NAME.update(half=half, double=double, float=float32)
# Python types, NumPy scalar types and NumPy dtypes, which are added as they are met.
_BY_OBJECT: dict = {builtins.float: float32, builtins.bool: bool, object: string}
for _dtype in _ALL:
    if _dtype._numpy_type not in (None, object):
        _BY_OBJECT[_dtype._numpy_type] = _dtype
        _BY_OBJECT[np.dtype(_dtype._numpy_type)] = _dtype
for _dtype in _QUANTIZED:
    _BY_OBJECT[_dtype._numpy_type] = _dtype
del _dtype
_EXTENSIONS = {dtype.name: dtype for dtype in (bfloat16, *_NARROW)}


def as_dtype(type_value: object) -> DType:
    """The element type of `type_value`.

    Args:
        type_value: a `DType`, its name or id, a NumPy dtype or scalar type, or one of Python's
            `float` and `bool`.

    Raises:
        TypeError: if it does not denote a type.

    >>> tf.as_dtype("float64"), tf.as_dtype(np.uint8), tf.as_dtype(bool)
    (tf.float64, tf.uint8, tf.bool)
    """
    if isinstance(type_value, DType):
        return type_value
    try:
        known = _BY_OBJECT.get(type_value)
        if known is None:
            if isinstance(type_value, str):
                known = _BY_NAME.get(type_value)
            elif type(type_value) is int:
                known = _BY_ENUM.get(type_value)
    except TypeError:  # unhashable
        known = None
    if known is None:
        known = _from_numpy(type_value)
    if known is None:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
        )
    return known


def dtype_of(spec: Any) -> DType:
    """The dtype of a spec, or of a value that is accepted for one where only the dtype counts.

    >>> from eagerflow.framework import dtypes
    >>> dtypes.dtype_of(tf.TensorSpec([2], tf.int32)), dtypes.dtype_of("bool")
    (tf.int32, tf.bool)
    """
    # NumPy's types, such as np.float64, have an attribute of this name, too.
    return as_dtype(spec if isinstance(spec, type) else getattr(spec, "dtype", spec))


def _from_numpy(type_value: Any) -> DType | None:
    """The type of NumPy dtypes that are not listed: strings, byte orders, those of ml_dtypes."""
    numpy_dtype = type_value if isinstance(type_value, np.dtype) else None
    if numpy_dtype is None:
        is_class = isinstance(type_value, type)
        if is_class and (issubclass(type_value, np.generic) or type_value.__name__ in _EXTENSIONS):
            numpy_dtype = np.dtype(type_value)
        elif not is_class and isinstance(getattr(type_value, "dtype", None), np.dtype):
            numpy_dtype = type_value.dtype
    if numpy_dtype is None:
        return None
    if numpy_dtype.kind in "OSU":
        return string
    return _EXTENSIONS.get(numpy_dtype.name) or _BY_OBJECT.get(numpy_dtype.type)


def result_dtype(value: object) -> DType | None:
    """The `dtype` of a tensor, variable or array; None for Python values."""
    dtype = getattr(value, "dtype", None)
    return None if dtype is None else as_dtype(dtype)


_core.register_dtypes({dtype.as_datatype_enum: dtype for dtype in (*_ALL, *_STORED, *_OPAQUE)})


def is_extension(dtype: np.dtype) -> builtins.bool:
    """Whether a NumPy dtype is one that ml_dtypes adds, such as bfloat16; file formats lack these."""
    return dtype.isbuiltin == 2

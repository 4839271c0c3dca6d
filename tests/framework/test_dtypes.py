"""Element types: names, kinds, limits, equality with values that represent them."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import eagerflow as tf

NAMES = (
    "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "complex64 complex128 bool string"
).split()


@pytest.mark.parametrize("name", NAMES)
def test_each_type_is_one_object(name):
    dtype = getattr(tf, name)
    assert repr(dtype) == f"tf.{name}"
    assert str(dtype) == f"<dtype: '{name}'>"
    assert dtype.name == name
    assert tf.as_dtype(name) is dtype
    assert tf.DType(dtype.as_datatype_enum) is dtype
    assert getattr(tf.dtypes, name) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert dtype == name and not dtype != name
    assert hash(dtype) == dtype.as_datatype_enum


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("string", "bfloat16")])
def test_numpy_types_stand_for_types(name):
    dtype = getattr(tf, name)
    numpy_dtype = np.dtype(name)
    assert dtype.as_numpy_dtype is numpy_dtype.type
    assert dtype.size == numpy_dtype.itemsize
    assert tf.as_dtype(numpy_dtype) is tf.as_dtype(numpy_dtype.type) is dtype
    assert dtype == numpy_dtype and dtype == numpy_dtype.type and numpy_dtype == dtype
    assert tf.as_dtype(numpy_dtype.newbyteorder()) is dtype


def test_types_without_numpy_equal():
    assert tf.bfloat16.as_numpy_dtype is ml_dtypes.bfloat16
    assert tf.as_dtype(ml_dtypes.bfloat16) is tf.bfloat16
    assert tf.as_dtype(np.dtype(ml_dtypes.bfloat16)) is tf.bfloat16
    assert tf.string.as_numpy_dtype is object
    assert tf.as_dtype(object) is tf.as_dtype(np.dtype("S3")) is tf.as_dtype(np.str_) is tf.string


@pytest.mark.parametrize(
    ("value", "name"),
    [("float", "float32"), ("double", "float64"), ("half", "float16"), (float, "float32"),
     (bool, "bool"), (1, "float32"), (np.float32(1), "float32")],
)  # fmt: skip
def test_other_names(value, name):
    assert tf.as_dtype(value) is getattr(tf, name)


@pytest.mark.parametrize("value", [None, int, str, "foo", "U", 1000, [1], np.datetime64])
def test_what_stands_for_no_type(value):
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        tf.as_dtype(value)
    assert not tf.float32 == value
    assert tf.float32 != value


def test_kinds():
    def kinds(test):
        return {name for name in NAMES if getattr(getattr(tf, name), test)}

    assert kinds("is_floating") == {"float16", "bfloat16", "float32", "float64"}
    assert kinds("is_complex") == {"complex64", "complex128"}
    assert kinds("is_unsigned") == {"uint8", "uint16", "uint32", "uint64"}
    assert kinds("is_integer") == kinds("is_unsigned") | {"int8", "int16", "int32", "int64"}
    assert kinds("is_bool") == {"bool"}
    assert kinds("is_numpy_compatible") == set(NAMES)
    assert kinds("is_quantized") == set()


def test_limits():
    assert (tf.int8.min, tf.int8.max, tf.int8.limits) == (-128, 127, (0, 127))
    assert tf.uint64.max == 2**64 - 1
    assert tf.float32.max == np.finfo(np.float32).max
    assert tf.float32.limits == (0, 1)
    assert float(tf.bfloat16.max) == pytest.approx(3.3895e38, rel=1e-4)
    for dtype in (tf.bool, tf.string, tf.complex64):
        with pytest.raises(TypeError, match="Cannot find minimum value"):
            _ = dtype.min
    with pytest.raises(ValueError, match="does not have defined limits"):
        _ = tf.complex64.limits


def test_related_types():
    assert tf.complex128.real_dtype is tf.float64
    assert tf.int32.real_dtype is tf.int32
    assert tf.half is tf.float16 and tf.double is tf.float64
    assert tf.float32.base_dtype is tf.float32
    assert tf.float32.is_compatible_with("float32")


def test_arrays_of_other_types_convert_to_stored_types():
    record = np.array([(1,), (2,)], tf.qint8.as_numpy_dtype)
    tensor = tf.constant(record)
    assert tensor.dtype is tf.qint8
    assert tensor.numpy().tolist() == [1, 2]
    assert tf.constant(record[::-1]).numpy().tolist() == [2, 1]
    narrow = tf.constant(np.array([1.5, -3.0], ml_dtypes.float8_e5m2)[::-1])
    assert narrow.dtype is tf.experimental.float8_e5m2
    assert [float(x) for x in narrow] == [-3.0, 1.5]
    assert int(tf.constant(ml_dtypes.int4(-2))) == -2


@pytest.mark.parametrize("name", ["qint8", "float8_e5m2", "int4", "uint2"])
def test_attributes_refuse_stored_types(name):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        tf.random.uniform([2], dtype=name)
    with pytest.raises(tf.errors.InvalidArgumentError, match=name):
        tf.argmax([1, 2], output_type=name)

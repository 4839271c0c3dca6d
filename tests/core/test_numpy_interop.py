"""NumPy arrays, scalars and DLPack capsules: conversion both ways, and memory ownership."""

import gc
import io
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import eagerflow as tf

DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
LARGE = 300_000  # more than one thread copies


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3), (1,) * 12])
def test_round_trip(dtype, shape):
    np_dtype = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype)
    data = (np.arange(np.prod(shape, dtype=int)) % 2).reshape(shape).astype(np_dtype)
    tensor = tf.constant(data)
    assert tensor.dtype == dtype
    result = tensor.numpy()
    assert np.asarray(result).dtype == np_dtype
    np.testing.assert_array_equal(result, data)
    np.testing.assert_array_equal(np.asarray(tensor), data)


def layouts():
    base = np.arange(60).reshape(3, 4, 5)
    return {
        "reversed": base[::-1],
        "strided": base[:, ::2, 1::3],
        "transposed": base.T,
        "permuted": base.transpose(1, 2, 0),
        "fortran": np.asfortranarray(base),
        "broadcast": np.broadcast_to(base[0], (3, 4, 5)),
        "size one": base[:, None, :1],
        "zero stride": np.lib.stride_tricks.as_strided(base, (2, 3), (0, 8)),
        "unaligned": np.frombuffer(b"x" + base.tobytes(), np.uint8)[1:].view(base.dtype),
        "read only": np.frombuffer(base.tobytes(), base.dtype),
        "matrix": np.arange(4).reshape(2, 2).view(np.matrix),
        "masked": np.ma.array([1, 2, 3], mask=[0, 1, 0]),
    }


@pytest.mark.parametrize("name", layouts())
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64", ">f4", ">i8"])
def test_layouts(name, dtype):
    data = layouts()[name].astype(dtype, order="K")
    tensor = tf.constant(data)
    np.testing.assert_array_equal(tensor.numpy(), np.asarray(data))
    assert tensor.dtype == np.dtype(dtype).newbyteorder("=").name


@pytest.mark.parametrize("source", ["float64", "float32", "int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize("target", ["float64", "float32", "float16", "int32", "uint8", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_arrays_are_cast(source, target, order):
    data = np.asarray(np.arange(LARGE).reshape(3, 1000, -1) % 100, source, order=order)
    result = tf.convert_to_tensor(data, dtype=target)
    np.testing.assert_array_equal(result.numpy(), data.astype(target))


@settings(max_examples=100, deadline=None)
@given(data=st.data(), dtype=st.sampled_from(DTYPES))
def test_any_array(data, dtype):
    value = data.draw(hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)))
    axes = data.draw(st.permutations(range(value.ndim)))
    view = value.transpose(axes)
    np.testing.assert_array_equal(tf.constant(view).numpy(), view)


def test_strings():
    cases = [
        np.array(["a", "bcé", ""]),
        np.array(["a", "bcé"], ">U3"),
        np.array([b"a", b"bc\0"]),
        np.array(["a", b"b\0c"], object),
        np.array([["x", "yy"], ["z", ""]])[:, ::-1],
        np.array("scalar"),
    ]
    for data in cases:
        expected = [x.encode() if isinstance(x, str) else x for x in data.ravel().tolist()]
        result = tf.constant(data)
        assert result.dtype == tf.string
        assert tuple(result.shape) == data.shape
        assert np.asarray(result).ravel().tolist() == expected
    assert tf.constant("é").numpy() == "é".encode()
    array = tf.constant(["a", "b"]).numpy()
    assert array.dtype == object
    array[0] = "changed"


def test_scalars_are_numpy_scalars():
    for value, kind in ((1, np.int32), (1.5, np.float32), (True, np.bool_), (1j, np.complex128)):
        assert type(tf.constant(value).numpy()) is kind
        assert tf.constant(value).numpy() == value
    assert type(tf.constant("a").numpy()) is bytes
    assert type(tf.constant(1.5, tf.bfloat16).numpy()) is ml_dtypes.bfloat16


@pytest.mark.parametrize("size", [3, LARGE, 3_000_000])
def test_numpy_is_a_copy_and_asarray_is_not(size):
    tensor = tf.constant(np.arange(size))
    copy = tensor.numpy()
    assert copy.flags.writeable
    copy[:] = -1
    view = np.asarray(tensor)
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    assert view[-1] == size - 1
    assert np.shares_memory(view, np.asarray(tensor))
    del tensor
    gc.collect()
    assert view[-1] == size - 1


@pytest.mark.parametrize("size", [3, LARGE])
def test_array_that_changes_later(size):
    data = np.zeros(size)
    tensor = tf.constant(data)
    data[:] = 1
    assert not tensor.numpy().any()


def test_array_method():
    x = tf.constant([1.5, 2.5])
    assert np.array(x).flags.writeable
    assert np.asarray(x, dtype=np.float64).tolist() == [1.5, 2.5]
    assert x.__array__(np.int32).tolist() == [1, 2]
    assert x.__array__(copy=True).flags.writeable
    with pytest.raises(ValueError, match="copy"):
        x.__array__(np.float64, copy=False)
    assert np.asarray(tf.constant(3)).shape == ()
    assert np.asarray(tf.constant("a")).shape == ()


def test_temporary_arrays_are_kept_alive():
    class Fresh:
        def __array__(self, dtype=None, copy=None):
            return np.full(LARGE, 7.0)

    class Kept:
        data = np.full(LARGE, 7.0)

        def __array__(self, dtype=None, copy=None):
            return self.data

    fresh, kept = tf.constant(Fresh()), tf.constant(Kept())
    Kept.data[:] = 0
    gc.collect()
    for tensor in (fresh, kept):
        assert (tensor.numpy() == 7).all()


def test_booleans_are_zero_or_one():
    odd = np.array([0, 1, 2, 255], np.uint8).view(bool)
    result = tf.constant(odd)
    assert np.asarray(result).view(np.uint8).tolist() == [0, 1, 1, 1]


def test_many_dimensions():
    most = tf.constant(np.arange(2.0).reshape((1,) * 63 + (2,)))
    assert most.shape == (1,) * 63 + (2,)
    assert most.numpy().shape == most.shape
    assert memoryview(most).ndim == 64
    more = tf.expand_dims(most, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most 64 dimensions"):
        more.numpy()
    with pytest.raises(BufferError, match="65 dimensions"):
        memoryview(more)


def test_object_arrays_run_foreign_code():
    class Number:
        def __float__(self):
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        tf.convert_to_tensor(np.array([Number()], object), dtype=tf.float32)


# --- DLPack -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_dlpack_to_numpy(dtype, shape):
    data = np.ones(shape, dtype)
    tensor = tf.constant(data)
    result = np.from_dlpack(tensor)
    np.testing.assert_array_equal(result, data)
    assert not result.flags.writeable
    del tensor
    gc.collect()
    np.testing.assert_array_equal(result, data)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_dlpack_from_numpy(dtype, shape):
    data = np.ones(shape, dtype)
    tensor = tf.experimental.dlpack.from_dlpack(data)
    np.testing.assert_array_equal(tensor.numpy(), data)
    assert tensor.dtype == dtype


def test_dlpack_shares_memory():
    data = np.arange(6.0)
    tensor = tf.experimental.dlpack.from_dlpack(data)
    assert np.shares_memory(np.asarray(tensor), data)
    owner = weakref.ref(data)
    del data
    assert tensor.numpy().tolist() == [0, 1, 2, 3, 4, 5]
    del tensor
    gc.collect()
    assert owner() is None


def test_dlpack_strides():
    data = np.arange(24.0).reshape(2, 3, 4)
    for view in (data.T, data[:, ::2], data[::-1], data[..., :1]):
        tensor = tf.experimental.dlpack.from_dlpack(view)
        np.testing.assert_array_equal(tensor.numpy(), view)


def test_dlpack_capsule_is_used_once():
    capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    assert tf.experimental.dlpack.from_dlpack(capsule).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="only once"):
        tf.experimental.dlpack.from_dlpack(capsule)
    for value in (3, "text", None, object()):
        with pytest.raises((AttributeError, TypeError)):
            tf.experimental.dlpack.from_dlpack(value)


def test_unused_capsules_are_freed():
    for _ in range(1000):
        tf.experimental.dlpack.to_dlpack(tf.constant(np.zeros(100)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        tf.experimental.dlpack.to_dlpack(tf.constant("a"))


def test_dlpack_arguments():
    x = tf.constant([1.0])
    assert x.__dlpack_device__() == (1, 0)
    assert np.from_dlpack(x).tolist() == [1]
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(x.__dlpack__())
    with pytest.raises(BufferError):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))


def test_threads():
    data = np.arange(LARGE, dtype=np.float32)
    failures = []

    def work():
        for _ in range(50):
            tensor = tf.constant(data)
            if not (tensor.numpy() == data).all() or np.asarray(tensor)[-1] != LARGE - 1:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize(
    ("dtype", "letters", "size"),
    [
        (tf.float32, "f", 4),
        (tf.float64, "d", 8),
        (tf.float16, "e", 2),
        (tf.int8, "b", 1),
        (tf.int16, "h", 2),
        (tf.int32, "i", 4),
        (tf.int64, "lq", 8),
        (tf.uint8, "B", 1),
        (tf.uint16, "H", 2),
        (tf.uint32, "I", 4),
        (tf.uint64, "LQ", 8),
        (tf.bool, "?", 1),
        (tf.complex64, ["Zf"], 8),
        (tf.complex128, ["Zd"], 16),
    ],
)
def test_buffers(dtype, letters, size):
    view = memoryview(tf.cast([[0, 1, 1], [1, 0, 0]], dtype))
    assert view.format in letters
    assert (view.itemsize, view.shape, view.strides) == (size, (2, 3), (3 * size, size))
    assert view.readonly
    assert view.c_contiguous
    assert np.asarray(view).tolist() == [[0, 1, 1], [1, 0, 0]]


def test_buffers_keep_the_memory_and_share_it():
    tensor = tf.range(1000)
    view = memoryview(tensor)
    assert np.shares_memory(np.asarray(view), np.asarray(tensor))
    del tensor
    gc.collect()
    assert view[999] == 999
    assert memoryview(tf.constant(1.5)).tolist() == 1.5
    assert memoryview(tf.zeros([0, 3])).tolist() == []


def test_bytes_of_tensors():
    tensor = tf.constant([1, 2], tf.int32)
    assert bytes(tensor) == np.array([1, 2], np.int32).tobytes()
    assert np.frombuffer(tensor, np.int32).tolist() == [1, 2]
    assert io.BytesIO().write(tensor) == 8
    strings = memoryview(tf.constant(["a", "bc"]))
    assert (strings.format, strings.shape, strings.readonly) == ("O", (2,), True)


def test_buffers_are_not_written():
    tensor = tf.constant([1, 2])
    with pytest.raises(TypeError, match="read-only"):
        memoryview(tensor)[0] = 5
    with pytest.raises(TypeError, match="read-write"):
        io.BytesIO(bytes(8)).readinto(tensor)
    with pytest.raises(ValueError, match="in a buffer"):
        memoryview(tf.zeros([2], tf.bfloat16))
    with pytest.raises(TypeError, match="bytes-like"):
        memoryview(tf.Variable([1.0]))
    assert np.asarray(tf.zeros([2], tf.bfloat16)).dtype.name == "bfloat16"

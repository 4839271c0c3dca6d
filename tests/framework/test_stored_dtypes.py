"""Quantized types and types of at most 8 bits, wherever tensors are passed or stored."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import eagerflow as tf

INTEGERS = {"qint8": tf.int8, "quint8": tf.uint8, "qint32": tf.int32}
NAMES = (*INTEGERS, "float8_e5m2", "float8_e4m3fn", "int4", "uint4", "int2", "uint2",
         "float4_e2m1fn")  # fmt: skip


def values(name):
    if name in INTEGERS:
        return tf.bitcast(tf.constant([3, 100, 1, 0], INTEGERS[name]), tf.as_dtype(name))
    numbers = [1, 0, 1.5, -2] if "float" in name else [1, 0, 1, 1]
    return tf.constant(np.array(numbers).astype(getattr(ml_dtypes, name)))


def same(a, b):
    return a.dtype is b.dtype and a.numpy().tobytes() == b.numpy().tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_checkpoints_keep_them(name, tmp_path):
    x = values(name)
    path = tf.train.Checkpoint(v=tf.Variable(x)).write(str(tmp_path / "c"))
    target = tf.Variable(tf.constant(np.zeros_like(x.numpy()), x.dtype))
    tf.train.Checkpoint(v=target).read(path).assert_consumed()
    assert same(target.read_value(), x)


@pytest.mark.parametrize("name", NAMES)
def test_copies_and_messages_keep_them(name):
    x = values(name)
    assert same(copy.deepcopy(x), x)
    assert same(pickle.loads(pickle.dumps(x)), x)
    assert same(tf.io.parse_tensor(tf.io.serialize_tensor(x), x.dtype), x)
    message = tf.make_tensor_proto(x.numpy(), x.dtype)
    assert tf.make_ndarray(message).astype(np.float32).tolist() == x.numpy().tolist()


@pytest.mark.parametrize("name", NAMES)
def test_control_flow_passes_them_on(name):
    x = values(name)
    assert same(tf.function(lambda y: tf.reshape(y, [2, 2]))(x), tf.reshape(x, [2, 2]))
    assert same(tf.cond(tf.constant(True), lambda: x, lambda: x), x)
    assert same(tf.py_function(lambda y: y, [x], x.dtype), x)
    ragged = tf.RaggedTensor.from_row_lengths(x, [1, 3])
    assert ragged.dtype is x.dtype and same(ragged.flat_values, x)


@pytest.mark.parametrize("name", NAMES)
def test_neighbours_refuse_them(name):
    with pytest.raises((tf.errors.InvalidArgumentError, BufferError)):
        tf.experimental.dlpack.to_dlpack(values(name))


def test_no_gradient_flows_through_a_conversion():
    x = tf.Variable([1.5, 2.5])
    with tf.GradientTape() as tape:
        y = tf.cast(tf.cast(x, tf.experimental.float8_e4m3fn), tf.float32)
    assert y.numpy().tolist() == [1.5, 2.5]
    assert tape.gradient(y, x) is None


@pytest.mark.parametrize("name", ["float8_e5m2", "float8_e4m3fn"])
def test_conversions_agree_with_numpy(name):
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(size=500) * scale for scale in (1e-6, 1e-3, 1, 100, 1e5)])
    kind = getattr(ml_dtypes, name)
    for dtype in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16):
        with np.errstate(over="ignore"):
            source = x.astype(dtype)
            wanted = source.astype(kind)
        found = tf.cast(source, tf.as_dtype(name)).numpy()
        assert found.view(np.uint8).tolist() == wanted.view(np.uint8).tolist()


def test_large_arrays_convert_in_threads():
    x = np.arange(200_000, dtype=np.float32) % 97
    quantized = tf.cast(x, tf.qint16)
    assert (quantized.numpy() == x.astype(np.int16)).all()
    assert (tf.cast(tf.cast(x, tf.experimental.float8_e5m2), tf.float32).numpy()[:3] == x[:3]).all()
    assert (tf.cast(tf.cast(quantized, tf.experimental.int4), tf.int32).numpy()
            == ((x.astype(np.int32) + 8) & 15) - 8).all()  # fmt: skip


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint32"])
def test_ragged_and_sparse_quantized_numbers_become_dense(name):
    x = values(name)
    ragged = tf.RaggedTensor.from_row_lengths(x, [1, 3])
    assert ragged.to_tensor().dtype is x.dtype
    assert ragged.to_tensor().numpy().tolist() == [[3, 0, 0], [100, 1, 0]]
    filled = ragged.to_tensor(default_value=tf.cast(7, x.dtype), shape=[2, 2])
    assert filled.numpy().tolist() == [[3, 7], [100, 1]]
    dense = tf.sparse.to_dense(tf.SparseTensor([[0], [1], [2], [4]], x, [5]))
    assert dense.dtype is x.dtype and dense.numpy().tolist() == [3, 100, 1, 0, 0]

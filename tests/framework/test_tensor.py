"""Tensors as Python objects: text, copies, references, and what they lack."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import eagerflow as tf

TEXTS = {
    "scalar": (
        lambda: tf.constant(0.1),
        "<tf.Tensor: shape=(), dtype=float32, numpy=0.10000000149011612>",
        "tf.Tensor(0.1, shape=(), dtype=float32)",
    ),
    "half": (
        lambda: tf.constant(0.1, tf.float16),
        "<tf.Tensor: shape=(), dtype=float16, numpy=0.0999755859375>",
        "tf.Tensor(0.1, shape=(), dtype=float16)",
    ),
    "bfloat16": (
        lambda: tf.constant([3.14159, 1.0], tf.bfloat16),
        "<tf.Tensor: shape=(2,), dtype=bfloat16, numpy=array([3.14062, 1], dtype=bfloat16)>",
        "tf.Tensor([3.14062 1], shape=(2,), dtype=bfloat16)",
    ),
    "bfloat16 scalar": (
        lambda: tf.constant(1.0, tf.bfloat16),
        "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.0>",
        "tf.Tensor(1, shape=(), dtype=bfloat16)",
    ),
    "vector": (
        lambda: tf.constant([1, 2]),
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>",
        "tf.Tensor([1 2], shape=(2,), dtype=int32)",
    ),
    "matrix": (
        lambda: tf.ones([2, 2]),
        "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\n"
        "array([[1., 1.],\n       [1., 1.]], dtype=float32)>",
        "tf.Tensor(\n[[1. 1.]\n [1. 1.]], shape=(2, 2), dtype=float32)",
    ),
    "empty": (
        lambda: tf.zeros([0, 2]),
        "<tf.Tensor: shape=(0, 2), dtype=float32, numpy=array([], shape=(0, 2), dtype=float32)>",
        "tf.Tensor([], shape=(0, 2), dtype=float32)",
    ),
    "string": (
        lambda: tf.constant("a\nb"),
        "<tf.Tensor: shape=(), dtype=string, numpy=b'a\\nb'>",
        "tf.Tensor(b'a\\nb', shape=(), dtype=string)",
    ),
    "strings": (
        lambda: tf.constant(["ab", "c"]),
        "<tf.Tensor: shape=(2,), dtype=string, numpy=array([b'ab', b'c'], dtype=object)>",
        "tf.Tensor([b'ab' b'c'], shape=(2,), dtype=string)",
    ),
    "complex": (
        lambda: tf.constant(1 + 2j),
        "<tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>",
        "tf.Tensor((1+2j), shape=(), dtype=complex128)",
    ),
    "bool": (
        lambda: tf.constant([[True, False]]),
        "<tf.Tensor: shape=(1, 2), dtype=bool, numpy=array([[ True, False]])>",
        "tf.Tensor([[ True False]], shape=(1, 2), dtype=bool)",
    ),
}


@pytest.mark.parametrize("name", list(TEXTS))
def test_text(name):
    make, shown, text = TEXTS[name]
    assert repr(make()) == shown
    assert str(make()) == text


def test_long_text_is_cut():
    assert str(tf.range(2000)).startswith("tf.Tensor([   0    1    2 ... 1997 1998 1999], shape=")
    assert "..." in repr(tf.ones([100, 100])) and len(repr(tf.ones([100, 100]))) < 600


def test_formatting():
    assert f"{tf.constant(1.5):.3f}" == "1.500"
    assert f"{tf.constant([1.5])}" == "[1.5]"
    assert f"{tf.constant('a')}" == "b'a'"
    with pytest.raises(TypeError, match="unsupported format string"):
        format(tf.constant([1.5]), ".3f")


def test_references_are_keys():
    a, b = tf.constant(1), tf.constant(1)
    with pytest.raises(TypeError, match=r"Tensor is unhashable. Instead, use tensor.ref\(\)"):
        hash(a)
    assert a.ref() == a.ref() != b.ref()
    assert {a.ref(): "a"}[a.ref()] == "a" and b.ref() not in {a.ref()}
    assert a.ref().deref() is a
    assert repr(a.ref()) == f"<Reference wrapping {a!r}>"
    assert (a.ref() < b.ref()) != (b.ref() < a.ref()) and not a.ref() < a.ref()
    assert sorted([a.ref(), b.ref()]) == sorted([b.ref(), a.ref()])
    assert (a.ref() == None) is False  # noqa: E711
    for compare in (lambda: a.ref() == 3, lambda: a.ref() < a):
        with pytest.raises(TypeError, match="wrapped object with unwrapped"):
            compare()


def test_references_as_weak_keys():
    a, b = tf.constant(1), tf.constant(1)
    names = weakref.WeakKeyDictionary()
    first, second = a.ref(), b.ref()
    names[first], names[second] = "a", "b"
    assert names[a.ref()] == "a" and names[b.ref()] == "b"
    del first
    gc.collect()
    assert list(names.values()) == ["b"]


def test_attributes_of_graphs_are_missing():
    tensor = tf.constant(1)
    for name in ("name", "op", "graph"):
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined when eager"):
            getattr(tensor, name)
    with pytest.raises(NotImplementedError, match="is .numpy.. what you're looking for"):
        tensor.eval()
    for name in ("astype", "reshape", "T", "size", "foo"):
        assert not hasattr(tensor, name)
    assert tensor.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    with pytest.raises(RuntimeError, match="unknown device"):
        tensor.gpu()


def test_shapes():
    tensor = tf.ones([2, 3])
    assert isinstance(tensor.shape, tf.TensorShape)
    assert tensor.get_shape() == tensor.shape == [2, 3] and tensor.ndim == 2
    tensor.set_shape([None, 3])
    with pytest.raises(ValueError, match=r"\(2, 3\) is not compatible with supplied shape \(3,\)"):
        tensor.set_shape(3)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool", "complex64", "string"])
def test_copies_and_pickles(dtype):
    value = tf.constant(["a", "b"]) if dtype == "string" else tf.cast([0, 1], dtype)
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other.dtype is value.dtype
        assert repr(other) == repr(value)


def test_iteration():
    rows = list(tf.constant([[1, 2], [3, 4]]))
    assert [row.numpy().tolist() for row in rows] == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        iter(tf.constant(1))
    with pytest.raises(TypeError, match="Scalar tensor has no"):
        len(tf.constant(1))


def test_python_numbers():
    assert int(tf.constant(1.7)) == 1 and float(tf.constant(2)) == 2.0
    assert complex(tf.constant(1j)) == 1j and bool(tf.constant([1]))
    assert [10, 20, 30][tf.constant(2)] == 30 and list(range(tf.constant(2))) == [0, 1]
    with pytest.raises(ValueError, match="truth value"):
        bool(tf.constant([1, 2]))
    with pytest.raises(TypeError):
        float(tf.constant([1.0, 2.0]))


def test_equality_is_elementwise():
    a = tf.constant([1, 2])
    assert (a == [1, 3]).numpy().tolist() == [True, False]
    assert (a != tf.constant([1, 2, 3])) is not False
    assert not (a == tf.constant([1, 2, 3])) and (a == None) is False  # noqa: E711
    assert 1 in a and 5 not in a


def test_numpy_takes_tensors():
    a = tf.constant([1.0, 4.0])
    assert np.sqrt(a).tolist() == [1.0, 2.0]
    assert isinstance(np.array([1.0, 2.0], np.float32) + a, tf.Tensor)
    view = np.asarray(a)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5
    copied = a.numpy()
    copied[0] = 5
    assert a.numpy()[0] == 1


def test_is_tensor():
    assert tf.is_tensor(tf.constant(1)) and tf.is_tensor(tf.Variable(1))
    assert not tf.is_tensor(1) and not tf.is_tensor(np.ones(1))


def test_complex_numbers_lose_their_imaginary_part():
    for value in (tf.constant(1 + 2j), tf.Variable(1 + 2j), tf.constant(1 + 2j, tf.complex64)):
        with pytest.warns(np.exceptions.ComplexWarning):
            assert int(value) == 1
        with pytest.warns(np.exceptions.ComplexWarning):
            assert float(value) == 1.0
        assert complex(value) == 1 + 2j


def test_numbers_are_what_numpy_makes_of_the_value():
    for tensor in (tf.constant([1, 2]), tf.constant([], tf.int32)):
        for convert in (int, float, complex):
            with pytest.raises(TypeError):
                convert(tensor)
    assert int(tf.constant("12")) == 12
    with pytest.raises(ValueError, match="could not convert"):
        float(tf.constant("x"))


def test_indices_are_integer_scalars():
    assert "abc"[tf.constant(1)] == "b"
    assert "abc"[tf.Variable(1)] == "b"
    for tensor in (tf.constant(1.0), tf.constant(True), tf.constant(1j), tf.constant("1")):
        with pytest.raises(AttributeError, match="__index__"):
            "abc"[tensor]
    for value in (tf.constant([1]), tf.Variable(1.0), tf.Variable([1])):
        with pytest.raises(TypeError, match="only integer scalar"):
            "abc"[value]


def test_symbolic_tensors_are_written_as_tensorflow_does():
    written = []

    @tf.function
    def function(x):
        with tf.device("CPU:0"):
            placed = tf.identity(x, name="placed")
        written.extend([str(x), repr(x), str(placed), str(tf.constant(1, name="one"))])
        return x

    function.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert written == [
        'Tensor("x:0", dtype=float32)',
        "<tf.Tensor 'x:0' shape=<unknown> dtype=float32>",
        'Tensor("placed:0", dtype=float32, device=/device:CPU:0)',
        'Tensor("one:0", shape=(), dtype=int32)',
    ]


def test_indexed_slices_are_written_with_their_tensors():
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([3]))
    assert str(slices) == (
        "IndexedSlices(indices=tf.Tensor([0], shape=(1,), dtype=int32), "
        "values=tf.Tensor([1.], shape=(1,), dtype=float32), "
        "dense_shape=tf.Tensor([3], shape=(1,), dtype=int32))"
    )


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_pandas_takes_tensors_for_arrays(make):
    pandas = pytest.importorskip("pandas")
    x = make([1.0, 2.0, 3.0])
    assert not pandas.api.types.is_scalar(x)
    assert pandas.DataFrame.from_dict({"a": x, "b": x * 2}).shape == (3, 2)
    assert pandas.Index(tf.identity(x)).tolist() == [1.0, 2.0, 3.0]
    assert pandas.isna(tf.identity(x)).tolist() == [False] * 3
    assert np.array([x, x]).shape == (2, 3)

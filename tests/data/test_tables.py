"""Tables and columns of pandas, Polars and Arrow as data, and memory shared with PyTorch and JAX."""

import numpy as np
import pytest

import eagerflow as tf

COLUMNS = {"a": [1, 2, 3], "b": [0.5, 1.5, 2.5], "s": ["x", "y", "z"]}


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def table(request):
    package = pytest.importorskip(request.param)
    return package.table(COLUMNS) if request.param == "pyarrow" else package.DataFrame(COLUMNS)


def numbers(table):
    return table.select(["a", "b"]) if hasattr(table, "select") else table[["a", "b"]]


def test_columns_are_components_of_elements(table):
    dataset = tf.data.Dataset.from_tensor_slices({name: table[name] for name in COLUMNS})
    assert {k: spec.dtype for k, spec in dataset.element_spec.items()} == {
        "a": tf.int64,
        "b": tf.float64,
        "s": tf.string,
    }
    last = list(dataset)[-1]
    assert (last["a"].numpy(), last["b"].numpy(), last["s"].numpy()) == (3, 2.5, b"z")


def test_rows_of_numbers(table):
    rows = list(tf.data.Dataset.from_tensor_slices(numbers(table)))
    np.testing.assert_array_equal(rows, [[1, 0.5], [2, 1.5], [3, 2.5]])


def test_model_trains_on_a_table(table):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    np.testing.assert_allclose(model.predict(numbers(table), verbose=0), [[1.5], [3.5], [5.5]])
    model.fit(numbers(table), table["b"], epochs=2, verbose=0)


def test_memory_is_shared_with_torch():
    torch = pytest.importorskip("torch")
    theirs = torch.arange(6.0).reshape(2, 3)
    ours = tf.experimental.dlpack.from_dlpack(theirs)
    theirs[0, 0] = 9
    assert float(ours[0, 0]) == 9
    ours = tf.random.normal([64, 8])
    assert torch.from_dlpack(ours).data_ptr() == torch.from_dlpack(ours).data_ptr()
    np.testing.assert_array_equal(torch.from_dlpack(ours).numpy(), ours)


def test_memory_is_shared_with_jax():
    jax = pytest.importorskip("jax")
    theirs = jax.numpy.ones([256, 64])
    ours = tf.experimental.dlpack.from_dlpack(theirs)
    address = theirs.unsafe_buffer_pointer()
    assert jax.dlpack.from_dlpack(ours).unsafe_buffer_pointer() == address


def test_only_tensors_are_given_away():
    with pytest.raises(TypeError, match="must be a TF tensor"):
        tf.experimental.dlpack.to_dlpack(tf.Variable([1.0]))

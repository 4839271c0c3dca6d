"""keras.ops of arrays: view with the last axis, graphs and errors; wrong arguments."""

import numpy as np
import pytest

import eagerflow as tf

ops = tf.keras.ops


def test_the_last_axis_has_other_elements():
    pairs = np.arange(4, dtype="int32").reshape(2, 2)
    assert ops.view(pairs, "int64").numpy().tolist() == [[4294967296], [12884901890]]
    assert ops.view(np.arange(3, dtype="int16"), tf.uint8).numpy().tolist() == [0, 0, 1, 0, 2, 0]
    assert ops.view(pairs).numpy().tolist() == pairs.tolist()


@pytest.mark.parametrize("dtype", ["int8", "float32", "int64", "complex128"])
def test_graphs_of_unknown_sizes(dtype):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def viewed(x):
        return ops.view(x, dtype)

    x = np.arange(24, dtype="int32").reshape(3, 8)
    assert viewed(x).dtype == dtype and viewed(x).numpy().tobytes() == x.tobytes()
    assert viewed(x).shape == x.view(dtype).shape


def test_bytes_that_do_not_fit_are_refused():
    for x, dtype in ((np.float32(1), "int16"), (np.arange(3, dtype="int32"), "int64")):
        with pytest.raises(ValueError, match="cannot be viewed"):
            ops.view(x, dtype)


def test_arguments_that_contradict_are_refused():
    with pytest.raises(ValueError, match="only be provided when `mode == 'constant'`"):
        ops.pad(np.ones(3), 1, mode="reflect", constant_values=2)
    with pytest.raises(ValueError, match="must be different"):
        ops.rot90(np.ones([2, 2]), axes=(0, -2))

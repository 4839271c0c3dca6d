"""`split_dataset`: batched datasets, and sizes that do not fit."""

import numpy as np
import pytest

import eagerflow as tf

split = tf.keras.utils.split_dataset
TEN = np.arange(10)


def test_a_batched_dataset_is_split_by_samples():
    batched = tf.data.Dataset.from_tensor_slices(TEN).batch(4)
    left, right = split(batched, left_size=3)
    assert [x.tolist() for x in left.as_numpy_iterator()] == [[0, 1, 2]]
    assert [x.tolist() for x in right.as_numpy_iterator()] == [[3, 4, 5, 6], [7, 8, 9]]


@pytest.mark.parametrize(
    "data, left, right, kind, message",
    [
        (TEN, 0, 0, ValueError, "Both `left_size` and `right_size` are zero"),
        (TEN, 0, None, ValueError, "`left_size` should be either a positive integer"),
        (TEN, "1", "1", TypeError, "Invalid `left_size` and `right_size` Types"),
        (TEN, 0, "1", TypeError, "Invalid `right_size` Type"),
        ((TEN, TEN[:5]), 2, None, ValueError, "Received a tuple of NumPy arrays with different"),
        ([TEN, TEN[:5]], 2, None, ValueError, "Received a list of NumPy arrays with different"),
    ],
)
def test_what_does_not_fit_is_refused(data, left, right, kind, message):
    with pytest.raises(kind, match=message):
        split(data, left_size=left, right_size=right)

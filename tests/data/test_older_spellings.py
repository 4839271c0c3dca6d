"""Functions of tf.data.experimental that are older names of datasets' methods."""

import inspect
import pickle

import pytest

import eagerflow as tf

METHODS = {
    "bucket_by_sequence_length": "bucket_by_sequence_length",
    "dense_to_ragged_batch": "ragged_batch",
    "dense_to_sparse_batch": "sparse_batch",
    "enumerate_dataset": "enumerate",
    "group_by_window": "group_by_window",
    "ignore_errors": "ignore_errors",
    "rejection_resample": "rejection_resample",
    "scan": "scan",
    "snapshot": "snapshot",
    "take_while": "take_while",
    "unbatch": "unbatch",
    "unique": "unique",
}


class Recorder:
    """Records the called method, as a class that overrides it would."""

    def __getattr__(self, name):
        return lambda *args, **kwargs: (name, args, kwargs)


@pytest.mark.parametrize("name", METHODS)
def test_the_datasets_own_method_is_called(name):
    function = getattr(tf.data.experimental, name)
    assert function.__name__ == name and pickle.loads(pickle.dumps(function)) is function
    parameters = inspect.signature(function).parameters.values()
    arguments = [object() for item in parameters if item.default is item.empty]
    assert function(*arguments)(Recorder()) == (METHODS[name], tuple(arguments), {})
    with pytest.raises(TypeError):
        function(no_such_argument=1)

"""Exceptions: codes, text and pickling."""

import pickle

import pytest

import eagerflow as tf

CLASSES = [
    value
    for value in vars(tf.errors).values()
    if isinstance(value, type) and issubclass(value, tf.errors.OpError) and hasattr(value, "_code")
]


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if not cls.__name__.startswith("_")])
def test_coded_errors(cls):
    error = cls(None, None, "what went wrong")
    assert str(error) == error.message == "what went wrong"
    assert error.args == () and repr(error) == f"{cls.__name__}()"
    assert tf.errors.exception_type_from_error_code(error.error_code) is cls
    assert error.op is None and error.node_def is None and error.experimental_payloads == {}
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls and again.message == error.message


def test_codes():
    assert tf.errors.InvalidArgumentError(None, None, "").error_code == 3
    assert tf.errors.OpError(None, None, "m", 5).error_code == tf.errors.NOT_FOUND
    assert len([cls for cls in CLASSES if not cls.__name__.startswith("_")]) == 16
    assert pickle.loads(pickle.dumps(tf.errors.OpError(None, None, "m", 5))).error_code == 5


def test_operations_raise_them():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2,3\] vs. \[4,5\]"):
        tf.ones([2, 3]) + tf.ones([4, 5])

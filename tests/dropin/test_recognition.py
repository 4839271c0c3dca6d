"""Modules under TensorFlow's names."""

import sys

import pytest

import eagerflow as tf
from eagerflow import dropin


@pytest.fixture
def installed():
    yield tf.install_as_tensorflow()
    dropin.uninstall()


def test_install_and_uninstall(installed):
    import tensorflow

    assert tensorflow is installed and dropin.generation() == "2.x"
    assert tensorflow.constant is tf.constant
    assert tensorflow.compat.v2.constant is tf.constant
    from tensorflow.python.keras.optimizers import SGD

    assert SGD is tf.keras.optimizers.SGD
    with pytest.raises(AttributeError, match="not implemented in eagerflow"):
        tensorflow.no_such_name  # noqa: B018
    with pytest.raises(ImportError):
        from tensorflow import no_such_name  # noqa: F401
    dropin.uninstall()
    assert "tensorflow" not in sys.modules and dropin.generation() is None
    assert type(tf.constant(1)).__module__ == "eagerflow._core"


def test_bad_generation():
    with pytest.raises(ValueError, match=r"1\.x, 2\.x"):
        tf.install_as_tensorflow("3")

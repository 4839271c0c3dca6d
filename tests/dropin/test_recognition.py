"""Which generation a program was written for, and modules under TensorFlow's names."""

import sys

import pytest

import eagerflow as tf
from eagerflow import dropin
from eagerflow_compat.dropin.recognise import generation_of


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\nx = tf.random_normal([2])",
        "import tensorflow.contrib.eager as tfe",
        "from tensorflow import to_float",
        "import tensorflow as tf\ntf.reduce_sum(x, keep_dims=True)\ntf.log(x)",
        "import tensorflow as tf\no = tf.train.GradientDescentOptimizer(0.1)",
        "try:\n    import tensorflow as tf\n    tf.random_normal([2])\nexcept ImportError:\n    pass",
    ],
)
def test_first_generation(text):
    assert generation_of(text) == "1.x"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "import tensorflow as tf\nx = tf.constant(1)",
        "import tensorflow as tf\n@tf.function\ndef f(): pass",
        "import tensorflow as tf\nm = tf.keras.optimizers.SGD()",
        "import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)",
        "import tensorflow as tf\ntf.compat.v1.disable_eager_execution()",
        "import tensorflow as tf\ntf.compat.v1.Session().run(x, feed_dict={})",
        "this is no Python",
        "import tensorflow as tf\nx = tf.strings.ngrams(y, 2)\n"
        "f = tf.to_float if hasattr(tf, 'to_float') else tf.cast\n"
        "g = tf.log if hasattr(tf, 'log') else tf.math.log",
    ],
)
def test_second_generation(text):
    assert generation_of(text) == "2.x"


def test_modules_beside_the_program_count(tmp_path):
    (tmp_path / "model.py").write_text("import tensorflow as tf\nx = tf.to_float(1)")
    assert generation_of("import model", tmp_path) == "1.x"


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

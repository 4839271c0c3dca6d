"""What == says of tensors and variables, and whether they are keys, where identity counts."""

import pytest

import eagerflow as tf

v1 = tf.compat.v1


@pytest.fixture
def identity():
    v1.disable_tensor_equality()
    yield
    v1.enable_tensor_equality()


def pairs():
    """Two objects of each kind that have the same value."""
    return {
        "tensors": (tf.constant(1.0), tf.constant(1.0)),
        "vectors": (tf.constant([1, 2]), tf.constant([1, 2])),
        "texts": (tf.constant("a"), tf.constant("a")),
        "variables": (tf.Variable(1.0), tf.Variable(1.0)),
        "of another kind": (tf.constant(1.0), tf.Variable(1.0)),
    }


@pytest.mark.parametrize("kind", pairs())
def test_identity_counts(identity, kind):
    a, b = pairs()[kind]
    assert (a == a) is True and (a == b) is False and (a != a) is False and (a != b) is True
    assert (a == 1.0) is False and (a != 1.0) is True and (a == None) is False  # noqa: E711
    assert {a: 1, b: 2}[a] == 1 and a in [b, a] and [b, a].index(a) == 1 and len({a, b, a}) == 2

    @tf.function
    def traced(x, y):
        assert (x == x) is True and (x == y) is False and {x: 1, y: 2}[y] == 2
        return x

    traced(a, b)


@pytest.mark.parametrize("kind", pairs())
def test_values_count_again(kind):
    v1.disable_tensor_equality()
    v1.enable_tensor_equality()
    a, b = pairs()[kind]
    assert bool(tf.reduce_all(a == b)) and not bool(tf.reduce_any(a != b))
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)


@pytest.mark.parametrize("head", ["tf.enable_eager_execution()", "pass"])
def test_programs_of_version_1_have_identity(tmp_path, head):
    import subprocess
    import sys

    program = tmp_path / "program.py"
    program.write_text(
        f"import tensorflow as tf\n{head}\na, b = tf.constant(1.0), tf.constant(1.0)\n"
        "print(a == b, a == a, len({a: 1, b: 2}))\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])\n"
        "model.compile(tf.train.AdamOptimizer(0.1), 'mse')\n"
        "print(model.fit([[1.0, 2.0]], [[3.0]], epochs=2, verbose=0).epoch)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", "--generation", "1.x", program],
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == ["False True 2", "[0, 1]"], done.stderr

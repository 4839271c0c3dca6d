"""The names of layers that functions of symbolic tensors become: configurations of TensorFlow have them."""

import pytest

import eagerflow as tf

keras = tf.keras


def vectors():
    return keras.Input([4])


CASES = {
    "tf.compat.v1.shape": lambda: tf.shape(vectors()),
    "tf.compat.v1.size": lambda: tf.size(vectors()),
    "tf.compat.v1.transpose": lambda: tf.transpose(vectors()),
    "tf.compat.v1.gather": lambda: tf.gather(vectors(), [0]),
    "tf.compat.v1.pad": lambda: tf.pad(vectors(), [[0, 0], [1, 1]]),
    "tf.compat.v1.norm": lambda: tf.norm(vectors()),
    "tf.compat.v1.floor_div": lambda: vectors() // 2.0,
    "tf.math.truediv": lambda: tf.divide(vectors(), 2.0),
    "tf.compat.v1.nn.sigmoid_cross_entropy_with_logits": (
        lambda: tf.nn.sigmoid_cross_entropy_with_logits(vectors(), vectors())
    ),
    "tf.compat.v1.nn.softmax_cross_entropy_with_logits_v2": (
        lambda: tf.nn.softmax_cross_entropy_with_logits(vectors(), vectors())
    ),
    "tf.dtypes.complex": lambda: tf.complex(vectors(), vectors()),
    "tf.concat": lambda: tf.concat([vectors(), vectors()], 0),
    "tf.reshape": lambda: tf.reshape(vectors(), [-1]),
}


@pytest.mark.parametrize("name", CASES)
def test_names(name):
    keras.backend.clear_session()
    assert CASES[name]().node.layer.name == name


@pytest.mark.parametrize("name", CASES)
def test_configurations_of_these_names_are_read(name):
    output = CASES[name]()
    inputs = output.node.keras_inputs
    if name == "tf.concat":
        inputs = list(inputs)
    model = keras.Model(inputs, output)
    again = keras.Model.from_config(model.get_config())
    values = [tf.ones([2, 4]) for _ in inputs]
    assert again(values).numpy().tolist() == model(values).numpy().tolist()


def test_names_begin_anew_with_the_default_graph():
    """Tests of programs do so, too: each of them begins an empty default graph."""

    class Test(tf.test.TestCase):
        def runTest(self):
            self.found = tf.keras.layers.Dense(1).name

    tf.keras.layers.Dense(1)
    tf.compat.v1.reset_default_graph()
    assert [tf.keras.layers.Dense(1).name for _ in range(2)] == ["dense", "dense_1"]
    test = Test()
    assert test.run().wasSuccessful() and test.found == "dense"

"""How many functions of Python the saving of a small module calls."""

import eagerflow as tf
from python_calls import python_calls


class Scaled(tf.Module):
    def __init__(self):
        self.scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def __call__(self, x):
        return x * self.scale


def test_a_small_module_takes_few_calls(tmp_path):
    module = Scaled()
    for count in range(2):  # what is imported and made once is there then
        tf.saved_model.save(module, str(tmp_path / f"{count}"))
    assert python_calls(lambda: tf.saved_model.save(module, str(tmp_path / "2"))) <= 876

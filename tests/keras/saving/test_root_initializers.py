"""Models whose initializers are those of TensorFlow's root namespace."""

import numpy as np
import pytest

import eagerflow as tf

ROOT = {
    "Zeros": lambda: tf.zeros_initializer(),
    "Ones": lambda: tf.ones_initializer(),
    "Constant": lambda: tf.constant_initializer(0.5),
    "RandomNormal": lambda: tf.random_normal_initializer(1.0, 2.0, seed=3),
    "RandomUniform": lambda: tf.random_uniform_initializer(1.0, 2.0, seed=3),
}


@pytest.mark.parametrize("name", ROOT)
def test_files_have_the_initializer_of_that_name(name, tmp_path):
    initializer = ROOT[name]()
    config = tf.keras.initializers.serialize(initializer)
    assert (config["module"], config["class_name"]) == ("tensorflow.python.ops.init_ops_v2", name)
    own = tf.keras.initializers.deserialize(config)
    assert type(own) is getattr(tf.keras.initializers, name)
    assert own.get_config() == initializer.get_config()

    layer = tf.keras.layers.Dense(2, kernel_initializer=initializer, input_shape=(3,))
    model = tf.keras.Sequential([layer])
    copies = [tf.keras.models.clone_model(model)]
    for suffix in (".keras", ".h5"):
        model.save(tmp_path / f"model{suffix}")
        copies.append(tf.keras.models.load_model(tmp_path / f"model{suffix}"))
    for copy in copies:
        assert type(copy.layers[0].kernel_initializer) is type(own)
    np.testing.assert_array_equal(copies[1].get_weights()[0], model.get_weights()[0])

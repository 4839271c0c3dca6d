"""Cells around other cells come back from their configurations."""

import eagerflow as tf

layers = tf.keras.layers


def test_configurations_hold_all_arguments():
    cell = layers.SimpleRNNCell(2, name="inner")
    for wrapper, arguments in (
        (tf.nn.RNNCellDropoutWrapper, {"input_keep_prob": 0.5, "seed": 3}),
        (tf.nn.RNNCellDeviceWrapper, {"device": "/cpu:0"}),
        (tf.nn.RNNCellResidualWrapper, {}),
    ):
        config = wrapper(cell, **arguments).get_config()
        again = wrapper.from_config(config)
        assert arguments.items() <= config.items()
        assert again.get_config() == config
        assert again.cell.units == 2


def test_functions_of_programs_are_named():
    @tf.keras.utils.register_keras_serializable("wrappers")
    def weighted(inputs, outputs):
        return 0.5 * inputs + outputs

    wrapper = tf.nn.RNNCellResidualWrapper(layers.SimpleRNNCell(2), residual_fn=weighted)
    again = tf.nn.RNNCellResidualWrapper.from_config(wrapper.get_config())
    x, states = tf.ones([1, 2]), [tf.zeros([1, 2])]
    again(x, states)
    output, _ = again(x, states)
    inner, _ = again.cell(x, states)
    assert (output.numpy() == 0.5 + inner.numpy()).all()

"""The nodes and shapes of inputs."""

import eagerflow as tf


def test_the_node_of_an_input_lists_it():
    inputs = tf.keras.Input([3])
    (node,) = inputs._keras_history.layer._inbound_nodes
    assert node.input_tensors == [inputs]
    assert node.output_tensors == [inputs]
    assert node.input_shapes == [(None, 3)]
    assert node.output_shapes == [(None, 3)]
    outputs = tf.keras.layers.Dense(2)(inputs)
    (called,) = outputs._keras_history.layer._inbound_nodes
    assert called.input_tensors is inputs
    assert called.output_tensors is outputs
    assert called.output_shapes == (None, 2)


def test_an_input_of_unknown_rank_has_no_shape():
    tensor = tf.keras.backend.placeholder(shape=None, dtype=tf.string)
    layer = tf.keras.layers.InputLayer(input_tensor=tensor, dtype=tf.string)
    loaded = tf.keras.layers.InputLayer.from_config(layer.get_config())
    assert loaded._batch_input_shape is None
    assert loaded.output.dtype == tf.string

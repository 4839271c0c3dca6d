"""Programs that walk through the graph of a functional model by Keras 2's tables."""

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def build():
    a, b = tf.keras.Input([3], name="a"), tf.keras.Input([3], name="b")
    shared = layers.Dense(3, name="shared")
    total = layers.Add(name="add")([shared(a), shared(b), b])
    inner = tf.keras.Sequential([tf.keras.Input([3]), layers.Dense(2)], name="inner")
    sliced = total[:, 1:] * 2.0
    return tf.keras.Model({"a": a, "b": b}, [inner(total), sliced], name="outer")


def walk(model, inputs, calls):
    """The outputs by a run of each call in the tables, and the values that nothing took."""
    counts, values = model._tensor_usage_count, {}
    flat = model._flatten_to_reference_inputs(inputs)
    for symbol, value in zip(model.inputs, flat, strict=True):
        value = model._conform_to_reference_input(value, ref_input=symbol)
        values[str(id(symbol))] = [value] * counts[str(id(symbol))]
    for depth in sorted(model._nodes_by_depth, reverse=True):
        for node in model._nodes_by_depth[depth]:
            if node.is_input:
                continue
            assert all(name in values for name in node.flat_input_ids)
            args, kwargs = node.map_arguments(values)
            calls.append(node.layer.name)
            if hasattr(node.layer, "_tensor_usage_count"):
                outputs, rest = walk(node.layer, args, calls)
                assert rest == 0
            else:
                outputs = node.layer(*args, **kwargs)
            for name, value in zip(node.flat_output_ids, tf.nest.flatten(outputs), strict=True):
                values[name] = [value] * counts[name]
    outputs = [values[str(id(symbol))].pop() for symbol in model.outputs]
    outputs = tf.nest.pack_sequence_as(model._nested_outputs, outputs)
    return outputs, sum(map(len, values.values()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_walk_computes_what_the_model_does(dtype):
    model, calls = build(), []
    rng = np.random.default_rng(0)
    data = {name: rng.normal(size=[2, 3]).astype(dtype) for name in "ba"}
    outputs, rest = walk(model, data, calls)
    assert rest == 0
    for got, expected in zip(outputs, model(data), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert calls.count("shared") == 2 and calls.count("inner") == 1
    for got, expected in zip(model._run_internal_graph(data), outputs, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_walk_on_symbolic_tensors_makes_another_model():
    model = build()
    outputs, _ = walk(model, model.inputs, [])
    again = tf.keras.Model(model.inputs, outputs)
    data = [np.ones([2, 3], np.float32), np.ones([2, 3], np.float32)]
    for got, expected in zip(again(data), model(data), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_tables():
    model = build()
    a, b, shared, add, inner = map(model.get_layer, "a b shared add inner".split())
    assert model._input_layers == [a, b] and model._feed_input_names == ["a", "b"]
    assert model._feed_input_shapes == [(None, 3), (None, 3)]
    assert [x is y for x, y in zip(model._feed_inputs, model.inputs, strict=True)] == [True] * 2
    assert model._output_layers[0] is inner
    assert model._input_coordinates == [(a, 0, 0), (b, 0, 0)]
    assert model._output_coordinates[0][0] is inner
    assert {"a_ib-0", "b_ib-0", "shared_ib-0", "shared_ib-1"} <= model._network_nodes
    assert model._nested_inputs["a"] is model.inputs[0]
    assert model._layer_call_argspecs[shared].args == ["self", "inputs"]
    (node,) = add._inbound_nodes
    assert not node._single_positional_tensor_passed and len(node._keras_inputs) == 3
    assert [place for _, place in node._keras_inputs_ids_and_indices] == [0, 1, 2]
    assert shared._inbound_nodes[0]._single_positional_tensor_passed


@pytest.mark.parametrize(
    "name",
    "_nested_inputs _nested_outputs _nodes_by_depth _network_nodes _input_coordinates "
    "_output_coordinates _input_layers _output_layers _feed_inputs _feed_input_names "
    "_feed_input_shapes _tensor_usage_count _layer_call_argspecs".split(),
)
def test_models_without_a_graph_have_no_tables(name):
    class Subclass(tf.keras.Model):
        def call(self, inputs):
            return inputs

    assert not hasattr(Subclass(), name)
    model = tf.keras.Sequential([layers.Dense(2)])
    assert not hasattr(model, name)
    model.build([None, 3])
    assert hasattr(model, name)


def test_a_subclass_may_make_its_graph_later():
    class Late(tf.keras.Model):
        def __init__(self):
            x = tf.keras.Input([2])
            super().__init__(x, x)
            y = tf.keras.Input([3])
            self._init_graph_network(y, layers.Dense(1)(y))

    model = Late()
    assert model.input_shape == (None, 3) and model.output_shape == (None, 1)
    assert model(tf.ones([2, 3])).shape == [2, 1]


def test_losses_metrics_and_layers_that_no_output_needs():
    model = build()
    total = model.get_layer("add").output
    extra = layers.Dense(1, name="extra")
    extra(total)
    model._insert_layers([extra], relevant_nodes=extra._inbound_nodes)
    assert model.layers[-1] is extra
    model._graph_network_add_loss(tf.reduce_sum(total))
    model._graph_network_add_metric(total, "mean", "size")
    model([tf.ones([2, 3]), tf.ones([2, 3])])
    assert len(model.losses) == 1 and "size" in [metric.name for metric in model.metrics]

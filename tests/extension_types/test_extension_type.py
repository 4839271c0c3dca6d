"""Extension types: what has no recorded answer."""

from __future__ import annotations

import pickle
from collections.abc import Mapping

import numpy as np
import pytest

import eagerflow as tf


class Node(tf.experimental.ExtensionType):
    """Refers to itself, and has annotations that are strings."""

    value: tf.Tensor
    children: tuple[Node, ...] = ()
    extra: Mapping[str, tf.Tensor] = {}


class Pair(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    y: tf.Tensor


def test_trees_flatten_and_pack():
    tree = Node(1.0, (Node(2.0), Node(3.0, (Node(4.0),), {"b": 5.0, "a": 6.0})))
    flat = tf.nest.flatten(tree, expand_composites=True)
    assert [float(value) for value in flat] == [1, 2, 3, 4, 6, 5]
    doubled = tf.nest.map_structure(lambda x: 2 * x, tree, expand_composites=True)
    assert float(doubled.children[1].extra["a"]) == 12
    assert bool(tf.nest.pack_sequence_as(tree, flat, expand_composites=True) == tree)


def test_values_and_specs_are_pickled():
    pair = Pair([1.0, 2.0], [3.0, 4.0])
    assert bool(pickle.loads(pickle.dumps(pair)) == pair)
    assert pickle.loads(pickle.dumps(pair._type_spec)) == pair._type_spec


def test_mappings_cannot_be_changed():
    node = Node(1.0, extra={"a": 2.0})
    with pytest.raises(TypeError):
        node.extra["a"] = 3.0


def test_fields_keep_the_tensors_of_a_tape():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        pair = Pair(x, x * 2)
        y = tf.reduce_sum(pair.x * pair.y)
    np.testing.assert_array_equal(tape.gradient(y, x), [4.0, 8.0])


def test_layers_and_models_take_them():
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

        def call(self, pair):
            return self.dense(tf.stack([pair.x, pair.y], -1))

    np.testing.assert_array_equal(Model()(Pair([1.0, 2.0], [3.0, 4.0])), [[4.0], [6.0]])


def test_an_encoder_chooses_what_is_stacked():
    class Packed(tf.experimental.ExtensionTypeBatchEncoder):
        def batch(self, spec, batch_size):
            shape = tf.TensorShape([batch_size]).concatenate(spec.v.shape)
            return Negated.Spec(tf.TensorSpec(shape, spec.v.dtype))

        def unbatch(self, spec):
            return Negated.Spec(tf.TensorSpec(spec.v.shape[1:], spec.v.dtype))

        def encode(self, spec, value, minimum_rank=0):
            return [-value.v]

        def encoding_specs(self, spec):
            return [spec.v]

        def decode(self, spec, encoded_value):
            return Negated(-encoded_value[0] * 10)

    class Negated(tf.experimental.BatchableExtensionType):
        v: tf.Tensor
        __batch_encoder__ = Packed()

    batches = tf.data.Dataset.from_tensor_slices(Negated([1, 2, 3])).batch(2)
    assert [value.v.numpy().tolist() for value in batches] == [[100, 200], [300]]


def test_types_that_cannot_be_stacked_say_so():
    with pytest.raises(AttributeError, match="BatchableExtensionType"):
        tf.data.Dataset.from_tensor_slices(Node([1.0]))
    with pytest.raises(TypeError, match="map_fn can not consume"):
        tf.map_fn(lambda node: node.value, Node([1.0]))


def test_arguments_are_checked_against_a_signature():
    spec = Pair([1.0], [2.0])._type_spec
    function = tf.function(lambda pair: pair.x, input_signature=[spec])
    assert float(function(Pair([1.0], [2.0]))[0]) == 1
    with pytest.raises(TypeError, match="failed"):
        function(Pair([1], [2]))


def test_interleaved_pipelines_restore_their_position(tmp_path):
    dataset = tf.data.Dataset.from_tensor_slices(Pair([1, 2, 3], [4, 5, 6])).cache().repeat(2)
    assert [int(pair.x) for pair in dataset] == [1, 2, 3, 1, 2, 3]

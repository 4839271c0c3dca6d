"""Private names that packages import, and that have no public name here."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.internals import (
    inplace_ops,
    keras_arguments,
    numbered_words,
    op_selector,
    python_functions,
    reference_dtypes,
    slots,
    summary_collections,
    types_core,
)

v1 = tf.compat.v1


FOUND = """
    python.framework.dtypes.float16_ref
    python.framework.dtypes.string_ref
    python.keras.utils.generic_utils.slice_arrays
    python.keras.utils.losses_utils.ReductionV2
    python.keras.utils.losses_utils.squeeze_or_expand_dimensions
    python.keras.utils.tf_utils.is_tensor_or_variable
    python.ops.inplace_ops.alias_inplace_update
    python.ops.lookup_ops.IdTableWithHashBuckets
    python.ops.op_selector.get_backward_walk_ops
    python.ops.script_ops._py_funcs
    python.ops.summary_op_util.collect
    python.training.slot_creator.create_zeros_slot
    python.training.summary_io.SummaryWriterCache
    python.types.core.TensorProtocol
"""
REFUSED = {
    "python.ops.control_flow_ops.switch": "tf.cond",
    "python.ops.data_flow_ops.StagingArea": "prefetch",
    "python.ops.collective_ops.all_reduce": "MirroredStrategy",
}


def test_they_are_found_or_say_what_to_use():
    text = (
        "import json, sys, eagerflow\n"
        "from eagerflow_compat.dropin import check\n"
        "eagerflow.install_as_tensorflow()\n"
        "paths = json.loads(sys.argv[1])\n"
        "print(json.dumps([check.problem(f'tensorflow.{path}', '2.x') for path in paths]))\n"
        "from tf_keras.api._v1 import keras as first\n"
        "from tf_keras.api._v2 import keras as second\n"
        "assert first.layers.Dense is second.layers.Dense\n"
    )
    paths = [*FOUND.split(), *REFUSED]
    done = subprocess.run(
        [sys.executable, "-c", text, json.dumps(paths)], stdout=subprocess.PIPE, check=True
    )
    problems = dict(zip(paths, json.loads(done.stdout), strict=True))
    assert [path for path in FOUND.split() if problems[path]] == []
    assert all(advice in problems[path] for path, advice in REFUSED.items())


def test_types_of_references():
    kind = reference_dtypes.float32_ref
    assert kind == reference_dtypes.float32_ref and kind is pickle.loads(pickle.dumps(kind))
    assert kind != tf.float32 and kind._is_ref_dtype and not tf.float32._is_ref_dtype
    assert kind.base_dtype is tf.float32 and kind.as_numpy_dtype is np.float32
    assert kind.as_datatype_enum == 101 and kind.is_floating and copy.deepcopy(kind) is kind
    assert str(kind) == "<dtype: 'float32_ref'>" and not kind.is_compatible_with(tf.float32)
    assert reference_dtypes.resource_ref.base_dtype is tf.resource
    for name in ("no_such_ref", "float32", "as_dtype_ref"):
        assert not hasattr(reference_dtypes, name)


class TestOperations:
    @pytest.fixture
    def graph(self):
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [2], name="x")
            y = tf.multiply(x, 2.0, name="y")
            tf.add(y, 1.0, name="z")
            with tf.control_dependencies([y]):
                tf.identity(x, name="w")
            yield graph

    def names(self, found):
        return sorted(item.name for item in found)

    def test_what_others_depend_on(self, graph):
        z, w, y = (graph.get_tensor_by_name(f"{name}:0") for name in "zwy")
        walk = op_selector.get_backward_walk_ops
        assert walk([z.op])[0] is z.op
        assert self.names(walk(z)) == ["x", "y", "y/y", "z", "z/y"]
        assert self.names(walk([z.op], inclusive=False)) == ["x", "y", "y/y", "z/y"]
        assert self.names(walk(w)) == ["w", "x"]
        assert self.names(walk(w, control_inputs=True)) == ["w", "x", "y", "y/y"]
        assert self.names(walk(z, stop_at_ts=[y])) == ["z", "z/y"]
        assert self.names(walk(z, within_ops=[z.op, y.op])) == ["y", "z"]
        assert self.names(walk(z, within_ops_fn=lambda op: "/" not in op.name)) == ["x", "y", "z"]

    def test_neighbours(self, graph):
        x, y = (graph.get_tensor_by_name(f"{name}:0") for name in "xy")
        assert self.names(op_selector.get_consuming_ops(x)) == ["w", "y"]
        assert op_selector.get_generating_ops([y]) == [y.op]
        assert self.names(op_selector.graph_inputs(y.op)) == ["x", "y/y"]
        assert "y:0" in self.names(op_selector.get_tensors(graph))
        assert op_selector.is_differentiable(y.op)

    def test_lists(self, graph):
        y = graph.get_tensor_by_name("y:0")
        assert op_selector.make_list_of_op([y.op, y], ignore_ts=True) == [y.op]
        assert op_selector.make_list_of_t([y.op, y], ignore_ops=True)[0] is y
        assert len(op_selector.make_list_of_op(graph)) == len(graph.get_operations())
        for function, value in (("op", y), ("t", y.op)):
            with pytest.raises(TypeError, match="Expected"):
                getattr(op_selector, f"make_list_of_{function}")(value)
            with pytest.raises(TypeError, match="graph"):
                getattr(op_selector, f"make_list_of_{function}")(graph, allow_graph=False)
        assert op_selector.concatenate_unique([y], [y, 1]) == [y, 1]
        assert op_selector.is_iterable([1]) and not op_selector.is_iterable(1)

    def test_graphs(self, graph):
        y = graph.get_tensor_by_name("y:0")
        assert op_selector.get_unique_graph([y, y.op]) is graph
        assert op_selector.get_unique_graph(graph) is graph
        assert op_selector.get_unique_graph([], none_if_empty=True) is None
        with tf.Graph().as_default():
            other = tf.constant(1.0)
        with pytest.raises(ValueError, match="does not belong"):
            op_selector.check_graphs(y, other)
        with pytest.raises(ValueError, match="no operations"):
            op_selector.get_unique_graph([])
        with pytest.raises(TypeError, match="Expected"):
            op_selector.get_unique_graph([1])


def test_slots():
    with tf.Graph().as_default():
        with v1.variable_scope("w"):
            variable = v1.get_variable("v", [2])
        with v1.variable_scope("optimizer"):
            assert slots.create_zeros_slot(variable, "m").name == "optimizer/w/v/m:0"
        first, second = (slots.create_zeros_slot(variable, "m") for _ in range(2))
        assert (first.name, second.name) == ("w/v/m:0", "w/v/m_1:0")
        value = slots.create_slot(variable, tf.constant(2.0), "s")
        ones = slots.create_slot_with_initializer(
            variable, v1.ones_initializer(), variable.shape, tf.float64, "i"
        )
        assert len(v1.trainable_variables()) == 1 and value.shape == [] and ones.dtype == tf.float64
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = session.run([first, value, ones])
    np.testing.assert_array_equal(found[0], [0.0, 0.0])
    np.testing.assert_array_equal(found[2], [1.0, 1.0])
    assert found[1] == 2.0


def test_summaries_are_listed():
    with tf.Graph().as_default():
        value = tf.constant(1.0)
        summary_collections.collect(value, None, ["mine"])
        summary_collections.collect(value, ["other"], ["mine"])
        assert len(v1.get_collection("mine")) == len(v1.get_collection("other")) == 1
    assert summary_collections.clean_tag("/a b/c:d") == "a_b/c_d"
    assert summary_collections.clean_tag("plain") == "plain"


class TestTables:
    def table(self):
        pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
        return tf.lookup.StaticHashTable(pairs, -1)

    def test_further_numbers(self):
        table = numbered_words.IdTableWithHashBuckets(self.table(), 3)
        words = tf.constant(["a", "zz", "b", "q"])
        np.testing.assert_array_equal(table.lookup(words), [0, 3, 1, 4])
        assert table.size() == 5 and table.key_dtype == tf.string

    def test_without_words(self):
        spec = numbered_words.StrongHashSpec([1, 2])
        table = numbered_words.IdTableWithHashBuckets(None, 3, hasher_spec=spec)
        words = tf.constant(["a", "zz", "b", "q"])
        np.testing.assert_array_equal(table.lookup(words), [2, 1, 1, 0])
        assert table.initializer is None

    def test_bad_arguments(self):
        with pytest.raises(ValueError, match="oov_buckets"):
            numbered_words.IdTableWithHashBuckets(None, 0)
        with pytest.raises(TypeError, match="HasherSpec"):
            numbered_words.IdTableWithHashBuckets(self.table(), 1, hasher_spec="fast")
        with pytest.raises(ValueError, match="size 2"):
            numbered_words.StrongHashSpec([1])


def test_rows_are_replaced():
    zeros = tf.zeros([3, 2])
    updated = inplace_ops.alias_inplace_update(zeros, 1, tf.ones([2]))
    np.testing.assert_array_equal(updated, [[0, 0], [1, 1], [0, 0]])
    added = inplace_ops.alias_inplace_add(updated, [1, 2], tf.ones([2, 2]))
    np.testing.assert_array_equal(added, [[0, 0], [2, 2], [1, 1]])
    whole = inplace_ops.alias_inplace_sub(tf.ones([2]), None, [1.0, 3.0])
    np.testing.assert_array_equal(whole, [0.0, -2.0])
    np.testing.assert_array_equal(inplace_ops.empty_like(added), np.zeros([3, 2]))


def test_functions_by_tokens():
    functions = python_functions.FuncRegistry()

    def function():
        pass

    token = functions.insert(function)
    assert functions.get(token) is function and functions.size() == 1
    functions.remove(token)
    assert functions.get(token, 1) == 1
    assert python_functions._py_funcs.size() == 0
    python_functions._py_funcs._funcs.clear()


def test_what_is_converted_to_tensors():
    class Own:
        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(1.0)

    assert isinstance(Own(), types_core.TensorProtocol)
    assert not isinstance(1, types_core.TensorProtocol)


class TestArguments:
    def test_lists_and_rows(self):
        assert keras_arguments.to_list(1) == [1] and keras_arguments.to_list([1]) == [1]
        assert keras_arguments.make_batches(5, 2) == [(0, 2), (2, 4), (4, 5)]
        assert keras_arguments.is_all_none([None, (None,)])
        assert not keras_arguments.is_all_none([None, 1])
        rows = keras_arguments.slice_arrays([np.arange(4), None], np.array([0, 2]))
        assert rows[0].tolist() == [0, 2] and rows[1] is None
        assert keras_arguments.slice_arrays(np.arange(4), 1, 3).tolist() == [1, 2]
        assert keras_arguments.slice_arrays(None) == [None]
        with pytest.raises(ValueError, match="stop"):
            keras_arguments.slice_arrays([np.arange(4)], [0], 2)

    def test_functions(self):
        def function(a, *, b=1, **rest):
            pass

        assert keras_arguments.has_arg(function, "a") and keras_arguments.has_arg(function, "b")
        assert not keras_arguments.has_arg(function, "c")
        assert keras_arguments.has_arg(function, "c", accept_all=True)
        keras_arguments.validate_kwargs({"a": 1}, {"a"})
        with pytest.raises(TypeError, match="not understood"):
            keras_arguments.validate_kwargs({"b": 1}, {"a"})
        keras_arguments.check_for_unexpected_keys("x", {"a": 1}, ["a"])
        with pytest.raises(ValueError, match="Unknown entries in x"):
            keras_arguments.check_for_unexpected_keys("x", {"b": 1}, ["a"])
        assert keras_arguments.is_default(keras_arguments.default(function))
        assert not keras_arguments.is_default(test_slots)
        assert keras_arguments.to_snake_case("_MyLayer2D") == "private__my_layer2d"

    def test_tensors(self):
        ragged = tf.ragged.constant([[1], [2, 3]])
        assert keras_arguments.is_ragged(ragged) and keras_arguments.is_extension_type(ragged)
        assert keras_arguments.is_tensor_or_variable(tf.Variable(1))
        assert not keras_arguments.is_tensor_or_variable(np.ones(1))
        assert keras_arguments.is_tensor_or_tensor_list([tf.constant(1)])
        assert not keras_arguments.is_tensor_or_tensor_list([])
        assert keras_arguments.get_shapes([tf.ones([2])]) == [tf.TensorShape([2])]
        spec = keras_arguments.get_tensor_spec
        assert spec(tf.ones([2, 3])) == tf.TensorSpec([2, 3])
        assert spec(tf.ones([2, 3]), True, "n") == tf.TensorSpec([None, 3], name="n")
        assert spec(tf.TensorSpec([2])) == tf.TensorSpec([2]) and spec(1) is None
        assert spec(ragged) == ragged._type_spec
        assert keras_arguments.dataset_is_infinite(tf.data.Dataset.range(2).repeat())
        found = keras_arguments.sync_to_numpy_or_python_type({"a": tf.constant(1.5), "b": [1]})
        assert found == {"a": 1.5, "b": [1]} and type(found["a"]) is float

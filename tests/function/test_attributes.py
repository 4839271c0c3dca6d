"""The attributes of a function's message, and functions that implement others."""

import pytest

import eagerflow as tf


def attributes(function):
    return function.get_concrete_function(tf.TensorSpec([])).function_def.attr


def test_attributes_are_those_of_the_message():
    kept = attributes(
        tf.function(
            lambda x: x + 1.0,
            experimental_implements="lookup",
            experimental_attributes={"_noinline": True, "api_preferred_device": "CPU"},
        )
    )
    assert sorted(kept) == ["_implements", "_noinline", "api_preferred_device"]
    assert kept["_implements"].s == b"lookup"
    assert kept["_noinline"].b
    assert kept["api_preferred_device"].s == b"CPU"


def test_a_text_of_a_name_with_attributes_is_a_name_with_attributes():
    text = 'name: "lookup" attr { key: "size" value { i: 2 } }'
    kept = attributes(tf.function(lambda x: x + 1.0, experimental_implements=text))
    assert kept["_implements"].func.name == "lookup"
    assert kept["_implements"].func.attr["size"].i == 2
    kept = attributes(tf.function(lambda x: x + 1.0, experimental_implements="a:b"))
    assert kept["_implements"].s == b"a:b"


def test_methods_and_called_functions_keep_attributes():
    class Holder:
        @tf.function(experimental_implements="lookup")
        def method(self, x):
            return x + 1.0

    holder = Holder()
    assert attributes(holder.method)["_implements"].s == b"lookup"
    outer = tf.function(lambda x: holder.method(x)).get_concrete_function(tf.TensorSpec([]))
    (inner,) = outer.graph.as_graph_def().library.function
    assert inner.attr["_implements"].s == b"lookup"


def test_attributes_survive_a_file(tmp_path):
    module = tf.Module()
    module.f = tf.function(
        lambda x: x + 1.0, input_signature=[tf.TensorSpec([])], experimental_implements="lookup"
    )
    tf.saved_model.save(module, str(tmp_path))
    (loaded,) = tf.saved_model.load(str(tmp_path)).f.concrete_functions
    assert loaded.function_def.attr["_implements"].s == b"lookup"
    assert float(loaded(tf.constant(1.0))) == 2.0


def test_arguments_of_a_function_that_implements_another_are_tensors():
    add = tf.function(lambda x, y: x + y, experimental_implements="add")
    variable = tf.Variable(1.0)
    assert float(add(variable, 2.0)) == 3.0
    assert float(add(3.0, variable)) == 4.0
    assert float(add(variable, y=variable)) == 2.0
    assert add.experimental_get_tracing_count() == 1
    with tf.GradientTape() as tape:
        total = add(variable, variable) * add(variable, 2.0)
    assert float(tape.gradient(total, variable)) == 8.0


@pytest.mark.parametrize("outer", [tf.constant(1.0), tf.Variable(1.0)], ids=["tensor", "variable"])
def test_a_function_that_implements_another_captures_nothing(outer):
    function = tf.function(lambda x: x + outer, experimental_implements="add")
    with pytest.raises(AssertionError, match="variables are always captured"):
        function(1.0)


def test_the_function_that_runs_has_the_message():
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([]))
    run = concrete.inference_fn
    assert run.name == concrete.name
    assert run.definition.signature.name.encode() == run.name
    assert run.graph is concrete.graph
    assert run.attributes == {}

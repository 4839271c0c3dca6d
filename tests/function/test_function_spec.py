"""What a function says of its parameters: `function_spec`, as written and as loaded."""

from __future__ import annotations

import functools
import inspect

import pytest

import eagerflow as tf

PAIR = tf.TensorSpec([2])
COUNT = tf.TensorSpec([], tf.int32)


def wide(a, b=2, *c, d, e=5, **k):
    return a


class Module(tf.Module):
    """Functions that are methods, with and without an `input_signature`."""

    @tf.function
    def free(self, x, y=3, *c, k=(1,)):
        return x

    @tf.function(input_signature=[PAIR])
    def fixed(self, x, y=3):
        return x

    def __call__(self, x):
        return x


# The function, and what `inspect.getfullargspec` would say of the parameters that a caller gives.
FUNCTIONS = {
    "function": (lambda: wide, (["a", "b"], "c", "k", (2,), ["d", "e"], {"e": 5}, {})),
    "lambda": (lambda: lambda x, y: x, (["x", "y"], None, None, None, [], None, {})),
    "partial": (
        lambda: functools.partial(wide, 1, d=2),
        (["b"], "c", "k", (2,), ["d", "e"], {"d": 2, "e": 5}, {}),
    ),
    "bound method": (
        lambda: Module().free,
        (["x", "y"], "c", None, (3,), ["k"], {"k": (1,)}, {}),
    ),
    "method of a class": (
        lambda: Module.free,
        (["self", "x", "y"], "c", None, (3,), ["k"], {"k": (1,)}, {}),
    ),
    "object": (Module, (["x"], None, None, None, [], None, {})),
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_parameters_of_functions_of_all_kinds(kind):
    made, expected = FUNCTIONS[kind]
    function = made()
    function = function if hasattr(function, "function_spec") else tf.function(function)
    spec = function.function_spec
    assert spec.fullargspec == inspect.FullArgSpec(*expected)
    assert spec.arg_names == expected[0]
    assert spec.input_signature is None
    assert spec.flat_input_signature == (None,)
    assert not spec.is_pure


# The function, its signature, the names by position, and the signature without structure.
SIGNATURES = {
    "nested": (lambda x, y: x, [[PAIR, {"a": COUNT}], COUNT], ["x", "y"], (PAIR, COUNT, COUNT)),
    "variable length": (lambda x, *a: x, [PAIR, COUNT], ["x", "a_0"], (PAIR, COUNT)),
    "by keyword": (lambda x, *, k=3: x, [PAIR], ["x"], (PAIR,)),
    "none": (lambda: 1, [], [], ()),
    "default left out": (lambda a, b=1: a, [PAIR], ["a", "b"], (PAIR,)),
    "default restricted": (lambda a, b=1: a, [PAIR, COUNT], ["a", "b"], (PAIR, COUNT)),
}


@pytest.mark.parametrize("kind", SIGNATURES)
def test_input_signature_leaves_defaults_out(kind):
    written, signature, names, flat = SIGNATURES[kind]
    spec = tf.function(written, input_signature=signature).function_spec
    assert spec.input_signature == tuple(signature)
    assert spec.flat_input_signature == flat
    assert spec.fullargspec.args == names


def test_loaded_functions_have_the_parameters_of_those_that_were_saved(tmp_path):
    module = Module()
    module.free(tf.ones([2]))
    module.fixed(tf.ones([2]))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for name in ("free", "fixed"):
        ours, theirs = (getattr(m, name).function_spec for m in (module, loaded))
        assert theirs.fullargspec == ours.fullargspec
        assert theirs.input_signature == ours.input_signature
        assert theirs.function_type == ours.function_type


def test_readers_of_signatures_find_that_of_the_python_function():
    class Scale(tf.Module):
        @tf.function
        def call(self, x, by=2.0):
            return x * by

    spec = inspect.getfullargspec(tf.function(lambda x, by=2.0, *more: x))
    assert spec.args == ["x", "by"] and spec.varargs == "more" and spec.defaults == (2.0,)
    assert inspect.getfullargspec(Scale().call).args == ["x", "by"]
    assert inspect.getfullargspec(Scale.call).args == ["self", "x", "by"]
    assert list(inspect.signature(type(Scale.call)).parameters)[0] == "python_function"

"""How arguments are bound, and what an input_signature does to them."""

import collections

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.function import function
from eagerflow.functions.variable_spec import VariableSpec

Spec = tf.TensorSpec


def many(a, b=2, *args, c=3, **rest):
    return a + b + c + sum(args) + sum(rest.values())


def test_parameters_of_every_kind_are_bound():
    f = function(many, autograph=False)
    assert int(f(1)) == 6
    assert int(f(1, 2, 3, c=4, d=5)) == 15
    assert str(f.function_type) == (
        "(a, b=<captured_default_value>, *args, c=<captured_default_value>, **rest)"
    )


@pytest.mark.parametrize(
    ("args", "kwargs", "cause"),
    [
        ((), {}, "missing a required argument: 'a'"),
        ((1,), {}, "missing a required argument: 'b'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1, 2), {"d": 4}, "got an unexpected keyword argument 'd'"),
        ((1,), {"a": 2}, "multiple values for argument 'a'"),
    ],
)
def test_calls_that_do_not_fit_say_why(args, kwargs, cause):
    @function
    def f(a, b, *, c=1):
        return a

    with pytest.raises(TypeError) as error:
        f(*args, **kwargs)
    assert str(error.value) == (
        f"Binding inputs to tf.function failed due to `{cause}`. Received args: {args} and kwargs: "
        f"{kwargs} for signature: (a, b, *, c=<captured_default_value>)."
    )


def test_defaults_and_given_values_share_a_trace():
    f = function(lambda a, b=2: a, autograph=False)
    f(1)
    f(1, 2)
    f(b=2, a=1)
    assert f.experimental_get_tracing_count() == 1


def test_keywords_that_become_one_name_are_refused():
    f = function(lambda **kwargs: tf.constant(1), autograph=False)
    with pytest.raises(ValueError, match="Name collision after sanitization"):
        f(**{"a_b": 1, "a/b": 2})


def test_builtins_without_a_signature_are_refused():
    with pytest.raises(ValueError, match="no signature found for builtin"):
        function(max)
    with pytest.raises(TypeError, match="3 is not a callable object"):
        function(3)


def signed(body, signature):
    return str(function(body, input_signature=signature, autograph=False).function_type)


def test_signatures_restrict_parameters():
    spec = "TensorSpec(shape=(), dtype=tf.float32, name=None)"
    assert signed(lambda x: x, [Spec([])]) == f"(x: {spec})"
    assert signed(lambda x, y=2: x, [Spec([])]) == (
        f"(x: {spec}, y: Literal[2] = <captured_default_value>)"
    )
    assert signed(lambda *x: x, [Spec([])] * 2) == f"(x_0: {spec}, x_1: {spec}, /)"
    assert signed(lambda x, **rest: x, [Spec([])]) == f"(x: {spec})"
    assert signed(lambda self, x: x, [Spec([])]) == f"(self, x: {spec})"
    assert signed(lambda x: x, [[Spec([]), Spec([])]]) == f"(x: List[{spec}, {spec}])"


@pytest.mark.parametrize(
    ("body", "signature", "message"),
    [
        (lambda x: x, Spec([]), "input_signature must be either a tuple or a list, got"),
        (lambda x: x, {"x": Spec([])}, "input_signature must be either a tuple or a list, got"),
        (lambda x: x, [1], "must be a possibly nested sequence of TensorSpec objects, got invalid"),
        (lambda x: x, [{"a": np.ones(2)}], "got invalid args"),
        (lambda x: x, [], "input_signature missing type constraint for x"),
        (lambda x, y: x, [Spec([])], "input_signature missing type constraint for y"),
        (lambda x: x, [Spec([])] * 2, "input_signature contains 1 extra type constraints."),
        (lambda x, *, k: x, [Spec([])], "keyword-only parameter `k` must have a default value"),
    ],
)
def test_wrong_signatures_say_why(body, signature, message):
    with pytest.raises(TypeError, match=message):
        function(body, input_signature=signature)


def test_arguments_are_converted_to_the_signature():
    @function(input_signature=[Spec([None], tf.float32)])
    def f(x):
        return x + 1

    assert f([1, 2]).numpy().tolist() == [2.0, 3.0]
    assert f(x=np.float32([1])).numpy().tolist() == [2.0]
    f(tf.ones([5]))
    assert f.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    ("argument", "cause"),
    [
        ("a", "Cannot convert 'a' to EagerTensor of dtype float"),
        (None, "Attempt to convert a value (None) with an unsupported type"),
        (
            tf.constant([1]),
            "Can not cast TensorSpec(shape=(1,), dtype=tf.int32, name=None) to TensorSpec(shape=(None,)",
        ),
        (tf.ones([2, 2]), "Can not cast TensorSpec(shape=(2, 2), dtype=tf.float32, name=None) to"),
    ],
)
def test_arguments_that_cannot_be_converted_say_why(argument, cause):
    @function(input_signature=[Spec([None], tf.float32)])
    def f(x):
        return x

    with pytest.raises(TypeError) as error:
        f(argument)
    assert str(error.value).startswith(f"Binding inputs to tf.function failed due to `{cause}")


def test_optional_parameters_take_what_the_signature_says():
    @function(input_signature=[Spec([], tf.float32), Spec([], tf.int32)])
    def both(a, b=3):
        return a, b

    assert [int(x) for x in both(1.0)] == [1, 3]
    assert [int(x) for x in both(a=1.0, b=7)] == [1, 7]
    assert both.experimental_get_tracing_count() == 1

    @function(input_signature=[Spec([], tf.float32)])
    def first(a, b=3):
        return a, b

    assert int(first(1.0, 3)[1]) == 3
    with pytest.raises(TypeError, match=r"Can not cast 4 to Literal\[3\]"):
        first(1.0, 4)


Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    ("spec", "good", "bad", "cause"),
    [
        ([Spec([]), Spec([])], [1.0, 2.0], (1.0, 2.0), "to list type"),
        ([Spec([]), Spec([])], [1.0, 2.0], [1.0], "to list type of 2 items"),
        ({"a": Spec([])}, {"a": 1.0}, {"b": 1.0}, "has different keys with the TraceType Dict"),
        ({"a": Spec([])}, {"a": 1.0}, [1.0], "to a Dict type"),
        (Pair(Spec([]), Spec([])), Pair(1.0, 2.0), (1.0, 2.0), "Cannot cast (1.0, 2.0) to type"),
        (
            tf.RaggedTensorSpec([None, None], tf.int32),
            tf.ragged.constant([[1], [2, 3]]),
            tf.ragged.constant([[1.0]]),
            "Can not cast",
        ),
        (
            tf.SparseTensorSpec([None], tf.int32),
            tf.sparse.from_dense([1, 0]),
            tf.sparse.from_dense([1.0]),
            "Can not cast",
        ),
        (tf.OptionalSpec(Spec([])), tf.experimental.Optional.from_value(1.0), 3, "Can not cast"),
        (
            tf.data.DatasetSpec(Spec([], tf.int64)),
            tf.data.Dataset.range(3),
            3,
            "Can not cast",
        ),
    ],
)
def test_structures_and_composite_values_fit_their_specs(spec, good, bad, cause):
    @function(input_signature=[spec])
    def f(x):
        return tf.constant(1)

    assert int(f(good)) == 1
    with pytest.raises(TypeError) as error:
        f(bad)
    assert cause in str(error.value)


def test_specs_for_a_signature_must_fit_it():
    @function(input_signature=[Spec(None, tf.float32)])
    def f(x):
        return x

    assert f.get_concrete_function() is f.get_concrete_function(Spec([2], tf.float32))
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        f.get_concrete_function(Spec([], tf.int32))


@pytest.mark.parametrize(
    "change",
    [lambda x: x.append(1), lambda x: x[0].append(1), lambda x: x.__setitem__(0, 3)],
)
def test_functions_may_not_change_their_arguments(change):
    def changes(x):
        change(x)
        return tf.constant(1)

    with pytest.raises(
        ValueError,
        match=r"changes\(x\) should not modify its Python input arguments.*were modified: x",
    ):
        function(changes, autograph=False)([[tf.constant(1)]])


def test_a_nested_signature_is_traced_without_arguments():
    pair = {"a": Spec([2], tf.float32), "b": [Spec([], tf.float32)]}

    @function(input_signature=[pair, tf.RaggedTensorSpec([None, None], tf.float32)])
    def weighted(parts, rows, scale=2.0):
        return parts["a"] * parts["b"][0] * scale + tf.reduce_sum(rows)

    concrete = weighted.get_concrete_function()
    assert concrete.structured_input_signature[0][0] == {
        "a": Spec([2], tf.float32, "parts_a"),
        "b": [Spec([], tf.float32, "parts_b_0")],
    }
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    assert weighted({"a": [1.0, 2.0], "b": [3.0]}, rows).numpy().tolist() == [12.0, 18.0]
    assert weighted.get_concrete_function() is concrete
    assert weighted.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("nested", [False, True])
def test_signatures_have_no_specs_of_variables(nested):
    spec = VariableSpec([], tf.int32)
    with pytest.raises(TypeError, match="doesn't support VariableSpec"):
        tf.function(lambda v: v, input_signature=[[spec]] if nested else [spec])

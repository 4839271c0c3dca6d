"""Functions of named extension types in SavedModels."""

import typing

import pytest

import eagerflow as tf


class Masked(tf.experimental.ExtensionType):
    __name__ = "tests.Masked"
    values: tf.Tensor
    mask: tf.Tensor


class Nested(tf.experimental.ExtensionType):
    __name__ = "tests.Nested"
    inner: Masked
    by_name: typing.Mapping[str, tf.Tensor]
    sizes: tuple[int, ...] = (1, 2)
    text: str = "text"
    number: float = 1.5
    dtype: tf.DType = tf.float32
    shape: tf.TensorShape = tf.TensorShape([1, None])
    absent: tf.Tensor | None = None


MASKED = Masked([1.0, 2.0], [True, False])


def reloaded(path, **functions):
    module = tf.Module()
    for name, function in functions.items():
        setattr(module, name, function)
    tf.saved_model.save(module, str(path))
    return tf.saved_model.load(str(path))


def test_arguments_and_results(tmp_path):
    double = tf.function(lambda x: Masked(x.values * 2.0, x.mask))
    outer = tf.function(lambda x: {"result": double(x)})
    outer.get_concrete_function(MASKED)
    loaded = reloaded(tmp_path, double=double, outer=outer)
    for result in (loaded.double(MASKED), loaded.outer(MASKED)["result"]):
        assert isinstance(result, Masked)
        assert result.values.numpy().tolist() == [2.0, 4.0]


def test_types_that_only_inner_functions_have(tmp_path):
    double = tf.function(lambda x: Masked(x.values * 2.0, x.mask))
    total = tf.function(
        lambda v: tf.reduce_sum(double(Masked(v, v > 0.0)).values),
        input_signature=[tf.TensorSpec([None])],
    )
    loaded = reloaded(tmp_path, total=total, double=double)
    assert float(loaded.total([1.0, 2.0])) == 6.0


def test_fields_of_all_kinds(tmp_path):
    value = Nested(MASKED, {"a": tf.constant(1.0), "b": tf.constant(2.0)})
    identity = tf.function(lambda x: x)
    identity.get_concrete_function(value)
    result = reloaded(tmp_path, identity=identity).identity(value)
    assert result._type_spec == value._type_spec
    assert (result.text, result.sizes, result.number) == ("text", (1, 2), 1.5)
    assert float(result.by_name["b"]) == 2.0


def test_types_without_a_name_are_refused(tmp_path):
    class Unnamed(tf.experimental.ExtensionType):
        values: tf.Tensor

    function = tf.function(lambda x: x.values)
    function.get_concrete_function(Unnamed(1.0))
    with pytest.raises(TypeError, match="no name in files"):
        reloaded(tmp_path, function=function)


def test_a_name_belongs_to_one_type():
    with pytest.raises(ValueError, match=r"tests\.Masked\.Spec has already been registered"):

        class Other(tf.experimental.ExtensionType):
            __name__ = "tests.Masked"
            values: tf.Tensor

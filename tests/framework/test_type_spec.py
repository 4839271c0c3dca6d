"""tf.TensorSpec: its text, comparisons and errors."""

import copy
import pickle

import pytest

import eagerflow as tf
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.trace_type import CastContext


def test_repr():
    assert (
        repr(tf.TensorSpec([None, 3])) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)"
    )
    assert (
        repr(tf.TensorSpec(None, tf.int32, "x"))
        == "TensorSpec(shape=<unknown>, dtype=tf.int32, name='x')"
    )


def test_equality_and_hash():
    assert tf.TensorSpec([None, 3]) == tf.TensorSpec([None, 3])
    assert tf.TensorSpec([None, 3]) != tf.TensorSpec([2, 3])
    assert tf.TensorSpec([2], name="a") != tf.TensorSpec([2], name="b")
    assert len({tf.TensorSpec([2]), tf.TensorSpec((2,), "float32")}) == 1


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (tf.ones([2, 3]), True),
        (tf.ones([3]), False),
        (tf.ones([2, 3], tf.int32), False),
        (tf.TensorSpec([None, None]), True),
        ([[1.0, 2.0, 3.0]], True),
        ("text", False),
    ],
)
def test_compatible(value, fits):
    assert tf.TensorSpec([None, 3]).is_compatible_with(value) is fits


def test_relations():
    wide = tf.TensorSpec([2]).most_specific_compatible_type(tf.TensorSpec([3]))
    assert wide == tf.TensorSpec([None])
    assert tf.TensorSpec([2]).is_subtype_of(wide) and not wide.is_subtype_of(tf.TensorSpec([2]))
    with pytest.raises(ValueError, match="int32"):
        wide.most_specific_compatible_type(tf.TensorSpec([3], tf.int32))


def test_copies():
    spec = tf.TensorSpec([None, 3], tf.float64, "x")
    assert copy.deepcopy(spec) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert tf.TensorSpec.from_spec(spec, "y").name == "y"
    assert tf.TensorSpec.from_tensor(tf.ones([4])) == tf.TensorSpec([4])


class _Pair:
    """Two tensors with a label."""

    _is_composite_tensor = True

    def __init__(self, left, right, label):
        self.left, self.right, self.label = left, right, label

    @property
    def _type_spec(self):
        specs = {name: tf.type_spec_from_value(getattr(self, name)) for name in ("left", "right")}
        return _PairSpec(specs, {"label": [self.label]})


class _PairSpec(tf.TypeSpec):
    """A spec of a program's own: its components are a dictionary."""

    value_type = property(lambda self: _Pair)
    _component_specs = property(lambda self: self.specs)

    def __init__(self, specs, others):
        self.specs, self.others = specs, others

    def _serialize(self):
        return (self.specs, self.others)

    def _to_components(self, value):
        return {"left": value.left, "right": value.right}

    def _from_components(self, components):
        return _Pair(components["left"], components["right"], self.others["label"][0])


def _pair(size, label="a"):
    ragged = tf.ragged.constant([[1.0] * size, []], ragged_rank=1)
    return _Pair(tf.ones([size]), ragged, label)


def test_specs_of_programs_are_compared_by_their_arguments():
    spec, same, other = (_pair(*args)._type_spec for args in ((2,), (2,), (3,)))
    assert spec == same and hash(spec) == hash(same) and spec != other
    assert spec != _pair(2, "b")._type_spec
    assert repr(spec).startswith("_PairSpec({'left': TensorSpec(shape=(2,), dtype=tf.float32")
    wide = spec.most_specific_compatible_type(other)
    assert wide.specs["left"] == tf.TensorSpec([None])
    assert spec.is_subtype_of(wide) and not wide.is_subtype_of(spec)
    assert wide.is_compatible_with(_pair(7)) and not spec.is_compatible_with(_pair(7))
    assert spec.most_specific_common_supertype([_pair(2, "b")._type_spec]) is None
    assert tf.TypeSpec._deserialize.__func__(_PairSpec, spec._serialize()) == spec


def test_order_of_keys_of_parameters_says_nothing():
    """Files have dictionaries sorted."""
    a, b = tf.TensorSpec([2]), tf.RaggedTensorSpec([2, None])
    spec, other = _PairSpec({"right": b, "left": a}, "x"), _PairSpec({"left": a, "right": b}, "x")
    assert spec == other and hash(spec) == hash(other)
    assert spec.is_subtype_of(other) and spec.is_compatible_with(other)
    wide = _PairSpec({"left": tf.TensorSpec([None]), "right": b}, "x")
    assert spec.is_subtype_of(wide) and wide.is_compatible_with(spec)
    assert spec.most_specific_compatible_type(wide) == wide
    assert spec != _PairSpec({"left": a}, "x") and not spec.is_compatible_with(wide.specs)


def test_components_of_programs_specs_may_be_nested():
    pair = _pair(2)
    parts = tf.nest.flatten(pair, expand_composites=True)
    assert [part.shape.as_list() for part in parts] == [[2], [2], [3]]
    again = tf.nest.pack_sequence_as(pair, parts, expand_composites=True)
    assert again.label == "a" and again.right.to_list() == [[1.0, 1.0], []]


def test_functions_take_and_return_values_of_programs_specs():
    traces = []

    @tf.function
    def double(pair):
        traces.append(pair.label)
        return _Pair(pair.left * 2, pair.right * 2, pair.label)

    result = double(_pair(2))
    double(_pair(2))
    assert result.left.numpy().tolist() == [2.0, 2.0] and result.right.to_list() == [[2.0, 2.0], []]
    assert double(_pair(2, "b")).label == "b" and traces == ["a", "b"]


def test_specs_of_slices_with_less_known_fit():
    slices = tf.IndexedSlices(
        tf.constant([1, 2]), tf.constant([0, 1], tf.int64), tf.constant([2], tf.int32)
    )
    spec = tf.IndexedSlicesSpec(dtype=tf.int32, dense_shape_dtype=tf.int32)
    assert spec.is_compatible_with(slices)
    assert slices._type_spec.is_subtype_of(spec)
    assert spec == tf.IndexedSlicesSpec(dtype=tf.int32, dense_shape_dtype=tf.int32)
    assert not tf.IndexedSlicesSpec(dtype=tf.int64).is_compatible_with(slices)
    assert not tf.IndexedSlicesSpec(dtype=tf.int32).is_compatible_with(slices)


def test_casts_say_which_tensor_of_a_value_does_not_fit():
    ragged = tf.RaggedTensorSpec([None, None], tf.int32)
    context = CastContext()
    value = tf.ragged.constant([[1, 2], [3]])
    assert ragged.cast(value, context) is value
    with pytest.raises(TypeError, match=r"cast .*dtype=tf.float32.* to .*dtype=tf.int32"):
        ragged.cast(tf.ragged.constant([[1.0]]), context)
    for other in (tf.ragged.constant([[[1]]]), {"a": value}):
        with pytest.raises(ValueError, match="don't have the same nested structure"):
            ragged.cast(other, context)
    slices = tf.IndexedSlices(tf.constant([1]), tf.constant([0], tf.int64), tf.constant([2]))
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.IndexedSlicesSpec(dtype=tf.int32).cast(slices, context)


def test_identities_of_composite_values_are_of_their_class():
    class PairSpec(tf.TypeSpec):
        value_type = property(lambda self: Pair)
        _component_specs = property(lambda self: {"one": None, "rows": None})

        def _to_components(self, value):
            return {"one": value.one, "rows": value.rows}

        def _from_components(self, components):
            return Pair(**components)

        def _serialize(self):
            return ()

    class Pair(CompositeTensor):
        def __init__(self, one, rows):
            self.one, self.rows = one, rows

        @property
        def _type_spec(self):
            return PairSpec()

    pair = Pair(tf.constant([1.0]), tf.ragged.constant([[1, 2], [3]]))
    for function in (tf.identity, tf.stop_gradient):
        other = function(pair)
        assert type(other) is Pair and other is not pair
        assert other.one.numpy().tolist() == [1.0] and other.rows.to_list() == [[1, 2], [3]]
    with tf.GradientTape() as tape:
        tape.watch(pair.one)
        y = tf.identity(pair).one * tf.stop_gradient(pair).one
    assert tape.gradient(y, pair.one).numpy().tolist() == [1.0]
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.abs(pair)

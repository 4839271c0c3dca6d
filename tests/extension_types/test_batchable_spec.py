"""Specs of programs whose values pipelines can batch, in the words of TensorFlow's private base class."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.extension_types.batching import BatchableTypeSpec
from eagerflow.framework.composite import CompositeTensor


class _Value(CompositeTensor):
    def __init__(self, parts, spec):
        self.parts, self.spec = parts, spec

    _type_spec = property(lambda self: self.spec)
    shape = property(lambda self: self.spec.shape)


class _Spec(BatchableTypeSpec):
    """Its components are nested; each is stacked as its own spec says."""

    value_type = property(lambda self: _Value)
    _component_specs = property(lambda self: self.specs)

    def __init__(self, specs, shape):
        self.specs, self.shape = specs, tf.TensorShape(shape)

    def _serialize(self):
        return (self.specs, self.shape)

    def _to_components(self, value):
        return value.parts

    def _from_components(self, components):
        return _Value(components, self)

    def _batch(self, size):
        specs = tf.nest.map_structure(lambda spec: spec._batch(size), self.specs)
        return type(self)(specs, [size, *self.shape])

    def _unbatch(self):
        return type(self)(
            tf.nest.map_structure(lambda spec: spec._unbatch(), self.specs), self.shape[1:]
        )


class _Encoding(_Spec):
    """Encodes a part of unknown size so that batches have ragged tensors of it."""

    def _boxed(self):
        for spec in tf.nest.flatten(self.specs):
            is_dense = isinstance(spec, tf.TensorSpec) and not spec.shape.is_fully_defined()
            yield tf.RaggedTensorSpec(spec.shape, spec.dtype, 0) if is_dense else spec

    @property
    def _flat_tensor_specs(self):
        return [part for spec in self._boxed() for part in spec._flat_tensor_specs]

    def _to_tensor_list(self, value):
        parts = zip(self._boxed(), tf.nest.flatten(value.parts), strict=True)
        return [tensor for spec, part in parts for tensor in spec._to_tensor_list(part)]

    _to_batched_tensor_list = _to_tensor_list

    def _from_compatible_tensor_list(self, tensors):
        return _Value(tf.nest.pack_sequence_as(self.specs, list(tensors)), self)

    def _batch(self, size):
        specs = [spec._batch(size) for spec in self._boxed()]
        return type(self)(tf.nest.pack_sequence_as(self.specs, specs), [size, *self.shape])

    def _unbatch(self):
        specs = [spec._unbatch() for spec in tf.nest.flatten(self.specs)]
        specs = [
            tf.TensorSpec(spec.shape, spec.dtype)
            if isinstance(spec, tf.RaggedTensorSpec) and not spec.ragged_rank
            else spec
            for spec in specs
        ]
        return type(self)(tf.nest.pack_sequence_as(self.specs, specs), self.shape[1:])


_DENSE = {"b": [tf.TensorSpec([2])], "a": tf.RaggedTensorSpec([None], tf.int32, 0)}
_NESTED = {"b": [tf.RaggedTensorSpec([2, None])], "a": tf.SparseTensorSpec([3], tf.float32)}


def _dense(k):
    return {"b": [tf.fill([2], float(k))], "a": tf.range(k)}


def _nested(k):
    ragged = tf.ragged.constant([[1.0] * k, []], ragged_rank=1)
    return {"b": [ragged], "a": tf.sparse.from_dense([0.0, k, 0.0])}


def _plain(value):
    parts = tf.nest.flatten(value.parts)
    parts = [tf.sparse.to_dense(p) if isinstance(p, tf.SparseTensor) else p for p in parts]
    return [p.to_list() if hasattr(p, "to_list") else p.numpy().tolist() for p in parts]


@pytest.mark.parametrize(("specs", "parts"), [(_DENSE, _dense), (_NESTED, _nested)])
@pytest.mark.parametrize("kind", [_Spec, _Encoding])
def test_values_are_batched_and_taken_apart(kind, specs, parts):
    spec = kind(specs, [])
    values = tf.data.Dataset.range(1, 6)
    values = values.map(lambda k: _Value(parts(tf.cast(k, tf.int32)), spec)) if parts is _dense else (
        tf.data.Dataset.from_generator(
            lambda: (_Value(parts(k), spec) for k in range(1, 6)), output_signature=spec
        )
    )  # fmt: skip
    batches = values.batch(2)
    assert batches.element_spec == spec._batch(None)
    found = list(batches)
    assert [int(tf.nest.flatten(batch.parts)[1].shape[0]) for batch in found] == [2, 2, 1]
    each = [_plain(_Value(parts(k), spec)) for k in range(1, 6)]
    assert _plain(found[0]) == [list(pair) for pair in zip(each[0], each[1], strict=True)]
    assert [_plain(value) for value in batches.unbatch()] == each
    assert [_plain(value) for value in batches.rebatch(5)] == [
        [list(row) for row in zip(*each, strict=True)]
    ]


def test_parts_of_unknown_size_become_ragged_where_their_encoding_says_so():
    spec = _Encoding({"x": tf.TensorSpec([None, 2])}, [])
    values = tf.data.Dataset.from_generator(
        lambda: (_Value({"x": np.ones([k, 2], "float32")}, spec) for k in (2, 2, 1)),
        output_signature=spec,
    )
    first, second = values.batch(2)
    assert isinstance(first.parts["x"], tf.RaggedTensor) and first.parts["x"].ragged_rank == 1
    assert first.parts["x"].row_lengths().numpy().tolist() == [2, 2]
    assert second.parts["x"].row_lengths().numpy().tolist() == [1]
    assert [value.parts["x"].shape.as_list() for value in values.batch(3).unbatch()] == [
        [2, 2], [2, 2], [1, 2],
    ]  # fmt: skip


@pytest.mark.parametrize("in_graph", [False, True])
def test_map_goes_along_the_first_axis(in_graph):
    batch = next(iter(tf.data.Dataset.from_generator(
        lambda: (_Value(_dense(k), _Spec(_DENSE, [])) for k in (1, 3)),
        output_signature=_Spec(_DENSE, []),
    ).batch(2)))  # fmt: skip

    def total(batch):
        return tf.map_fn(
            lambda value: tf.reduce_sum(value.parts["b"][0]),
            batch,
            fn_output_signature=tf.float32,
        )

    function = tf.function(total) if in_graph else total
    assert function(batch).numpy().tolist() == [2.0, 6.0]


def test_other_specs_of_programs_are_not_batched():
    class Other(tf.TypeSpec):
        value_type = property(lambda self: _Value)
        _component_specs = property(lambda self: [tf.TensorSpec([])])

        def _serialize(self):
            return ()

        def _to_components(self, value):
            return [value.parts]

        def _from_components(self, components):
            return _Value(components[0], self)

    values = tf.data.Dataset.from_tensors(_Value(tf.constant(1.0), Other()))
    with pytest.raises(TypeError, match="_Value is not supported"):
        next(iter(values.batch(1)))
    assert isinstance(tf.TensorSpec([]), BatchableTypeSpec)
    assert isinstance(tf.RaggedTensorSpec([None]), BatchableTypeSpec)
    assert not isinstance(Other(), BatchableTypeSpec)

"""`==` and `!=` of tensors whose shapes do not broadcast: all are unequal, whatever a graph knows."""

import numpy as np
import pytest

import eagerflow as tf

PAIRS = [
    ([3], [2]),
    ([3], [3]),
    ([2, 3], [3]),
    ([2, 3], [2]),
    ([2, 1], [1, 3]),
    ([], [3]),
    ([0], [1]),
    ([0], [2]),
]
KNOWLEDGE = {
    "known": lambda shape: shape,
    "unknown sizes": lambda shape: [None] * len(shape),
    "some sizes": lambda shape: [None, *shape[1:]] if shape else [],
    "unknown rank": lambda shape: None,
}


@pytest.mark.parametrize("jit", [None, True])
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64", "string"])
@pytest.mark.parametrize("knowledge", KNOWLEDGE)
def test_graphs_answer_as_eager_execution_does(knowledge, dtype, jit):
    if jit and dtype == "string":
        pytest.skip("programs have no strings")
    of_dtype = tf.strings.as_string if dtype == "string" else lambda x: tf.cast(x, dtype)
    for shapes in PAIRS:
        a, b = (of_dtype(tf.reshape(tf.range(np.prod(s, dtype=int)), s)) for s in shapes)
        specs = [tf.TensorSpec(KNOWLEDGE[knowledge](s), dtype) for s in shapes]
        compared = tf.function(lambda a, b: (a == b, a != b), specs, jit_compile=jit)
        for found, expected in zip(compared(a, b), (a == b, a != b), strict=True):
            assert found.shape == expected.shape
            np.testing.assert_array_equal(found, expected)


def test_static_shapes():
    def shape_of(a, b):
        specs = [tf.TensorSpec(a), tf.TensorSpec(b)]
        return tf.function(lambda a, b: a == b).get_concrete_function(*specs).output_shapes

    assert shape_of([None], [None]).as_list() == [None]
    assert shape_of([None, 3], [3]).as_list() == [None, 3]
    assert shape_of([], [None]).as_list() == [None]
    assert shape_of([2, 3], [2]).as_list() == []
    assert shape_of([3], [None]).rank is None
    assert shape_of(None, [3]).rank is None


def test_functions_refuse_what_does_not_broadcast():
    specs = [tf.TensorSpec([None])] * 2
    for compare in (tf.equal, tf.not_equal):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            tf.function(compare, specs)(tf.ones([3]), tf.ones([2]))


def test_files_keep_the_question(tmp_path):
    module = tf.Module()
    specs = [tf.TensorSpec([None]), tf.TensorSpec([None])]
    module.compare = tf.function(lambda a, b: (a == b, a != b), specs)
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for a, b in [(tf.ones([3]), tf.ones([2])), (tf.ones([3]), tf.ones([3]))]:
        for found, expected in zip(loaded.compare(a, b), (a == b, a != b), strict=True):
            np.testing.assert_array_equal(found, expected)
    for name, expected in [("Equal", False), ("NotEqual", True)]:
        compare = getattr(tf.raw_ops, name)
        found = compare(x=tf.ones([3]), y=tf.ones([2]), incompatible_shape_error=False)
        assert found.numpy() == expected and found.shape == []

"""Functions that give rows for strings keep the shape of tensors without elements."""

import math

import pytest

import eagerflow as tf

SHAPES = [
    tuple(0 if k == axis else size for k, size in enumerate(sizes))
    for sizes in [(2,), (2, 3), (2, 3, 4), (2, 1, 3, 2)]
    for axis in range(len(sizes))
] + [(0, 0), (2, 0, 0), (0, 3, 0)]
FUNCTIONS = {
    "split": tf.strings.split,
    "split at a word": lambda x: tf.strings.split(x, ", "),
    "split once": lambda x: tf.strings.split(x, maxsplit=1),
    "bytes_split": tf.strings.bytes_split,
    "unicode_split": lambda x: tf.strings.unicode_split(x, "UTF-8"),
    "unicode_decode": lambda x: tf.strings.unicode_decode(x, "UTF-8"),
    "unicode_decode of UTF-16": lambda x: tf.strings.unicode_decode(x, "UTF-16-BE"),
    "decode_with_offsets": lambda x: tf.strings.unicode_decode_with_offsets(x, "UTF-8")[1],
    "split_with_offsets": lambda x: tf.strings.unicode_split_with_offsets(x, "UTF-8")[0],
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("in_graph", [False, True])
def test_rows_for_no_strings(name, shape, in_graph):
    function = tf.function(FUNCTIONS[name]) if in_graph else FUNCTIONS[name]
    rows = function(tf.zeros(shape, tf.string))
    assert rows.shape.as_list() == [*shape, None]
    assert rows.ragged_rank == len(shape) and rows.flat_values.shape == (0,)
    for axis in range(len(shape)):
        splits = rows.nested_row_splits[axis].numpy()
        length = 0 if axis + 1 == len(shape) else shape[axis + 1]
        assert splits.tolist() == [length * k for k in range(math.prod(shape[: axis + 1]) + 1)]
    assert rows.to_tensor().shape.as_list() == [*shape, 0]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_runs_of_no_words(shape):
    for pads in (None, ("L", "R")):
        runs = tf.strings.ngrams(tf.zeros(shape, tf.string), (1, 2), pad_values=pads)
        assert runs.shape[:-1] == shape[:-1] and tf.size(runs) == 0


def test_words_are_padded_where_another_row_has_some():
    runs = tf.strings.ngrams(tf.ragged.constant([[], ["a"]], dtype=tf.string), 2, pad_values="P")
    assert runs.to_list() == [[b"P P"], [b"P a", b"a P"]]

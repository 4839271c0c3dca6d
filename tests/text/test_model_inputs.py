"""What models take from texts: the answers are those of tensorflow-text."""

import io

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat import text

SEGMENTS = (
    [[1, 2, 3], [], [4], [5, 6, 7, 8, 9]],
    [[1, 2, 3, 4], [1], [4, 5, 6, 7], [1]],
    [[1], [2, 3, 4], [], [5, 6, 7]],
)
# How many items of each segment stay in each row.
KEPT = {
    ("Waterfall", 3): ([3, 0, 1, 3], [0, 1, 2, 0], [0, 2, 0, 0]),
    ("Waterfall", 7): ([3, 0, 1, 5], [4, 1, 4, 1], [0, 3, 0, 1]),
    ("RoundRobin", 1): ([1, 0, 1, 1], [0, 1, 0, 0], [0, 0, 0, 0]),
    ("RoundRobin", 4): ([2, 0, 1, 2], [1, 1, 3, 1], [1, 3, 0, 1]),
    ("RoundRobin", 30): ([3, 0, 1, 5], [4, 1, 4, 1], [1, 3, 0, 3]),
    ("ShrinkLongest", 0): ([0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]),
    ("ShrinkLongest", 1): ([0, 0, 0, 0], [0, 0, 1, 0], [1, 1, 0, 1]),
    ("ShrinkLongest", 4): ([1, 0, 1, 1], [2, 1, 3, 1], [1, 3, 0, 2]),
}


@pytest.mark.parametrize(("name", "limit"), KEPT)
def test_trimmers_keep_the_beginnings(name, limit):
    trimmer = getattr(text, f"{name}Trimmer")(limit)
    given = [tf.ragged.constant(segment, dtype=tf.int32) for segment in SEGMENTS]
    for found in (trimmer.trim(given), tf.function(trimmer.trim)(given)):
        for segment, kept, result in zip(SEGMENTS, KEPT[name, limit], found, strict=True):
            assert result.to_list() == [
                row[:count] for row, count in zip(segment, kept, strict=True)
            ]
    masks = trimmer.generate_mask(given)
    lengths = [tf.reduce_sum(tf.cast(mask, tf.int32), 1).numpy().tolist() for mask in masks]
    assert lengths == [list(kept) for kept in KEPT[name, limit]]


def test_trimmers_of_other_ranks():
    given = [
        tf.ragged.constant([[[1, 2], [3]], [[4]]]),
        tf.ragged.constant([[[5], [6, 7]], [[8, 9], [1]]]),
    ]
    found = [segment.to_list() for segment in text.WaterfallTrimmer(3).trim(given)]
    assert found == [[[[1, 2], [3]], [[4]]], [[[], []], [[8, 9], []]]]
    found = [segment.to_list() for segment in text.WaterfallTrimmer(3, axis=1).trim(given)]
    assert found == [[[[1, 2], [3]], [[4]]], [[[5]], [[8, 9], [1]]]]
    rows = [tf.ragged.constant(segment, dtype=tf.int32) for segment in SEGMENTS]
    found = text.WaterfallTrimmer([1, 2, 3, 4]).trim(rows)
    assert found[0].to_list() == [[1], [], [4], [5, 6, 7, 8]] and found[2].to_list()[1] == [2]
    with pytest.raises(ValueError, match="axis"):
        text.WaterfallTrimmer(3, axis=0).trim(given)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_segments_become_rows_of_one_length(dtype):
    def prepared(one, other):
        rows, ids = text.combine_segments([one, other], 101, 102)
        return (*text.pad_model_inputs(rows, 6), text.pad_model_inputs(ids, 6)[0])

    given = tf.ragged.constant([[1, 2], [3]], dtype), tf.ragged.constant([[4], []], dtype)
    for found in (prepared(*given), tf.function(prepared)(*given)):
        rows, mask, ids = (part.numpy().tolist() for part in found)
        assert rows == [[101, 1, 2, 102, 4, 102], [101, 3, 102, 102, 0, 0]]
        assert mask == [[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]]
        assert ids == [[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 0]]
    assert text.pad_model_inputs(tf.constant([1, 2], dtype), 3, 9)[0].numpy().tolist() == [1, 2, 9]
    with pytest.raises(ValueError, match="nonempty"):
        text.combine_segments([], 1, 2)
    with pytest.raises(TypeError, match="rank 1"):
        text.pad_model_inputs(tf.constant(1, dtype), 3)


def test_windows_become_ngrams():
    join, mean = text.Reduction.STRING_JOIN, text.Reduction.MEAN
    words = tf.ragged.constant([["a", "b", "c"], ["d"], []])
    assert text.ngrams(words, 2, reduction_type=join).to_list() == [[b"a b", b"b c"], [], []]
    assert text.sliding_window(words, 2).to_list()[0] == [[b"a", b"b"], [b"b", b"c"]]
    matrix = tf.reshape(tf.range(6.0), [3, 2])
    np.testing.assert_allclose(text.ngrams(matrix, 2, 0, mean), [[1, 2], [3, 4]])
    np.testing.assert_allclose(text.ngrams(matrix, 2, -1, text.Reduction.SUM), [[1], [5], [9]])
    for arguments in ((0,), (2, 5)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            text.sliding_window(words, *arguments)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis"):
        text.ngrams(words, 2, 0, join)


# F-measures of the real package.
ROUGE = {None: 0.571429, 0: 0.666667, 0.3: 0.606061, 1: 0.5, -1: 0.549451}


@pytest.mark.parametrize("alpha", ROUGE)
def test_rouge(alpha):
    words = tf.ragged.constant([["a", "b", "c", "d"], ["x"], []])
    others = tf.ragged.constant([["b", "d", "e"], ["x"], ["y"]])
    measure = lambda one, other: text.metrics.rouge_l(one, other, alpha)  # noqa: E731
    for found in (measure(words, others), tf.function(measure)(words, others)):
        expected = [ROUGE[alpha], 1, 0], [0.5, 1, 0], [2 / 3, 1, 0]
        np.testing.assert_allclose(found, expected, rtol=2e-6)


def test_sentencepiece_by_its_package():
    package = pytest.importorskip("sentencepiece")
    pytest.importorskip("google.protobuf")
    model = io.BytesIO()
    lines = ["the quick brown fox", "they are the greatest", "Größe café"] * 9
    package.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=model,
        vocab_size=30,
        num_threads=1,
        minloglevel=2,
    )
    words = tf.constant(["the quick", "", "Größe  x"])
    plain = text.SentencepieceTokenizer(model.getvalue())
    numbers, starts, ends = plain.tokenize_with_offsets(words)
    traced = tf.function(plain.tokenize_with_offsets)(words)
    assert [part.to_list() for part in traced] == [
        numbers.to_list(),
        starts.to_list(),
        ends.to_list(),
    ]
    assert starts.to_list()[0][0] == 0 and ends.to_list()[2][-1] == 10
    assert plain.detokenize(numbers[:2]).numpy().tolist() == [b"the quick", b""]
    signed = text.SentencepieceTokenizer(
        model.getvalue(), tf.string, reverse=True, add_bos=True, add_eos=True
    )
    pieces = signed.tokenize(words)
    assert pieces[1].numpy().tolist() == [b"</s>", b"<s>"]
    assert pieces[0].numpy()[1:-1].tolist() == plain.id_to_string(numbers[0]).numpy()[::-1].tolist()
    assert signed.detokenize(pieces[:2]).numpy().tolist() == [b"the quick", b""]
    assert plain.string_to_id(["<s>", "none"]).numpy().tolist() == [1, 0]
    assert int(plain.vocab_size()) == 30

"""tensorflow-text's functions: their answers are TensorFlow's."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
import text_answers
from eagerflow_compat import text

EXPECTED = json.loads(gzip.decompress(text_answers.FILE.read_bytes()))
CALLS = text_answers.calls(text, tf)
TEXTS = [*text_answers.TEXTS, *text_answers.random_texts(150)]


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_those_of_the_real_package(name):
    got = text_answers.as_json(CALLS[name](tf.constant(TEXTS)))
    for part, expected in zip(got, EXPECTED[name], strict=True):
        for one, other, words in zip(part, expected, TEXTS, strict=True):
            assert one == other, words


@pytest.mark.parametrize("name", CALLS)
def test_shapes_and_graphs_do_not_matter(name):
    call = CALLS[name]
    some = [words.decode("utf-8", "ignore") for words in TEXTS[:6]]
    matrix = tf.reshape(tf.constant(some), [2, 3])
    ragged = tf.RaggedTensor.from_row_lengths(some, [4, 0, 2])
    rows = call(tf.constant(some))
    for given in (tf.constant(some[4]), tf.constant(some), matrix, ragged):
        eager, traced = call(given), tf.function(call)(given)
        for one, other in zip(eager, traced, strict=True):
            assert text_answers.as_json(one) == text_answers.as_json(other)
            assert one.shape.rank == other.shape.rank
    single = call(tf.constant(some[4]))
    flat = call(ragged)
    mapped = tf.data.Dataset.from_tensor_slices(some).batch(6).map(lambda x: call(x)[0])
    for one, row, parts in zip(single, rows, flat, strict=True):
        assert text_answers.as_json(one) == text_answers.as_json(row[4])
        assert text_answers.as_json(parts[2]) == text_answers.as_json(row[4:6])
    for found in mapped:
        assert text_answers.as_json(found) == text_answers.as_json(rows[0])


def test_vocabularies_of_all_kinds_are_the_same(tmp_path):
    words = ["[UNK]", "a", "##b"]
    path = tmp_path / "words.txt"
    path.write_text("\n".join(words))
    pairs = tf.lookup.KeyValueTensorInitializer(words, tf.range(3, dtype=tf.int64))
    for vocabulary in (
        words,
        str(path),
        tf.constant(str(path)),
        tf.lookup.StaticHashTable(pairs, -1),
    ):
        tokenizer = text.WordpieceTokenizer(vocabulary)
        assert tokenizer.tokenize(["ab", "c"]).to_list() == [[1, 2], [0]]
        assert tokenizer.detokenize([[1, 2], [1, 1]]).to_list() == [[b"ab"], [b"a", b"a"]]
        assert int(tokenizer.vocab_size()) >= 3
    with pytest.raises(TypeError, match="lookup table"):
        text.WordpieceTokenizer(3)


def test_bytes_and_code_points_return():
    tokenizer = text.UnicodeCharTokenizer()
    words = tf.constant(["añ", "", "😀"])
    codes, starts, ends = tokenizer.tokenize_with_offsets(words)
    assert codes.to_list() == [[97, 241], [], [128512]]
    assert starts.to_list() == [[0, 1], [], [0]] and ends.to_list() == [[1, 3], [], [4]]
    np.testing.assert_array_equal(tokenizer.detokenize(codes), words)


def test_wrong_arguments_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="NFX"):
        text.normalize_utf8(["a"], "NFX")
    with pytest.raises(tf.errors.InvalidArgumentError, match="pattern"):
        text.regex_split(["a"], "(")
    with pytest.raises(ValueError, match="NFKC"):
        text.BertTokenizer(["a"], lower_case=True, normalization_form="NFKC")
    with pytest.raises(tf.errors.InvalidArgumentError, match="string tensor"):
        text.WhitespaceTokenizer().tokenize(tf.constant(1))


PROGRAM = """
import tensorflow as tf
import tensorflow_text as text
from tensorflow_text import WhitespaceTokenizer

print(WhitespaceTokenizer().split("a b").numpy(), text.__name__, text.__version__)
try:
    text.PhraseTokenizer
except AttributeError as error:
    print(error)
try:
    from tensorflow_text import PhraseTokenizer
except ImportError as error:
    print(error)
"""


def test_drop_in_gives_the_module():
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
    )
    first, second, third = done.stdout.splitlines()
    assert first.startswith("[b'a' b'b']")
    assert second.endswith("has no PhraseTokenizer. Use WordpieceTokenizer")
    assert "PhraseTokenizer" in third

"""Characters, replacements, fields, base64 and raw bytes, against Python's own."""

import base64
import random
import re

import numpy as np
import pytest

import eagerflow as tf

WORDS = [
    "",
    "a",
    "abc",
    "h\u00e9llo w\u00f6rld",
    "\u4f60\u597d!",
    "\U0001f600 x",
    "a,b;c",
    "\u00e9",
]


def texts(count=300):
    chance = random.Random(1)
    return [
        "".join(chance.choice(WORDS) for _ in range(chance.randint(0, 4))) for _ in range(count)
    ]


def test_code_points_and_characters():
    words = texts(5000)
    assert tf.strings.unicode_decode(words, "UTF-8").to_list() == [list(map(ord, w)) for w in words]
    parts, offsets = tf.strings.unicode_split_with_offsets(words, "UTF-8")
    assert parts.to_list() == [[c.encode() for c in word] for word in words]
    ends = [np.cumsum([0] + [len(c.encode()) for c in w])[:-1].tolist() for w in words]
    assert offsets.to_list() == ends
    codes = tf.strings.unicode_decode(words, "UTF-8")
    whole = tf.strings.unicode_encode(codes, "UTF-8").numpy()
    assert whole.tolist() == [word.encode() for word in words]
    wide = tf.strings.unicode_transcode(words, "UTF-8", "UTF-16-BE").numpy()
    assert wide.tolist() == [word.encode("utf-16-be") for word in words]


@pytest.mark.parametrize(
    "bad",
    [b"\xff", b"\xc3", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe4\xbd", b"\x80"],
)
def test_bytes_that_are_no_characters(bad):
    data = [b"ok", b"a" + bad + b"b"]
    codes = tf.strings.unicode_decode(data, "UTF-8").to_list()
    assert codes[0] == [111, 107]
    assert codes[1][0] == 97 and codes[1][-1] == 98 and set(codes[1][1:-1]) == {0xFFFD}
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.strings.unicode_decode(data, "UTF-8", errors="strict")


def test_numbers_that_are_no_characters():
    for code in (-1, 0xD800, 0x110000):
        text = tf.strings.unicode_encode([97, code], "UTF-8").numpy()
        assert text.decode() == "a\ufffd"
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.strings.unicode_encode([97, code], "UTF-8", errors="strict")


@pytest.mark.parametrize(
    "pattern", ["a", "[abc]", "[a-c]+", "[^a]", r"\s", r"[!,;]+", r"\w+", "o|w", "(l+)o", r"[^\w ]"]
)
@pytest.mark.parametrize("rewrite", ["", "X", r"<\0>"])
@pytest.mark.parametrize("everywhere", [True, False])
def test_replacements(pattern, rewrite, everywhere):
    words = texts()
    template = rewrite.replace(r"\0", r"\g<0>")
    expression = re.compile(pattern, re.ASCII)
    wanted = [expression.sub(template, word, 0 if everywhere else 1).encode() for word in words]
    found = tf.strings.regex_replace(words, pattern, rewrite, replace_global=everywhere)
    assert found.numpy().tolist() == wanted
    matches = tf.strings.regex_full_match(words, pattern).numpy().tolist()
    assert matches == [expression.fullmatch(word) is not None for word in words]


def test_replacements_keep_bytes_that_are_no_characters():
    assert tf.strings.regex_replace([b"a\xff\xc3 b"], "[ab]", "-").numpy()[0] == b"-\xff\xc3 -"


def test_columns():
    lines = [f"{k / 4},{k if k % 3 else ''},w{k}" for k in range(5000)]
    floats, integers, names = tf.io.decode_csv(lines, [0.0, -1, ""])
    np.testing.assert_array_equal(floats, np.arange(5000) / 4)
    np.testing.assert_array_equal(integers, [k if k % 3 else -1 for k in range(5000)])
    assert names.numpy()[17] == b"w17"
    quoted = tf.io.decode_csv([*lines, '1,2,"a,""b"""'], [0.0, -1, ""])
    assert quoted[2].numpy()[-1] == b'a,"b"'
    assert tf.io.decode_csv(lines, [0.0, ""], select_cols=[0, 2])[1].numpy()[3] == b"w3"
    for bad in ("1,2", "1,2,3,4", "x,2,3", "1,2.5,3", "1,2,3\n", ""):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_csv([*lines, bad], [0.0, -1, ""])


def test_base64():
    data = [bytes(np.random.RandomState(k).randint(0, 256, k).astype(np.uint8)) for k in range(40)]
    plain = [base64.urlsafe_b64encode(item) for item in data]
    assert tf.io.encode_base64(data, pad=True).numpy().tolist() == plain
    assert tf.io.encode_base64(data).numpy().tolist() == [item.rstrip(b"=") for item in plain]
    assert tf.io.decode_base64(plain).numpy().tolist() == data
    assert tf.io.decode_base64([item.rstrip(b"=") for item in plain]).numpy().tolist() == data
    for bad in (b"a", b"ab=", b"a===", b"ab+/", b"a b=", b"===="):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_base64([b"aGVs", bad])


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex64", "float16", "bool"])
@pytest.mark.parametrize("count", [0, 3, 5000])
def test_tensors_and_raw_bytes(dtype, count):
    array = np.random.RandomState(5).randint(0, 2, (count, 2)).astype(dtype)
    message = tf.io.serialize_tensor(array)
    back = tf.io.parse_tensor(message, dtype)
    assert back.dtype == dtype and np.array_equal(back.numpy(), array)
    assert np.array_equal(tf.make_ndarray(tf.make_tensor_proto(array)), array)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_tensor(message, tf.int64)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_tensor(tf.constant(message.numpy()[:-1]), dtype)
    raw = tf.io.decode_raw([row.tobytes() for row in array], dtype)
    assert np.array_equal(raw.numpy().reshape(array.shape), array)


def test_raw_bytes_that_do_not_fit():
    for data in ([b"abc"], [b"abcd", b"ab"]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_raw(data, tf.float32)


def test_unicode_classes_have_known_names():
    # Recorded from TensorFlow.
    match = tf.strings.regex_full_match
    assert match(["a", "é", ""], r"\p{Any}").numpy().tolist() == [True, True, False]
    for pattern in (r"\p{}", r"\PX", r"\p{Cn}"):
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            match(["a"], pattern)
        assert f"error: invalid character class range: {pattern}" in str(error.value)


@pytest.mark.parametrize("ragged", [False, True])
@pytest.mark.parametrize("dtype", ["int64", "int16", "uint8", "float32"])
def test_code_points_are_int32(dtype, ragged):
    points = tf.ragged.constant([[97]], dtype) if ragged else tf.constant([[97]], dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32"):
        tf.strings.unicode_encode(points, "UTF-8")

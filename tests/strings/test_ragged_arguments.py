"""Functions of strings of ragged tensors: those of their values, errors too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "decode_base64": tf.io.decode_base64,
    "encode_base64": tf.io.encode_base64,
    "length": tf.strings.length,
    "lower": tf.strings.lower,
    "lower, utf-8": lambda x: tf.strings.lower(x, encoding="utf-8"),
    "regex_full_match": lambda x: tf.strings.regex_full_match(x, "a.*"),
    "regex_replace": lambda x: tf.strings.regex_replace(x, "[0-9]", "#"),
    "strip": tf.strings.strip,
    "substr": lambda x: tf.strings.substr(x, 0, 1),
    "to_hash_bucket": lambda x: tf.strings.to_hash_bucket(x, 10),
    "to_hash_bucket_fast": lambda x: tf.strings.to_hash_bucket_fast(x, 10),
    "to_hash_bucket_strong": lambda x: tf.strings.to_hash_bucket_strong(x, 10, [1, 2]),
    "to_number": tf.strings.to_number,
    "unicode_transcode": lambda x: tf.strings.unicode_transcode(x, "UTF-8", "UTF-16-BE"),
    "upper": tf.strings.upper,
    "upper, utf-8": lambda x: tf.strings.upper(x, encoding="utf-8"),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_those_of_the_values(name: str, traced: bool) -> None:
    ragged = tf.ragged.constant([["1234", "12"], [], [" 30"]])
    if name == "decode_base64":
        ragged = tf.io.encode_base64(ragged)
    function = tf.function(FUNCTIONS[name]) if traced else FUNCTIONS[name]
    result = function(ragged)
    np.testing.assert_array_equal(result.flat_values, FUNCTIONS[name](ragged.flat_values))
    assert result.row_splits.numpy().tolist() == [0, 2, 2, 3]


@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_those_of_the_values(name: str, dtype: str) -> None:
    ragged = tf.cast(tf.ragged.constant([[1, 0], [1]]), dtype)
    raised = []
    for value in (ragged, ragged.flat_values):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as error:
            FUNCTIONS[name](value)
        raised.append((type(error.value), str(error.value)))
    assert raised[0] == raised[1]

"""Expressions that take exponential time by backtracking, and the forms that are not given to RE2."""

import re
import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.strings import regular_expressions
from eagerflow_compat.keras.optimizers.muon import Muon

SLOW = ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){25}$", "(a?){40}a{40}b", "^(([a-z])+.)+[A-Z]"]
TEXT = "a" * 20_000 + "!"


@pytest.mark.parametrize("pattern", SLOW)
def test_what_backtracking_does_not_end_ends(pattern):
    assert not tf.strings.regex_full_match(TEXT, pattern)
    assert tf.strings.regex_replace(TEXT, pattern, "").numpy().endswith(b"!")

    @tf.function
    def traced(text, pattern):
        return tf.strings.regex_full_match(text, pattern)

    assert not traced(TEXT, tf.constant(pattern))


def test_layers_and_optimizers_of_files_match_in_linear_time():
    layer = tf.keras.layers.TextVectorization(
        standardize=lambda x: tf.strings.regex_replace(x, "(a+)+$", ""), vocabulary=["x"]
    )
    assert layer(tf.constant(["x"])).numpy().tolist() == [[2]]
    optimizer = Muon.from_config({**Muon().get_config(), "exclude_layers": ["(a+)+$", "kern"]})
    matrix = np.ones((2, 2), np.float32)
    names = {"a" * 5000 + "!": False, "kernel": True}
    for name, excluded in names.items():
        assert optimizer._should_use_adamw(tf.Variable(matrix, name=name)) is excluded


# Patterns that are searched for without RE2, and patterns that look like them.
FORMS = [
    "a",
    "é",
    "]",
    r"\.",
    "[abc]",
    "[^a]",
    "[]a]+",
    "[^]a]+",
    r"[\]a]+",
    "[[:alpha:]]",
    r"\s+",
    r"\D",
]
FORMS += [
    r"\W+",
    "[é]",
    "[a-é]+",
    r"[^\x00-\x7f]",
    r"[^\x00-\x{10ffff}]",
    r"[\p{L}]+",
    "[[:^word:]_]+",
]
FORMS += [
    "[a][b]",
    "[a]b]",
    "a+",
    ".",
    ".+",
    "é+",
    r"\pL",
    r"\b",
    "(?i)k",
    "\x00",
    "!",
    "!+",
]
ITEMS = ["", "a", "abc", "a]b]", "é", "aéb é", "a1 !!", "\x00", "\n", "kK\u212a", "...", "ab" * 9]


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("rewrite", ["", "<x>", r"<\0>"])
@pytest.mark.parametrize("pattern", FORMS)
def test_simple_forms_answer_as_re2_does(pattern, rewrite, everywhere):
    expression = regular_expressions.compiled(pattern.encode())
    general = regular_expressions.Expression(expression.search, expression.matches, 0)
    template = regular_expressions._template(rewrite.encode(), 0, everywhere)
    for items in (ITEMS, [item for item in ITEMS if item.isascii()]):
        texts = [item.encode() for item in items]
        wanted = [regular_expressions._replaced(t, general, template, everywhere) for t in texts]
        found = tf.strings.regex_replace(texts, pattern, rewrite, replace_global=everywhere)
        assert found.numpy().tolist() == wanted
        # The alternative makes it another form.
        other = regular_expressions.compiled(f"(?:{pattern})|(?:{pattern})".encode())
        matches = tf.strings.regex_full_match(texts, pattern).numpy().tolist()
        assert matches == [other.matches(text) for text in texts]


def test_the_library_is_imported_with_the_first_expression():
    program = """
import sys
import eagerflow as tf
assert "re2" not in sys.modules
tf.strings.regex_replace("a", "a", "b")
assert "re2" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_messages_name_pattern_and_reason():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=re.escape("a\\xff, error: invalid UTF-8")
    ):
        tf.strings.regex_replace("a", b"a\xff", "")

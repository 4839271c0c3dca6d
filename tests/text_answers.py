"""Calls of tensorflow-text whose answers under TensorFlow are recorded beside this file.

    PYTHONPATH=SITE python tests/text_answers.py

writes them, with tensorflow-text in the folder SITE and TensorFlow in that Python.
"""

import gzip
import json
import random
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "text_answers.json.gz"

TEXTS = [
    b"", b" ", b"a", b"  two  spaces ", b"The quick brown fox, isn't it?", b"line\nbreak\r\nand\ttab",
    "Größe ÀÉÎ ñandú façade Å ﬁ ½ ²".encode(), "累計7239人 日本語テキスト 한국어".encode(),
    "漢字かなカナ㐀𠀀豈".encode(), "😀 emoji👩‍👩‍👧 👍🏽!".encode(), "привет, МИР! Ёлка".encode(),
    "ΑΒΓ αβς Σ ΐ".encode(), "עברית שָׁלוֹם العربية ٣٤".encode(), "हिन्दी ไทย ไม้".encode(),
    "a\u00a0b\u2003c\u3000d\u200be\u1680f\u2028g\u0085h".encode(), "x\u00ady\ufeffz\u200dw".encode(),
    b"\xff", b"a\xffb \xc3 c", b"\xe4\xb8", b"\xf0\x9f\x98 ok", b"\xed\xa0\x80x", b"tail \xe2\x82",
    b"a" * 120, b"unaffable " * 3, b"[unused12] [unused] [CLS] [SEP]", b"$100.00 + 5% = `x` ~y^z|w",
    "İstanbul Iı ß ẞ ŉ ǰ".encode(), "ＫＡＤＯＫＡＷＡ ｶﾞ ①②".encode(), b"\x00nul\x01\x7f",
    "«quote» – — … “x”".encode(), "e\u0301 \u0301 n\u0303".encode(), b"they're the greatest",
    "ﷺ \U0001d54f \U000e0041 ͏x".encode(), b"a.b.c...d", b"UPPER lower MiXeD",
]  # fmt: skip
_PARTS = [
    *"abcXYZ 019.,!-'\n\t",
    "é",
    "ß",
    "中",
    "文",
    "か",
    "я",
    "😀",
    "\u0301",
    "\u00a0",
    "\u3000",
    "the",
]
_BYTES = [b"\xff", b"\xc3", b"\xe4\xb8"]


def random_texts(count):
    choose = random.Random(7)
    for at in range(count):
        parts = [choose.choice(_PARTS).encode() for _ in range(choose.randrange(1, 24))]
        if at % 5 == 0:
            parts.insert(choose.randrange(len(parts)), choose.choice(_BYTES))
        yield b"".join(parts)


VOCABULARY = (
    "[PAD] [UNK] [CLS] [SEP] [unused12] they ##' ##re the great ##est un ##aff ##able a ##a b ##b c ##c "
    "quick fox , . ! ? ' isn ##n t ##t it line break 中 文 日 本 人 累 計 7 ##2 ##3 ##9 é ##é 😀 ##😀 gro "
    "##ß ##ße grosse я ##я привет мир x ##x y z 1 ##0 the ##the"
).split()
VOCABULARY = list(dict.fromkeys(VOCABULARY))


def calls(text, tf):
    """The names of calls, and functions of a vector of strings."""
    table = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(
            VOCABULARY, tf.range(len(VOCABULARY), dtype=tf.int64), tf.string, tf.int64
        ),
        1,
    )
    bert = text.BertTokenizer
    tokenizers = {
        "whitespace": text.WhitespaceTokenizer(),
        "script": text.UnicodeScriptTokenizer(),
        "script_spaces": text.UnicodeScriptTokenizer(keep_whitespace=True),
        "wordpiece": text.WordpieceTokenizer(table),
    }
    for name, options in {
        "plain": {},
        "lower": {"lower_case": True},
        "spaces": {"keep_whitespace": True},
        "nfc": {"normalization_form": "NFC"},
        "nfkd": {"normalization_form": "NFKD"},
        "unused": {"preserve_unused_token": True},
        "characters": {"split_unknown_characters": True},
        "as_they_are": {"unknown_token": None},
        "both": {"unknown_token": None, "split_unknown_characters": True},
        "short": {"max_bytes_per_word": 5, "max_chars_per_token": 2},
    }.items():
        types = (
            [tf.string]
            if options.get("unknown_token", "") is None
            else [tf.string, tf.int64, tf.int32]
        )
        for kind in types:
            tokenizers[f"bert_{name}_{kind.name}"] = bert(table, token_out_type=kind, **options)
    found = {name: tokenizer.tokenize_with_offsets for name, tokenizer in tokenizers.items()}
    found["bytes"] = text.ByteSplitter().split_with_offsets
    found["lines"] = text.RegexSplitter().split_with_offsets
    for name, pattern in {"comma": ("[,.]", "[.]"), "run": (r"\s+", r"\s")}.items():
        found[f"regex_{name}"] = lambda x, pattern=pattern: text.regex_split_with_offsets(
            x, *pattern
        )
    for form in ("NFC", "NFKC", "NFD", "NFKD"):
        found[form] = lambda x, form=form: (text.normalize_utf8(x, form),)
    found["case_fold"] = lambda x: (text.case_fold_utf8(x),)
    return found


def as_json(result):
    """A tensor, or a tuple of tensors, as lists."""
    if isinstance(result, (tuple, list)):
        return [as_json(part) for part in result]
    values = result.to_list() if hasattr(result, "to_list") else np.asarray(result).tolist()
    return json.loads(json.dumps(values, default=lambda item: item.decode("latin-1")))


def answers(text, tf, count=150):
    """The answers of all calls to all texts."""
    texts = tf.constant([*TEXTS, *random_texts(count)])
    return {name: as_json(call(texts)) for name, call in calls(text, tf).items()}


if __name__ == "__main__":
    import tensorflow as tf
    import tensorflow_text

    data = json.dumps(answers(tensorflow_text, tf), separators=(",", ":"))
    FILE.write_bytes(gzip.compress(data.encode(), mtime=0))

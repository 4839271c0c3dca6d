"""Byte strings: joining, splitting, formatting, converting, regular expressions, Unicode."""

from oracle.inputs import tensor
from oracle.registry import case, errors


def plain(value):
    """Ragged tensors as their parts, others as they are."""
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "nested_row_splits"):
        return [value.flat_values, *value.nested_row_splits]
    return value


NUMBERS = (
    "int8",
    "uint8",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "bool",
    "complex64",
)


@case(dtype=NUMBERS)
def as_string(tf, dtype):
    return tf.strings.as_string(tensor(tf, (2, 3), dtype))


@case
def as_string_formats(tf):
    x = [1.5, 2.25e10, -0.0, float("inf"), float("nan"), 1e-7]
    return [
        tf.strings.as_string(x, precision=1),
        tf.strings.as_string(x, scientific=True, precision=2),
        tf.strings.as_string(x, shortest=True),
        tf.strings.as_string(x, shortest=True, precision=3),
        [tf.strings.as_string([1, -2], width=5, fill=fill) for fill in ("", "0", " ", "-", "+")],
        [tf.strings.as_string([1.5], width=9, fill=fill) for fill in ("", "0", " ", "-", "+")],
        tf.strings.as_string([1 + 2j], width=9, precision=1),
        tf.strings.as_string([True], width=6),
        tf.as_string("a"),
    ]


@case
def pieces(tf):
    return plain(
        [
            tf.strings.bytes_split("abc"),
            tf.strings.bytes_split(["ab", ""]),
            tf.strings.bytes_split([["ab", "c"], ["d", "ef"]]),
            tf.strings.bytes_split(tf.ragged.constant([["ab"], ["", "c"]])),
        ]
    )


@case
def split(tf):
    return plain(
        [
            tf.strings.split("a b  c"),
            tf.strings.split(["a b", "", "c"]),
            tf.strings.split("a,b,,c", ","),
            tf.strings.split(["a,b"], ",", maxsplit=0),
            tf.strings.split(["a,b,c", "d"], ",", maxsplit=1),
            tf.strings.split([" a  b c "], maxsplit=1),
            tf.strings.split(["a<>b<>", "<>"], "<>"),
            tf.strings.split(["", "x"], ","),
            tf.strings.split([["a b", "c"], ["d", "e f g"]]),
            tf.strings.split("abc", ""),
            tf.strings.split(tf.ragged.constant([["a b"], ["c", "d e"]])),
        ]
    )


@case
def format_text(tf):
    return [
        tf.strings.format("a {} b {}", (tf.constant([1, 2]), tf.constant("x"))),
        tf.strings.format("x {}", tf.range(10)),
        tf.strings.format("x {}", tf.range(10), summarize=1),
        tf.strings.format("%d", (3,), placeholder="%d"),
        tf.strings.format("x", ()),
        tf.strings.format("{}", tf.constant([[1.5, 2.0], [3.0, 1e10]])),
    ]


@case
def join(tf):
    ragged = tf.ragged.constant([["A"], ["B", "C"]])
    return plain(
        [
            tf.strings.join(["a", "b"]),
            tf.strings.join([["a", "b"], "c"], separator="-"),
            tf.strings.join([[["a", "b"]], [["c", "d"]], "e"], separator=", "),
            tf.strings.join([]),
            tf.strings.join([ragged, "x"]),
        ]
    )


@case
def lengths_and_letters(tf):
    ragged = tf.ragged.constant([["A"], ["B", "CÉ"]])
    return plain(
        [
            tf.strings.length(["abc", "é", ""]),
            tf.strings.length(["é", "日本"], "UTF8_CHAR"),
            tf.strings.length(ragged),
            tf.strings.lower("ABÉ"),
            tf.strings.lower("ABÉ", encoding="utf-8"),
            tf.strings.upper("aßé", encoding="utf-8"),
            tf.strings.upper([["aé"]]),
            tf.strings.lower(ragged, encoding="utf-8"),
            tf.strings.strip([" a \n", "\tb\v\f", ""]),
        ]
    )


@case
def ngrams(tf):
    words = ["a", "b", "c", "d"]
    return plain(
        [
            tf.strings.ngrams(words, 2),
            tf.strings.ngrams(words, [1, 2], separator="|"),
            tf.strings.ngrams(words[:2], 3, pad_values=("<", ">")),
            tf.strings.ngrams(words[:2], 3, pad_values="X", padding_width=1),
            tf.strings.ngrams(words[:1], 3),
            tf.strings.ngrams(words[:1], 3, preserve_short_sequences=True),
            tf.strings.ngrams(words[:1], (2, 3), preserve_short_sequences=True),
            tf.strings.ngrams([words[:2], words[2:]], 2),
            tf.strings.ngrams(tf.ragged.constant([["a", "b", "c"], ["d"], []]), 2),
            tf.strings.ngrams(tf.ragged.constant([["a", "b"], []]), 2, pad_values="_"),
        ]
    )


@case
def reduce_join(tf):
    x = [["a", "b"], ["c", "d"]]
    return plain(
        [
            tf.strings.reduce_join(x),
            tf.strings.reduce_join(x, 0),
            tf.strings.reduce_join(x, [1, 0], separator="."),
            tf.strings.reduce_join(x, [0, 1], separator="."),
            tf.strings.reduce_join(x, -1, keepdims=True),
            tf.strings.reduce_join("a"),
            tf.strings.reduce_join(x, []),
            tf.strings.reduce_join([x, x], [2, 0], separator="-"),
            tf.strings.reduce_join(tf.ragged.constant([["a", "b"], ["c"], []]), 1, separator="-"),
        ]
    )


@case
def segment_join(tf):
    return [
        tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 3, separator="-"),
        tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [0, 0], 1),
        tf.strings.unsorted_segment_join([["a", "b"], ["c", "d"]], [[0, 1], [1, 0]], 2),
    ]


PATTERNS = {
    "dot": "a.c",
    "class": "[a-c]+",
    "posix": "[[:alpha:]_]*",
    "not posix": "[^[:digit:]]+",
    "category": r"\p{L}+",
    "short category": r"\pN",
    "end": "abc$",
    "z": r"abc\z",
    "flag": "(?i)ABC",
    "inner flag": "a(?i)BC",
    "named": "(?P<x>a)bc",
    "alternatives": "ab|abc",
    "unicode": "日.",
    "word": r"\w+",
    "quoted": r"\Qa.c\E",
    "brackets": r"[\[\]&&~]+",
}


@case(name=list(PATTERNS))
def full_match(tf, name):
    words = ["abc", "aBC", "é", "5", "日本", "abc\n", "a.c", "", "[&&~]"]
    return tf.strings.regex_full_match(words, PATTERNS[name])


REPLACEMENTS = {
    "empty matches": ("abxd", "x*", "-"),
    "groups": ("abc", "(a)(b)", r"\2\1[\0]"),
    "spaces": ("a b\t c", r"\s+", ""),
    "punctuation": ("a!b;c", r"\p{P}", "_"),
    "others": ("éa", "[^a-z]", "_"),
    "too many groups": ("a", "a", r"\3"),
    "no escape": ("a", "a", r"\q"),
    "backslash": ("a", "a", r"\\"),
    "optional group": ("ac", "a(b)?c", r"<\1>"),
    "html": ("x<br />y", "<br />", " "),
    "letters": ("Hello, World", "[[:lower:]]", "."),
    "lazy": ("<a><b>", "<.*?>", "x"),
}


@case(name=list(REPLACEMENTS))
def replace(tf, name):
    text, pattern, rewrite = REPLACEMENTS[name]
    return [
        tf.strings.regex_replace([text, ""], pattern, rewrite),
        tf.strings.regex_replace(text, pattern, rewrite, replace_global=False),
    ]


# Texts in which expressions of many kinds find something, some of them not UTF-8.
TEXTS = [
    *(b"", b"a", b"abc", b"ABC", b"foo bar  baz\t\n", b"line\na\nb", b"a\x00b", b"12-345 a1"),
    *(b"x@y.z <b>hi</b>", b"a.c[]^-_!,", b"\xe9", b"\xffa\xc3 b\xed\xa0\x80", b"aaaaaaaaaaab"),
    *("éaüé日本".encode(), "😀k\u212aS\u017f".encode()),
]
EXPRESSIONS = {
    "repeats": ["", "a*", "x*", "a+?", "a??", "a{0}", "a{,2}", "a{2}", "a{2,}", "a{2,}?"],
    "classes": ["[^abc]", "[^a]+", "[]a]+", "[^]a]", "[a-]", "[-a]", "[a-c-e]", "[+--]", "[a&&b]"],
    "named classes": [r"\S", r"\D+", r"\W", "[[:^alpha:]]+", "[[:word:]-]+", r"[^[:space:]\d]"],
    "unicode classes": [r"\pL", r"\p{Greek}+", r"\P{^Lu}", r"[\p{L}\d]+", r"[^\x00-\x7f]", "[^é]"],
    "positions": ["^", "$", r"\A", r"\z", r"\b", r"\B", r"\bfoo\b", "a$b", "^*", r"^\s+|\s+$"],
    "flags": ["(?s).+", "(?m)^a$", "(?U)a+", "(?i)k", "(?i)[k-s]", "(?i)a(?-i)b", "(?i-s:a.)"],
    "groups": [
        "()",
        "(|a)+",
        "(a*)*",
        "(a*)+",
        "(ab|a)(c|bcd)(b*)",
        "a|b|",
        r"(\d+)-(\d)",
        "(a)(b)?",
    ],
    "escapes": [
        r"\x41",
        r"\x{e9}+",
        r"\101",
        r"\07",
        r"\Qa.c",
        r"\t\n",
        r"\C",
        r"\C+",
        r"\_",
        "a\x00b",
    ],
    "nested repeats": ["(a+)+$", "(a|a)*b", "(.*)(.*)(.*)x", "((a{10}){10}){10}", "(a|b|ab)*c"],
}
REFUSED = [
    *(
        "*",
        "?",
        "a{1001}",
        "a**",
        "(a{100}){100}",
        "x{2}{3000}",
        "a*{2000}",
        "a)",
        "(a",
        "[a",
        "[]",
        "[z-a]",
    ),
    *("(?!a)", "(?<!a)b", "(?>a)", "(?#c)", "(?(1)a)", "(?P>n)", "(?R)", "(?i", "(?z)", r"[a-\d]"),
    *("(?P<>a)", "(?P<n", r"\Z", r"\p", r"\p{", r"\p{Foo}", r"\8", r"\k<a>"),
    *(r"\h", r"\R", r"\X", r"\cA", r"\x4", r"\x{110000}", r"\u0041", "[[:foo:]]", "(?P=n)", "\\"),
]


@case(name=list(EXPRESSIONS))
def expressions(tf, name):
    rewrites = [("<\\0>", True), ("<>", True), ("<\\0>", False), (r"a\\\qb", True), (r"\q\9", True)]
    return [
        [
            tf.strings.regex_full_match(TEXTS, pattern),
            *(tf.strings.regex_replace(TEXTS, pattern, *rewrite) for rewrite in rewrites),
        ]
        for pattern in EXPRESSIONS[name]
    ]


@case
def replace_invalid_bytes(tf):
    return tf.strings.regex_replace(b"a\xff\xfeb", "[^a]", "_")


@case
def substr(tf):
    return [
        tf.strings.substr("hello", 1, 3),
        tf.strings.substr("hello", -3, 2),
        tf.strings.substr("hello", 1, -2),
        tf.strings.substr(["hello", "world"], [1, 2], [2, 9]),
        tf.strings.substr("héé", 1, 1, "UTF8_CHAR"),
        tf.strings.substr("héé", -1, 5, "UTF8_CHAR"),
        tf.strings.substr([["ab", "cd"]], [[1], [0]], [[1], [2]]),
        tf.strings.substr("abc", 3, 1),
    ]


WORDS = ["", "a", "abc", "hello world", "0123456789abcdef", "x" * 33, "y" * 70, "z" * 200, "日本"]


@case
def hashes(tf):
    return plain(
        [
            tf.strings.to_hash_bucket(WORDS, 10**9),
            tf.strings.to_hash_bucket_fast(WORDS, 10**9),
            tf.strings.to_hash_bucket_strong(WORDS, 10**9, [1, 2]),
            tf.strings.to_hash_bucket_strong(WORDS, 7, [-5, 2**40]),
            tf.strings.to_hash_bucket_fast(tf.ragged.constant([["a"], ["b", "c"]]), 100),
            tf.fingerprint(WORDS),
            tf.fingerprint([[1, 2], [3, 4]]),
            tf.fingerprint([[1.5, 2], [3, 4]]),
            tf.fingerprint([["a", "b"], ["c", "d"]]),
        ]
    )


@case
def to_number(tf):
    return plain(
        [
            tf.strings.to_number(
                ["1.5", " 2 ", "1e3", "inf", "nan", "-0", "0x10", "1e400", ".5", "+3."]
            ),
            tf.strings.to_number("12", tf.int32),
            tf.strings.to_number(["-12", "+5"], tf.int64),
            tf.strings.to_number("1.5", tf.float64),
            tf.strings.to_number("18446744073709551615", tf.uint64),
            tf.strings.to_number(tf.ragged.constant([["1"], ["2", "3"]])),
        ]
    )


BYTES = {
    "valid": "aé日😀".encode(),
    "broken": b"a\xffb",
    "cut": b"a\xe2\x82b\xf0\x9f",
    "controls": b"a\x01\n",
}


@case(name=list(BYTES), errors=("replace", "ignore"), controls=(False, True))
def unicode(tf, name, errors, controls):
    data = BYTES[name]
    return plain(
        [
            tf.strings.unicode_decode(data, "UTF-8", errors, 63, controls),
            tf.strings.unicode_decode_with_offsets([data, b"c"], "UTF-8", errors),
            tf.strings.unicode_split(data, "UTF-8", errors),
            tf.strings.unicode_split_with_offsets([data, b""], "UTF-8", errors),
            tf.strings.unicode_transcode(data, "UTF-8", "UTF-16-BE", errors, 63, controls),
        ]
    )


@case(encoding=("UTF-16-BE", "UTF-32-BE", "UTF-8", "ISO-8859-1"))
def encodings(tf, encoding):
    data = "aé".encode(encoding)
    return [
        tf.strings.unicode_decode(data, encoding),
        tf.strings.unicode_transcode(data, encoding, "UTF-8"),
        list(tf.strings.unicode_decode_with_offsets(data, encoding)),
    ]


@case
def encode(tf):
    return [
        tf.strings.unicode_encode([97, 233], "UTF-8"),
        tf.strings.unicode_encode([[97, 233], [98, 0x1F600]], "UTF-16-BE"),
        tf.strings.unicode_encode(tf.ragged.constant([[97], [98, 99]]), "UTF-32-BE"),
        tf.strings.unicode_encode([97, 0xD800], "UTF-8"),
        tf.strings.unicode_encode([97, 0x110000], "UTF-8", errors="ignore"),
    ]


@case
def scripts(tf):
    return tf.strings.unicode_script([97, 0x4E00, 0x3B1, 32, -1, 0x110000, 0x10FFFF, 0x627, 0])


errors(
    "strings",
    "wrong",
    {
        "as_string int": (lambda tf: tf.strings.as_string([1], precision=2), ["precision"]),
        "as_string scientific": (
            lambda tf: tf.strings.as_string([1], scientific=True),
            ["scientific"],
        ),
        "as_string fill": (lambda tf: tf.strings.as_string([1], width=5, fill="x"), ["Fill"]),
        "as_string both": (lambda tf: tf.strings.as_string([1.0], -1, True, True), ["both"]),
        "format": (lambda tf: tf.strings.format("{} {}", tf.range(3)), ["placeholders"]),
        "join": (lambda tf: tf.strings.join([["a", "b"], ["c"]]), ["match"]),
        "join int": (lambda tf: tf.strings.join([1, 2]), []),
        "unit": (lambda tf: tf.strings.length(["a"], "x"), ["unit"]),
        "encoding": (lambda tf: tf.strings.lower("A", encoding="x"), ["utf-8"]),
        "ngrams": (lambda tf: tf.strings.ngrams(["a"], 0), ["greater than 0"]),
        "reduce_join": (lambda tf: tf.strings.reduce_join(["a"], 2), ["dimension 2"]),
        "reduce_join twice": (lambda tf: tf.strings.reduce_join([["a"]], [0, 0]), ["Duplicate"]),
        "pattern": (lambda tf: tf.strings.regex_full_match("a", "("), ["missing )"]),
        "lookahead": (lambda tf: tf.strings.regex_replace("a", "(?=a)", ""), ["(?="]),
        "backreference": (lambda tf: tf.strings.regex_replace("a", r"(a)\1", ""), ["escape"]),
        **{
            f"expression {pattern}": (
                lambda tf, pattern=pattern: tf.strings.regex_full_match("a", pattern),
                [f"Invalid pattern: {pattern}, error: "],
            )
            for pattern in REFUSED
        },
        "substr": (lambda tf: tf.strings.substr("abc", 4, 1), ["pos 4 out of range"]),
        "substr negative": (lambda tf: tf.strings.substr("abc", -4, 1), ["pos -4"]),
        "substr shapes": (lambda tf: tf.strings.substr("abc", 1, [1]), ["same shape"]),
        "substr float": (lambda tf: tf.strings.substr("abc", 1.0, 1.0), []),
        "buckets": (lambda tf: tf.strings.to_hash_bucket_fast(["a"], 0), ["num_buckets"]),
        "number": (lambda tf: tf.strings.to_number("abc"), ["abc"]),
        "number int": (lambda tf: tf.strings.to_number("1.5", tf.int32), ["1.5"]),
        "number large": (lambda tf: tf.strings.to_number("99999999999", tf.int32), []),
        "number underscore": (lambda tf: tf.strings.to_number("1_0"), []),
        "number empty": (lambda tf: tf.strings.to_number(""), []),
        "number type": (lambda tf: tf.strings.to_number("1", tf.string), ["out_type"]),
        "strict": (lambda tf: tf.strings.unicode_decode(b"a\xff", "UTF-8", "strict"), ["Invalid"]),
        "strict code": (
            lambda tf: tf.strings.unicode_encode([0xD800], "UTF-8", "strict"),
            ["range"],
        ),
        "unknown encoding": (lambda tf: tf.strings.unicode_decode("a", "foo"), ["foo"]),
        "segments": (
            lambda tf: tf.strings.unsorted_segment_join(["a", "b"], [0, 5], 2),
            ["segment_ids"],
        ),
        "numbers": (lambda tf: tf.strings.lower(tf.constant([1])), []),
    },
)

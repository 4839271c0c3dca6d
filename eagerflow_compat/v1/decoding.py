"""Decoding and parsing, with version 1's parameters."""

from __future__ import annotations

import functools

from eagerflow import io
from eagerflow_compat.v1.arguments import version_1

_version_1 = functools.partial(version_1, __name__)

decode_csv = _version_1(
    "decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None,"
    " na_value='', select_cols=None)",
    io.decode_csv,
    "The columns of lines, as tensors.",
)
decode_raw = _version_1(
    "decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None)",
    io.decode_raw,
    "The numbers in the bytes of strings.",
    bytes="input_bytes",
)
parse_single_example = _version_1(
    "parse_single_example(serialized, features, name=None, example_names=None)",
    io.parse_single_example,
    "The features of a serialized `Example`.",
)
parse_example = _version_1(
    "parse_example(serialized, features, name=None, example_names=None)",
    io.parse_example,
    "The features of serialized `Example`s.",
)

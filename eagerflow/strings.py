"""tf.strings: operations on byte strings."""

from eagerflow.ops.regular_expressions import (
    regex_full_match,
    regex_replace,
)
from eagerflow.ops.string_hash import (
    to_hash_bucket,
    to_hash_bucket_fast,
    to_hash_bucket_strong,
)
from eagerflow.ops.strings import (
    as_string,
    bytes_split,
    format,
    join,
    length,
    lower,
    ngrams,
    reduce_join,
    split,
    strip,
    substr,
    to_number,
    unsorted_segment_join,
    upper,
)
from eagerflow.ops.unicode import (
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_script,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
)

__all__ = [
    "as_string",
    "bytes_split",
    "format",
    "join",
    "length",
    "lower",
    "ngrams",
    "reduce_join",
    "regex_full_match",
    "regex_replace",
    "split",
    "strip",
    "substr",
    "to_hash_bucket",
    "to_hash_bucket_fast",
    "to_hash_bucket_strong",
    "to_number",
    "unicode_decode",
    "unicode_decode_with_offsets",
    "unicode_encode",
    "unicode_script",
    "unicode_split",
    "unicode_split_with_offsets",
    "unicode_transcode",
    "unsorted_segment_join",
    "upper",
]

"""Functions of strings with version 1's parameters."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import _core, strings
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.strings.manipulation import split_at_bytes
from eagerflow.typing import TensorLike
from eagerflow_compat.v1.arguments import either, version_1

_version_1 = functools.partial(version_1, __name__)
reduce_join = _version_1(
    "reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None,"
    " reduction_indices=None, keepdims=None)",
    strings.reduce_join,
    "Strings along axes in one.",
    keep_dims="keepdims",
    reduction_indices="axis",
)
string_to_hash_bucket = _version_1(
    "string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None)",
    strings.to_hash_bucket,
    "The number of a bucket for each string.",
    string_tensor="input",
)
string_to_number = _version_1(
    "string_to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None)",
    strings.to_number,
    "The numbers that strings are.",
    string_tensor="input",
)
substr = _version_1(
    "substr(input, pos, len, name=None, unit='BYTE')", strings.substr, "Parts of strings."
)
string_length = _version_1(
    "string_length(input, name=None, unit='BYTE')", strings.length, "How long strings are."
)


def split(
    input: TensorLike | None = None,
    sep: str | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: TensorLike | None = None,
    name: str | None = None,
) -> Any:
    """The parts of strings between separators, as `tf.strings.split` finds them.

    Args:
        input: strings of any shape.
        sep: the separator; by default runs of white space.
        maxsplit: how many parts are cut off at most, or -1.
        result_type: "SparseTensor" or "RaggedTensor".
        source: another name of `input`.
        name: ignored.

    Raises:
        ValueError: if the result type is another one.

    >>> tf.compat.v1.strings.split(["a b", "c"]).values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")
    given = _core.convert(either("input", input, "source", source), dtypes.string, None)
    if given.shape.rank == 0:
        given = _core.ops.expand_dims(given, 0)
    parts = strings.split(given, sep, maxsplit, name)
    return parts.to_sparse() if result_type == "SparseTensor" else parts


@op_function
def string_split(
    source: TensorLike | None = None,
    sep: str | None = None,
    skip_empty: bool = True,
    delimiter: TensorLike = " ",
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """The parts of strings between separators.

    Args:
        source: a vector of strings.
        sep: each byte of it separates; if empty, every byte of the source is a part.
        skip_empty: whether to leave out empty parts.
        delimiter: another name of `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: ignored.

    Returns:
        A sparse tensor of rank two, or a ragged one.

    Raises:
        ValueError: if the result type is another one, or the source is no vector.

    >>> tf.compat.v1.string_split(["a,b", "c"], ",").values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'SparseTensor' or 'RaggedTensor'.")
    strings = _core.convert(source, dtypes.string, None)
    if strings.ndim != 1:
        raise ValueError(f"`source` must be a vector of strings, its shape is {strings.shape}.")
    rows = split_at_bytes(strings, delimiter if sep is None else sep, skip_empty)
    return rows.to_sparse() if result_type == "SparseTensor" else rows

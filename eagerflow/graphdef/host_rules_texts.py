"""What functions on texts that work on the host are in TensorFlow; see `host_lowering.py`.

Each rule has the name and the parameters of its function. Ragged results are lists: the values, then the row
splits from the outermost on.
"""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef.emitters import NoSuchNodeError
from eagerflow.graphdef.host_lowering import op, rules_of
from eagerflow.graphdef.host_rules_ragged import rowids_of, rows_of, splits_of_rowids
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import TensorLike

Tensor = _core.Tensor

_manipulation = rules_of("strings.manipulation")
_unicode = rules_of("strings.unicode")


def _converted(value: Any) -> RaggedTensor | Tensor:
    return value if isinstance(value, RaggedTensor) else tf.convert_to_tensor(value)


def _is_scalar(input: TensorLike) -> bool:
    return not isinstance(input, RaggedTensor) and tf.convert_to_tensor(input).shape.rank == 0


def _tokens(input: TensorLike, indices: Tensor, values: Tensor, count: Tensor, splits: list) -> Any:
    """The tokens of strings: for each of them the index of its string."""
    if _is_scalar(input):
        return values
    return [values, *splits, splits_of_rowids(indices[:, 0], count)]


def _strings(input: TensorLike) -> tuple[Tensor, list[Tensor]]:
    """Strings as a vector, and the splits of rows if they are more than that."""
    input = _converted(input)
    if isinstance(input, RaggedTensor) or input.shape.rank is None or input.shape.rank > 1:
        return rows_of(input)
    return tf.reshape(input, [-1]), []


@_manipulation
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    flat, splits = _strings(input)
    found = op("StringSplitV2", flat, "" if sep is None else sep, maxsplit=maxsplit)
    return _tokens(input, found[0], found[1], found[2][0], splits)


@_manipulation
def bytes_split(input: TensorLike, name: str | None = None) -> list[Tensor] | Tensor:
    flat, splits = _strings(input)
    found = op("StringSplit", flat, "", skip_empty=False)
    return _tokens(input, found[0], found[1], found[2][0], splits)


@_manipulation
def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Any:
    given = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    return op("StringFormat", given, template=template, placeholder=placeholder,
              summarize=summarize)  # fmt: skip


@_manipulation
def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: object = None
) -> Any:
    if isinstance(inputs, RaggedTensor):
        known = None if axis is None else tf.get_static_value(axis)
        if known is None or inputs.ragged_rank != 1 or inputs.shape.rank != 2 or int(known) == 0:
            raise NoSuchNodeError("TensorFlow joins strings of each row")
        splits = inputs.row_splits
        found = op("UnsortedSegmentJoin", inputs.values, rowids_of(splits, splits[-1]),
                   tf.shape(splits, splits.dtype)[0] - 1, separator=separator)  # fmt: skip
        return tf.expand_dims(found, 1) if keepdims else found
    if axis is None:
        axis = tf.range(tf.rank(inputs) - 1, -1, -1)
    return op("ReduceJoin", inputs, axis, keep_dims=keepdims, separator=separator)


@_manipulation
def ngrams(
    data: TensorLike, ngram_width: Any, separator: str = " ", pad_values: Any = None,
    padding_width: Any = None, preserve_short_sequences: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    data = _converted(data)
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    left, right = pad_values if isinstance(pad_values, tuple | list) else (pad_values, pad_values)
    pad = 0 if pad_values is None else -1 if padding_width is None else padding_width
    if not isinstance(data, RaggedTensor) and data.shape.rank == 1:
        splits = [tf.stack([0, tf.size(data, tf.int64)])]
        flat = data
    else:
        flat, splits = rows_of(data)
    found, inner = op(
        "StringNGrams", flat, splits[-1], separator=separator, ngram_widths=widths,
        left_pad=left or "", right_pad=right or "", pad_width=pad,
        preserve_short_sequences=preserve_short_sequences,
    )  # fmt: skip
    if not isinstance(data, RaggedTensor) and data.shape.rank == 1:
        return found
    if not isinstance(data, RaggedTensor):  # rows of one length
        return tf.reshape(found, tf.concat([tf.shape(data, tf.int64)[:-1], [inner[1]]], 0))
    return [found, *splits[:-1], inner]


@rules_of("strings.hashing")
def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Any:
    return op("Fingerprint", data, method)


def _decoded(input: TensorLike, attrs: dict[str, object], offsets: bool) -> Any:
    flat, splits = _strings(input)
    kind = "UnicodeDecodeWithOffsets" if offsets else "UnicodeDecode"
    inner, codes, *starts = op(kind, flat, **attrs)
    return splits, inner, codes, starts


def _as_rows(input: TensorLike, splits: list, inner: Tensor, *values: Tensor) -> Any:
    if _is_scalar(input):
        return list(values)
    return [[value, *splits, inner] for value in values]


def _single_codes(codes: Tensor, encoding: str) -> Tensor:
    """Each code as a string."""
    splits = tf.range(tf.size(codes, tf.int64) + 1)
    return op("UnicodeEncode", codes, splits, output_encoding=encoding, errors="replace")


@_unicode
def unicode_decode(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    attrs = {
        "input_encoding": input_encoding, "errors": errors, "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }  # fmt: skip
    splits, inner, codes, _ = _decoded(input, attrs, False)
    return _as_rows(input, splits, inner, codes)


@_unicode
def unicode_decode_with_offsets(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    attrs = {
        "input_encoding": input_encoding, "errors": errors, "replacement_char": replacement_char,
        "replace_control_characters": replace_control_characters,
    }  # fmt: skip
    splits, inner, codes, starts = _decoded(input, attrs, True)
    return _as_rows(input, splits, inner, codes, *starts)


@_unicode
def unicode_split(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    attrs = {
        "input_encoding": input_encoding, "errors": errors, "replacement_char": replacement_char,
    }  # fmt: skip
    splits, inner, codes, _ = _decoded(input, attrs, False)
    return _as_rows(input, splits, inner, _single_codes(codes, input_encoding))


@_unicode
def unicode_split_with_offsets(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> Any:  # fmt: skip
    attrs = {
        "input_encoding": input_encoding, "errors": errors, "replacement_char": replacement_char,
    }  # fmt: skip
    splits, inner, codes, starts = _decoded(input, attrs, True)
    return _as_rows(input, splits, inner, _single_codes(codes, input_encoding), *starts)


@_unicode
def unicode_encode(
    input: TensorLike, output_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> Any:  # fmt: skip
    attrs = {
        "output_encoding": output_encoding, "errors": errors, "replacement_char": replacement_char,
    }  # fmt: skip
    input = _converted(input)
    if not isinstance(input, RaggedTensor) and input.shape.rank == 1:
        whole = tf.stack([0, tf.size(input, tf.int64)])
        return tf.reshape(op("UnicodeEncode", input, whole, **attrs), [])
    flat, splits = rows_of(input)
    found = op("UnicodeEncode", flat, splits[-1], **attrs)
    if isinstance(input, RaggedTensor):
        return [found, *splits[:-1]]
    return tf.reshape(found, tf.shape(input)[:-1])


@rules_of("strings.elementwise")
def each(function: object, value: TensorLike, name: str) -> Any:
    # Only letters beyond ASCII are changed one string at a time.
    if name not in ("StringLower", "StringUpper"):
        raise NoSuchNodeError("it calls Python")
    return op(name, value, encoding="utf-8")


@rules_of("io.files")
def read_file(filename: TensorLike, name: str | None = None) -> Any:
    return op("ReadFile", filename)


@rules_of("io.files")
def matching_files(pattern: TensorLike, name: str | None = None) -> Any:
    return op("MatchingFiles", pattern)

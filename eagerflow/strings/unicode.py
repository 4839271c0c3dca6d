"""Strings as sequences of Unicode characters."""

from __future__ import annotations

import codecs
import functools
from pathlib import Path
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.tensor import items
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.ops.refusals import refuse_attr
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.strings.elementwise import (
    as_rows,
    byte_vector,
    each,
    from_items,
    known_rank,
    like,
    rows,
    rows_of,
    strings,
)
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_OUTPUTS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}
_ERRORS = ("strict", "replace", "ignore")
_WIDTHS = {"utf-32-be": 4, "utf-32-le": 4}


def _codec(encoding: str, op: str) -> str:
    if not isinstance(encoding, str):
        raise TypeError(f"Expected string for argument 'input_encoding' not {encoding!r}.")
    try:
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise invalid_argument(
            f"Could not create converter for input encoding: {encoding} [Op:{op}]"
        ) from None


def _checked_errors(errors: str, op: str) -> None:
    if not isinstance(errors, str):
        raise TypeError(f"Expected string for argument 'errors' not {errors!r}.")
    if errors not in _ERRORS:
        refuse_attr("errors", errors, _ERRORS, op)


class _Decoder:
    """Decodes strings into characters and the offsets where they begin."""

    def __init__(
        self, encoding: str, errors: str, replacement: int, controls: bool, op: str
    ) -> None:
        _checked_errors(errors, op)
        if not 0 <= replacement <= 0x10FFFF:
            raise invalid_argument(f"replacement_char out of unicode codepoint range [Op:{op}]")
        self.codec = _codec(encoding, op)
        self.errors, self.replacement, self.controls, self.op = errors, replacement, controls, op

    def characters(self, data: bytes) -> tuple[list[int], list[int]]:
        """The code points and offsets in bytes."""
        codes: list[int] = []
        offsets: list[int] = []
        offset = 0
        while offset < len(data):
            try:
                text, bad = data[offset:].decode(self.codec), None
            except UnicodeDecodeError as error:
                text, bad = data[offset : offset + error.start].decode(self.codec), error
            for char in text:
                codes.append(ord(char))
                offsets.append(offset)
                offset += self._width(char)
            if bad is not None:
                if self.errors == "strict":
                    raise invalid_argument(f"Invalid formatting on input string [Op:{self.op}]")
                if self.errors == "replace":
                    codes.append(self.replacement)
                    offsets.append(offset)
                offset += bad.end - bad.start
        if self.controls and self.errors == "ignore":
            kept = [pair for pair in zip(codes, offsets, strict=True) if pair[0] >= 0x20]
            return [code for code, _ in kept], [offset for _, offset in kept]
        if self.controls:
            codes = [self.replacement if code < 0x20 else code for code in codes]
        return codes, offsets

    def _width(self, char: str) -> int:
        if self.codec == "utf-8":
            code = ord(char)
            return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
        return _WIDTHS.get(self.codec) or len(char.encode(self.codec))


def _int32(values: list[int]) -> Tensor:
    return _core.as_tensor(np.array(values, np.int32))


def _int64(values: list[int]) -> Tensor:
    return _core.as_tensor(np.array(values, np.int64))


def _decoded(value: TensorLike, decoder: _Decoder, make_rows: Any, split: bool = False) -> Any:
    if isinstance(value, RaggedTensor):
        parts = _decoded(value.flat_values, decoder, make_rows, split)
        return tuple(value.with_flat_values(part) for part in parts)
    x = strings(value, decoder.op)
    if decoder.codec == "utf-8" and not decoder.controls:
        # Strings that are not valid come back as nothing at all.
        codes, offsets, splits = _ops.utf8_decode(x)
        if splits._size:
            shape = x._shape_tuple()
            parts = (_characters(codes) if split else codes, offsets)
            return tuple(as_rows(part, splits, shape) for part in parts)
    pairs = [decoder.characters(item) for item in items(x)]
    return make_rows(pairs, x._shape_tuple())


def _characters(codes: Tensor) -> Tensor:
    """Each code point as a string."""
    places = _ops.range(
        _ops.zeros([], dtypes.int64),
        _core.convert(codes._size + 1, dtypes.int64, None),
        _ops.ones([], dtypes.int64),
    )
    return _ops.utf8_encode(codes, places)


def _codes_and_offsets(pairs: list, shape: tuple) -> tuple:
    return (
        rows([codes for codes, _ in pairs], shape, _int32),
        rows([offsets for _, offsets in pairs], shape, _int64),
    )


@op_function(in_graph=on_host(rows_of(dtypes.int32, dtypes.int64)))
def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor] | tuple[RaggedTensor, RaggedTensor]:
    """The characters of each string, and where each begins.

    Args:
        input: strings.
        input_encoding: for instance "UTF-8", "UTF-16-BE" or "ISO-8859-1".
        errors: what happens to invalid bytes: "replace", "ignore", or "strict"
            for an error.
        replacement_char: what replaces them.
        replace_control_characters: whether the characters below 32 are replaced too.

    Returns:
        Code points, int32, and offsets in bytes, int64: vectors for a single string, else ragged
        tensors with one axis more.

    Raises:
        tf.errors.InvalidArgumentError: if the encoding is unknown, or a string is invalid and
            `errors` is "strict".

    >>> codes, offsets = tf.strings.unicode_decode_with_offsets("a\\u00e9b", "UTF-8")
    >>> codes.numpy(), offsets.numpy()
    (array([ 97, 233,  98], dtype=int32), array([0, 1, 3]))
    """
    decoder = _Decoder(
        input_encoding,
        errors,
        replacement_char,
        replace_control_characters,
        "UnicodeDecodeWithOffsets",
    )
    return _decoded(input, decoder, _codes_and_offsets)


@op_function(in_graph=on_host(rows_of(dtypes.int32)))
def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """The code points of each string, int32; see `unicode_decode_with_offsets`.

    >>> tf.strings.unicode_decode("a\\u00e9", "UTF-8").numpy()
    array([ 97, 233], dtype=int32)
    """
    decoder = _Decoder(
        input_encoding, errors, replacement_char, replace_control_characters, "UnicodeDecode"
    )
    return _decoded(input, decoder, _codes_and_offsets)[0]


@op_function(in_graph=on_host(rows_of(dtypes.string, dtypes.int64)))
def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Tensor, Tensor] | tuple[RaggedTensor, RaggedTensor]:
    """Each string as its characters, and where each begins; see `unicode_decode_with_offsets`.

    >>> parts, offsets = tf.strings.unicode_split_with_offsets("ab", "UTF-8")
    >>> parts.numpy(), offsets.numpy()
    (array([b'a', b'b'], dtype=object), array([0, 1]))
    """
    decoder = _Decoder(input_encoding, errors, replacement_char, False, "UnicodeDecodeWithOffsets")

    def split_rows(pairs: list, shape: tuple) -> tuple:
        encoded = [
            [_encoded([code], decoder.codec, "replace", replacement_char) for code in codes]
            for codes, _ in pairs
        ]
        return rows(encoded, shape, byte_vector), rows([p for _, p in pairs], shape, _int64)

    return _decoded(input, decoder, split_rows, True)


@op_function(in_graph=on_host(rows_of(dtypes.string)))
def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Each string as its characters; see `unicode_decode_with_offsets`.

    >>> tf.strings.unicode_split("ab", "UTF-8").numpy()
    array([b'a', b'b'], dtype=object)
    """
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


def _encoded(codes: list[int], codec: str, errors: str, replacement: int) -> bytes:
    chars = []
    for code in codes:
        if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            chars.append(chr(code))
        elif errors == "strict":
            raise invalid_argument(
                "Code point is out of range for Unicode, or is a surrogate. [Op:UnicodeEncode]"
            )
        elif errors == "replace":
            chars.append(chr(replacement))
    return "".join(chars).encode(codec, "replace")


def _output(encoding: str, op: str) -> str:
    if not isinstance(encoding, str):
        raise TypeError(f"Expected string for argument 'output_encoding' not {encoding!r}.")
    if encoding not in _OUTPUTS:
        refuse_attr("output_encoding", encoding, _OUTPUTS, op)
    return _OUTPUTS[encoding]


def _encoded_spec(input: Tensor, *args: object, **kwargs: object) -> TypeSpec:
    if not isinstance(input, RaggedTensor):
        return TensorSpec(known_rank(_core.as_tensor(input)).shape[:-1], dtypes.string)
    shape, splits = input.shape[:-1], input.row_splits.dtype
    if min(input.ragged_rank, len(shape) - 1) == 0:
        return TensorSpec(shape, dtypes.string)
    return RaggedTensorSpec(shape, dtypes.string, min(input.ragged_rank, len(shape) - 1), splits)


@op_function(in_graph=on_host(_encoded_spec))
def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Strings of characters along the last axis.

    Args:
        input: code points, int32 `[..., characters]`, or ragged.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what happens to invalid code points: "replace", "ignore", or "strict"
            for an error.
        replacement_char: what replaces them.

    Raises:
        tf.errors.InvalidArgumentError: if the encoding is unknown, or a code point is invalid and
            `errors` is "strict".

    >>> tf.strings.unicode_encode([97, 233], "UTF-8").numpy()
    b'a\\xc3\\xa9'
    """
    if not isinstance(input, RaggedTensor):
        input = _core.as_tensor(input)
        if input.ndim == 0:
            raise ValueError("input_tensor's rank must be at least 1.")
    if input.dtype != dtypes.int32:
        raise invalid_argument(f"input was expected to be a int32 tensor, not {input.dtype.name}")
    return _encode(input, output_encoding, errors, replacement_char)


@composed_op("UnicodeEncode", overridable=False, input=Input("int32"))
def _encode(input: TensorLike, output_encoding: str, errors: str, replacement_char: int) -> Any:
    codec = _output(output_encoding, "UnicodeEncode")
    _checked_errors(errors, "UnicodeEncode")
    if isinstance(input, RaggedTensor):
        if input.ragged_rank > 1:
            inner = _encode(input.values, output_encoding, errors, replacement_char)
            return input.with_values(inner)
        if len(input.shape) > 2:
            inner = _encode(input.flat_values, output_encoding, errors, replacement_char)
            return input.with_values(inner)
        if codec == "utf-8":
            encoded = _natively_encoded(input.flat_values, input.row_splits)
            if encoded is not None:
                return encoded
        lines = input.to_list()
        shape = [len(lines)]
    else:
        x = _core.convert(input, None, dtypes.int32)
        *shape, size = x._shape_tuple()
        if codec == "utf-8" and x._size:
            splits = np.arange(x._size // size + 1) * size
            encoded = _natively_encoded(_ops.reshape(x, [-1]), splits)
            if encoded is not None:
                return _ops.reshape(encoded, shape)
        flat = x.numpy().reshape(-1, size).tolist() if x._size else [[]] * int(np.prod(shape))
        lines = flat
    return_scalar = not shape
    texts = [_encoded(line, codec, errors, replacement_char) for line in lines]
    return from_items(texts, () if return_scalar else shape)


def _natively_encoded(codes: Tensor, splits: TensorLike) -> Tensor | None:
    """Rows of code points in UTF-8; None if any is invalid."""
    try:
        return _ops.utf8_encode(codes, _ops.cast(splits, dtypes.int64))
    except InvalidArgumentError:
        return None


@composed_op("UnicodeTranscode", elementwise=1, input=Input("string"), in_graph=on_host(like()))
def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Strings in another encoding.

    Args:
        input: strings.
        input_encoding: their encoding.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what happens to invalid bytes, see
            `unicode_decode_with_offsets`.
        replacement_char: what replaces them.
        replace_control_characters: whether the characters below 32 are replaced too.

    Raises:
        tf.errors.InvalidArgumentError: if an encoding is unknown, or a string is invalid and
            `errors` is "strict".

    >>> tf.strings.unicode_transcode("a", "UTF-8", "UTF-16-BE").numpy()
    b'\\x00a'
    """
    op = "UnicodeTranscode"
    codec = _output(output_encoding, op)
    decoder = _Decoder(input_encoding, errors, replacement_char, replace_control_characters, op)
    x = strings(input, op)
    if decoder.codec == "utf-8" and not replace_control_characters:
        if _ops.utf8_decode(x)[2]._size:
            if codec == "utf-8":
                return _ops.identity(x)
            texts = [item.decode().encode(codec) for item in items(x)]
            return from_items(texts, x._shape_tuple())

    def transcoded(item: bytes) -> bytes:
        return _encoded(decoder.characters(item)[0], codec, "replace", replacement_char)

    return each(transcoded, x, op)


@functools.cache
def _scripts() -> tuple[np.ndarray, np.ndarray]:
    """Where runs of characters of one script begin, and ICU's ids of the scripts."""
    with np.load(Path(__file__).with_name("unicode_scripts.npz")) as tables:
        return tables["starts"], tables["scripts"]


@composed_op(
    "UnicodeScript",
    elementwise=1,
    promotion="none",
    input=Input("int32"),
    in_graph=on_host(like(dtypes.int32)),
)
def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """The script of each character, as ICU's id.

    Args:
        input: code points, int32.

    Returns:
        int32 of the same shape; -1 for invalid code points.

    >>> tf.strings.unicode_script([97, 0x4E00]).numpy()
    array([25, 17], dtype=int32)
    """
    x = _core.convert(input, dtypes.int32, None)
    starts, scripts = _scripts()
    codes = np.asarray(x)
    ids = scripts[np.searchsorted(starts, codes.clip(0), side="right") - 1]
    known = (codes >= 0) & (codes <= 0x10FFFF)
    return _core.as_tensor(np.where(known, ids, -1).astype(np.int32))

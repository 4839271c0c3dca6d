"""Operations on byte strings: joining, splitting, formatting, converting."""

from __future__ import annotations

import collections
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError, OutOfRangeError
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import always, hosted, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import require_memory
from eagerflow.framework.tensor import items
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ops.array import broadcast_static_shape, invalid_argument
from eagerflow.ops.composed_op import ALL_TYPES, INDEX_TYPES, NUMERIC_TYPES, Input, composed_op
from eagerflow.ops.printing import tensor_text
from eagerflow.ops.refusals import refuse_attr
from eagerflow.ops.segment import segment_count
from eagerflow.ragged import graph_specs
from eagerflow.ragged.construction import map_flat_values
from eagerflow.ragged.reduction import joined
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.strings.elementwise import (
    byte_vector,
    cut,
    each,
    from_items,
    known_rank,
    like,
    natively,
    row_spec,
    rows_of,
    split_rows,
    strings,
)
from eagerflow.typing import Axes, DTypeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_LONGEST_NUMBER = 1 << 20  # characters of a number as text

_FILLS = {"": "", "0": "0", " ": " ", "-": "-", "+": "+"}


@composed_op(
    "AsString",
    elementwise=1,
    input=Input(NUMERIC_TYPES, "bool", "string"),
    in_graph=on_host(like()),
)
def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """The elements as decimal strings.

    Args:
        input: numbers, booleans or strings.
        precision: how many digits floats have after the point; 6 by default.
        scientific: whether to write an exponent.
        shortest: whether to write an exponent only where that is shorter.
        width: how long results are at least.
        fill: the padding: nothing or spaces in front, "0" zeros in front, "-" spaces behind,
            "+" a sign.

    Raises:
        tf.errors.InvalidArgumentError: if a format does not apply to the dtype.

    >>> tf.strings.as_string([3.1415, 2.0], precision=2).numpy()
    array([b'3.14', b'2.00'], dtype=object)
    """
    x = _core.as_tensor(input)
    dtype = x.dtype
    if dtype is dtypes.string:
        return _ops.identity(x)
    if dtype in dtypes.STORED_DTYPES:
        _core.refuse_attr("T", dtype, ALL_TYPES - dtypes.STORED_DTYPES, "AsString")
    real = dtype.is_floating or dtype.is_complex
    if fill not in _FILLS:
        raise invalid_argument(f'Fill argument not supported: "{fill}" [Op:AsString]')
    if scientific and shortest:
        raise invalid_argument("Cannot select both scientific and shortest notation [Op:AsString]")
    if not real and (scientific or shortest):
        raise invalid_argument(
            f"scientific and shortest format not supported for datatype {dtype.name} [Op:AsString]"
        )
    if not real and precision > -1:
        raise invalid_argument(f"precision not supported for datatype {dtype.name} [Op:AsString]")
    if max(width, precision) > _LONGEST_NUMBER:
        raise invalid_argument(
            f"width and precision must be at most {_LONGEST_NUMBER}, got {width} and {precision} "
            "[Op:AsString]"
        )
    if dtype.is_bool:
        texts = ["true" if item else "false" for item in x.numpy().reshape(-1).tolist()]
        return from_items([text.encode() for text in texts], x._shape_tuple())
    if not fill and width < 0 and not dtype.is_complex:
        notation = "scientific" if scientific else "shortest" if shortest else "fixed"
        return _ops.string_of_number(x, precision if precision > -1 else 6, notation)
    pattern = "%" + fill + (str(width) if width > -1 else "")
    if real:
        digits = f".{precision}" if precision > -1 else ""
        pattern += digits + ("e" if scientific else "g" if shortest else "f")
    else:
        pattern += "d"
    values = np.asarray(x.numpy()).reshape(-1)
    if dtype.is_complex:
        texts = [f"({pattern % z.real},{pattern % z.imag})" for z in values.tolist()]
    else:
        kind = float if real else int
        texts = [pattern % kind(value) for value in values]
    return from_items([text.encode() for text in texts], x._shape_tuple())


@composed_op(
    "StringSplit", input=Input("string", converts="alone"), in_graph=on_host(rows_of(dtypes.string))
)
def bytes_split(input: TensorLike, name: str | None = None) -> Tensor | RaggedTensor:
    """Each string as its bytes.

    Args:
        input: strings, of any rank, or ragged.

    Returns:
        A vector for a single string, else a ragged tensor with one axis more.

    >>> tf.strings.bytes_split("ab").numpy()
    array([b'a', b'b'], dtype=object)
    """
    return cut(
        lambda item: [item[k : k + 1] for k in range(len(item))],
        input,
        "StringSplitBytes",
        byte_vector,
    )


@op_function(in_graph=on_host(always(TensorSpec([], dtypes.string))))
def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A template with its placeholders replaced by tensors, as `tf.print` shows them.

    Args:
        template: the text.
        inputs: a tensor, or a list of tensors, one for each placeholder.
        placeholder: what to replace.
        summarize: how many elements to show at both ends of long axes; -1 shows all.

    Raises:
        ValueError: if there are more or fewer placeholders than tensors.

    >>> tf.strings.format("got {} and {}", (tf.constant([1, 2]), tf.constant("x"))).numpy()
    b'got [1 2] and "x"'
    """
    values = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    parts = template.split(placeholder)
    if len(parts) - 1 != len(values):
        raise ValueError(
            f"The template expects {len(parts) - 1} tensors, but the inputs only has "
            f"{len(values)}. Please ensure the number of placeholders in template matches inputs "
            "length."
        )
    text = parts[0]
    for value, part in zip(values, parts[1:], strict=True):
        if isinstance(value, CompositeTensor):
            text += value._print_text(summarize) + part
        else:
            text += tensor_text(_core.as_tensor(value), summarize) + part
    return _core.convert(text, dtypes.string, None)


@op_function
def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Joins strings of several tensors element by element.

    Args:
        inputs: a list of tensors of one shape; scalars are broadcast.
        separator: what comes between.

    Raises:
        tf.errors.InvalidArgumentError: if shapes or the rows of ragged tensors differ.

    >>> tf.strings.join([["a", "b"], "x"], separator="-").numpy()
    array([b'a-x', b'b-x'], dtype=object)
    """
    listed = isinstance(inputs, list | tuple) or (
        isinstance(inputs, Tensor | _core.Variable) and isinstance(separator, str)
    )
    if not listed:
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs}.")
    if any(isinstance(value, RaggedTensor) for value in inputs):
        return map_flat_values(lambda *flat: join(flat, separator), *inputs)
    tensors = [strings(value, "StringJoin") for value in inputs]
    if not tensors:
        return _core.convert(b"", dtypes.string, None)
    return _ops.string_join(separator, tensors)


_UNITS = ("BYTE", "UTF8_CHAR")


def _checked_unit(unit: str, op: str) -> bool:
    """Whether characters count, not bytes."""
    if unit not in _UNITS:
        refuse_attr("unit", unit, _UNITS, op)
    return unit == "UTF8_CHAR"


def _starts(item: bytes) -> list[int]:
    """Where characters begin: at all bytes but continuation bytes."""
    return [place for place, byte in enumerate(item) if byte & 0xC0 != 0x80]


@composed_op("StringLength", elementwise=1, input=Input("string"))
def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """How long each string is, int32.

    Args:
        input: strings.
        unit: "BYTE" or "UTF8_CHAR".

    Raises:
        tf.errors.InvalidArgumentError: for another unit.

    >>> tf.strings.length(["a", "\\u00e9"], unit="BYTE").numpy()
    array([1, 2], dtype=int32)
    """
    characters = _checked_unit(unit, "StringLength")
    return natively(_ops.string_length, input, "StringLength", characters)


def _checked_encoding(encoding: str, op: str) -> bool:
    if encoding not in ("", "utf-8"):
        raise invalid_argument(
            f"only utf-8 or '' (no encoding) is supported, received {encoding} [Op:{op}]"
        )
    return encoding == "utf-8"


@composed_op("StringLower", elementwise=1, input=Input("string"))
def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor | RaggedTensor:
    """The strings in lower case.

    Args:
        input: strings.
        encoding: "" changes A to Z only, "utf-8" all letters.

    Raises:
        tf.errors.InvalidArgumentError: for another encoding.

    >>> tf.strings.lower("Hello").numpy()
    b'hello'
    """
    if _checked_encoding(encoding, "StringLower"):
        return each(lambda s: s.decode("utf-8", "replace").lower().encode(), input, "StringLower")
    return natively(_ops.string_case, input, "StringLower", False)


@composed_op("StringUpper", elementwise=1, input=Input("string"))
def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor | RaggedTensor:
    """The strings in upper case; see `tf.strings.lower`.

    >>> tf.strings.upper("Hello").numpy()
    b'HELLO'
    """
    if _checked_encoding(encoding, "StringUpper"):
        return each(lambda s: s.decode("utf-8", "replace").upper().encode(), input, "StringUpper")
    return natively(_ops.string_case, input, "StringUpper", True)


@composed_op("StringStrip", elementwise=1, input=Input("string"))
def strip(input: TensorLike, name: str | None = None) -> Tensor | RaggedTensor:
    """The strings without white space at both ends.

    >>> tf.strings.strip("  a b ").numpy()
    b'a b'
    """
    return natively(_ops.string_strip, input, "StringStrip")


def _split_spec(input: Tensor, *args: object, **kwargs: object) -> TypeSpec:
    if not isinstance(input, RaggedTensor) and _core.as_tensor(input).ndim is None:
        # The strings are then taken to be a vector.
        return RaggedTensorSpec([None, None], dtypes.string, 1)
    return row_spec(input)


@composed_op(
    "StringSplitV2",
    input=Input("string", converts="alone"),
    sep=Input("string", converts="alone"),
    in_graph=on_host(_split_spec),
)
def split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Splits strings at a separator.

    Args:
        input: strings, of any rank, or ragged.
        sep: the separator; without one, strings are split at runs of white
            space.
        maxsplit: how often to split at most; -1 for everywhere.

    Returns:
        A vector for a single string, else a ragged tensor with one axis more.

    >>> tf.strings.split("a b  c").numpy()
    array([b'a', b'b', b'c'], dtype=object)
    """
    separator = b""
    if sep is not None:
        separator = items(_core.convert(sep, dtypes.string, None))[0]
    if maxsplit < 0:
        return split_rows(input, separator, "StringSplitV2")
    if separator:
        return cut(
            lambda item: item.split(separator, maxsplit) if item else [b""],
            input,
            "StringSplitV2",
            byte_vector,
        )
    return cut(lambda item: item.split(None, maxsplit), input, "StringSplitV2", byte_vector)


def _part_spec(
    input: Tensor, pos: TensorLike, len: object, unit: str = "BYTE", name: str | None = None
) -> TypeSpec:
    shapes = [_core.as_tensor(value).shape for value in (input, pos)]
    return TensorSpec(broadcast_static_shape(*shapes), dtypes.string)


@composed_op(
    "Substr",
    elementwise=3,
    input=Input("string"),
    pos=Input(INDEX_TYPES, type="Tpos"),
    len=Input(INDEX_TYPES, type="Tpos"),
    in_graph=on_host(_part_spec),
)
def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Substrings of strings.

    Args:
        input: strings.
        pos: where substrings begin; negative positions count from the end.
        len: how long they are at most; of the shape of `pos`.
        unit: "BYTE" or "UTF8_CHAR".

    Returns:
        Strings, of the shape to which `input` and `pos` broadcast.

    Raises:
        tf.errors.InvalidArgumentError: if a position is outside its string, or shapes do not match.

    >>> tf.strings.substr(["hello", "world"], [1, 2], [3, 2]).numpy()
    array([b'ell', b'rl'], dtype=object)
    """
    characters = _checked_unit(unit, "Substr")
    text = strings(input, "Substr")
    positions = _core.as_tensor(pos)
    sizes = _core.as_tensor(len)
    for value in (positions, sizes):
        if value.dtype not in (dtypes.int32, dtypes.int64):
            _core.refuse_attr("T", value.dtype, INDEX_TYPES, "Substr")
    if positions._shape_tuple() != sizes._shape_tuple():
        raise invalid_argument(
            f"pos and len should have the same shape, got: {list(positions._shape_tuple())} vs. "
            f"{list(sizes._shape_tuple())} [Op:Substr]"
        )
    if not text.ndim or not positions.ndim or text._shape_tuple() == positions._shape_tuple():
        try:
            where, sizes64 = (_ops.cast(value, dtypes.int64) for value in (positions, sizes))
            return _ops.string_part(text, where, sizes64, characters)
        except InvalidArgumentError:
            pass  # the message below shows the string
    array = np.empty(text._size, object)
    array[:] = items(text)
    try:
        parts = np.broadcast_arrays(array.reshape(text._shape_tuple()), positions, sizes)
    except ValueError:
        raise invalid_argument(
            f"Incompatible shapes: {list(text._shape_tuple())} vs. "
            f"{list(positions._shape_tuple())} [Op:Substr]"
        ) from None
    flat = [part.reshape(-1).tolist() for part in parts]
    result = [
        _part(item, start, size, characters, index)
        for index, (item, start, size) in enumerate(zip(*flat, strict=True))
    ]
    return from_items(result, parts[0].shape)


def _part(item: bytes, place: int, size: int, characters: bool, index: int) -> bytes:
    bounds = [*_starts(item), len(item)] if characters else None
    total = len(item) if bounds is None else len(bounds) - 1
    if not -total <= place <= total:
        raise invalid_argument(
            f"pos {place} out of range for string b'{item.decode('utf-8', 'backslashreplace')}' "
            f"at index {index} [Op:Substr]"
        )
    place = place + total if place < 0 else place
    end = total if size < 0 else min(place + size, total)
    return item[place:end] if bounds is None else item[bounds[place] : bounds[end]]


_NUMBERS = (
    *(dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64),
    *(dtypes.uint32, dtypes.uint64),
)


@composed_op("StringToNumber", elementwise=1, input=Input("string"), out_type=DType)
def to_number(input: Any, out_type: DTypeLike = dtypes.float32, name: str | None = None) -> Any:
    """Parses strings as numbers.

    Args:
        input: strings: decimal or, for floats, hexadecimal numbers, "inf" and "nan".
        out_type: float32, float64, or an integer of 32 or 64 bits. A float that is too large for it
            is infinite.

    Raises:
        tf.errors.InvalidArgumentError: if a string is not a number of that dtype.

    >>> tf.strings.to_number(["1.5", " 2 "]).numpy()
    array([1.5, 2. ], dtype=float32)
    """
    dtype = dtypes.as_dtype(out_type)
    if dtype not in _NUMBERS:
        _core.refuse_attr("out_type", dtype, _NUMBERS, "StringToNumber")
    return natively(_ops.string_to_number, input, "StringToNumber", dtype)


def _joined_spec(
    inputs: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> TypeSpec:
    if isinstance(inputs, RaggedTensor):
        return graph_specs.reduced("reduce_sum", inputs, axis, keepdims)
    x = _core.as_tensor(inputs)
    known = None if axis is None else _core.static_value(_core.convert(axis, None, dtypes.int32))
    if x.ndim is None or (axis is not None and known is None):
        return TensorSpec(None, dtypes.string)
    rank = x.ndim
    listed = range(rank) if known is None else known.numpy().reshape(-1).tolist()
    joined_axes = {k % rank for k in listed}
    sizes = [
        1 if k in joined_axes else size
        for k, size in enumerate(x.shape)
        if keepdims or k not in joined_axes
    ]
    return TensorSpec(sizes, dtypes.string)


@op_function(in_graph=on_host(_joined_spec))
def reduce_join(
    inputs: TensorLike,
    axis: Axes | None = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Tensor | RaggedTensor:
    """Joins the strings along axes.

    Args:
        inputs: strings.
        axis: an axis, or a list of axes in the order of joining; all by default, from the last to
            the first.
        keepdims: whether joined axes stay, with size 1.
        separator: what comes between.

    Raises:
        tf.errors.OutOfRangeError: if there is no such axis.
        tf.errors.InvalidArgumentError: if an axis is given twice.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0, separator="-").numpy()
    array([b'a-c', b'b-d'], dtype=object)
    """
    if isinstance(inputs, RaggedTensor):
        strings(inputs.flat_values, "ReduceJoin")
        return _join_ragged(inputs, axis, keepdims, separator)
    return _join(inputs, axis, keepdims, separator)


@composed_op("ReduceJoin", overridable=False, inputs=Input("string"), axis=Input("int32"))
def _join(inputs: TensorLike, axis: Any, keepdims: bool, separator: str) -> Tensor:
    x = strings(inputs, "ReduceJoin")
    rank = x.ndim
    if axis is None:
        axes = list(range(rank))[::-1]
    else:
        axes = [int(k) for k in np.asarray(_core.convert(axis, None, dtypes.int32)).reshape(-1)]
    for k in axes:
        if not -rank <= k < rank:
            raise OutOfRangeError._of(
                f"Invalid reduction dimension {k} for input with {rank} dimension(s) "
                "[Op:ReduceJoin]"
            )
    axes = [k % rank for k in axes]
    if len(set(axes)) != len(axes):
        twice = next(k for k in axes if axes.count(k) > 1)
        raise invalid_argument(f"Duplicate reduction dimension {twice} [Op:ReduceJoin]")
    shape = x._shape_tuple()
    if x._size and axes and axes == list(range(rank))[: -len(axes) - 1 : -1]:
        for width in [shape[k] for k in axes]:
            x = _ops.string_join_rows(separator, _ops.reshape(x, [x._size // width, width]))
        outer = list(shape[: rank - len(axes)])
        return _ops.reshape(x, [*outer, *[1] * len(axes)] if keepdims else outer)
    kept = [k for k in range(rank) if k not in axes]
    array = np.empty(x._size, object)
    array[:] = items(x)
    inner = math.prod(shape[k] for k in axes)
    moved = (
        array.reshape(shape).transpose([*kept, *axes[::-1]]).reshape(-1, inner) if inner else None
    )
    count = math.prod(shape[k] for k in kept)
    between = separator.encode()
    lines = [between.join(row) for row in moved.tolist()] if moved is not None else [b""] * count
    result = [1 if k in axes else shape[k] for k in range(rank)] if keepdims else None
    return from_items(lines, [shape[k] for k in kept] if result is None else result)


def _join_ragged(inputs: Any, axis: Any, keepdims: bool, separator: str) -> Any:
    """Joins along one axis of a ragged tensor, row by row."""
    if axis is None or isinstance(axis, list | tuple):
        axes = range(inputs.ragged_rank, -1, -1) if axis is None else sorted(axis, reverse=True)
        for k in axes:
            inputs = reduce_join(inputs, k, keepdims, separator)
        return inputs
    rank = inputs.shape.rank
    axis = int(axis) % rank
    if axis > 1:
        return inputs.with_values(reduce_join(inputs.values, axis - 1, keepdims, separator))
    result = joined(inputs, axis, separator.encode())
    return _core.ops.expand_dims(result, axis) if keepdims else result


def _segments_spec(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> TensorSpec:
    x, ids = _core.as_tensor(inputs), _core.convert(segment_ids, None, dtypes.int32)
    if x.ndim is None or ids.ndim is None:
        return TensorSpec(None, dtypes.string)
    known = _core.static_value(_core.as_tensor(num_segments))
    count = None if known is None else int(known.numpy())
    return TensorSpec([count, *x.shape[ids.ndim :]], dtypes.string)


@composed_op(
    "UnsortedSegmentJoin",
    inputs=Input("string"),
    segment_ids=Input(INDEX_TYPES, type="Tindices"),
    num_segments=Input(INDEX_TYPES, type="Tnum", prefer="int32"),
    in_graph=on_host(_segments_spec),
)
def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """Joins the strings of each segment.

    Args:
        inputs: strings.
        segment_ids: integers, of the shape of the first axes of `inputs`.
        num_segments: the number of segments.
        separator: what comes between.

    Returns:
        `[num_segments, ...]`.

    Raises:
        tf.errors.InvalidArgumentError: if an id is negative or too large.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2).numpy()
    array([b'b', b'ac'], dtype=object)
    """
    op = "UnsortedSegmentJoin"
    x = strings(inputs, op)
    ids = np.asarray(_core.convert(segment_ids, None, dtypes.int32))
    count = segment_count(num_segments)
    if x._shape_tuple()[: ids.ndim] != ids.shape:
        raise invalid_argument(
            f"segment_ids of shape {list(ids.shape)} do not fit inputs of shape "
            f"{list(x._shape_tuple())} [Op:{op}]"
        )
    if ids.size and (ids.min() < 0 or ids.max() >= count):
        raise invalid_argument(
            "segment_ids are not allowed to exceed num_segments or to have negative values. "
            f"[Op:{op}]"
        )
    inner = x._shape_tuple()[ids.ndim :]
    width = math.prod(inner)
    require_memory([int(count), width], dtypes.string)
    cells = collections.defaultdict(list)
    flat = items(x)
    for row, segment in enumerate(ids.reshape(-1).tolist()):
        for column in range(width):
            cells[segment, column].append(flat[row * width + column])
    lines = np.full([count, width], b"", object)
    between = separator.encode()
    for cell, parts in cells.items():
        lines[cell] = between.join(parts)
    return _core.convert(lines.reshape([count, *inner]), dtypes.string, None)


def _check_pads(pad_values: str | tuple[str, str]) -> None:
    pair = pad_values if isinstance(pad_values, tuple | list) else (pad_values, pad_values)
    if len(pair) != 2 or not all(isinstance(word, str | bytes) for word in pair):
        raise TypeError(
            f"pad_values must be a string, tuple of strings, or None. Got {type(pad_values).__name__}"
        )


def _checked_strings(data: TensorLike) -> CompositeTensor | Tensor:
    if isinstance(data, CompositeTensor) and data.dtype is dtypes.string:
        return data
    return _core.convert(data, dtypes.string, None)


def _ngrams_spec(data: Any, *args: object, **kwargs: object) -> TypeSpec:
    data = _checked_strings(data)
    if not isinstance(data, RaggedTensor):
        return TensorSpec([*known_rank(data).shape[:-1], None], dtypes.string)
    spec = data._type_spec
    shape = [*spec.shape[:-1], None]
    return RaggedTensorSpec(shape, dtypes.string, spec.ragged_rank, spec.row_splits_dtype)


@op_function(in_graph=on_host(_ngrams_spec))
def ngrams(
    data: TensorLike,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Joins runs of consecutive strings (n-grams).

    Args:
        data: strings `[..., words]`, or ragged.
        ngram_width: how many words a run has, or a list of widths.
        separator: what comes between words.
        pad_values: a word, or a pair of words, put before and after each sequence.
        padding_width: how many of them at most; by default as many as a run of the same width
            needs.
        preserve_short_sequences: whether a sequence too short for an n-gram is itself one.

    Returns:
        A tensor, or a ragged tensor if the sequences are ragged.

    Raises:
        ValueError: if a width is not positive.
        TypeError: if the padding words are no strings.

    >>> tf.strings.ngrams(["a", "b", "c"], 2).numpy()
    array([b'a b', b'b c'], dtype=object)
    """
    if pad_values is not None:
        _check_pads(pad_values)
    data = _checked_strings(data)
    widths: list = list(ngram_width) if isinstance(ngram_width, Sequence) else [ngram_width]
    for width in widths:
        if width < 1:
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if padding_width is not None and padding_width < 1:
        raise ValueError(f"padding_width must be greater than 0. Got {padding_width}")
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    left = right = b""
    if pad_values is not None:
        pair = pad_values if isinstance(pad_values, tuple | list) else (pad_values, pad_values)
        left, right = (word if isinstance(word, bytes) else word.encode() for word in pair)
    between = separator.encode()
    flat_values = (
        data.flat_values if isinstance(data, RaggedTensor) else strings(data, "StringNGrams")
    )
    is_empty = flat_values._size == 0

    def runs(words: list[bytes]) -> list[bytes]:
        found: list[bytes] = []
        if is_empty:  # without any word, there is nothing to pad either
            return found
        for width in widths:
            pads = 0
            if pad_values is not None:
                pads = width - 1 if padding_width is None else min(padding_width, width - 1)
            count = len(words) + 2 * pads - width + 1
            if count < 1:
                continue
            require_memory([count, width], dtypes.int8)  # a byte for each word is the least
            line = [left] * pads + words + [right] * pads
            found += [between.join(line[k : k + width]) for k in range(count)]
        if preserve_short_sequences and words and not found:
            found.append(between.join(words))
        return found

    if isinstance(data, RaggedTensor):
        if data.ragged_rank > 1:
            inner = ngrams(
                data.values, widths, separator, pad_values, padding_width, preserve_short_sequences
            )
            return data.with_values(inner)
        if data.values.ndim > 1:
            raise invalid_argument("Sequences of words have no inner axes. [Op:StringNGrams]")
        lines = [runs(row) for row in data.to_list()]
        flat = byte_vector([run for line in lines for run in line])
        return RaggedTensor.from_row_lengths(
            flat, np.array([len(line) for line in lines], np.int64)
        )
    if flat_values.ndim == 0:
        raise ValueError("Data must have rank of at least 1")
    *outer, size = flat_values._shape_tuple()
    flat_items = items(flat_values)
    count = math.prod(outer)
    lines = [runs(flat_items[k * size : (k + 1) * size]) for k in range(count)]
    width = len(lines[0]) if lines else 0
    return from_items([run for line in lines for run in line], [*outer, width])


@hosted(rows_of(dtypes.string))
def split_at_bytes(strings: Any, separators: Any, skip_empty: bool) -> Any:
    """The parts of each string as a ragged tensor; each byte of `separators` separates.

    An empty string of separators cuts between all bytes.
    """
    separators = _core.convert(separators, dtypes.string, None).numpy()
    pattern = re.compile(b"[" + re.escape(separators) + b"]") if separators else None

    def parts(item: bytes) -> list[bytes]:
        if not item:
            return []
        if pattern is None:
            return [item[i : i + 1] for i in range(len(item))]
        pieces = pattern.split(item)
        return [piece for piece in pieces if piece] if skip_empty else pieces

    return cut(parts, strings, "StringSplit", byte_vector)

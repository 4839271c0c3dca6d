"""Lines of comma-separated values as columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io.raw import strings_of, strings_tensor
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_ALLOWED = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def _invalid(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError._of(f"{message} [Op:DecodeCSV]")


def _quoted_field(line: bytes, at: int, delimiter: bytes) -> tuple[bytes, int]:
    """The quoted field that begins at `at`, and the index of its end."""
    parts = []
    start = at + 1
    while True:
        quote = line.find(b'"', start)
        if quote < 0:
            raise _invalid("Quoted field has to end with quote followed by delim, CRLF, or EOF")
        parts.append(line[start:quote])
        if line[quote + 1 : quote + 2] != b'"':
            break
        parts.append(b'"')
        start = quote + 2
    end = quote + 1
    if end < len(line) and line[end : end + 1] != delimiter:
        raise _invalid("Quote inside a string has to be escaped by another quote")
    return b"".join(parts), end


def split_line(line: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of one line.

    Raises:
        tf.errors.InvalidArgumentError: if quotes or line ends stand where they must not.
    """
    if not line:
        return []
    if not quotes or b'"' not in line:
        if b"\n" in line or b"\r" in line:
            raise _invalid("Unquoted fields cannot have quotes/CRLFs inside")
        return line.split(delimiter)
    fields: list[bytes] = []
    at = 0
    while True:
        if line[at : at + 1] == b'"':
            field, end = _quoted_field(line, at, delimiter)
        else:
            end = line.find(delimiter, at)
            end = len(line) if end < 0 else end
            field = line[at:end]
            if b'"' in field or b"\n" in field or b"\r" in field:
                raise _invalid("Unquoted fields cannot have quotes/CRLFs inside")
        fields.append(field)
        if end >= len(line):
            return fields
        at = end + 1


def _number(field: bytes, dtype: dtypes.DType, column: int) -> float:
    try:
        if b"_" in field:
            raise ValueError
        if dtype.is_floating:
            return float(field)
        value = int(field)
        if not dtype.min <= value <= dtype.max:
            raise ValueError
        return value
    except ValueError:
        raise _invalid(
            f"Field {column} in record is not a valid {dtype.name}: "
            f"{field.decode(errors='replace')}"
        ) from None


def _plain_columns(
    records: Any, options: tuple, kinds: list[dtypes.DType], fallbacks: list[Any]
) -> list[Tensor] | None:
    """The columns of lines without quotes and errors; None if a line has any."""
    if not all(isinstance(value, bytes | int | float | np.generic | None) for value in fallbacks):
        return None
    texts = _core.convert(records, None, dtypes.string)
    if texts.dtype is not dtypes.string or not texts._size or not kinds:
        return None
    fields = _ops.csv_fields(texts, *options)
    if not fields._size:
        return None
    shape, result = texts._shape_tuple(), []
    for column, kind, fallback in zip(_ops.unstack(fields), kinds, fallbacks, strict=True):
        absent = _ops.equal(column, "")
        some = bool(_ops.reduce_any(absent))
        if some and fallback is None:
            return None
        if kind is dtypes.string:
            values = _ops.select(absent, fallback, column) if some else column
        else:
            if some:
                column = _ops.select(absent, "0", column)
            try:
                values = _ops.string_to_number(column, kind)
            except errors.InvalidArgumentError:
                return None
            if some:
                values = _ops.select(absent, _core.convert(fallback, kind, None), values)
        result.append(_ops.reshape(values, shape))
    return result


def _columns_specs(records: Any, record_defaults: Any, *_: Any, **__: object) -> list[TensorSpec]:
    shape = _core.as_tensor(records).shape
    return [
        TensorSpec(
            shape,
            dtypes.as_dtype(default)
            if isinstance(default, dtypes.DType | type)
            else _core.as_tensor(default).dtype,
        )
        for default in record_defaults
    ]


@composed_op("DecodeCSV", in_graph=on_host(_columns_specs), records=Input("string"))
def decode_csv(
    records: TensorLike,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of lines of comma-separated values.

    Args:
        records: strings, each one line.
        record_defaults: for each column its default, a scalar or a vector with one element, which
            also determines the dtype; an empty vector or a dtype for a required column.
        field_delim: the character between fields.
        use_quote_delim: whether double quotes enclose fields, and double themselves inside.
        na_value: another text for an absent value.
        select_cols: the columns to read, in increasing order; all by default.

    Returns:
        A list with a tensor for each column, of the shape of `records`.

    Raises:
        ValueError: if `field_delim` is not one character or `select_cols` is not increasing.
        tf.errors.InvalidArgumentError: if a line has another number of fields, or a field that its
            dtype cannot hold.

    >>> [column.numpy().tolist() for column in tf.io.decode_csv(["1,a", ",b"], [[7], [""]])]
    [[1, 7], [b'a', b'b']]
    """
    if len(field_delim) != 1 or ord(field_delim) > 127 or field_delim in '"\n\r':
        raise _invalid("field_delim should be only 1 char, no quote and no line end")
    selected = None
    if select_cols is not None:
        selected = [int(column) for column in select_cols]
        if any(a >= b for a, b in zip(selected, selected[1:], strict=False)):
            raise ValueError("select_cols is not strictly increasing.")
        if selected and selected[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(selected) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    kinds: list[Any] = []
    fallbacks: list[Any] = []
    for default in record_defaults:
        tensor = None
        if isinstance(default, dtypes.DType | type):
            kinds.append(dtypes.as_dtype(default))
            fallbacks.append(None)
        else:
            tensor = _core.as_tensor(default)
            if tensor.ndim > 1 or tensor._size > 1:
                raise _invalid(
                    "Each record default should be at most rank 1 with one element, got shape "
                    f"{tensor.shape}"
                )
            kinds.append(tensor.dtype)
            values = np.asarray(tensor.numpy(), object).reshape(-1).tolist()
            fallbacks.append(values[0] if values else None)
        if kinds[-1] not in _ALLOWED:
            raise _invalid(f"record_defaults of dtype {kinds[-1].name} cannot be read from text")
    if not kinds:
        raise _invalid("record_defaults must name at least one column")

    columns = list(range(len(kinds))) if selected is None else selected
    plain = _plain_columns(
        records, (ord(field_delim), columns, use_quote_delim, selected is None), kinds, fallbacks
    )
    if plain is not None and not na_value:
        return plain
    lines, shape = strings_of(records, "DecodeCSV")
    delimiter, absent = field_delim.encode(), na_value.encode()
    values_by_column: list[list[Any]] = [[] for _ in kinds]
    for row, line in enumerate(lines):
        fields = split_line(line, delimiter, use_quote_delim)
        if selected is not None:
            fields = [fields[column] for column in selected if column < len(fields)]
        if len(fields) != len(kinds):
            raise _invalid(f"Expect {len(kinds)} fields but have {len(fields)} in record {row}")
        for k, field in enumerate(fields):
            if not field or field == absent:
                if fallbacks[k] is None:
                    raise _invalid(f"Field {k} is required but missing in record {row}!")
                values_by_column[k].append(fallbacks[k])
            elif kinds[k] is dtypes.string:
                values_by_column[k].append(field)
            else:
                values_by_column[k].append(_number(field, kinds[k], k))
    result = []
    for values, dtype in zip(values_by_column, kinds, strict=True):
        if dtype is dtypes.string:
            result.append(strings_tensor(values, shape))
        else:
            array = np.array(values, dtype.as_numpy_dtype).reshape(shape)
            result.append(_core.convert(array, dtype, None))
    return result

"""CsvDataset: the rows of CSV files as tuples of scalars."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np

from eagerflow import _core
from eagerflow.data.arguments import UNKNOWN, integer, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, DatasetSpec, UnaryDataset
from eagerflow.data.files import LineCursor, filenames_dataset, path_of, reader_options
from eagerflow.data.functions import HostFunction
from eagerflow.data.nested import FlatMapDataset
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io.csv import split_line
from eagerflow.typing import Structure, TensorLike

convert = _core.convert
_FLOATS = (dtypes.float32, dtypes.float64)
_KINDS = ("float32", "float64", "int32", "int64", "string")


class CsvDataset(UnaryDataset):
    """The rows of CSV files as tuples of scalars.

    Args:
        filenames: a file name, several, or a dataset of them.
        record_defaults: for each column that is read a dtype, or an empty tensor, if the column must
            have a value; or a tensor with the default for a missing one.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: how many bytes to read at once.
        header: whether to skip the first line of each file.
        field_delim: the character between fields.
        use_quote_delim: whether double quotes enclose fields.
        na_value: another text for a missing value.
        select_cols: the indices of the columns to read, ascending; all by default.
        exclude_cols: the indices of the columns not to read.
        max_expanded_bytes: how many bytes a compressed file may expand to; by default 128 MiB and 200
            times the bytes read.

    Raises:
        ValueError: if both `select_cols` and `exclude_cols` are passed.
        tf.errors.InvalidArgumentError: in the iteration, if a row does not fit.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
    >>> tf.io.write_file(path, "n,text\\n1,one\\n2,")
    >>> rows = tf.data.experimental.CsvDataset(path, [tf.int32, "none"], header=True)
    >>> list(rows.as_numpy_iterator())
    [(np.int32(1), b'one'), (np.int32(2), b'none')]
    """

    _public_name = "CsvDatasetV2"

    def __init__(
        self,
        filenames: TensorLike,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: TensorLike | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
        *,
        max_expanded_bytes: int | None = None,
    ) -> None:
        self._most = max_expanded_bytes
        if select_cols is not None and exclude_cols is not None:
            raise ValueError(
                "CsvDataset does not support specifying both `select_cols` and `exclude_cols`."
            )
        self._compression, self._buffer = reader_options(compression_type, buffer_size)
        self._columns = [_column(default, i) for i, default in enumerate(record_defaults)]
        if not self._columns:
            raise invalid("`record_defaults` must name at least one column")
        if len(field_delim.encode()) != 1:
            raise invalid("field_delim should be only 1 char")
        self._header = bool(header)
        self._delimiter = field_delim.encode()
        self._quotes = bool(use_quote_delim)
        self._missing = na_value.encode()
        self._selected = None if select_cols is None else _numbers(select_cols, "select_cols")
        self._excluded = set(_numbers(exclude_cols, "exclude_cols")) if exclude_cols else set()
        if self._selected is not None and len(self._selected) != len(self._columns):
            raise invalid("select_cols should match output size")
        one_file = HostFunction(self._one_file, DatasetSpec(self._make_spec()))
        super().__init__(FlatMapDataset(filenames_dataset(filenames), one_file))

    def _one_file(self, name: str) -> Dataset:
        return OneTableDataset(self, path_of(name))

    def _make_spec(self) -> Structure:
        return tuple([TensorSpec([], dtype) for dtype, _ in self._columns])

    def _count(self) -> int:
        return UNKNOWN


def _column(default: object, number: int) -> tuple[Any, Any]:
    """A column's dtype, and its default or None."""
    if isinstance(default, (dtypes.DType, type)):
        dtype, tensor = dtypes.as_dtype(default), None
    else:
        if not isinstance(default, _core.Tensor) and np.size(np.asarray(default, object)) == 0:
            default = np.zeros(0, np.float32)
        tensor = _core.as_tensor(default)
        dtype = tensor.dtype
        if tensor.ndim > 1 or tensor._size > 1:
            raise invalid(
                f"Each record default should be a scalar or a vector of at most one value, but "
                f"column {number} has shape {tensor.shape}."
            )
    if dtype.name not in _KINDS:
        raise TypeError(f"Column {number} cannot be of dtype {dtype!r}: use one of {_KINDS}.")
    if tensor is None or tensor._size == 0:
        return dtype, None
    return dtype, _core.ops.reshape(tensor, [])


def _numbers(columns: Any, what: str) -> list[int]:
    indices = [integer(column, what) for column in columns]
    if any(a >= b for a, b in zip(indices, indices[1:], strict=False)):
        raise invalid(f"{what} should be strictly increasing indices")
    if indices and indices[0] < 0:
        raise invalid(f"{what} should be non-negative indices")
    return indices


class OneTableDataset(Dataset):
    """The rows of one file."""

    def __init__(self, owner: CsvDataset, path: str) -> None:
        super().__init__()
        self._owner = owner
        self._path = path

    def _cursor(self, context: Context) -> Cursor:
        return RowCursor(self._path, self._owner)

    def _make_spec(self) -> Structure:
        return self._owner.element_spec

    def _count(self) -> int:
        return UNKNOWN


class RowCursor(LineCursor):
    """Reads lines, joins those that a quoted field spans, and splits them into fields."""

    __slots__ = ("_owner",)

    def __init__(self, path: str, owner: CsvDataset) -> None:
        super().__init__(path, owner._compression, owner._buffer, owner._most)
        self._owner = owner

    def _opened(self) -> BinaryIO:
        file = super()._opened()
        if self._owner._header and not file.readline():
            raise invalid(f"{self._path}: Can't read header of file")
        return file

    def _record(self, file: BinaryIO) -> bytes:
        line = super()._record(file)
        if self._owner._quotes and b'"' in line:
            pieces, quotes = [line], line.count(b'"')
            while quotes % 2 and (more := file.readline()):
                pieces.append(more.rstrip(b"\r\n"))
                quotes += more.count(b'"')
            line = b"\n".join(pieces)
        return line

    def _element(self, record: bytes) -> Structure:
        owner = self._owner
        fields = split_line(record, owner._delimiter, owner._quotes)
        if owner._excluded:
            fields = [field for i, field in enumerate(fields) if i not in owner._excluded]
        elif owner._selected is not None:
            fields = [fields[i] for i in owner._selected if i < len(fields)]
        if len(fields) != len(owner._columns):
            raise invalid(
                f"Expect {len(owner._columns)} fields but have {len(fields)} in record"
                + (" (an empty line)" if not record else "")
            )
        missing = owner._missing
        values = []
        for i, (field, (dtype, default)) in enumerate(zip(fields, owner._columns, strict=True)):
            if not field or field == missing:
                if default is None:
                    raise invalid(f"Field {i} is required but missing in record!")
                values.append(default)
            elif dtype is dtypes.string:
                values.append(convert(field, dtype, None))
            else:
                values.append(convert(_number(field, dtype, i), dtype, None))
        return tuple(values)


def _number(field: bytes, dtype: dtypes.DType, column: int) -> Any:
    try:
        if dtype in _FLOATS:
            value: Any = float(field)
        else:
            value = int(field)
            if not -(2**31) <= value < 2**31 and not dtype.min <= value <= dtype.max:
                raise ValueError
        # Unlike TensorFlow, Python accepts underscores between digits.
        if b"_" not in field:
            return value
    except ValueError:
        pass
    raise invalid(
        f"Field {column} in record is not a valid {dtype.name}: {field.decode(errors='replace')}"
    )

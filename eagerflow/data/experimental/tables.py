"""make_csv_dataset: batches of named columns of CSV files."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.data.arguments import AUTOTUNE
from eagerflow.data.creation import as_strings
from eagerflow.data.csv_files import CsvDataset
from eagerflow.data.dataset import Dataset
from eagerflow.data.options import Options
from eagerflow.framework import dtypes
from eagerflow.io import gfile
from eagerflow.io.damage import DamagedFileError
from eagerflow.io.records import open_for_reading
from eagerflow.typing import TensorLike

# From the narrowest to the widest.
_KINDS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


def make_csv_dataset(
    file_pattern: TensorLike | Dataset,
    batch_size: TensorLike,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: TensorLike | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: TensorLike | None = None,
    prefetch_buffer_size: TensorLike | None = None,
    num_parallel_reads: TensorLike | None = None,
    sloppy: bool = False,
    num_rows_for_inference: TensorLike = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Batches of the rows of CSV files, as dictionaries of columns.

    Args:
        file_pattern: a pattern of file names, or several.
        batch_size: how many rows a batch has.
        column_names: the names of all columns; by default the files' first lines have them.
        column_defaults: for each column that is read its dtype or the value for missing ones; by
            default dtypes are inferred from the first rows.
        label_name: the column that is returned apart from the others.
        select_columns: names or indices of the columns to read; all by default.
        field_delim: the character between fields.
        use_quote_delim: whether double quotes enclose fields.
        na_value: another text for a missing value.
        header: whether the first line of each file holds the names.
        num_epochs: how often to read the files; without an end by default.
        shuffle: whether to shuffle files and rows.
        shuffle_buffer_size: how many rows to draw from.
        shuffle_seed: makes the order the same in every run.
        prefetch_buffer_size: how many batches to make ahead.
        num_parallel_reads: how many files are read at the same time.
        sloppy: whether the order need not be kept.
        num_rows_for_inference: the number of rows from which dtypes are inferred; all if None.
        compression_type: "", "GZIP" or "ZLIB".
        ignore_errors: whether to skip rows that cannot be parsed.
        encoding: that of the text from which names and dtypes are inferred.

    Returns:
        A dataset of dictionaries, or of pairs of a dictionary and the label.

    Raises:
        ValueError: if no file matches, or columns do not match the files.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "table.csv")
    >>> tf.io.write_file(path, "x,y\\n1,a\\n2,b\\n")
    >>> table = tf.data.experimental.make_csv_dataset(
    ...     path, 2, label_name="y", num_epochs=1, shuffle=False
    ... )
    >>> [(dict(columns), label) for columns, label in table.as_numpy_iterator()]
    [({'x': array([1, 2], dtype=int32)}, array([b'a', b'b'], dtype=object))]
    """
    files = _files(file_pattern)
    text = _Text(field_delim, use_quote_delim, compression_type, encoding)
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = text.names(files)
    column_names = list(column_names)
    if len(set(column_names)) != len(column_names):
        twice = {name for name in column_names if column_names.count(name) > 1}
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{twice}."
        )
    selected = None if select_columns is None else _selected(select_columns, column_names)
    if column_defaults is None:
        indices = list(range(len(column_names))) if selected is None else selected
        rows = text.rows(files, len(column_names), header)
        column_defaults = _inferred_defaults(rows, indices, na_value, num_rows_for_inference)
    if selected is not None:
        if len(column_defaults) != len(selected):
            raise ValueError(
                "If specified, `column_defaults` and `select_columns` must have the same length: "
                f"`column_defaults` has length {len(column_defaults)}, `select_columns` has length "
                f"{len(selected)}."
            )
        column_names = [column_names[index] for index in selected]
    if label_name is not None and label_name not in column_names:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {column_names}. Received: "
            f"{label_name}."
        )

    def table(name: str) -> Dataset:
        rows: Dataset = CsvDataset(
            name,
            column_defaults,
            compression_type=compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=selected,
        )
        return rows.ignore_errors() if ignore_errors else rows

    def named(*columns: _core.Tensor) -> Any:
        features = OrderedDict(zip(column_names, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = Dataset.from_tensor_slices(files)
    if shuffle:
        dataset = dataset.shuffle(len(files), shuffle_seed)
    if num_parallel_reads == AUTOTUNE:
        dataset = dataset.interleave(table, num_parallel_calls=AUTOTUNE)
    elif num_parallel_reads in (None, 1):
        dataset = dataset.flat_map(table)
    else:
        dataset = dataset.interleave(table, num_parallel_reads, 1, num_parallel_reads)
    if sloppy:
        options = Options()
        options.deterministic = False
        dataset = dataset.with_options(options)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(named)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _files(patterns: Any) -> list[str]:
    texts = as_strings(patterns)
    if not texts:
        raise ValueError("Argument `file_pattern` should not be empty.")
    files = sorted({name for text in texts for name in gfile.glob(text)})
    if not files:
        raise ValueError(f"No files match `file_pattern` {patterns}.")
    return files


class _Text:
    """Reads CSV files as text, to infer names and dtypes."""

    def __init__(self, delimiter: str, quotes: bool, compression: Any, encoding: str) -> None:
        self._delimiter = delimiter
        self._quotes = quotes
        self._compression = compression or ""
        self._encoding = encoding

    def _reader(self, path: str) -> Iterator[list[str]]:
        import csv

        quoting: Any = csv.QUOTE_MINIMAL if self._quotes else csv.QUOTE_NONE
        with open_for_reading(path, self._compression) as file:
            lines = (line.decode(self._encoding) for line in file)
            reader = csv.reader(lines, delimiter=self._delimiter, quoting=quoting)
            try:
                yield from reader
            except csv.Error as error:
                raise DamagedFileError(path, f"Line {reader.line_num}", error) from error

    def names(self, files: list[str]) -> list[str]:
        """The names in the first line, which must be the same in all files."""
        names: list[str] | None = None
        for path in files:
            first = next(self._reader(path), None)
            if first is None:
                raise ValueError(
                    f"Failed when reading the header line of {path}. Is it an empty file?"
                )
            if names is not None and first != names:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. File "
                    f"{path} has different column names."
                )
            names = first
        return names or []

    def rows(self, files: list[str], columns: int, header: bool) -> Iterator[list[str]]:
        """All rows of all files."""
        for path in files:
            for number, row in enumerate(self._reader(path), 1):
                if header and number == 1:
                    continue
                if len(row) != columns:
                    raise ValueError(
                        f"Problem inferring types: CSV row {number} has {len(row)} number of fields. "
                        f"Expected: {columns}."
                    )
                yield row


def _selected(columns: Any, names: list[str]) -> list[int]:
    indices = []
    for column in columns:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise ValueError(
                    f"Column index {column} specified in `select_columns` should be > 0  and <= "
                    f"{len(names)}, which is the number of columns."
                )
            indices.append(column)
        elif column in names:
            indices.append(names.index(column))
        else:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: "
                f"{names}."
            )
    if len(set(indices)) != len(indices):
        raise ValueError("The `select_columns` argument contains duplicate columns.")
    return sorted(indices)


def _inferred_defaults(
    rows: Iterator[list[str]], indices: list[int], missing: str, limit: Any
) -> list[Any]:
    """An optional default for each column, of the narrowest dtype that holds its values."""
    widths = [-1] * len(indices)
    for count, row in enumerate(rows):
        if limit is not None and count >= limit:
            break
        for i, index in enumerate(indices):
            field = row[index]
            if field not in ("", missing):
                widths[i] = max(widths[i], _width(field))
    kinds = [dtypes.string if width < 0 else _KINDS[width] for width in widths]
    return [_core.convert([""] if dtype is dtypes.string else [0], dtype, None) for dtype in kinds]


def _width(field: str) -> int:
    """The position in `_KINDS` of the narrowest dtype for a field."""
    with contextlib.suppress(ValueError):
        integer = int(field)
        for position, dtype in enumerate(_KINDS[:2]):
            if dtype.min <= integer <= dtype.max:
                return position
    try:
        value = float(field)
    except ValueError:
        return len(_KINDS) - 1
    with np.errstate(over="ignore"):
        if np.float32(value) < np.inf:
            return 2
    return 3 if value < np.inf else len(_KINDS) - 1

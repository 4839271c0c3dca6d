"""SqlDataset: the rows of a query to an SQLite database."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import UNKNOWN, invalid
from eagerflow.data.context import Context
from eagerflow.data.creation import as_strings
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import Structure


class SqlDataset(Dataset):
    """The rows of a query's result, as tuples of scalars.

    Args:
        driver_name: "sqlite".
        data_source_name: the path of the database.
        query: a SELECT statement.
        output_types: a tuple of the columns' dtypes.

    Raises:
        tf.errors.InvalidArgumentError: for another driver; in the iteration, if the query fails or
            has another number of columns.

    >>> import sqlite3, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers.sqlite")
    >>> with sqlite3.connect(path) as database:
    ...     _ = database.execute("create table t (n integer, name text)")
    ...     _ = database.execute("insert into t values (1, 'one')")
    >>> rows = tf.data.experimental.SqlDataset(
    ...     "sqlite", path, "select n, name from t", (tf.int32, tf.string)
    ... )
    >>> list(rows.as_numpy_iterator())
    [(np.int32(1), b'one')]
    """

    _public_name = "SqlDatasetV2"

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Structure
    ) -> None:
        super().__init__()
        driver = as_strings(driver_name)[0]
        if driver != "sqlite":
            raise invalid(
                f"The database type, {driver}, is not supported by SqlDataset. "
                'The set of supported databases is: {"sqlite"}.'
            )
        self._path = as_strings(data_source_name)[0]
        self._query = as_strings(query)[0]
        self._declared = structure.map_structure(
            lambda dtype: TensorSpec([], dtypes.as_dtype(dtype)), output_types
        )

    def _cursor(self, context: Context) -> Cursor:
        return SqlCursor(self._path, self._query, self._declared)

    def _make_spec(self) -> Structure:
        return self._declared

    def _count(self) -> int:
        return UNKNOWN


class SqlCursor(Cursor):
    """Runs the query when the first row is asked for."""

    __slots__ = ("_at", "_path", "_query", "_rows", "_spec")

    def __init__(self, path: str, query: str, spec: Structure) -> None:
        self._path = path
        self._query = query
        self._spec = spec
        self._rows: Any = None
        self._at = 0

    def __next__(self) -> Structure:
        import sqlite3

        leaves = structure.flatten(self._spec)
        try:
            if self._rows is None:
                # Worker threads take turns in reading, as SQLite requires.
                connection = sqlite3.connect(self._path, check_same_thread=False)
                self._rows = connection.execute(self._query)
            row = next(self._rows)
        except sqlite3.Error as error:
            raise invalid(f"Failed to run the query {self._query!r}: {error}") from error
        if len(row) != len(leaves):
            raise invalid(
                f"The number of columns in query ({len(row)}) must match the number of elements in "
                f"output_types ({len(leaves)})."
            )
        self._at += 1
        values = [_value(v, leaf.dtype) for v, leaf in zip(row, leaves, strict=True)]
        return structure.pack(self._spec, values)

    def state(self) -> int:
        return self._at

    def restore(self, state: Any) -> None:
        self.skip(state)


def _value(value: Any, dtype: dtypes.DType) -> _core.Tensor:
    """A column's value as a tensor; NULL is zero or an empty string."""
    if dtype is dtypes.string:
        if value is None:
            value = ""
        return _core.convert(value if isinstance(value, bytes) else str(value), dtype, None)
    if dtype is dtypes.bool:
        return _core.convert(bool(value), dtype, None)
    return _core.convert(dtype.as_numpy_dtype(value or 0), dtype, None)

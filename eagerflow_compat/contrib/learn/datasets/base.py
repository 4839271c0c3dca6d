"""Tables as arrays: iris and Boston's houses of scikit-learn, and CSV files."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from eagerflow.io import gfile
from eagerflow.io.os_errors import path_text
from eagerflow.typing import FilePath
from eagerflow_compat.v1.input_data import Datasets, read_data_sets

__all__ = [
    "Dataset",
    "Datasets",
    "load_boston",
    "load_csv_with_header",
    "load_csv_without_header",
    "load_dataset",
    "load_iris",
    "load_mnist",
]


class Dataset(NamedTuple):
    """Features and the target of each row."""

    data: np.ndarray
    target: np.ndarray


def load_csv_with_header(
    filename: FilePath, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """A table of a CSV file whose first line begins with the numbers of rows and features.

    Args:
        filename: the file.
        target_dtype: the element type of the target.
        features_dtype: the element type of the features.
        target_column: which column is the target.

    Raises:
        ValueError: if there are other numbers than the first line says.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/table.csv"
    >>> with open(path, "w") as file:
    ...     _ = file.write("2,2,a,b\\n1,2,0\\n3,4,1\\n")
    >>> table = tf.contrib.learn.datasets.base.load_csv_with_header(path, np.int64, np.float32)
    >>> table.data.tolist(), table.target.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    """
    with gfile.GFile(filename) as file:
        header, *rows = csv.reader(file)
    count, features = int(header[0]), int(header[1])
    table = _table(rows, target_dtype, features_dtype, target_column)
    if table.data.shape != (count, features):
        raise ValueError(
            f"{path_text(filename)} has {table.data.shape} rows and features, but its first line says "
            f"{(count, features)}"
        )
    return table


def load_csv_without_header(
    filename: FilePath, target_dtype: Any, features_dtype: Any, target_column: int = -1
) -> Dataset:
    """A table of a CSV file; arguments as those of `load_csv_with_header`."""
    with gfile.GFile(filename) as file:
        rows = list(csv.reader(file))
    return _table(rows, target_dtype, features_dtype, target_column)


def _table(rows: list[list[str]], target: Any, features: Any, column: int) -> Dataset:
    rows = [list(row) for row in rows if row]
    labels = np.array([row.pop(column) for row in rows], target)
    return Dataset(np.array(rows, features), labels)


def _of_scikit_learn(name: str) -> Dataset:
    try:
        module = importlib.import_module("sklearn.datasets")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{name}() reads the data that scikit-learn has, which is not installed: pip install "
            "scikit-learn, or pass a file as `data_path`",
            name=error.name,
        ) from None
    try:
        found = getattr(module, name)()
    except (AttributeError, ImportError):
        raise NotImplementedError(
            f"{name}: scikit-learn no longer has this data. Pass a CSV file as `data_path`."
        ) from None
    return Dataset(found.data, found.target)


def load_iris(data_path: FilePath | None = None) -> Dataset:
    """Fisher's irises: four sizes of 150 flowers, and which of three species each is.

    Args:
        data_path: a CSV file as for `load_csv_with_header`; by default scikit-learn's data.

    Raises:
        ModuleNotFoundError: if neither a file is given nor scikit-learn is installed.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, np.int64, np.float64)
    return _of_scikit_learn("load_iris")


def load_boston(data_path: FilePath | None = None) -> Dataset:
    """The prices of 506 houses in Boston, which later versions of scikit-learn do not have.

    Args:
        data_path: a CSV file as for `load_csv_with_header`; by default scikit-learn's data.

    Raises:
        ModuleNotFoundError: if neither a file is given nor scikit-learn is installed.
        NotImplementedError: if scikit-learn does not have the data.
    """
    if data_path is not None:
        return load_csv_with_header(data_path, np.float64, np.float64)
    return _of_scikit_learn("load_boston")


def load_mnist(train_dir: str = "MNIST-data") -> Any:
    """MNIST from a folder, see `tf.contrib.learn.datasets.mnist.read_data_sets`."""
    return read_data_sets(train_dir)


_BY_NAME: dict[str, Callable[[], Any]] = {
    "boston": load_boston,
    "iris": load_iris,
    "mnist": load_mnist,
}


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """A data set by name.

    Args:
        name: "iris", "boston" or "mnist".
        size: accepted.
        test_with_fake_data: accepted.

    Raises:
        ValueError: for another name.
    """
    if name not in _BY_NAME:
        raise ValueError(f"Name of dataset is not found: {name}. There are {', '.join(_BY_NAME)}.")
    return _BY_NAME[name]()

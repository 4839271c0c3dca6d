"""Weights as plain named arrays: safetensors and NumPy's .npz files."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.checkpoint.trackable import children, walk
from eagerflow.framework import dtypes
from eagerflow.io.array_files import read_archive
from eagerflow.io.damage import DamagedFileError
from eagerflow.io.os_errors import from_os_error, path_text, translated
from eagerflow.io.replacing import replaced
from eagerflow.util.optional import optional
from eagerflow.util.regular import check_regular

_CHECKSUM = "crc32c"  # its key in the metadata of safetensors files
ENDINGS = (".safetensors", ".npz")
# The types of one byte for which safetensors looks in NumPy.
_NARROW = {"F8_E4M3": dtypes.float8_e4m3fn, "F8_E5M2": dtypes.float8_e5m2}
Variable: Any = _core.Variable


def named_children(item: object) -> dict[str, Any]:
    """The children of an object, a model's layers by their names.

    Names that layers did not get from the program are counted anew in each model: another model of the
    same layers reads the file.
    """
    found = {}
    used: dict[str, int] = {}
    for name, child in children(item).items():
        if name.startswith("layer_with_weights-"):
            continue  # it is "layer-N", too
        if name.startswith("layer-"):
            name = re.sub(r"_\d+$", "", child.name)
            if name.replace("_", "") != type(child).__name__.lower():
                name = child.name
            else:
                used[name] = used.get(name, -1) + 1
                name += f"_{used[name]}" * (used[name] > 0)
        found[name] = child
    return found


def named_variables(root: object) -> dict[str, Any]:
    """The variables of an object by the path of names to each; a model's weights only.

    The names are those of attributes, and of the layers of functional and Sequential models.
    """
    variables = {
        path or "value": item
        for item, path in walk(root, named_children)
        if isinstance(item, Variable)
    }
    own = getattr(root, "variables", None)
    if own is None:
        return variables
    known = {id(variable) for variable in own}
    return {path: item for path, item in variables.items() if id(item) in known}


def save_arrays(root: object, path: Any) -> None:
    """Writes the variables of an object under the paths to them.

    Args:
        root: a module, a model or another trackable object.
        path: `NAME.safetensors` or `NAME.npz`.

    Raises:
        ValueError: for another ending, variables of text, or of bfloat16 or float8 in `.npz`.
        ImportError: if the safetensors package is needed and not there.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.v = tf.Variable([1.0, 2.0])
    >>> path = tempfile.mkdtemp() + "/weights.npz"
    >>> from eagerflow.checkpoint.arrays import load_arrays, save_arrays
    >>> save_arrays(module, path)
    >>> _ = module.v.assign([0.0, 0.0])
    >>> load_arrays(module, path)
    >>> module.v.numpy()
    array([1., 2.], dtype=float32)
    """
    path = path_text(path)
    arrays: dict[str, Any] = {}
    for name, variable in named_variables(root).items():
        if variable.dtype.name == "string":
            raise ValueError(f"{name} holds text, which {path} cannot.")
        arrays[name] = np.ascontiguousarray(variable.numpy())
        if path.endswith(".npz") and dtypes.is_extension(arrays[name].dtype):
            raise ValueError(f"{name} is {variable.dtype.name}, which {path} cannot hold.")
    with replaced(path) as temporary:
        if path.endswith(".npz"):
            with open(temporary, "wb") as file:
                np.savez(file, **arrays)
        elif path.endswith(".safetensors"):
            metadata = {_CHECKSUM: f"{_checksum(arrays):08x}"}
            _safetensors().save_file(arrays, temporary, metadata)
        else:
            raise ValueError(f"{path} must end in {' or '.join(ENDINGS)}.")


def load_arrays(root: object, path: Any) -> None:
    """Assigns the arrays of a file of `save_arrays`; all or none.

    Raises:
        tf.errors.NotFoundError: if there is no such file.
        tf.errors.DataLossError: if it cannot be read.
        ValueError: if names, shapes or dtypes do not fit; it names all that do not.
    """
    path = path_text(path)
    with translated(path):
        check_regular(path, os.stat(path).st_mode)
    variables = named_variables(root)
    arrays = _read(path)
    problems = [f"{name} is not in the file" for name in variables if name not in arrays]
    problems += [f"{name} is only in the file" for name in arrays if name not in variables]
    for name, variable in variables.items():
        array = arrays.get(name)
        if array is None:
            continue
        if tuple(variable.shape) != array.shape:
            problems.append(f"{name} has shape {tuple(variable.shape)}, in the file {array.shape}")
        elif variable.dtype.name != array.dtype.name:
            problems.append(f"{name} is {variable.dtype.name}, in the file {array.dtype.name}")
    if problems:
        raise ValueError(
            f"{path} does not fit, nothing was loaded:\n  " + "\n  ".join(sorted(problems))
        )
    for name, variable in variables.items():
        variable.assign(arrays[name])


def _read(path: str) -> dict[str, Any]:
    if path.endswith(".npz"):
        with _reading(path):
            return read_archive(path)
    with opened(path) as file:
        arrays = {name: file.read(name) for name in file.names()}
        # Other writers' files have no checksum.
        checksum = file.metadata().get(_CHECKSUM)
        if checksum is not None and checksum != f"{_checksum(arrays):08x}":
            raise DamagedFileError(path, "The content", "its checksum does not hold")
        return arrays


@contextlib.contextmanager
def _reading(path: str) -> Iterator[None]:
    """Translates errors of packages that read a file of arrays."""
    try:
        yield
    except (ImportError, MemoryError, DamagedFileError):
        raise
    except OSError as error:
        if error.errno is not None:  # the system's, not a package's about the content
            raise from_os_error(error, path) from error
        raise DamagedFileError(path, "An array, or the list of arrays,", error) from error
    except Exception as error:  # each package has its own
        raise DamagedFileError(path, "An array, or the list of arrays,", error) from error


class ArrayFile:
    """A safetensors file, whose arrays are read one by one.

    Every method raises a DataLossError if the file is damaged.
    """

    def __init__(self, path: str, file: Any) -> None:
        self._path, self._file = path, file

    def names(self) -> list[str]:
        """The names of the arrays."""
        with _reading(self._path):
            return list(self._file.keys())

    def metadata(self) -> dict[str, str]:
        """What the writer noted."""
        with _reading(self._path):
            return self._file.metadata() or {}

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of an array, which is not read."""
        with _reading(self._path):
            return tuple(self._file.get_slice(name).get_shape())

    def read(self, name: str) -> Any:
        """An array."""
        with _reading(self._path):
            kind = _NARROW.get(self._file.get_slice(name).get_dtype())
            if kind is None:
                return self._file.get_tensor(name)
            return self._bytes(name).view(kind.as_numpy_dtype)

    def _bytes(self, name: str) -> np.ndarray:
        """An array as bytes, for types that the package does not know in NumPy."""
        with open(self._path, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            entry = json.loads(file.read(size))[name]
            begin, end = entry["data_offsets"]
            file.seek(8 + size + begin)
            return np.frombuffer(file.read(end - begin), np.uint8).reshape(entry["shape"])


@contextlib.contextmanager
def opened(path: str) -> Iterator[ArrayFile]:
    """Opens a safetensors file.

    Raises:
        tf.errors.NotFoundError: if there is no such file.
        tf.errors.DataLossError: if it is damaged.
        ImportError: if the safetensors package is not there.
    """
    with translated(path):
        check_regular(path, os.stat(path).st_mode)
    with _reading(path):
        file = _safetensors().safe_open(path, "numpy")
    with file:
        yield ArrayFile(path, file)


def _checksum(arrays: dict[str, Any]) -> int:
    """The CRC-32C of the names, dtypes, shapes and bytes of arrays, in the order of their names."""
    crc = 0
    for name, array in sorted(arrays.items()):
        crc = _core.crc32c(f"{name}\0{array.dtype.name}\0{array.shape}\0".encode(), crc)
        content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        crc = _core.crc32c(content.data, crc)
    return crc


def _safetensors() -> Any:
    return optional("safetensors.numpy", "Reading or writing files that end in .safetensors")

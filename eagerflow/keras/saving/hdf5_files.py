"""HDF5 files: opening them for reading, and replacing them atomically."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from eagerflow.io.damage import DamagedFileError
from eagerflow.io.os_errors import path_text, translated
from eagerflow.io.replacing import replaced
from eagerflow.keras.saving import hdf5_checks
from eagerflow.typing import FilePath
from eagerflow.util.expansion import expanded_at_most
from eagerflow.util.optional import optional
from eagerflow.util.regular import check_regular

# HDF5 keeps an attribute in the object's header, which has room for 64 kB.
_LIMIT = 64512


def _h5py() -> Any:
    return optional("h5py", "Reading or writing HDF5 files, which .keras files contain,")


@contextlib.contextmanager
def writing(path: FilePath) -> Iterator[Any]:
    """A context with a new file, which replaces the old one when everything is written."""
    with replaced(path_text(path)) as temporary:
        with _h5py().File(temporary, "w") as file:
            yield file
        hdf5_checks.add_checksum(temporary)


@contextlib.contextmanager
def reading(source: object) -> Iterator[Any]:
    """A context with a file, from a path or a binary stream, or opened already.

    Raises:
        OSError: if it is not an HDF5 file; this is h5py's error.
        ValueError: if it refers to other files, or would unpack to much more than it has bytes.
        DamagedFileError: if its checksum fails; only files of eagerflow have one.
        tf.errors.NotFoundError: if it is not there.
    """
    if hasattr(source, "attrs"):  # a file that the program has opened
        _refuse_hostile(source)
        yield source
        return
    if not hasattr(source, "read"):
        source = path_text(source)
        with translated(source):
            check_regular(source, os.stat(source).st_mode)
        hdf5_checks.check_file(source)
    with _h5py().File(source, "r") as file:
        _refuse_hostile(file)
        yield file


def array_bytes(file: object) -> int:
    """The number of bytes of a file's arrays in memory."""
    return sum(item.nbytes for item in _datasets(file))


def _datasets(file: Any) -> list[Any]:
    """All arrays in a file.

    Raises:
        ValueError: if something in it is in another file.
        OSError: if it is damaged.
    """
    h5py = _h5py()
    items = []
    failures: list[Exception] = []

    def visit(name: str, link: object) -> bool | None:
        try:
            elsewhere = isinstance(link, h5py.ExternalLink)
            item = file[name] if isinstance(link, h5py.HardLink) else None
            if isinstance(item, h5py.Dataset):
                elsewhere = item.is_virtual or bool(item.external)
                items.append(item)
            if elsewhere:
                raise ValueError(f"{name!r} in {file.filename} refers to another file.")
        except Exception as error:  # errors must not pass through HDF5, which calls this
            failures.append(error)
            return True
        return None

    try:
        file.visititems_links(visit)
    except (RuntimeError, SystemError) as error:
        failures.append(error)
    for failure in failures:
        if isinstance(failure, KeyError | RuntimeError | SystemError):  # h5py's errors for damage
            raise OSError(f"The groups in {file.filename} are damaged: {failure}") from failure
        raise failure
    return items


def dataset(group: Any, name: str) -> Any:
    """The array of a name in a group, not read yet.

    Raises:
        KeyError: if there is none.
        DamagedFileError: if the name belongs to another kind of object.
    """
    item = group[name]
    if not isinstance(item, _h5py().Dataset):
        raise DamagedFileError(group.file.filename, f"{group.name}/{name}", "it is not an array")
    return item


def _refuse_hostile(file: Any) -> None:
    size = file.id.get_filesize()
    most = expanded_at_most(size)
    datasets = _datasets(file)
    expanded = sum(item.nbytes for item in datasets)
    for item in datasets:
        if expanded <= most and _h5py().check_vlen_dtype(item.dtype) is not None:
            expanded += _bytes_of_elements(item, size, most)
    if expanded > most:
        raise ValueError(
            f"The arrays in {file.filename} would take more than {most} bytes: the file is damaged, "
            "or made to use up memory."
        )


def _bytes_of_elements(dataset: Any, size: int, most: int) -> int:
    """The number of bytes of a dataset's strings or arrays, counted up to a bound.

    The elements are references: many references to one string need more memory than the file has
    bytes. Reading only a few at once bounds the memory.
    """
    import numpy as np

    length = 0
    if not dataset.ndim:
        return len(dataset[()])
    # Each may be as large as the file.
    step = max(1, most // size * len(dataset) // max(1, dataset.size))
    for start in range(0, len(dataset), step):
        part = np.asarray(dataset[start : start + step], object)
        length += sum(map(len, part.reshape(-1)))
        if length > most:
            break
    return length


def set_names(group: Any, key: str, names: list[str]) -> None:
    """Writes a list of names as an attribute, in parts if it is long."""
    import numpy as np

    encoded = [name.encode() for name in names]
    longest = max(map(len, encoded), default=0)
    if longest > _LIMIT:
        raise RuntimeError(f"The name {max(names, key=len)[:80]}... is too long for HDF5.")
    if longest * len(encoded) <= _LIMIT:
        group.attrs[key] = np.array(encoded) if encoded else np.array([], "f8")
        return
    at_once = _LIMIT // longest
    for k, start in enumerate(range(0, len(encoded), at_once)):
        group.attrs[f"{key}{k}"] = np.array(encoded[start : start + at_once])


def names(group: Any, key: str) -> list[str]:
    """The list of names that `set_names` wrote."""
    if key in group.attrs:
        names = list(group.attrs[key])
    else:
        names, k = [], 0
        while f"{key}{k}" in group.attrs:
            names += list(group.attrs[f"{key}{k}"])
            k += 1
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]


def text(value: object) -> str:
    """An attribute's text."""
    return value.decode() if isinstance(value, bytes) else str(value)

"""HDF5 files: opening them for reading, and writing them so that a failure leaves the old ones."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from eagerflow import errors
from eagerflow.io.os_errors import path_text
from eagerflow.io.replacing import replaced

# HDF5 keeps an attribute in the object's header, which has room for 64 kB.
_LIMIT = 64512


def _h5py() -> Any:
    try:
        import h5py
    except ImportError as error:
        raise ImportError(
            "`save()` and `load_model()` of HDF5 files need h5py: pip install 'eagerflow[weights]'"
        ) from error
    return h5py


@contextlib.contextmanager
def writing(path: Any) -> Iterator[Any]:
    """A context with a new file, which replaces the old one when everything is written."""
    with replaced(path_text(path)) as temporary, _h5py().File(temporary, "w") as file:
        yield file


@contextlib.contextmanager
def reading(source: Any) -> Iterator[Any]:
    """A context with a file, from a path or a binary stream.

    Raises:
        OSError: if it is no HDF5 file, as h5py says it.
        tf.errors.NotFoundError: if it is not there.
    """
    if not hasattr(source, "read"):
        source = path_text(source)
        if not os.path.exists(source):
            raise errors.NotFoundError(None, None, f"{source}; No such file or directory")
    with _h5py().File(source, "r") as file:
        yield file


def set_names(group: Any, key: str, names: list[str]) -> None:
    """Keeps a list of names as an attribute, in parts if it is long."""
    import numpy as np

    encoded = [name.encode() for name in names]
    longest = max(map(len, encoded), default=0)
    if longest > _LIMIT:
        raise RuntimeError(f"The name {max(names, key=len)[:80]}... is too long for HDF5.")
    if longest * len(encoded) <= _LIMIT:
        group.attrs[key] = np.array(encoded) if encoded else np.array([], "f8")
        return
    parts = -(-longest * len(encoded) // _LIMIT)
    for k, part in enumerate(np.array_split(np.array(encoded), parts)):
        group.attrs[f"{key}{k}"] = part


def names(group: Any, key: str) -> list[str]:
    """The list of names that `set_names` kept."""
    if key in group.attrs:
        found = list(group.attrs[key])
    else:
        found, k = [], 0
        while f"{key}{k}" in group.attrs:
            found += list(group.attrs[f"{key}{k}"])
            k += 1
    return [name.decode() if isinstance(name, bytes) else str(name) for name in found]


def text(value: Any) -> str:
    """An attribute's text."""
    return value.decode() if isinstance(value, bytes) else str(value)

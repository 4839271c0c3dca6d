"""Reading `.npz` archives and pickled arrays of others: no code runs, no more is read than they hold."""

from __future__ import annotations

import codecs
import math
import os
import pickle
from typing import Any

import numpy as np

from eagerflow.io.archives import refuse_packing
from eagerflow.util.expansion import refuse_unpacking
from eagerflow.util.regular import Path, open_regular


class ArraysOnly(pickle.Unpickler):
    """Unpickles NumPy arrays and plain values only, so that files cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("_codecs", "encode"):
            return codecs.encode
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return np.empty(0).__reduce__()[0]
        if (module, name) in (("numpy", "ndarray"), ("numpy", "dtype")):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"{module}.{name} does not belong into a file of arrays.")


def read_archive(path: Path, objects: bool = False) -> dict[str, np.ndarray]:
    """The arrays of an `.npz` file by their names.

    Args:
        path: the file.
        objects: whether arrays may hold Python's lists, numbers and strings.

    Raises:
        OSError: if there is no such file, or it is not regular.
        ValueError: if it is no archive, an array claims more bytes than the file has for it, all
            would be too large for the file, or one holds objects without `objects`.
        pickle.UnpicklingError: if an object is of another class.
    """
    with open_regular(path) as stream, np.load(stream, allow_pickle=False) as file:
        if not isinstance(file, np.lib.npyio.NpzFile):
            raise ValueError("it is no archive")
        archive: Any = file.zip
        members = archive.infolist()
        refuse_unpacking(
            "the archive", os.fstat(stream.fileno()).st_size, (i.file_size for i in members)
        )
        arrays = {}
        for info in members:
            refuse_packing(info)
            with archive.open(info) as member:
                version = np.lib.format.read_magic(member)
                read = np.lib.format.read_array_header_1_0
                if version != (1, 0):
                    read = np.lib.format.read_array_header_2_0
                shape, _, dtype = read(member)
                claimed = math.prod(shape) * dtype.itemsize
                if claimed > info.file_size and not dtype.hasobject:
                    raise ValueError(f"{info.filename} claims to have {claimed} bytes")
                name = info.filename.removesuffix(".npy")
                if objects and dtype.hasobject:
                    arrays[name] = np.asarray(ArraysOnly(member).load())
        return arrays | {name: file[name] for name in file.files if name not in arrays}

"""Whole files as scalar strings, and the names of files that match a pattern."""

from __future__ import annotations

import os

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import always, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.tensor import items
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import Variable
from eagerflow.io.os_errors import path_text, translated
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.typing import FilePath, TensorLike
from eagerflow.util import lazy
from eagerflow.util.regular import read_regular

# Imported when it is first used: few programs need it.
gfile = lazy.Module("eagerflow.io.gfile")

Tensor = _core.Tensor


def scalar_bytes(value: TensorLike, what: str, op: str) -> bytes:
    """The bytes of a scalar string: a tensor, bytes, text (as UTF-8).

    Raises:
        tf.errors.InvalidArgumentError: if it is no string, or not a scalar.
    """
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    tensor = _core.convert(value, None, dtypes.string)
    if tensor.dtype is not dtypes.string:
        raise errors.InvalidArgumentError._of(
            f"{what} must be a string, got {tensor.dtype.name} [Op:{op}]"
        )
    if tensor.ndim != 0:
        raise errors.InvalidArgumentError._of(
            f"{what} must be scalar, got shape {tensor.shape} [Op:{op}]"
        )
    return tensor.numpy()


def _path(filename: FilePath | TensorLike, op: str) -> str:
    if isinstance(filename, os.PathLike):
        return os.fspath(filename)
    return path_text(scalar_bytes(filename, "filename", op))


@op_function(in_graph=on_host(always(TensorSpec([], dtypes.string))))
def read_file(filename: FilePath | TensorLike, name: str | None = None) -> Tensor:
    """The contents of a file, as a scalar string.

    Args:
        filename: the path, a scalar string.

    Raises:
        tf.errors.NotFoundError: if there is no such file.
        tf.errors.OpError: of another kind that fits, if it cannot be read.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "greeting.txt")
    >>> tf.io.write_file(path, "hello")
    >>> tf.io.read_file(path)
    <tf.Tensor: shape=(), dtype=string, numpy=b'hello'>
    """
    path = _path(filename, "ReadFile")
    with translated(path):
        return _core.convert(read_regular(path, None), dtypes.string, None)


@op_function(in_graph=on_host(always(None), effects=True))
def write_file(
    filename: FilePath | TensorLike, contents: TensorLike, name: str | None = None
) -> None:
    """Writes a scalar string to a file; folders that are missing are made.

    Args:
        filename: the path, a scalar string.
        contents: what to write, a scalar string.

    Raises:
        tf.errors.OpError: of the kind that fits, if the file cannot be written.

    >>> import tempfile, os
    >>> tf.io.write_file(os.path.join(tempfile.mkdtemp(), "new", "a.bin"), b"123")
    """
    path = _path(filename, "WriteFile")
    data = scalar_bytes(contents, "contents", "WriteFile")
    with translated(path):
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


@composed_op(
    "MatchingFiles",
    in_graph=on_host(always(TensorSpec([None], dtypes.string))),
    pattern=Input("string"),
)
def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The names of the files that match a pattern, sorted.

    Args:
        pattern: a pattern or a vector of them; `*` and `?` do not match a slash, `[a-z]` one
            character of a set.

    Returns:
        Strings `[n]`.

    >>> tf.io.matching_files("/no/such/folder/*.txt").shape
    TensorShape([0])
    """
    patterns = _core.convert(pattern, dtypes.string, None)
    if patterns.ndim > 1:
        raise errors.InvalidArgumentError._of(
            f"Input patterns tensor must be scalar or vector, but had shape: {patterns.shape} "
            "[Op:MatchingFiles]"
        )
    paths: list[str] = []
    for item in items(patterns):
        paths.extend(gfile.glob(os.fsdecode(item)))
    names = [os.fsencode(item) for item in sorted(paths)]
    return _core.convert(names, dtypes.string, None)


@composed_op("MatchingFiles", pattern=Input("string"))
def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """The names of the files that match a pattern now, in a variable.

    Args:
        pattern: a pattern or a vector of them.
        name: the variable's name.
    """
    return Variable(matching_files(pattern), trainable=False, name=name)

"""Errors of the operating system as TensorFlow's exceptions."""

from __future__ import annotations

import errno
import os
from typing import Any

from eagerflow import errors

_CLASSES: dict[int, type[errors.OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.EFBIG: errors.ResourceExhaustedError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EBUSY: errors.UnavailableError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
}


def from_os_error(error: OSError, path: Any) -> errors.OpError:
    """The exception for a failed system call on `path`."""
    kind: Any = _CLASSES.get(error.errno or 0, errors.UnknownError)
    return kind(None, None, f"{path}; {error.strerror or error}")


class translated:
    """Turns the `OSError`s of its block into TensorFlow's exceptions, which name the path."""

    __slots__ = ("_path",)

    def __init__(self, path: Any) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, OSError):
            raise from_os_error(error, self._path) from error
        if isinstance(error, ValueError) and "null byte" in str(error):
            raise errors.InvalidArgumentError._of(f"{self._path!r}: {error}") from error


def make_folder(path: str) -> None:
    """Makes a folder, and those around it, unless it exists.

    Raises:
        tf.errors.OpError: of the kind that fits, if that fails.
    """
    with translated(path):
        if not os.path.isdir(path):
            os.makedirs(path, exist_ok=True)


def path_text(path: Any) -> str:
    """A path from text, bytes or a path object, without a leading `file://`."""
    text = os.fsdecode(path)
    return text[len("file://") :] if text.startswith("file://") else text

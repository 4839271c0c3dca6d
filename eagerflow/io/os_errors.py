"""Errors of the operating system as TensorFlow's exceptions."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
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


@contextlib.contextmanager
def translated(path: Any) -> Iterator[None]:
    """Turns the `OSError`s of its block into TensorFlow's exceptions, which name the path."""
    try:
        yield
    except OSError as error:
        raise from_os_error(error, path) from error
    except ValueError as error:
        if "null byte" not in str(error):
            raise
        raise errors.InvalidArgumentError(None, None, f"{path!r}: {error}") from error


def path_text(path: Any) -> str:
    """A path from text, bytes or a path object, without a leading `file://`."""
    import os

    text = os.fsdecode(path)
    return text[len("file://") :] if text.startswith("file://") else text

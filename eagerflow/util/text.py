"""Bytes and text: conversions that accept either."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eagerflow.util.pictures import Picture


class Listing(str):
    """Lines of text, which shells and notebooks show as they would be printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Pictured:
    """The base of classes whose objects notebooks show as pictures."""

    __slots__ = ()

    def _picture(self) -> Picture | None:
        """The picture; None where there is nothing to show yet."""
        raise NotImplementedError

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        picture = self._picture()
        return {} if picture is None else picture._repr_mimebundle_()


def as_bytes(bytes_or_text: object, encoding: str = "utf-8") -> bytes:
    """Text as bytes; bytes as they are.

    Raises:
        TypeError: for anything else.

    >>> tf.compat.as_bytes("abc")
    b'abc'
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: object, encoding: str = "utf-8") -> str:
    """Bytes as text; text as it is.

    Raises:
        TypeError: for anything else.

    >>> tf.compat.as_text(b"abc")
    'abc'
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: object, encoding: str = "utf-8") -> str:
    """Bytes as text, and anything else as `str` shows it.

    >>> tf.compat.as_str_any(3)
    '3'
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text; text as it is.

    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("a/b"))
    'a/b'
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path

"""Messages of exceptions that tell where in the user's code they were raised.

Converted code has the file name and the line numbers of the code that it was made from (see
`eagerflow.autograph.transpiler`), so that its frames are the user's in any traceback.
"""

from __future__ import annotations

import linecache
import os
import types
from collections.abc import Iterator
from typing import Any

from eagerflow.errors import OpError
from eagerflow.util import own_code

_ORIGINAL = "_autograph_original_message"


class AutoGraphError(Exception):
    """The base of errors in the conversion of functions."""


class ConversionError(AutoGraphError):
    """A function cannot be converted."""


class _KeyErrorInUserCode(KeyError):
    """A KeyError with a message of several lines."""

    def __init__(self, key: Any, message: str) -> None:
        super().__init__(key)
        self._message = message

    def __str__(self) -> str:
        return self._message


_KeyErrorInUserCode.__name__ = _KeyErrorInUserCode.__qualname__ = "KeyError"


def call_converted(function: Any, args: tuple, kwargs: dict[str, Any] | None) -> Any:
    """Calls a converted function. Its frame marks where one begins in a traceback."""
    return function(*args, **kwargs) if kwargs else function(*args)


# The last constant of the code of converted functions, which marks it.
MARK = "converted by eagerflow.autograph"


def is_converted(code: types.CodeType) -> bool:
    """Whether code is a part of a converted function."""
    return code.co_consts[-1:] == (MARK,)


def _frames(traceback: types.TracebackType | None) -> Iterator[tuple[types.CodeType, int]]:
    while traceback is not None:
        yield traceback.tb_frame.f_code, traceback.tb_lineno
        traceback = traceback.tb_next


def _is_library(code: types.CodeType) -> bool:
    """Whether code is eagerflow's own."""
    return os.path.abspath(code.co_filename).startswith(own_code.FOLDERS)


def _line(code: types.CodeType, line: int, mark: str) -> str:
    text = linecache.getline(code.co_filename, line).strip()
    return f'    File "{code.co_filename}", line {line}, in {code.co_name}{mark}\n        {text}'


def _places(traceback: types.TracebackType | None) -> list[str]:
    """A line of each converted function in a traceback, and all of the user's functions below."""
    calls: list[list[tuple[types.CodeType, int]]] = []
    for code, line in _frames(traceback):
        if code is call_converted.__code__:
            calls.append([])
        elif calls:
            calls[-1].append((code, line))
    lines = []
    for index, frames in enumerate(calls):
        converted = [
            place
            for place, (code, _) in enumerate(frames)
            if is_converted(code) and not _is_library(code)
        ]
        if not converted:
            continue
        last = converted[-1]
        lines.append(_line(*frames[last], "  *"))
        if index == len(calls) - 1:
            below = [frame for frame in frames[last + 1 :] if not _is_library(frame[0])]
            lines += [_line(*frame, "" if k else "  **") for k, frame in enumerate(below)]
    return lines


def explained(error: Exception) -> Exception:
    """The exception, with a message that lists the lines of converted code in its traceback.

    Args:
        error: an exception whose traceback reaches the caller. One that was explained by a caller
            further inside is explained anew.

    Returns:
        The same object where its message can be changed; otherwise one of the same type.
    """
    original = getattr(error, _ORIGINAL, None)
    if original is None:
        original = f"{type(error).__name__}: {error}"
    locations = _places(error.__traceback__)
    if not locations:
        return error
    cause = "\n".join(f"    {line}" for line in original.split("\n"))
    message = "\n".join(["in user code:", "", *locations, "", cause, ""])
    if isinstance(error, OpError):
        error._message = message
    elif isinstance(error, KeyError):
        key = error.args[0] if error.args else None
        new = _KeyErrorInUserCode(key, message).with_traceback(error.__traceback__)
        new.__cause__, new.__suppress_context__ = error.__cause__, True
        error = new
    elif isinstance(error, ImportError):
        error.msg = message
    else:
        before, error.args = error.args, (message,)
        if str(error) != message:  # its class builds the message from other values
            error.args = before
            return error
    setattr(error, _ORIGINAL, original)
    return error

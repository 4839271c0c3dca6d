"""tensorflow.python.util.protobuf.compare: messages that are compared in tests."""

from __future__ import annotations

import difflib
from typing import Any

from eagerflow.protos.schema import protobuf

__all__ = ["NormalizeNumberFields", "ProtoAssertions", "ProtoEq", "assertProtoEqual"]


def _is_float(field: Any) -> bool:
    return field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE)


def _rounded(field: Any, value: Any) -> Any:
    digits = 6 if field.cpp_type == field.CPPTYPE_FLOAT else 12
    return float(f"{value:.{digits}g}") if _is_float(field) else int(value)


def _messages(field: Any, value: Any) -> list[Any]:
    """The messages in a field's value."""
    if not field.is_repeated:
        return [value]
    inner = field.message_type
    if inner.GetOptions().map_entry:
        is_message = inner.fields_by_name["value"].cpp_type == field.CPPTYPE_MESSAGE
        return list(value.values()) if is_message else []
    return list(value)


def NormalizeNumberFields(pb: Any) -> Any:
    """Rounds the floats of a message to as many digits as their text has: 6, or 12 for doubles.

    Args:
        pb: the message, which is changed.

    Returns:
        The same message.
    """
    for field, value in pb.ListFields():
        if field.cpp_type == field.CPPTYPE_MESSAGE:
            for message in _messages(field, value):
                NormalizeNumberFields(message)
        elif _is_float(field) or field.cpp_type in (
            field.CPPTYPE_INT32,
            field.CPPTYPE_INT64,
            field.CPPTYPE_UINT32,
            field.CPPTYPE_UINT64,
        ):
            if field.is_repeated:
                value[:] = [_rounded(field, item) for item in value]
            else:
                setattr(pb, field.name, _rounded(field, value))
    return pb


def ProtoEq(a: Any, b: Any) -> bool:
    """Whether two messages have equal fields. Fields of one that the other lacks make them unequal.

    >>> from eagerflow_compat.internals.proto_comparisons import ProtoEq
    >>> spec = tf.TensorShape([2]).as_proto
    >>> ProtoEq(spec(), spec()), ProtoEq(spec(), tf.TensorShape([3]).as_proto())
    (True, False)
    """
    return bool(a == b)


def _close(a: Any, b: Any, tolerance: float) -> bool:
    """Whether two messages are equal but for floats that are as close as relative tolerance says."""
    fields = [{field.name: (field, value) for field, value in m.ListFields()} for m in (a, b)]
    if fields[0].keys() != fields[1].keys():
        return False
    return all(
        _close_values(field, value, fields[1][name][1], tolerance)
        for name, (field, value) in fields[0].items()
    )


def _close_values(field: Any, a: Any, b: Any, tolerance: float) -> bool:
    pairs = list(zip(a, b, strict=False)) if field.is_repeated else [(a, b)]
    if field.is_repeated and len(a) != len(b):
        return False
    if _is_float(field):
        return all(abs(x - y) <= tolerance * max(abs(x), abs(y)) for x, y in pairs)
    if field.cpp_type == field.CPPTYPE_MESSAGE and not (
        field.is_repeated and field.message_type.GetOptions().map_entry
    ):
        return all(_close(x, y, tolerance) for x, y in pairs)
    return bool(a == b)


def assertProtoEqual(
    self: Any,
    a: Any,
    b: Any,
    check_initialized: bool = True,
    normalize_numbers: bool = False,
    msg: str | None = None,
    relative_tolerance: float | None = None,
) -> None:
    """Fails unless two messages are equal.

    Args:
        self: the test case.
        a: a message, or its text; then it is of the type of `b`.
        b: a message.
        check_initialized: whether fields that are required must be set.
        normalize_numbers: whether floats are rounded as their text is.
        msg: what the failure says.
        relative_tolerance: how far floats may be from each other, relative to them.

    Raises:
        AssertionError: if they differ, or a required field is not set.
    """
    if isinstance(a, str):
        a = protobuf("text_format").Parse(a, type(b)())
    for message in (a, b):
        missing = message.FindInitializationErrors() if check_initialized else []
        if missing:
            self.fail(f"Initialization errors: {', '.join(missing)}\n{message}")
    if normalize_numbers:
        copies = [type(message)() for message in (a, b)]
        for copied, message in zip(copies, (a, b), strict=True):
            copied.CopyFrom(message)
            NormalizeNumberFields(copied)
        a, b = copies
    if a == b or (relative_tolerance is not None and _close(a, b, relative_tolerance)):
        return
    first, second = (
        protobuf("text_format").MessageToString(message).splitlines() for message in (a, b)
    )
    shown = "\n".join(difflib.unified_diff(first, second, "first", "second", lineterm=""))
    self.fail(f"{msg or 'The messages are not equal.'}\n{shown or type(a)}")


class ProtoAssertions:
    """Gives test cases the method `assertProtoEqual`."""

    def assertProtoEqual(self, *args: Any, **kwargs: Any) -> None:
        """Fails unless two messages are equal: see `assertProtoEqual` of this module."""
        assertProtoEqual(self, *args, **kwargs)

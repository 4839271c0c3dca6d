"""The exceptions of the runtime, one class for each canonical status code."""

from __future__ import annotations

from typing import Any, TypeVar

from eagerflow import _core
from eagerflow.util import lazy

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """The base of all errors that operations raise.

    Args:
        node_def: unused when programs run eagerly; None.
        op: the operation, if known.
        message: what went wrong.
        error_code: a status code, for instance `tf.errors.INTERNAL`.
        *args: a dictionary of experimental payloads may come first.

    >>> try:
    ...     tf.reshape([1, 2, 3], [2, 2])
    ... except tf.errors.OpError as error:
    ...     print(type(error).__name__, error.error_code)
    InvalidArgumentError 3
    """

    def __init__(
        self, node_def: object, op: object, message: str, error_code: int, *args: object
    ) -> None:
        super().__init__()
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._experimental_payloads = args[0] if args and isinstance(args[0], dict) else {}

    def __reduce__(self) -> tuple[object, ...]:
        arguments: tuple[Any, ...] = (self._node_def, self._op, self._message)
        if type(self) is OpError:
            arguments += (self._error_code,)
        return type(self), (*arguments, self._experimental_payloads)

    def __str__(self) -> str:
        return self._message

    @property
    def message(self) -> str:
        """What went wrong."""
        return self._message

    @property
    def op(self) -> object:
        """The operation that failed, if known."""
        return self._op

    @property
    def error_code(self) -> int:
        """The status code, for instance `tf.errors.INVALID_ARGUMENT`."""
        return self._error_code

    @property
    def node_def(self) -> object:
        """Always None when programs run eagerly."""
        return self._node_def

    @property
    def experimental_payloads(self) -> dict[str, Any]:
        """Further details as a dictionary; usually empty."""
        return self._experimental_payloads


_Error = TypeVar("_Error", bound="_CodedError")


class _CodedError(OpError):
    """An error whose class determines its code."""

    _code = UNKNOWN

    def __init__(self, node_def: object, op: object, message: str, *args: object) -> None:
        super().__init__(node_def, op, message, type(self)._code, *args)

    @classmethod
    def _of(cls: type[_Error], message: str) -> _Error:
        """An error with this message, without a node or operation."""
        return cls(None, None, message)


class CancelledError(_CodedError):
    """The operation was cancelled before it ended."""

    _code = CANCELLED


class UnknownError(_CodedError):
    """An error of no known kind."""

    _code = UNKNOWN


class InvalidArgumentError(_CodedError):
    """An argument has an unsuitable shape, dtype or value.

    >>> try:
    ...     tf.ones([2, 3]) + tf.ones([4, 5])
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(error.message)
    Incompatible shapes: [2,3] vs. [4,5] [Op:AddV2]
    """

    _code = INVALID_ARGUMENT


class DeadlineExceededError(_CodedError):
    """Time ran out before the operation ended."""

    _code = DEADLINE_EXCEEDED


class NotFoundError(_CodedError):
    """A requested entity, such as a file, does not exist."""

    _code = NOT_FOUND


class AlreadyExistsError(_CodedError):
    """Something to be created exists already."""

    _code = ALREADY_EXISTS


class PermissionDeniedError(_CodedError):
    """The caller may not do this."""

    _code = PERMISSION_DENIED


class UnauthenticatedError(_CodedError):
    """The caller has not shown who it is."""

    _code = UNAUTHENTICATED


class ResourceExhaustedError(_CodedError):
    """Memory or another resource has run out."""

    _code = RESOURCE_EXHAUSTED


class FailedPreconditionError(_CodedError):
    """The system is not in the state that the operation needs."""

    _code = FAILED_PRECONDITION


class AbortedError(_CodedError):
    """The operation gave up, usually because another one interfered."""

    _code = ABORTED


class OutOfRangeError(_CodedError):
    """An iteration went past its valid end.

    >>> iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(0))
    >>> try:
    ...     iterator.get_next()
    ... except tf.errors.OutOfRangeError:
    ...     print("the end")
    the end
    """

    _code = OUT_OF_RANGE


class UnimplementedError(_CodedError):
    """The operation does not support what was asked."""

    _code = UNIMPLEMENTED


class InternalError(_CodedError):
    """Something that should always hold inside the engine does not."""

    _code = INTERNAL


class UnavailableError(_CodedError):
    """The runtime cannot be reached at the moment."""

    _code = UNAVAILABLE


class DataLossError(_CodedError):
    """Data were lost or are corrupt."""

    _code = DATA_LOSS


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operator was applied to a value that is not known yet."""


class InaccessibleTensorError(ValueError):
    """A tensor of a branch, a loop or an inner function was used outside of it."""


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of errors with that status code.

    Raises:
        KeyError: if there is no such class.

    >>> tf.errors.exception_type_from_error_code(3).__name__
    'InvalidArgumentError'
    """
    return _CLASSES[error_code]


_CLASSES: dict[int, type[OpError]] = {cls._code: cls for cls in _CodedError.__subclasses__()}
# The engine's codes for errors of symbolic tensors.
_NOT_ALLOWED_IN_GRAPH = 107
_INACCESSIBLE_TENSOR = 108
_core.register_errors(
    {
        **_CLASSES,
        _NOT_ALLOWED_IN_GRAPH: OperatorNotAllowedInGraphError,
        _INACCESSIBLE_TENSOR: InaccessibleTensorError,
    }
)


__dir__ = lazy.listing(__name__)

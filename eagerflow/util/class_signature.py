"""Signatures, for `inspect`, of classes whose metaclass or `__new__` accepts any arguments."""

from __future__ import annotations

import inspect
from abc import ABCMeta

from eagerflow.util.advice import ListsOwnAttributes


class SignatureOfInit(ListsOwnAttributes, ABCMeta):
    """A metaclass of classes whose signature is that of `__init__`, and which may have abstract bases.

    >>> class Metaclass(SignatureOfInit):
    ...     def __call__(cls, *args, **kwargs):
    ...         return super().__call__(*args, **kwargs)
    >>> class Point(metaclass=Metaclass):
    ...     def __init__(self, x, y=0):
    ...         pass
    >>> print(inspect.signature(Point))
    (x, y=0)
    """

    @property
    def __signature__(cls) -> inspect.Signature:
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]
        return signature.replace(
            parameters=list(signature.parameters.values())[1:],
            return_annotation=inspect.Signature.empty,
        )


def refuse_abstract(cls: ABCMeta) -> None:
    """Raises a TypeError for an abstract class, which the engine's own constructors do not do."""
    if inspect.isabstract(cls):
        missing = ", ".join(sorted(cls.__abstractmethods__))
        raise TypeError(f"Can't instantiate abstract class {cls.__name__} without {missing}")

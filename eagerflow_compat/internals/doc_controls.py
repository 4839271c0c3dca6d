"""tensorflow.tools.docs.doc_controls: decorators that say what reference pages show, which are none here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Object = TypeVar("_Object")


def do_not_generate_docs(obj: _Object) -> _Object:
    """The function or class as it is."""
    return obj


do_not_doc_inheritable = do_not_doc_in_subclasses = do_not_generate_docs
doc_in_current_and_subclasses = for_subclass_implementers = do_not_generate_docs
doc_private = hide_from_search = do_not_generate_docs


def header(text: str) -> Callable[[_Object], _Object]:
    """A decorator that leaves a function or class as it is."""
    return do_not_generate_docs


inheritable_header = header


def set_deprecated(obj: _Object) -> _Object:
    """The function or class as it is."""
    return obj


def decorate_all_class_attributes(
    decorator: Callable[[object], object], cls: _Object, skip: object
) -> _Object:
    """The class as it is."""
    return cls

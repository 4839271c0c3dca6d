"""tf.__internal__.saved_model.load: classes that loaded objects of a SavedModel may have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "VersionedTypeRegistration",
    "get_setter",
    "register_revived_type",
    "registered_identifiers",
]

_registered: dict[str, tuple[Callable[[object], bool], list[VersionedTypeRegistration]]] = {}


class VersionedTypeRegistration(NamedTuple):
    """How objects of a class are made from what a SavedModel says of them."""

    object_factory: Callable[[Any], Any]
    version: int
    min_producer_version: int
    min_consumer_version: int
    bad_consumers: Any = None
    setter: Callable[[Any, str, object], None] = setattr


def register_revived_type(
    identifier: str, predicate: Callable[[object], bool], versions: list[VersionedTypeRegistration]
) -> None:
    """Registers a class of objects under the name that SavedModels have for it.

    Raises:
        AssertionError: if the name has been registered already.
    """
    if identifier in _registered:
        raise AssertionError(f"Duplicate registrations for type '{identifier}'")
    _registered[identifier] = predicate, versions


def registered_identifiers() -> list[str]:
    """The names that have been registered."""
    return list(_registered)


def get_setter(proto: Any) -> Callable[..., None] | None:
    """What sets children of an object that a SavedModel describes, or None."""
    _, versions = _registered.get(proto.identifier, (None, []))
    return versions[0].setter if versions else None

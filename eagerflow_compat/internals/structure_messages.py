"""tensorflow.python.saved_model.nested_structure_coder: structures of specs and values as messages."""

from __future__ import annotations

from typing import Any

from eagerflow.protos.structure import MESSAGES
from eagerflow.saved_model import structured_values

__all__ = ["can_encode", "decode_proto", "encode_structure"]


def encode_structure(nested_structure: Any) -> Any:
    """A StructuredValue for a structure.

    Raises:
        TypeError: if something in it is nothing that such a message can hold.
    """
    message = MESSAGES["StructuredValue"]()
    structured_values.fill(message, nested_structure)
    return message


def can_encode(nested_structure: Any) -> bool:
    """Whether `encode_structure` takes a structure."""
    try:
        encode_structure(nested_structure)
    except TypeError:
        return False
    return True


def decode_proto(proto: Any) -> Any:
    """The structure in a StructuredValue.

    Raises:
        ValueError: if it is nested too deeply, or of an unknown kind.
    """
    return structured_values.read(proto)

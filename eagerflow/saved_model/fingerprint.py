"""The fingerprint in a SavedModel's folder, as TensorFlow writes it: hashes of its parts."""

from __future__ import annotations

import enum
import os
from typing import Any

from eagerflow.util import lazy
from eagerflow.util.regular import read_regular

# Imported when it is first used: reading a model needs no fingerprint.
protos = lazy.Module("eagerflow.protos.saved_model")

_HASHES = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)


class VariablePolicy(enum.Enum):
    """Metadata of variables in a SavedModel; accepted by `tf.saved_model.SaveOptions`."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"


class Fingerprint:
    """The hashes of a SavedModel, each an integer.

    Args:
        saved_model_checksum: of the file `saved_model.pb`.
        graph_def_program_hash: of the graph.
        signature_def_hash: of the signatures.
        saved_object_graph_hash: of the objects.
        checkpoint_hash: of the index of the variables.
        version: of the hashes.

    >>> make = tf.saved_model.experimental.Fingerprint
    >>> make(1, 2, 3, 4, 5).singleprint()
    '2/3/4/5'
    >>> make(1, 2, 3, 4, 5) == make(0, 2, 3, 4, 5)
    False
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: int | None = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """The fingerprint that a message or its bytes have."""
        if isinstance(proto, bytes):
            proto = protos.FingerprintDef.FromString(proto)
        hashes: dict[str, Any] = {name: getattr(proto, name) for name in _HASHES}
        return cls(**hashes, version=proto.version)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and all(
            getattr(self, name) == getattr(other, name) for name in _HASHES
        )

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in _HASHES))

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in _HASHES]
        return "\n".join(["SavedModel Fingerprint", *lines])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(str(getattr(self, name)) for name in _HASHES)})"

    def singleprint(self) -> str:
        """The hashes that stay when the same model is saved again, between slashes."""
        return "/".join(str(getattr(self, name)) for name in _HASHES[1:])


def read_fingerprint(export_dir: str) -> Fingerprint:
    """The fingerprint in a SavedModel's folder.

    TensorFlow writes a fingerprint; eagerflow, whose graphs have other hashes, does not.

    Args:
        export_dir: the SavedModel's folder.

    Raises:
        FileNotFoundError: if there is none.
    """
    path = os.path.join(export_dir, "fingerprint.pb")
    try:
        return Fingerprint.from_proto(read_regular(path))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {export_dir}\n"
            f"NOT_FOUND: {path} not found"
        ) from None

"""tensorflow.python.saved_model.save: SavedModels, and what another Keras asks of them."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.trackable import Trackable, TrackableReference
from eagerflow.saved_model.saving import save, save_and_list
from eagerflow_compat.internals.object_identity import ObjectIdentityDictionary

__all__ = ["save", "save_and_return_nodes"]


def save_and_return_nodes(
    obj: Trackable,
    export_dir: Any,
    signatures: Any = None,
    options: Any = None,
    experimental_skip_checkpoint: bool = False,
) -> tuple[list[Any], ObjectIdentityDictionary]:
    """Saves an object; the objects that belong to it, in the file's order, and the paths to them.

    Args:
        obj: see `tf.saved_model.save`, like the following three.
        export_dir: see above.
        signatures: see above.
        options: see above.
        experimental_skip_checkpoint: accepted, without effect.
    """
    objects = save_and_list(obj, export_dir, signatures, options)
    paths = ObjectIdentityDictionary()
    for item, path in objects:
        paths[item] = [TrackableReference(name, None) for name in path.split("/") if name]
    return [item for item, _ in objects], paths

"""Restoring a bundle to objects: existing ones at once, others when they are created."""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from eagerflow import _core, errors
from eagerflow.checkpoint.bundle import BundleReader
from eagerflow.checkpoint.saving import GRAPH_KEY
from eagerflow.checkpoint.trackable import (
    GROWING,
    VARIABLE_VALUE,
    InSession,
    children,
    escaped,
    in_sessions,
    slots,
    values,
    walk,
)
from eagerflow.framework.trackable import ValueParts
from eagerflow.framework.tracked_containers import TrackableDataStructure
from eagerflow.protos.checkpoint import MESSAGES
from eagerflow.util import lazy

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

Variable: Any = _core.Variable
PENDING = "_pending_restorations"
_ordinals = itertools.count()


class _Unplaced:
    """The values of a checkpoint that no object has got yet; logged when none can any more.

    It outlives its restoration, and refers neither to it nor to objects.
    """

    def __init__(self, prefix: str, paths: dict[int, str]) -> None:
        self.prefix = prefix
        self.paths = paths  # node → path, of nodes that have values
        self.expected = False
        self._logged: set[int] = set()

    def report(self, below: str = "") -> None:
        """Logs the values that no object got, unless the program has said that it expects that.

        Args:
            below: what their paths begin with.
        """
        nodes = [
            node
            for node, path in self.paths.items()
            if node not in self._logged and path.startswith(below)
        ]
        if self.expected or not nodes:
            return
        self._logged.update(nodes)
        lines = [
            f"Value in checkpoint could not be found in the restored object: {self.paths[node]}"
            for node in nodes
        ]
        logging.warning(
            "Detecting that an object or model or tf.train.Checkpoint is being deleted with "
            f"unrestored values of {self.prefix}. To silence this warning, use "
            "`status.expect_partial()` on what `restore` or `load_weights` returned.\n"
            + "\n".join(lines)
        )


class _Unfilled:
    """The differences between a model and a checkpoint; logged when the status object is deleted.

    Args:
        paths: the paths of the objects without values in the checkpoint.
        unplaced: the values that match no object.
        complete: see `LoadStatus.report_unfilled`.
    """

    def __init__(self, paths: list[str], unplaced: _Unplaced, complete: str | None) -> None:
        self._paths = paths
        self._unplaced = unplaced
        self._complete = complete

    def report(self) -> None:
        """Logs it, unless the program has said that it expects that."""
        if self._unplaced.expected:
            return
        if self._paths:
            logging.warning(
                f"{self._unplaced.prefix} has no values for these objects, which keep their own. To "
                "silence this warning, use `status.expect_partial()` on what `load_weights` returned.\n"
                + "\n".join(f"Object without a value in the checkpoint: {p}" for p in self._paths)
            )
        if self._complete is not None:
            self._unplaced.report(f"(root).{self._complete}")


class PendingRestorations(list[Any]):
    """The deferred values of checkpoints for an object that was created after their restoration.

    It is the object's attribute `PENDING`: pairs of a restoration and the object's node. The object
    calls `settle` when its attributes have changed.
    """

    def settle(self, item: object) -> None:
        """Restores the children that `item` has got meanwhile."""
        # Removed first: restoring may set attributes in turn.
        item.__dict__.pop(PENDING)
        left = [note for note in self if not note[0].settle(note[1], item)]
        if left:
            item.__dict__.setdefault(PENDING, PendingRestorations()).extend(left)


class Restoration:
    """The restoration of one checkpoint.

    Every object that matches a node gets its values. An object that lacks children of its node stores
    this restoration (`PENDING`), and `settle` continues it when an attribute is set. Lists and
    dictionaries that are not attributes do not report new items: those that lack items are checked
    whenever a layer has created weights (`look_again`).
    """

    def __init__(
        self, reader: BundleReader, children_of: Callable[[Any], dict[str, Any]] = children
    ) -> None:
        self.reader = reader
        self._children_of = children_of
        content = reader.read(GRAPH_KEY).numpy()
        try:
            self.graph = MESSAGES.reader("TrackableObjectGraph")(content)
        except (ValueError, TypeError) as error:
            raise errors.DataLossError._of(
                f"The graph of objects in {reader.prefix} is damaged: {error}"
            ) from error
        count = len(self.graph.nodes)
        for node in self.graph.nodes:
            references = [child.node_id for child in node.children]
            references += [slot.slot_variable_node_id for slot in node.slot_variables]
            references += [slot.original_variable_node_id for slot in node.slot_variables]
            if any(not 0 <= k < count for k in references):
                raise errors.DataLossError._of(
                    f"The graph of objects in {reader.prefix} refers to nothing."
                )
        self.objects: dict[int, Any] = {}  # node → object
        self.nodes: dict[int, int] = {}  # id of an object → node
        self.ordinal = next(_ordinals)
        # Values that sessions shall hold, and what puts each there.
        self.late: list[tuple[InSession, Any]] = []
        # Objects that lack children and may get them unnoticed: containers, and their owners.
        self._growing: dict[int, Any] = {}
        self._lock = threading.RLock()
        self._names = [
            {c.local_name: c.node_id for c in node.children} for node in self.graph.nodes
        ]
        self._slots = {  # of owners: (node of the variable, name of the slot) → node of the slot
            owner: {
                (slot.original_variable_node_id, slot.slot_name): slot.slot_variable_node_id
                for slot in node.slot_variables
            }
            for owner, node in enumerate(self.graph.nodes)
            if node.slot_variables
        }
        self.unplaced = _Unplaced(reader.prefix, self._paths_of_values())
        weakref.finalize(self, self.unplaced.report)

    def _paths_of_values(self) -> dict[int, str]:
        """The shortest path from the root to each node that has values, or slots' values."""
        paths = {0: "(root)"} if self._names else {}
        for node in (waiting := list(paths)):
            for name, child in self._names[node].items():
                if child not in paths:
                    paths[child] = f"{paths[node]}.{escaped(name)}"
                    waiting.append(child)
        for node in self.graph.nodes:
            for slot in node.slot_variables:
                variable = paths.get(slot.original_variable_node_id, "?")
                paths.setdefault(
                    slot.slot_variable_node_id, f"{slot.slot_name} of {variable.removeprefix('.')}"
                )
        return {node: path for node, path in paths.items() if self.graph.nodes[node].attributes}

    def start(self, root: Any) -> None:
        """Restores everything that can be reached from `root`."""
        if not self.graph.nodes:
            return
        try:
            self.match([(0, root)])
        except ValueError:
            self.unplaced.expected = True  # the error lists what does not fit
            raise

    def match(self, pairs: list[tuple[int, Any]]) -> None:
        """Restores objects and their children from nodes.

        Raises:
            ValueError: if shapes or dtypes do not fit; it lists all of them, and no value is assigned.
        """
        with self._lock:
            fresh, assignments = self._collect(pairs)
            _check(assignments, self.reader)
            for node, item in fresh:
                self.objects[node] = item
                self.nodes[id(item)] = node
                self.unplaced.paths.pop(node, None)
            for node, item in fresh:
                self._remember(node, item)
            for setter, tensor, _, _ in assignments:
                if isinstance(setter, InSession):
                    self.late.append((setter, tensor))
                else:
                    setter(tensor)
            if not self.unplaced.paths:
                self.reader.close()

    def _collect(self, pairs: list[tuple[int, Any]]) -> tuple[list[Any], list[Any]]:
        fresh: dict[int, Any] = {}
        queue = list(pairs)
        for node, item in queue:
            if node in self.objects or node in fresh:
                continue
            fresh[node] = item
            names = self._names[node]
            for name, child in self._children_of(item).items():
                if name in names:
                    queue.append((names[name], child))
        fresh_nodes = {id(item): node for node, item in fresh.items()}
        for owner, wanted in self._slots.items():
            item = fresh.get(owner, self.objects.get(owner))
            if (refuse := getattr(item, "_refuse_slots", None)) is not None:
                refuse()
            for variable, name, slot in () if item is None else slots(item):
                original = fresh_nodes.get(id(variable), self.nodes.get(id(variable), -1))
                slot_node = wanted.get((original, name))
                if slot_node is not None and slot_node not in self.objects:
                    fresh.setdefault(slot_node, slot)
        collected = list(fresh.items())
        assignments = []
        for node, item in collected:
            keys = {a.name: a.checkpoint_key for a in self.graph.nodes[node].attributes}
            for name, value in values(item).items():
                if name not in keys:
                    continue
                if isinstance(value, ValueParts):
                    assignments += self._parts(value, item, keys[name])
                elif keys[name] in self.reader:
                    tensor = self.reader.read(keys[name])
                    assignments.append((value.set, tensor, item, keys[name]))
        return collected, assignments

    def _parts(self, value: ValueParts, item: object, key: str) -> list[Any]:
        """The assignment of a value that has several tensors, if the checkpoint has them all."""
        if not all(key + suffix in self.reader for suffix in value.suffixes):
            return []
        parts = {suffix: self.reader.read(key + suffix) for suffix in value.suffixes}
        return [(value.set, parts, item, key)]

    def missing(self, node: int, seen: frozenset[int] = frozenset()) -> bool:
        """Whether there are values below a node which no object has got yet.

        Lists and dictionaries cannot keep notes, so their owners do it for them.
        """
        for slot in self.graph.nodes[node].slot_variables:
            if slot.slot_variable_node_id not in self.objects:
                return True
        for child in self._names[node].values():
            kept = self.graph.nodes[child]
            if child in seen or not (kept.has_checkpoint_values.value or kept.slot_variables):
                continue
            item = self.objects.get(child)
            if item is None:
                return True
            if not _remembers(item) and self.missing(child, seen | {child}):
                return True
        return False

    def _remember(self, node: int, item: object) -> None:
        """Stores the restoration in an object that lacks children of its node."""
        if not self.missing(node):
            return
        for holder in (item, getattr(item, "_same_node", None)):
            if _remembers(holder):
                notes = holder.__dict__.setdefault(PENDING, PendingRestorations())
                # A new checkpoint replaces older ones whose names it has.
                superseded = [
                    n for n in notes if n[0]._names[n[1]].keys() <= self._names[node].keys()
                ]
                for note in superseded:
                    notes.remove(note)
                    note[0]._stop_growing(note[1])
                notes.append((self, node))
        self._note_growing(node, item)

    def _note_growing(self, node: int, item: object) -> None:
        """Registers containers that lack items: they do not report new items."""
        if _grows_unnoticed(item):
            grows = True
        else:
            own = getattr(item, "__dict__", {})
            grows = any(
                _grows_unnoticed(own.get(name)) and child not in self.objects
                for name, child in self._names[node].items()
            )
        if grows:
            self._growing[node] = item
            GROWING.add(self)

    @property
    def waits_for_containers(self) -> bool:
        """Whether lists or dictionaries that lack something are known."""
        return bool(self._growing)

    def _stop_growing(self, node: int) -> None:
        self._growing.pop(node, None)
        if not self._growing:
            GROWING.discard(self)

    def look_again(self) -> None:
        """Restores the objects that lists and dictionaries have got meanwhile."""
        with self._lock:
            for node, item in list(self._growing.items()):
                if node in self._growing:
                    self._settle_below(node, item)
                    if not self.missing(node):
                        self._stop_growing(node)

    def settle(self, node: int, item: object) -> bool:
        """Restores the children that `item` has got meanwhile; returns whether none is missing."""
        with self._lock:
            self._settle_below(node, item)
            self.look_again()
            if not self.missing(node):
                return True
            self._note_growing(node, item)
            return False

    def settle_all(self, root: object) -> None:
        """Restores the children that the objects below the root have got meanwhile."""
        with self._lock:
            for item, _ in list(walk(root)):
                node = self.nodes.get(id(item))
                if node is not None:
                    self._settle_below(node, item)

    def _settle_below(self, node: int, item: object) -> None:
        names = self._names[node]
        fresh = [
            (names[name], child)
            for name, child in children(item).items()
            if name in names and names[name] not in self.objects
        ]
        if fresh:
            self.match(fresh)
        elif self.graph.nodes[node].slot_variables:
            self.match([])


def _remembers(item: object) -> bool:
    """Whether an object can record missing children, and is notified of new attributes."""
    return hasattr(item, "__dict__") and not _grows_unnoticed(item)


def _grows_unnoticed(item: object) -> bool:
    plain = isinstance(item, list | tuple | Mapping)
    return plain and not isinstance(item, TrackableDataStructure)


def look_again() -> None:
    """Restores objects in lists and dictionaries that have grown.

    The latest restoration comes last, so that its values stay.
    """
    for restoration in sorted(GROWING, key=lambda each: each.ordinal):
        restoration.look_again()


def _check(assignments: list[Any], reader: BundleReader) -> None:
    """Fails, naming them all, if there are variables that tensors do not fit."""
    problems, dtypes_differ = [], False
    for _, tensor, item, key in assignments:
        if not isinstance(item, Variable):
            continue
        if not item.shape.is_compatible_with(tensor.shape):
            problems.append(
                f"{_place(key)} ({item.name}): the variable has shape {item.shape}, the checkpoint "
                f"has {tensor.shape}"
            )
        elif item.dtype != tensor.dtype:
            problems.append(
                f"{_place(key)} ({item.name}): the variable has dtype {item.dtype.name}, the "
                f"checkpoint has {tensor.dtype.name}"
            )
            dtypes_differ = True
    if problems:
        message = (
            f"Received incompatible tensors from {reader.prefix}; nothing was restored:\n  "
            + "\n  ".join(problems)
        )
        if dtypes_differ:
            raise errors.InvalidArgumentError._of(message)
        raise ValueError(message)


def _place(key: str) -> str:
    return key.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE")


class LoadStatus:
    """The result of `restore`: assertions on what was restored."""

    def __init__(self, restoration: Restoration | None, root: Any) -> None:
        self._restoration = restoration
        self._root = root

    def _settle(self) -> Restoration:
        restoration = self._restoration
        if restoration is None:
            raise AssertionError(
                "No checkpoint specified (save_path=None); nothing is being restored."
            )
        if restoration.unplaced.paths:
            restoration.settle_all(self._root)
        return restoration

    def assert_consumed(self) -> LoadStatus:
        """Asserts that all of the checkpoint went into objects, and all objects got values.

        Raises:
            AssertionError: if something did not; it names everything.
        """
        self._assert_checkpoint_used(self._settle())
        self.assert_existing_objects_matched()
        return self

    def _assert_checkpoint_used(self, restoration: Restoration) -> None:
        lost = restoration.unplaced.paths
        if lost:
            keys = [
                f"{path} ({attribute.checkpoint_key})"
                for node, path in lost.items()
                for attribute in restoration.graph.nodes[node].attributes
            ]
            raise AssertionError(
                f"Unresolved object in checkpoint {restoration.reader.prefix}: no object has taken "
                "these values:\n  " + "\n  ".join(keys)
            )

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Asserts that all objects that have values got them from the checkpoint.

        Raises:
            AssertionError: if some did not; it names them.
        """
        restoration = self._settle()
        unmatched = self._unmatched(restoration)
        if unmatched:
            raise AssertionError(
                f"Found {len(unmatched)} Python objects that were not bound to checkpointed values "
                f"of {restoration.reader.prefix}, likely due to changes in the Python program:\n  "
                + "\n  ".join(unmatched)
            )
        return self

    def _unmatched(self, restoration: Restoration) -> list[str]:
        """The paths of all objects that have values, but none from the checkpoint."""
        return [
            path or "the root object"
            for item, path in walk(self._root)
            if values(item) and id(item) not in restoration.nodes
        ]

    def assert_nontrivial_match(self) -> LoadStatus:
        """Asserts that the checkpoint matches at least one object other than the root.

        Raises:
            AssertionError: if nothing was.
        """
        restoration = self._settle()
        if len(restoration.objects) > 1 or restoration.waits_for_containers:
            return self
        unmatched = self._unmatched(restoration)
        if not unmatched:
            raise AssertionError(
                f"Nothing to load from {restoration.reader.prefix}: no dependencies have been added "
                f"to {self._root} yet. Make its layers or variables first."
            )
        raise AssertionError(
            "Nothing except the root object matched a checkpointed value of "
            f"{restoration.reader.prefix}. Typically this means that the checkpoint does not match "
            "the Python program. The following objects have no matching checkpointed value:\n  "
            + "\n  ".join(unmatched)
        )

    def expect_partial(self) -> LoadStatus:
        """Accepts that parts of the checkpoint are not used: no warning is logged."""
        if self._restoration is not None:
            self._restoration.unplaced.expected = True
        return self

    def report_unfilled(self, items: Iterable[object], complete: str | None) -> None:
        """When the status is deleted, logs values that were not restored, unless after `expect_partial`.

        Args:
            items: objects that should have values in the checkpoint.
            complete: prefixes of the names of root attributes that will get no further objects for
                deferred values; None if all attributes may.
        """
        restoration = self._restoration
        if restoration is None:
            return
        wanted = {id(item) for item in items} - restoration.nodes.keys()
        paths = [path for item, path in walk(self._root) if id(item) in wanted] if wanted else []
        unfilled = _Unfilled(paths, restoration.unplaced, complete)
        weakref.finalize(self, unfilled.report)

    def run_restore_ops(self, session: Any = None) -> None:
        """Puts the values into a session that sessions hold; all others were assigned at once.

        Args:
            session: the session; by default the default one, or Keras's.

        Raises:
            AssertionError: if there is no checkpoint.
            ValueError: if there are such values, and no session.
        """
        for setter, tensor in self._settle().late:
            setter.load(tensor, session)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Like `run_restore_ops`, after initializing the variables that the checkpoint lacks.

        Args:
            session: the session; by default the default one, or Keras's.
        """
        restored = {} if self._restoration is None else self._settle().nodes
        for item, _ in walk(self._root):
            if isinstance(item, Variable) and in_sessions(item) and id(item) not in restored:
                initializer = item.initializer
                used = initializer.graph.session_of_objects(session, initializer, "run")
                initializer.run(session=used)
        if self._restoration is not None:
            self.run_restore_ops(session)


class NameBasedStatus(LoadStatus):
    """The status of a checkpoint whose tensors have variables' names, without a graph of objects."""

    def __init__(self, used: set[str], reader: BundleReader, missing: list[str], root: Any) -> None:
        super().__init__(None, root)
        self._used = used
        self._reader = reader
        self._lost = missing

    def assert_consumed(self) -> LoadStatus:
        """Asserts that every variable has a value, and every value was used."""
        self.assert_existing_objects_matched()
        lost = sorted(set(self._reader.names()) - self._used)
        if lost:
            raise AssertionError(
                f"Unused tensors in checkpoint {self._reader.prefix}:\n  " + "\n  ".join(lost)
            )
        return self

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Asserts that the checkpoint has a tensor for every variable."""
        if self._lost:
            raise AssertionError(
                f"Variables that {self._reader.prefix} does not have:\n  " + "\n  ".join(self._lost)
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Asserts that at least one variable has a value."""
        if not self._used:
            raise AssertionError(f"No variable is in the checkpoint {self._reader.prefix}.")
        return self


def restore_objects(
    root: object, prefix: str, children_of: Callable[[Any], dict[str, Any]] = children
) -> LoadStatus:
    """Assigns the values of a bundle to the objects below `root`.

    Args:
        root: the object.
        prefix: the path of the bundle's files without their endings.
        children_of: the objects below another, by name.

    Raises:
        tf.errors.NotFoundError: if there is no such checkpoint.
        tf.errors.DataLossError: if it is damaged.
        ValueError: if shapes or dtypes do not fit.
    """
    reader = BundleReader(prefix)
    if GRAPH_KEY not in reader:
        return _restore_by_names(root, reader)
    restoration = Restoration(reader, children_of)
    restoration.start(root)
    return LoadStatus(restoration, root)


def _restore_by_names(root: Any, reader: BundleReader) -> LoadStatus:
    used: set[str] = set()
    missing = []
    assignments = []
    for item, _ in walk(root):
        if not isinstance(item, Variable):
            continue
        name = item.name.split(":")[0]
        if name in reader:
            assignments.append((values(item)[VARIABLE_VALUE].set, reader.read(name), item, name))
            used.add(name)
        else:
            missing.append(name)
    _check(assignments, reader)
    for setter, tensor, _, _ in assignments:
        setter(tensor)  # into a session, where sessions hold the values
    return NameBasedStatus(used, reader, missing, root)

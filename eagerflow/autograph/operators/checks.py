"""What must hold of the variables that branches and loops change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import nest
from eagerflow.autograph.operators.containers import EmptyArray
from eagerflow.autograph.operators.staging import Tensor, as_tensor
from eagerflow.autograph.operators.variables import Undefined, UndefinedReturnValue
from eagerflow.framework.shapes import TensorShape


def _tensors(value: object) -> Any:
    """A structure in which Python's values and variables are tensors."""
    return nest.map_structure(
        lambda leaf: leaf.value() if hasattr(leaf, "assign_add") else as_tensor(leaf), value
    )


def check_branch(values: Sequence, names: Sequence[str], branch: str) -> None:
    """Checks that a branch has given all its variables a value.

    Args:
        values: the variables' values after the branch.
        names: their names.
        branch: main or else.

    Raises:
        ValueError: if one has none.
    """
    for name, value in zip(names, values, strict=False):
        if isinstance(value, UndefinedReturnValue):
            raise ValueError(f"the {branch} branch must also have a return statement.")
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must also be initialized in the {branch} branch")


def check_branches(main: Sequence, other: Sequence, names: Sequence[str]) -> None:
    """Checks that both branches give each variable the same kind of value."""
    for name, left, right in zip(names, main, other, strict=False):
        check_either(name, left, right)


def check_either(name: str, main: object, other: object) -> None:
    """Checks that a variable has the same kind of value after either branch.

    Args:
        name: the variable's name.
        main: its value after the first branch.
        other: its value after the second.

    Raises:
        TypeError: if structures or dtypes differ.
        ValueError: if one value is None.
    """
    for value, branch in ((main, "main"), (other, "else")):
        if value is None:
            raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
    try:
        nest.assert_same_structure(main, other, expand_composites=True)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches:\n\n{error}"
        ) from None
    main, other = (nest.flatten(_tensors(value), expand_composites=True) for value in (main, other))
    for left, right in zip(main, other, strict=True):
        for value, branch in ((left, "main"), (right, "else")):
            if value is None:
                raise ValueError(f"'{name}' is None at the end of the {branch} branch.")
        if isinstance(left, Tensor) and isinstance(right, Tensor) and left.dtype != right.dtype:
            raise TypeError(
                f"'{name}' has dtype {left.dtype.name} in the main branch, but dtype "
                f"{right.dtype.name} in the else branch"
            )


def check_before_loop(
    values: Sequence, names: Sequence[str], first: Sequence | None, reason: str | None
) -> None:
    """Checks that all variables of a loop have a value when it begins.

    Args:
        values: their values before the loop.
        names: their names.
        first: their values after one iteration, if that is known.
        reason: why a value could not be found by itself, if there is a reason.

    Raises:
        NotImplementedError: if the variable is the function's result.
        ValueError: if another one has no value.
    """
    for k, (name, value) in enumerate(zip(names, values, strict=True)):
        if isinstance(value, UndefinedReturnValue):
            if first is not None and first[k]:
                raise ValueError(
                    "the return value from a TensorFlow loop may only be a Tensor, int, float, bool, "
                    f"or a list or tuple of them; got {type(first[k])}"
                )
            raise NotImplementedError(
                "a return statement cannot be placed inside this TensorFlow loop; this may happen "
                "if a return statement depends on a static Python condition such as a "
                "hyperparameter"
            )
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")
        if isinstance(value, Undefined | EmptyArray):
            note = f"\n{reason}" if reason else ""
            raise ValueError(f"'{name}' must be defined before the loop{note}")


def check_iteration(
    name: str, before: Any, entry: Any, after: object, invariant: object, shapes: bool = True
) -> None:
    """Checks that a variable keeps its kind of value in an iteration of a loop.

    Args:
        name: the variable's name.
        before: its value before the loop.
        entry: its value when the iteration begins.
        after: its value when the iteration ends.
        invariant: a structure of the shapes that it always fits, or None.
        shapes: whether a shape may not change.

    Raises:
        TypeError: if its structure or a dtype changes.
        ValueError: if a shape changes, or the value is None.
    """
    if after is None:
        raise ValueError(f"'{name}' is None at the end of the iteration.")
    try:
        nest.assert_same_structure(before, after, expand_composites=True)
    except (TypeError, ValueError):
        try:
            nest.assert_same_structure(entry, _tensors(after), expand_composites=True)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
            ) from None
    befores, entries, afters = (
        nest.flatten(_tensors(value), expand_composites=True) for value in (before, entry, after)
    )
    invariants = nest.flatten(invariant) if invariant is not None else []
    if len(invariants) != len(befores):
        invariants = [None] * len(befores)
    for leaves in zip(befores, entries, afters, invariants, strict=True):
        _check_leaf(name, *leaves, shapes)


def _check_leaf(
    name: str, before: Any, entry: object, after: Any, invariant: Any, shapes: bool
) -> None:
    if after is None:
        raise ValueError(f"'{name}' is None at the end of the iteration.")
    if not isinstance(entry, Tensor) or not isinstance(after, Tensor):
        return
    if entry.dtype != after.dtype:
        raise TypeError(
            f"'{name}' has dtype {entry.dtype.name} before the loop, but dtype {after.dtype.name} "
            "after one iteration"
        )
    if not shapes:
        return
    if invariant is None:
        if not _fits(after.shape, entry.shape):
            raise ValueError(
                f"'{name}' has shape {entry.shape} before the loop, but shape {after.shape} after "
                "one iteration. Use tf.autograph.experimental.set_loop_options to set shape "
                "invariants."
            )
        return
    if not isinstance(invariant, TensorShape):
        return
    for shape, when in ((before.shape, "before the loop"), (after.shape, "after one iteration")):
        if not _fits(shape, invariant):
            raise ValueError(
                f"'{name}' has shape {shape} {when}, which does not conform with the shape "
                f"invariant {invariant}."
            )


def widened(before: Any, entry: Any, after: Any) -> Any:
    """The shapes that fit a variable before and after an iteration; None if none has changed.

    Args:
        before: its value before the loop.
        entry: its value when the iteration begins.
        after: its value when the iteration ends.
    """
    changed = False

    def wider(entry: Any, after: Any) -> TensorShape | None:
        nonlocal changed
        if not isinstance(entry, Tensor) or not isinstance(after, Tensor):
            return None
        if _fits(after.shape, entry.shape):
            return entry.shape
        changed = True
        return entry.shape.most_specific_compatible_shape(after.shape)

    leaves = zip(nest.flatten(_tensors(entry)), nest.flatten(_tensors(after)), strict=True)
    shapes = [wider(*pair) for pair in leaves]
    return nest.pack_sequence_as(before, shapes) if changed else None


def _fits(shape: TensorShape, wider: TensorShape) -> bool:
    """Whether every shape that the first describes is one that the second describes."""
    if wider.rank is None:
        return True
    if shape.rank != wider.rank:
        return False
    return all(
        right is None or left == right
        for left, right in zip(shape.as_list(), wider.as_list(), strict=True)
    )

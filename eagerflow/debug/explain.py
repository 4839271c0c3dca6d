"""Why a gradient is None, or where it becomes NaN."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from eagerflow import _core
from eagerflow.debug import discarded
from eagerflow.debug.numerics import counts_of
from eagerflow.debug.tracing import Keys, Step, Trace, trace_or_error
from eagerflow.typing import TensorLike


@dataclass(frozen=True)
class Explanation:
    """The explanation of a gradient.

    Attributes:
        kind: "connected", "unwatched", "integer", "not recorded", "no gradient", "disconnected",
            "bad value" or "bad gradient".
        step: the operation where the path breaks or the first NaN or infinity appears, if there is one.
        text: the explanation as text.
        rewritten: the call to write instead of a `tf.where` that discards the values, but not their
            gradients; None if that is not the reason, or the line does not show the call.
    """

    kind: str
    text: str
    step: Step | None = None
    rewritten: str | None = None

    @property
    def line(self) -> Any:
        """The program's line of the operation."""
        return None if self.step is None else self.step.line

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """The text, as notebooks show it."""
        first, _, rest = html.escape(self.text).partition("\n")
        return f"<pre style='font-family: monospace'><b>{first}</b>\n{rest}</pre>"


def explain_gradient(
    tape: _core.Tape, target: object, source: object, trace: Trace | None = None
) -> Explanation:
    """Says why the gradient of `target` by `source` is None, or where it becomes NaN or infinite.

    Args:
        tape: the tape that recorded the computation inside of `eagerflow.debug.trace()`. To find
            bad values in a gradient it has to be persistent.
        target: the tensor that was differentiated.
        source: the tensor or variable that it was differentiated by.
        trace: the trace; by default the current or last one.

    Raises:
        ValueError: if nothing has been traced.

    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.debug.trace(), tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.reduce_sum(tf.round(x * 3.0))
    >>> explanation = tf.debug.explain_gradient(tape, y, x)
    >>> explanation.kind, explanation.step.name
    ('no gradient', 'Round')
    """
    recorded = trace_or_error(trace)
    keys = Keys(tape)
    return (
        _of_source(keys, source)
        or _of_path(keys, recorded, target, source)
        or _of_values(tape, keys, recorded, target, source)
    )


def _place(step: Step) -> str:
    return f"{step.name}\n  {step.line}" if step.line else step.name


def _of_source(keys: Keys, source: Any) -> Explanation | None:
    if not (source.dtype.is_floating or source.dtype.is_complex):
        return Explanation(
            "integer",
            f"The source's dtype is {source.dtype.name}: only floating and complex tensors have "
            "gradients. Cast it before it is watched.",
        )
    if keys.recorded(source):
        return None
    if isinstance(source, _core.Variable):
        why = (
            "it is not trainable, or was not read inside of the tape's `with` block"
            if source.trainable
            else "it is not trainable"
        )
    else:
        why = "tensors have to be watched before they are used"
    return Explanation(
        "unwatched", f"The tape does not watch the source: {why}. Call tape.watch(source)."
    )


def _of_path(keys: Keys, trace: Trace, target: object, source: object) -> Explanation | None:
    """Follows the operations that depend on the source, and explains where the path ends."""
    start, goal = keys(source), keys(target)
    if start == goal:
        return Explanation("connected", "The target is the source itself.")
    reached = {start}
    uses: list[Step] = []
    for step in trace.steps:
        if any(keys(value) in reached for value in step.inputs):
            uses.append(step)
            reached.update(keys(value) for value in step.outputs)
    if goal not in reached:
        return _gap(keys, trace, uses, target)
    if keys.recorded(target) and _recorded_path(keys, uses, start, goal):
        return None
    # Backwards from the target, find the operation at which the tape's path breaks.
    wanted = {goal}
    broken = None
    for step in reversed(uses):
        if not any(keys(value) in wanted for value in step.outputs):
            continue
        carried = [v for v in step.inputs if keys(v) in reached]
        wanted.update(keys(value) for value in carried)
        lost = not any(keys.recorded(value) for value in step.outputs)
        if lost and any(keys.recorded(value) for value in carried):
            broken = step
    if broken is None:
        return Explanation(
            "not recorded",
            "The tape recorded no operation between source and target: were they computed outside "
            "of its `with` block, or while it was paused?",
        )
    return _lost_in(broken)


def _recorded_path(keys: Keys, uses: list[Step], start: TensorLike, goal: Any) -> bool:
    carried = {start}
    for step in uses:
        if any(keys(value) in carried for value in step.inputs):
            carried.update(keys(value) for value in step.outputs if keys.recorded(value))
    return goal in carried


def _lost_in(step: Step) -> Explanation:
    dtypes = {value.dtype.name for value in step.outputs if hasattr(value, "dtype")}
    whole = all(not (value.dtype.is_floating or value.dtype.is_complex) for value in step.outputs)
    if whole:
        why = f"its result is {', '.join(sorted(dtypes))}, which has no gradient"
    elif step.name == "StopGradient":
        why = "it stops gradients, which is its purpose"
    else:
        why = (
            "the tape did not record it: it ran outside of the tape's `with` block or while the "
            "tape was paused, or it has no gradient"
        )
    return Explanation("no gradient", f"The path breaks at {_place(step)}\n{why}.", step)


def _gap(keys: Keys, trace: Trace, uses: list[Step], target: object) -> Explanation:
    """The explanation if no chain of operations leads from the source to the target."""
    if not uses:
        return Explanation(
            "disconnected",
            "No traced operation reads the source: it was not used, or something else "
            "was used instead, such as a copy made before it was watched.",
        )
    wanted = {keys(target)}
    origin = None
    for step in reversed(trace.steps):
        if any(keys(value) in wanted for value in step.outputs):
            wanted.update(keys(value) for value in step.inputs)
            origin = step
    text = (
        "No chain of operations leads from the source to the target. The last operation that "
        f"depends on the source is {_place(uses[-1])}\n"
    )
    if origin is None:
        text += "No traced operation returns the target."
    else:
        text += (
            f"The target's computation begins with {_place(origin)}\n"
            "If values went from one to the other through NumPy or Python numbers, use operations "
            "of this package there."
        )
    return Explanation("disconnected", text, origin or uses[-1])


def _of_values(tape: _core.Tape, keys: Keys, trace: Trace, target: Any, source: Any) -> Explanation:
    """Looks for the first NaN or infinity, among values first and then among gradients."""
    reached = {keys(source)}
    path: list[Step] = []
    for step in trace.steps:
        if any(keys(value) in reached for value in step.inputs):
            path.append(step)
            reached.update(keys(value) for value in step.outputs)
    path = _leading_to(keys, path, target)
    for step in path:
        if any(_bad(value) for value in step.outputs):
            counts = _counts(step.outputs)
            return _with_selection(
                keys,
                path,
                "bad value",
                f"The first bad values are {counts} in the result of "
                f"{_place(step)}\nits inputs: {_described(step.inputs)}.",
                step,
            )
    if not tape._persistent:
        return Explanation(
            "connected",
            "The target depends on the source, and all values are finite. To look for bad values "
            "in gradients, use GradientTape(persistent=True).",
        )
    bad_step = _first_bad_gradient(tape, keys, path, target)
    if bad_step is None:
        return Explanation(
            "connected", "The target depends on the source; values and gradients are finite."
        )
    return _with_selection(
        keys,
        path,
        "bad gradient",
        f"The gradient becomes bad in the backward step of {_place(bad_step)}\n"
        f"its inputs: {_described(bad_step.inputs)}.",
        bad_step,
    )


def _with_selection(keys: Keys, path: list[Step], kind: str, text: str, step: Step) -> Explanation:
    """An explanation, with advice if a selection discards what the step computes."""
    found = _discarding(keys, path, step)
    if found is None:
        return Explanation(kind, text, step)
    selection, branch = found
    call = discarded.rewritten(selection.line, branch)
    text += (
        f"\nThe result is discarded there by {_place(selection)}\nbut its gradient is not, as zero times an "
        "infinite derivative is NaN. Let the function see only values for which it is defined:\n    "
    )
    general = "tf.math.where_defined(condition, function, x, otherwise)"
    return Explanation(kind, text + (call or general), step, call or general)


def _discarding(keys: Keys, path: list[Step], step: Step) -> tuple[Step, int] | None:
    """The selection whose result no longer has bad values of a step, and its argument that has them.

    The gradient of what was not chosen is zero there, so that a selection without NaN in its result is
    the reason also where only gradients are bad.
    """
    reached = {keys(value) for value in step.outputs}
    for later in path[path.index(step) + 1 :]:
        inputs = [k for k, value in enumerate(later.inputs) if keys(value) in reached]
        if not inputs:
            continue
        if discarded.is_selection(later.name) and not any(_bad(value) for value in later.outputs):
            return later, inputs[0]
        reached.update(keys(value) for value in later.outputs)
    return None


def _leading_to(keys: Keys, path: list[Step], target: object) -> list[Step]:
    """The steps that the target depends on."""
    wanted = {keys(target)}
    chosen = []
    for step in reversed(path):
        if any(keys(value) in wanted for value in step.outputs):
            wanted.update(keys(value) for value in step.inputs)
            chosen.append(step)
    return chosen[::-1]


def _first_bad_gradient(tape: _core.Tape, keys: Keys, path: list[Step], target: Any) -> Step | None:
    with _core.stop_recording():
        for step in reversed(path):
            inputs = [value for value in step.inputs if keys.recorded(value)]
            gradients = tape.gradient(target, inputs)
            if any(gradient is not None and _bad(gradient) for gradient in gradients):
                return step
    return None


def _bad(value: Any) -> bool:
    value = getattr(value, "values", value)
    if isinstance(value, _core.Variable):
        value = value.read_value()
    if not (value.dtype.is_floating or value.dtype.is_complex):
        return False
    return any(counts_of(value).values())


def _counts(values: tuple[_core.Tensor, ...]) -> str:
    totals: dict[str, int] = {}
    for value in values:
        if value.dtype.is_floating or value.dtype.is_complex:
            for kind, count in counts_of(value).items():
                if count:
                    totals[kind] = totals.get(kind, 0) + count
    return ", ".join(f"{count} {kind}" for kind, count in totals.items())


def _described(values: tuple[_core.Tensor, ...]) -> str:
    parts = []
    for value in values:
        text = f"{value.dtype.name} {list(value.shape)}"
        if (value.dtype.is_floating) and value.shape.num_elements():
            tensor = _core.as_tensor(value)
            low = float(_core.ops.reduce_min(tensor))
            high = float(_core.ops.reduce_max(tensor))
            text += f" from {low:g} to {high:g}"
        parts.append(text)
    return "; ".join(parts)

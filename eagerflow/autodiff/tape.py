"""Gradient tapes: recording operations to differentiate what they compute."""

from __future__ import annotations

import contextlib
import enum
import functools
import math
from collections.abc import Iterator
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.composite import gradient_leaves, pack_gradients
from eagerflow.framework.context import calling_as_nodes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import count_of, is_known, joined_shape, shape_of
from eagerflow.util import advice, lazy

rows = lazy.Module("eagerflow.autodiff.rows")

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_ops = _core.ops


class UnconnectedGradients(enum.Enum):
    """The gradient where target and source are not connected.

    `NONE` returns None, `ZERO` returns zeros of the source's shape.
    """

    NONE = "none"
    ZERO = "zero"


class GradientTape(_core.Tape):
    """Records operations for automatic differentiation.

    Operations inside the `with` block are recorded if one of their inputs is watched. Trainable
    variables are watched when they are read; other tensors are with `watch`. Tapes can be nested;
    what a tape's `gradient` computes is recorded by the tapes around it.

    Args:
        persistent: whether `gradient` can be called several times. The records are kept until the
            tape is deleted then.
        watch_accessed_variables: whether trainable variables are watched when they are read.

    `gradient(target, sources, output_gradients=None, unconnected_gradients="none")` accepts a
    tensor, or a structure of tensors whose gradients add up, and a nested structure of tensors and
    variables. It returns a structure like `sources`: tensors, `tf.IndexedSlices` for lookups of
    rows, or None for sources that the target does not depend on, unless
    `unconnected_gradients="zero"` asks for zeros. `output_gradients` holds weights of the target's
    elements, by default ones. A second call on a tape that is not persistent raises a
    RuntimeError.

    >>> x, v = tf.constant(3.0), tf.Variable([1.0, 2.0])
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.reduce_sum(v * v) * x
    >>> gradients = tape.gradient(y, {"x": x, "v": v})
    >>> gradients["x"].numpy(), gradients["v"].numpy()
    (np.float32(5.0), array([ 6., 12.], dtype=float32))
    """

    def jacobian(
        self,
        target: Any,
        sources: object,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of each element of `target` by each element of each source.

        Args:
            target: a tensor of shape `s`.
            sources: a tensor or variable of shape `t`, or a nested structure of them.
            unconnected_gradients: what to return for sources that `target` does not depend on.
            experimental_use_pfor: False requires a persistent tape, as elsewhere; rows are
                batched in any case.

        Returns:
            A structure like `sources`, of tensors of shape `s + t`.

        Raises:
            RuntimeError: if the tape is not persistent and has been used, or `experimental_use_pfor`
                is False.

        >>> x = tf.constant([1.0, 2.0])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy()
        array([[2., 0.],
               [0., 4.]], dtype=float32)
        """
        self._check_several_passes("jacobian", experimental_use_pfor)
        target = _core.as_tensor(target)
        flat_sources = nest.flatten(sources)
        with calling_as_nodes(experimental_use_pfor):
            stacks = self._gradients_of(target, flat_sources, False, unconnected_gradients)
        shape = shape_of(target)
        jacobians = [
            None
            if stack is None
            else _ops.reshape(stack, joined_shape(shape, shape_of(_value(source))))
            for source, stack in zip(flat_sources, stacks, strict=True)
        ]
        return nest.pack_sequence_as(sources, jacobians)

    def batch_jacobian(
        self,
        target: object,
        source: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> _core.Tensor:
        """The jacobian of each batch element of `target` by the same one of `source`.

        Args:
            target: a tensor `[b, y1, ..., yn]`, whose element i depends on `source[i]` only.
            source: a tensor `[b, x1, ..., xm]`.
            unconnected_gradients: ignored: the result is zeros if `target` does not depend on `source`.
            parallel_iterations: a value up to `y1 * ... * yn` requires a persistent tape, as
                elsewhere; rows are batched in any case.
            experimental_use_pfor: False requires a persistent tape, as elsewhere; rows are
                batched in any case.

        Returns:
            A tensor `[b, y1, ..., yn, x1, ..., xm]`.

        Raises:
            RuntimeError: if the tape is not persistent and has been used, `experimental_use_pfor` is
                False or `parallel_iterations` too small.
            ValueError: if a rank is below 2 or the first sizes differ.

        >>> x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x)[1].numpy()
        array([[6., 0.],
               [0., 8.]], dtype=float32)
        """
        self._check_several_passes("batch_jacobian", experimental_use_pfor)
        target = _core.as_tensor(target)
        target_shape = target.shape.with_rank_at_least(2)
        source_shape = TensorShape(source.shape).with_rank_at_least(2)
        if not target_shape[:1].is_compatible_with(source_shape[:1]):
            raise ValueError(
                f"Need first dimension of target shape ({target_shape}) and source shape "
                f"({source_shape}) to match."
            )
        batch, *inner = target._sizes()
        width = math.prod(inner)
        self._check_room("batch_jacobian", parallel_iterations, width)
        with calling_as_nodes(experimental_use_pfor):
            (stack,) = self._gradients_of(target, [source], True, unconnected_gradients)
        sizes = _value(source)._sizes()
        if stack is None:
            return _ops.zeros([batch, *inner, *sizes[1:]], target.dtype)
        columns = _ops.reshape(stack, [width, batch, math.prod(sizes[1:])])
        return _ops.reshape(_ops.transpose(columns, [1, 0, 2]), [batch, *inner, *sizes[1:]])

    def _check_several_passes(self, what: str, experimental_use_pfor: bool) -> None:
        self._check_records()
        if not (experimental_use_pfor or self._persistent):
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} with "
                "experimental_use_pfor set to False."
            )

    def _check_room(self, what: str, parallel_iterations: int | None, rows: Any) -> None:
        if parallel_iterations is None or self._persistent or not is_known(rows):
            return
        if parallel_iterations <= rows:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} of {rows} "
                f"elements with parallel_iterations={parallel_iterations}."
            )

    def _gradients_of(
        self, target: Any, sources: list, batch: bool, unconnected: UnconnectedGradients | str
    ) -> list:
        """For each source, the gradients of each element of a target, stacked.

        In a batch, an element is taken in all rows at once, since rows are independent.
        """
        kind = UnconnectedGradients(unconnected)
        if not (target.dtype.is_floating or target.dtype.is_complex):
            warn_of_dtype("target", target.dtype.name)
            stacks: list[Any] = [None] * len(sources)
        elif _core.building() is None:
            stacks = self._gradients_of_elements(target, sources, batch)
        else:
            with _core.stop_recording():
                weights = unit_weights(target, batch)
            stacks = self._stacks(target, sources, weights)
        if kind is UnconnectedGradients.NONE:
            return stacks
        count = math.prod(target._sizes()[1:]) if batch else count_of(target)
        for position, source in enumerate(sources):
            if stacks[position] is None:
                value = _value(source)
                stacks[position] = _ops.zeros(joined_shape((count,), shape_of(value)), value.dtype)
        return stacks

    @contextlib.contextmanager
    def _ensure_recording(self) -> Iterator[None]:
        """Records what is within, for packages whose own derivatives go on from the tape's records."""
        if self._recording and _core.building() is None:
            yield
            return
        # The graph that is being built does not record on the tapes around it.
        with self.stop_recording() if self._recording else contextlib.nullcontext(), self:
            yield

    def _stacks(self, target: object, sources: list, weights: Any) -> list:
        """For each source, its gradients under each row of weights, stacked."""
        if _core.building() is None:
            return self._gradients_of_rows(target, sources, weights)
        return rows.gradients_of_rows(
            lambda row: self.gradient(target, sources, row), target, weights
        )


def unit_weights(target: Any, batch: bool = False) -> _core.Tensor:
    """One-hot weights that select each element of a tensor: `[size, *shape]`.

    In a batch, they select an element in all rows: `[size of a row, *shape]`.
    """
    if not batch:
        count, shape = count_of(target), shape_of(target)
        if not (target.dtype.is_floating or target.dtype.is_complex):
            return _ops.zeros(joined_shape((count,), shape), target.dtype)
        return _ops.reshape(_ops.eye(count, dtype=target.dtype), joined_shape((count,), shape))
    sizes = target._sizes()
    inner = sizes[1:]
    count = math.prod(inner)
    if not (target.dtype.is_floating or target.dtype.is_complex):
        return _ops.zeros([count, *sizes], target.dtype)
    units = _ops.eye(count, dtype=target.dtype)
    return _ops.broadcast_to(_ops.reshape(units, [count, 1, *inner]), [count, *sizes])


def _value(source: Any) -> _core.Tensor:
    """The current value of a source, without recording."""
    with _core.stop_recording():
        return _core.as_tensor(source)


@functools.cache
def warn_of_dtype(what: str, name: str) -> None:
    """Warns once for each dtype that a watched tensor, source or target has no gradients."""
    where = "" if what == "watched" else " when calling GradientTape.gradient"
    logging.warning(
        "The dtype of the %s tensor must be floating (e.g. tf.float32)%s, got tf.%s",
        what,
        where,
        name,
    )


_core.register_nest(gradient_leaves, pack_gradients)


advice.lacks(GradientTape, "TAPE", "backward grad")

"""Forward-mode differentiation: derivatives along a direction, computed together with the values."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.tape import GradientTape, UnconnectedGradients, warn_of_dtype
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import joined_shape, shape_of

_ops = _core.ops


class ForwardAccumulator:
    """Computes products of Jacobians and vectors: how results change as inputs move in a direction.

    The gradient of a backward pass is linear in the weights of its targets; the derivative of that
    linear function, applied to the direction, is the product. Two backward passes compute it for
    any operation that has a gradient, whatever the sizes of inputs and results. A function with a
    custom gradient (`tf.custom_gradient`) is differentiated like its operations, and by its
    gradient where these have none.

    Accumulators can be nested, in each other and with tapes: what changes inside of an accumulator
    is watched only by those around it, whenever `jvp` is called.

    Args:
        primals: tensors or variables, or a nested structure: where to differentiate. They are
            watched inside of the `with` block.
        tangents: the direction: tensors of their shapes and dtypes, in the same structure.

    Raises:
        ValueError: if a tangent does not fit its primal, or a tensor is passed multiple times.

    >>> x = tf.constant([2.0, 3.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
    ...     y = tf.reduce_prod(x) * x
    >>> accumulator.jvp(y).numpy()
    array([12.,  9.], dtype=float32)

    A Hessian times a vector, forward over backward:

    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x * x * x)
    ...     gradient = tape.gradient(y, x)
    >>> accumulator.jvp(gradient).numpy()
    array([12.,  0.], dtype=float32)
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        self._primals: list[Any] = []
        self._tangents: list[Any] = []
        self._tape: GradientTape | None = None
        self._around: _core.RecordingTapes | None = None
        self._recording = False
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            self._add(primal, tangent)

    def _add(self, primal: _core.Tensor, tangent: _core.Tensor) -> None:
        if not isinstance(primal, _core.Tensor | _core.Variable):
            primal = _core.as_tensor(primal)
        if any(primal is known for known in self._primals):
            raise ValueError(
                f"Tensor {primal!r} was specified as a primal multiple times. If that is intended, "
                "give it once, with the sum of the tangents."
            )
        if not (primal.dtype.is_floating or primal.dtype.is_complex):
            warn_of_dtype("watched", primal.dtype.name)
        with _core.stop_recording():
            shape = TensorShape(primal.shape)
        tangent = _core.convert(tangent, None, primal.dtype)
        if tangent.dtype != primal.dtype:
            raise ValueError(
                f"The tangent's dtype {tangent.dtype.name} is not that of its primal, "
                f"{primal.dtype.name}."
            )
        if not shape.is_compatible_with(tangent.shape):
            raise ValueError(
                f"The tangent's shape {tangent.shape} is not that of its primal, {shape}."
            )
        self._primals.append(primal)
        self._tangents.append(tangent)

    @classmethod
    def _batch_accumulator(cls, primals: Any, tangents: Any) -> _BatchAccumulator:
        """An accumulator of several directions: tangents have one more axis, the first."""
        return _BatchAccumulator(primals, tangents)

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        if self._tape is None:
            self._tape = GradientTape(
                persistent=True, watch_accessed_variables=False, _forward=True
            )
        self._around = _core.RecordingTapes()
        self._tape.__enter__()
        self._tape.watch([p for p in self._primals if p.dtype.is_floating or p.dtype.is_complex])
        self._recording = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._recording:
            assert self._tape is not None
            self._tape.__exit__(kind, value, traceback)
            self._recording = False

    def jvp(
        self,
        primals: object,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """How tensors change as the accumulator's primals move in its direction.

        Args:
            primals: a tensor or variable, or a nested structure, computed inside of the block.
            unconnected_gradients: what to return for those that do not depend on the accumulator's
                primals: "none" or "zero".

        Returns:
            A structure like `primals`, of tensors of their shapes.
        """
        kind = UnconnectedGradients(unconnected_gradients)
        return nest.map_structure(lambda target: self._product(target, kind), primals)

    def _product(self, target: Any, kind: UnconnectedGradients) -> _core.Tensor | None:
        for primal, tangent in zip(self._primals, self._tangents, strict=True):
            if target is primal:
                return tangent
        with _core.stop_recording():
            value = _core.as_tensor(target)
        product = None
        if self._around is not None and (value.dtype.is_floating or value.dtype.is_complex):
            with self._around:
                product = self._pushed_forward(target, value)
        if product is None and kind is UnconnectedGradients.ZERO:
            with _core.stop_recording():
                return _ops.zeros_like(value)
        return product

    def _pushed_forward(self, target: _core.Tensor, value: _core.Tensor) -> _core.Tensor | None:
        assert self._tape is not None
        if isinstance(target, _core.Variable):
            target = value
        with _core.stop_recording():
            weights = _ops.zeros_like(value)
        with GradientTape(watch_accessed_variables=False, persistent=True) as linear:
            linear.watch(weights)
            gradients = self._tape.gradient(target, self._primals, weights)
            # IndexedSlices become dense, so that they can be weighted.
            dense = [None if g is None else _core.as_tensor(g) for g in gradients]
        pairs = [
            (gradient, tangent)
            for gradient, tangent in zip(dense, self._directions(), strict=True)
            if gradient is not None
        ]
        return self._weighed(linear, weights, pairs) if pairs else None

    def _directions(self) -> list[Any]:
        """The weights of the gradients by the primals."""
        return self._tangents

    def _weighed(self, linear: GradientTape, weights: _core.Tensor, pairs: list) -> _core.Tensor:
        """The product: the derivative of weighted gradients by the weights of the target."""
        product = linear.gradient(
            [gradient for gradient, _ in pairs],
            weights,
            [tangent for _, tangent in pairs],
            UnconnectedGradients.ZERO,
        )
        return _core.as_tensor(product)


def _zeros_along(tangents: _core.Tensor, value: _core.Tensor) -> _core.Tensor:
    """Zeros of the shape of a value, for each of several directions."""
    return _ops.zeros(joined_shape(shape_of(tangents)[:1], shape_of(value)), value.dtype)


class _BatchAccumulator(ForwardAccumulator):
    """Several directions at once."""

    def __init__(self, primals: Any, tangents: Any) -> None:
        stacked = [_core.as_tensor(tangent) for tangent in nest.flatten(tangents)]
        known = [tangent._shape_tuple() for tangent in stacked]
        counts = {shape[0] for shape in known if shape is not None}
        if len(counts) > 1 or not stacked:
            raise ValueError(
                f"All tangents need the same number of directions, got {sorted(counts)}."
            )
        self._stacked = stacked
        super().__init__(
            primals, nest.pack_sequence_as(tangents, [tangent[0] for tangent in stacked])
        )

    def _product(self, target: Any, kind: UnconnectedGradients) -> Any:
        for primal, tangents in zip(self._primals, self._stacked, strict=True):
            if target is primal:
                return tangents
        product = super()._product(target, UnconnectedGradients.NONE)
        if product is None and kind is UnconnectedGradients.ZERO:
            with _core.stop_recording():
                return _zeros_along(self._stacked[0], _core.as_tensor(target))
        return product

    def _directions(self) -> list[_core.Tensor]:
        return self._stacked

    def _weighed(self, linear: GradientTape, weights: Any, pairs: list) -> Any:
        products = [
            linear._stacks(gradient, [weights], tangents)[0] for gradient, tangents in pairs
        ]
        terms = [product for product in products if product is not None]
        if not terms:
            return _zeros_along(pairs[0][1], weights)
        total = terms[0]
        for product in terms[1:]:
            total = total + product
        return total

"""Training with products of 8-bit floats: kernels whose operands and gradients are rounded.

P. Micikevicius et al., FP8 Formats for Deep Learning, 2022, https://arxiv.org/abs/2209.05433.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from eagerflow import _core
from eagerflow.autodiff.custom_gradient import custom_gradient
from eagerflow.framework import dtypes
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable
from eagerflow.keras.engine.calls import training_mode
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.computed_weight import ComputedWeight, plain_product

_ops = _core.ops
_HISTORY = 1024  # how many of the last greatest values determine a scale
_EXPONENT = 0x7F800000  # the bits of a float32 that hold its exponent


class Format(NamedTuple):
    """An 8-bit float: its greatest value, its smallest normal one, and the distance after 1."""

    greatest: float
    smallest: float
    step: float


_E4M3 = Format(448.0, 2.0**-6, 2.0**-3)
_E5M2 = Format(57344.0, 2.0**-14, 2.0**-2)


def rounded(values: Any, format: Format) -> Any:
    """Float32 values as the nearest ones of a format; greater ones become the greatest."""
    values = _ops.clip_by_value(values, -format.greatest, format.greatest)
    bits = _ops.bitwise_and(_ops.bitcast(values, dtypes.int32), _EXPONENT)
    power = _ops.maximum(_ops.bitcast(bits, dtypes.float32), format.smallest)
    step = _ops.multiply(power, format.step)
    return _ops.multiply(_ops.round(_ops.divide_real(values, step)), step)


class Scale:
    """The scale by which a tensor is divided before it is rounded, and the values that it follows.

    Args:
        layer: the layer that gets the variables `{name}_scale` and `{name}_amax_history`.
        name: what is rounded.
        prefix: what the variables' names begin with.
        format: the format to which it is rounded.
    """

    def __init__(self, layer: Any, name: str, prefix: str, format: Format) -> None:
        self._format = format
        with name_scope(""):
            self.scale = Variable(
                _ops.ones([], dtypes.float32), False, name=f"{prefix}{name}_scale"
            )
            self.history = Variable(
                _ops.zeros([_HISTORY], dtypes.float32), False, name=f"{prefix}{name}_amax_history"
            )
        setattr(layer, f"{name}_scale", self.scale)
        setattr(layer, f"{name}_amax_history", self.history)

    def rounded(self, values: Any, update: bool) -> Any:
        """Values that are rounded with the present scale; may follow them with the next scale."""
        scale = self.scale.read_value()
        results = _ops.multiply(rounded(_ops.divide_real(values, scale), self._format), scale)
        if update:
            before = self.history.read_value()
            greatest = _ops.reduce_max(before, [0], False)
            usable = _ops.logical_and(_ops.greater(greatest, 0.0), _ops.is_finite(greatest))
            # Where nothing is selected, nothing divides by 0 either.
            greatest = _ops.select(usable, greatest, 1.0)
            fitting = _ops.divide_real(1.0, _ops.divide_real(self._format.greatest, greatest))
            self.scale.assign(_ops.select(usable, fitting, scale))
            newest = _ops.reduce_max(_ops.abs(values), list(range(values.ndim)), False)
            # In Keras's order: the oldest is the second.
            self.history.assign(_ops.concat([_ops.reshape(newest, [1]), before[2:], before[:1]], 0))
        return results


class Float8Weight(ComputedWeight):
    """A kernel whose products have operands of float8_e4m3fn, and gradients of float8_e5m2.

    Values are divided by scales and rounded, and multiplied in float32. In training, the scales follow
    the greatest values of the last 1024 steps.

    Args:
        layer: the layer whose kernel it is.
        kernel: the variable.
        prefix: what the names of other variables begin with.
    """

    def __init__(self, layer: Any, kernel: Any, prefix: str) -> None:
        super().__init__(kernel.shape, kernel.dtype)
        self.kernel = kernel
        self._inputs = Scale(layer, "inputs", prefix, _E4M3)
        self._kernel = Scale(layer, "kernel", prefix, _E4M3)
        self._gradients = Scale(layer, "outputs_grad", prefix, _E5M2)

    def tensor(self) -> Any:
        """The kernel as it is stored."""
        return self.kernel.read_value()

    def product(self, function: Callable[[Any, Any], Any], inputs: Any) -> Any:
        """A linear function of inputs and the kernel, of rounded operands.

        Args:
            function: the function.
            inputs: a float32 tensor.
        """
        results: Any = training_mode.by_training(
            context.training or False, lambda training: self._product(function, inputs, training)
        )
        return results

    def _product(self, function: Callable[[Any, Any], Any], inputs: Any, training: bool) -> Any:
        inputs = _passing(inputs, self._inputs, training)
        results = function(inputs, _passing(self.kernel.read_value(), self._kernel, training))
        return _rounding_gradients(results, self._gradients, training)

    def _matmul(self, args: tuple) -> Any:
        if not plain_product(args, self):
            return NotImplemented
        return self.product(_ops.matmul, args[0])

    def _reshape(self, args: tuple) -> Any:
        if len(args) != 2 or args[0] is not self:
            return NotImplemented
        return _Reshaped(self, args[1])

    _functions: ClassVar[dict[Any, Any]] = {_ops.matmul: _matmul, _ops.reshape: _reshape}


class _Reshaped(ComputedWeight):
    """A kernel as the matrix that products read."""

    def __init__(self, weight: Float8Weight, shape: Any) -> None:
        super().__init__(TensorShape(list(shape)), weight.dtype)
        self._weight = weight

    def tensor(self) -> Any:
        """The kernel as it is stored."""
        return _ops.reshape(self._weight.tensor(), self.shape.as_list())

    def _matmul(self, args: tuple) -> Any:
        if not plain_product(args, self):
            return NotImplemented
        sizes = self.shape.as_list()
        return self._weight.product(lambda x, y: _ops.matmul(x, _ops.reshape(y, sizes)), args[0])

    _functions: ClassVar[dict[Any, Any]] = {_ops.matmul: _matmul}


def _passing(values: Any, scale: Scale, training: bool) -> Any:
    """Rounded values; gradients pass as they are."""

    @custom_gradient
    def run(values: Any) -> Any:
        return scale.rounded(values, training), lambda upstream: upstream

    return run(values)


def _rounding_gradients(values: Any, scale: Scale, training: bool) -> Any:
    """The same values, whose gradient is rounded."""

    @custom_gradient
    def run(values: Any) -> Any:
        return _ops.identity(values), lambda upstream: scale.rounded(upstream, training)

    return run(values)


def hold(layer: Any) -> None:
    """Sets the kernel of a built layer to one with rounded products."""
    attributes = layer.__dict__
    kernel = layer.kernel
    if isinstance(kernel, Float8Weight):
        return
    prefix, slash, _ = kernel.name.rpartition("/")
    attributes["kernel"] = Float8Weight(layer, kernel, prefix + slash)
    attributes["_plan"] = None

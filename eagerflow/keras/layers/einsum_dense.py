"""A dense layer whose product is an einsum equation."""

from __future__ import annotations

import functools
import math
import re
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.computed_weight import ComputedWeight
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.adaptable import AdaptableLayer
from eagerflow.keras.layers.arguments import UNCHANGED, sizes_of
from eagerflow.keras.typing import ActivationLike, ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.ops.linalg import einsum

_ops = _core.ops
_EQUATION = re.compile(r"(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(\.\.\.)?([a-zA-Z]+)(\.\.\.)?")


class EinsumDense(AdaptableLayer):
    """activation(einsum(equation, inputs, kernel) + bias).

    Args:
        equation: such as "abc,cd->abd", "...x,xy->...y" or "ab...,bc->ac...".
        output_shape: the result's shape without the batch and the axes of dots; sizes that the
            input tells may be None.
        bias_axes: the letters of the result's axes that the bias has; None for no bias.
        kernel_initializer: for the kernel.
        bias_initializer: for the bias.

    Raises:
        ValueError: if equation and shapes do not fit.

    >>> layer = tf.keras.layers.EinsumDense("abc,cd->abd", [None, 8], bias_axes="d")
    >>> layer(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 8])
    """

    def __init__(
        self,
        equation: str,
        output_shape: Any,
        activation: ActivationLike = None,
        bias_axes: str | None = None,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.equation = equation
        single = isinstance(output_shape, int)
        self._output_shape = [output_shape] if single else list(output_shape)
        self.bias_axes = bias_axes
        resolve_arguments(self, locals())

    def _analyzed(self, sizes: list[int | None]) -> tuple[list, list | None, list]:
        """The shapes of kernel, bias and result, from the input's."""
        match = _EQUATION.fullmatch(self.equation.replace(" ", ""))
        if match is None or bool(match[1]) != bool(match[5]) or bool(match[3]) != bool(match[7]):
            raise ValueError(
                f"Invalid einsum equation '{self.equation}'. Equations must be in the form "
                "[X],[Y]->[Z], ...[X],[Y]->...[Z], or [X]...,[Y]->[Z]...."
            )
        left, inputs, right, weights, _, outputs, _ = match.groups()
        dots = len(sizes) - len(inputs) if left or right else 0
        out = [sizes[0], *self._output_shape]
        if left:
            out[1:1] = sizes[1:dots]
        elif right:
            out += sizes[len(sizes) - dots :]
        shift = dots if left else 0
        of_input = {name: sizes[axis + shift] for axis, name in enumerate(inputs)}
        of_output = {name: out[axis + shift] for axis, name in enumerate(outputs)}
        for axis, name in enumerate(outputs):
            if name in of_input:
                if of_output[name] not in (None, of_input[name]):
                    raise ValueError(
                        f"Input shape and output shape do not match at shared dimension '{name}'. "
                        f"Input shape is {of_input[name]}, and output shape is {of_output[name]}."
                    )
                of_output[name] = out[axis + shift] = of_input[name]
            elif name not in weights:
                raise ValueError(
                    f"Dimension '{name}' was specified in the output '{outputs}' but has no "
                    f"corresponding dim in the input spec '{inputs}' or weight spec '{weights}'"
                )
        kernel = []
        for name in weights:
            if name not in of_input and name not in of_output:
                raise ValueError(
                    f"Weight dimension '{name}' did not have a match in either the input spec "
                    f"'{inputs}' or the output spec '{outputs}'. For this layer, the weight must "
                    "be fully specified."
                )
            kernel.append(of_input[name] if name in of_input else of_output[name])
        bias: list | None = None
        if self.bias_axes is not None:
            for name in self.bias_axes:
                if name not in outputs:
                    raise ValueError(
                        f"Bias dimension '{name}' was requested, but is not part of the output "
                        f"spec '{outputs}'"
                    )
            first = min(outputs.find(name) for name in self.bias_axes)
            bias = [of_output[n] if n in self.bias_axes else 1 for n in outputs[first:]]
            if not left:
                bias += [1] * dots
        return kernel, bias, out

    def _find_product(self) -> None:
        """Notes whether the equation is a matrix product."""
        names, _, outputs = self.equation.replace(" ", "").partition("->")
        inputs, weights = names.split(",")
        inputs, outputs = inputs.replace("...", "."), outputs.replace("...", ".")
        summed = [name for name in weights if name not in outputs]
        count = len(summed)
        self._summed = 0
        if (
            count
            and weights[:count] == inputs[len(inputs) - count :]
            and outputs == inputs[:-count] + weights[count:]
        ):
            self._summed = count

    @property
    def partial_output_shape(self) -> list[Any]:
        """The result's shape without the batch, as the constructor got it."""
        return self._output_shape

    def build(self, input_shape: Any) -> None:
        kernel, bias, out = self._analyzed(sizes_of(input_shape))
        self.full_output_shape = out
        self.kernel = self.add_weight(
            name="kernel",
            shape=kernel,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self.dtype,
            trainable=True,
        )
        self.bias = None
        if bias is not None:
            self.bias = self.add_weight(
                name="bias",
                shape=bias,
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self.dtype,
                trainable=True,
            )
        self._find_product()
        count = self._summed
        self._flat_kernel = [math.prod(kernel[:count]), math.prod(kernel[count:])]
        self._kept = kernel[count:]
        super().build(input_shape)

    _takes_float8 = True

    def _quantizable_weights(self) -> dict[str, Any]:
        count = self._summed
        return {"kernel": (tuple(range(count)), self._flat_kernel)} if count else {}

    def call(self, inputs: _core.Tensor) -> _core.Tensor:
        count = self._summed
        if count:
            shape = inputs._sizes()
            kernel: Any = self.kernel
            if count > 1 or len(self._kept) != 1:
                kernel = _ops.reshape(kernel, self._flat_kernel)
            flat = inputs
            if count > 1 or len(shape) > 2:
                flat = _ops.reshape(inputs, [-1, self._flat_kernel[0]])
            outputs = _ops.reshape(_ops.matmul(flat, kernel), [*shape[:-count], *self._kept])
        else:
            product = functools.partial(einsum.einsum, self.equation)
            kernel = self.kernel
            if isinstance(kernel, ComputedWeight):
                outputs = kernel.product(product, inputs)
            else:
                outputs = product(inputs, kernel)
        if self.bias is not None:
            outputs = _ops.add(outputs, self.bias)
        activation = self.activation
        return outputs if activation in UNCHANGED else activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        return TensorShape(self._analyzed(sizes_of(input_shape))[2])

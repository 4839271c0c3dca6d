"""Low-rank adaptation: weights that are frozen, plus a product of two small matrices.

E. J. Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2021,
https://arxiv.org/abs/2106.09685.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.name_scope import name_scope
from eagerflow.keras.engine.computed_weight import ComputedWeight, plain_product, without_losses
from eagerflow.keras.engine.quantization import QuantizedWeight
from eagerflow.keras.engine.tracking import set_frozen
from eagerflow.keras.typing import InitializerLike

_ops = _core.ops


class AdaptedWeight(ComputedWeight):
    """`base + scale * (a @ b)`.

    Products and lookups add what `a` and `b` contribute to the results, so that neither the sum nor
    its gradient is computed.

    Args:
        base: the frozen weight `[..., n]`: a variable, a tensor or a QuantizedWeight.
        a: `[..., rank]`.
        b: `[rank, n]`.
        scale: a factor.
    """

    def __init__(self, base: Any, a: Any, b: Any, scale: float) -> None:
        self.shape = base.shape
        self.base, self.a, self.b, self.scale = base, a, b, scale

    @property
    def dtype(self) -> Any:
        """The dtype in which the base is read now."""
        return self.base.dtype

    def _factors(self) -> tuple[Any, Any]:
        """`scale * a` and `b` in the dtype of the weight; they may be more precise."""
        a, b = (x if x.dtype is self.dtype else _ops.cast(x, self.dtype) for x in (self.a, self.b))
        return (a if self.scale == 1 else _ops.multiply(a, self.scale)), b

    def tensor(self) -> Any:
        """The sum."""
        a, b = self._factors()
        rank, last = b.shape.as_list()
        change = _ops.matmul(_ops.reshape(a, [-1, rank]), b)
        return _ops.add(_ops.reshape(change, [*self.shape.as_list()[:-1], last]), self.base)

    def _matmul(self, args: tuple) -> Any:
        if not plain_product(args, self):
            return NotImplemented
        a, b = self._factors()
        return _ops.add(_ops.matmul(args[0], self.base), _ops.matmul(_ops.matmul(args[0], a), b))

    def _conv2d(self, args: tuple) -> Any:
        # Integers convolve faster than the sum would.
        if args[1] is not self or not isinstance(self.base, QuantizedWeight):
            return NotImplemented
        a, b = self._factors()
        change = AdaptedWeight(_ops.zeros(self.shape.as_list(), self.dtype), a, b, 1).tensor()
        first, second = ((args[0], weight, *args[2:]) for weight in (self.base, change))
        return _ops.add(_ops.conv2d(*first), _ops.conv2d(*second))

    def _gather(self, args: tuple) -> Any:
        if args[0] is not self or any(args[2:]) or self.ndim != 2:
            return NotImplemented
        a, b = self._factors()
        rows = _ops.gather(self.base, *args[1:])
        change = _ops.matmul(_ops.reshape(_ops.gather(a, *args[1:]), [-1, b.shape[0]]), b)
        return _ops.add(rows, _ops.reshape(change, rows._sizes()))

    def _reshape(self, args: tuple) -> Any:
        if len(args) != 2 or args[0] is not self or list(args[1])[-1:] != [self.shape[-1]]:
            return NotImplemented
        sizes = list(args[1])
        a = _ops.reshape(self.a, [*sizes[:-1], self.b.shape[0]])
        return AdaptedWeight(_ops.reshape(self.base, sizes), a, self.b, self.scale)

    def _expand_dims(self, args: tuple) -> Any:
        if len(args) != 2 or args[0] is not self or args[1] != 0:
            return NotImplemented
        return self._reshape((self, [1, *self.shape.as_list()]))

    _functions: ClassVar[dict[Any, Any]] = {
        _ops.matmul: _matmul,
        _ops.conv2d: _conv2d,
        _ops.gather: _gather,
        _ops.reshape: _reshape,
        _ops.expand_dims: _expand_dims,
    }


def enable(
    layer: Any,
    name: str,
    rank: int,
    alpha: float | None,
    a_initializer: InitializerLike,
    b_initializer: InitializerLike,
) -> None:
    """Freezes a weight of a built layer, and adds two matrices to it, which are trained.

    Raises:
        ValueError: if the layer is not built, has a constraint for the weight or is adapted already,
            or the rank is not a positive integer.
    """
    word = name if name == "embeddings" else "kernel"
    if getattr(layer, f"{name}_constraint", None) is not None:
        raise ValueError(
            f"Lora is incompatible with {word} constraints. In order to enable lora on this layer, "
            f"remove the `{name}_constraint` argument."
        )
    if not layer.built:
        raise ValueError("Cannot enable lora on a layer that isn't yet built.")
    if layer.lora_enabled:
        raise ValueError("lora is already enabled. This can only be done once per layer.")
    if isinstance(rank, bool) or not isinstance(rank, int | np.integer) or rank <= 0:
        raise ValueError(f"The rank of lora must be a positive integer. Received: rank={rank}")
    base = getattr(layer, name)
    if layer.dtype_policy.quantization_mode == "float8":
        raise ValueError(
            "lora freezes the kernel, and float8 is for training it. Enable lora on a layer that is not "
            "quantized, or quantized to 'int8' or 'int4'."
        )
    sizes = base.shape.as_list()
    options = {
        # Float16's products would underflow.
        "dtype": base.dtype if base.dtype.size >= dtypes.float32.size else dtypes.float32,
        "regularizer": getattr(layer, f"{name}_regularizer"),
        "autocast": False,
    }
    variable = base.values if isinstance(base, QuantizedWeight) else base
    prefix, slash, _ = variable.name.rpartition("/")
    with name_scope(prefix + slash):
        a, b = (
            layer.add_weight(f"lora_{name}_{key}", shape, initializer=initializer, **options)
            for key, shape, initializer in (
                ("a", [*sizes[:-1], rank], a_initializer),
                ("b", [rank, sizes[-1]], b_initializer),
            )
        )
    layer.lora_enabled, layer.lora_rank = True, int(rank)
    layer.lora_alpha = rank if alpha is None else alpha
    if variable is base:
        set_frozen(layer, [base], True)
        without_losses(layer, base)
    for key, matrix in (("a", a), ("b", b)):
        setattr(layer, f"lora_{name}_{key}", matrix)
    hold(layer, name, base)


def hold(layer: Any, name: str, base: Any) -> None:
    """Sets the weight of a layer whose matrices are there, with a new base."""
    attributes = layer.__dict__
    attributes["_computed_weight"] = name
    a, b = _matrices(layer)
    attributes[name] = AdaptedWeight(base, a, b, layer.lora_alpha / layer.lora_rank)
    attributes["_plan"] = None


def _matrices(layer: Any) -> list[Any]:
    return [getattr(layer, f"lora_{layer._computed_weight}_{key}") for key in "ab"]


def without_matrices(layer: Any, variables: list[Any]) -> list[Any]:
    """Variables of an adapted layer, without the two matrices."""
    return [v for v in variables if not any(v is matrix for matrix in _matrices(layer))]


def merged(layer: Any) -> dict[int, np.ndarray]:
    """The values of an adapted layer's base, by the variables' ids, that equal the sum."""
    weight = getattr(layer, layer._computed_weight)
    base = weight.base
    if isinstance(base, QuantizedWeight):
        values, scale = base.rounded(weight.numpy())
        return {id(base.values): values, id(base.scale): scale}
    return {id(base): weight.numpy()}


def start_anew(layer: Any) -> None:
    """Makes the product zero, as it is at first."""
    b = _matrices(layer)[1]
    b.assign(np.zeros(b.shape, b.dtype.as_numpy_dtype))

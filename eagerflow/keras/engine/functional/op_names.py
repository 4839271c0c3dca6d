"""The names of operators and public functions in configurations of models."""

from __future__ import annotations

import importlib
import operator
import sys
from typing import Any

from eagerflow import _core
from eagerflow.keras.saving import reachable
from eagerflow.ragged.factories import FACTORIES
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.util import own_code

OPERATORS: dict[str, Any] = {
    "__operators__.add": operator.add,
    "__operators__.getitem": operator.getitem,
    "__operators__.eq": operator.eq,
    "__operators__.ne": operator.ne,
    "math.subtract": operator.sub,
    "math.multiply": operator.mul,
    "math.truediv": operator.truediv,
    "compat.v1.floor_div": operator.floordiv,
    "math.floormod": operator.mod,
    "math.pow": operator.pow,
    "linalg.matmul": operator.matmul,
    "math.logical_and": operator.and_,
    "math.logical_or": operator.or_,
    "math.logical_xor": operator.xor,
    "math.negative": operator.neg,
    "math.abs": operator.abs,
    "math.logical_not": operator.invert,
    "math.less": operator.lt,
    "math.less_equal": operator.le,
    "math.greater": operator.gt,
    "math.greater_equal": operator.ge,
}
# The first namespace that has a function names it.
_NAMESPACES = ("math", "nn", "") + tuple(
    "linalg random strings image bitwise signal ragged sparse keras.backend keras.ops keras.ops.image "
    "keras.ops.linalg keras.ops.nn keras.ops.numpy keras.random".split()
)
# Of all namespaces but Keras's, these are known by their shortest names ...
_TOP_LEVEL = frozenset(
    "einsum norm tensordot eye cast where argsort sort searchsorted meshgrid identity".split()
)
# ... and these by the names that older configurations have for them.
_CANONICAL = {
    # TensorFlow's functions call version 1's, after which layers are named.
    "boolean_mask": "compat.v1.boolean_mask",
    "complex": "dtypes.complex",
    "conv2d": "compat.v1.nn.conv2d",
    "divide": "math.truediv",
    "embedding_lookup": "compat.v1.nn.embedding_lookup",
    "floordiv": "compat.v1.floor_div",
    "gather": "compat.v1.gather",
    "gather_nd": "compat.v1.gather_nd",
    "norm": "compat.v1.norm",
    "pad": "compat.v1.pad",
    "shape": "compat.v1.shape",
    "sigmoid_cross_entropy_with_logits": "compat.v1.nn.sigmoid_cross_entropy_with_logits",
    "size": "compat.v1.size",
    "softmax_cross_entropy_with_logits": "compat.v1.nn.softmax_cross_entropy_with_logits_v2",
    "transpose": "compat.v1.transpose",
    "log_softmax": "nn.log_softmax",
    "matmul": "linalg.matmul",
    "rint": "math.round",
    "softmax": "nn.softmax",
}


def symbol_of(function: object) -> str | None:
    """The name of an operator or of a public function below `tf.`; None if it has none."""
    for symbol, known in OPERATORS.items():
        if known is function:
            return symbol
    for prefix in _NAMESPACES:
        name = _name_in(prefix, function)
        if name is None:
            continue
        symbol = f"{prefix}.{name}".lstrip(".")
        if prefix.startswith("keras."):
            return symbol
        return _CANONICAL.get(name, name if prefix and name in _TOP_LEVEL else symbol)
    for name in FACTORIES:
        if getattr(RaggedTensor, name) is function:
            return f"RaggedTensor.{name}"
    return None


def _name_in(prefix: str, function: object) -> str | None:
    """The name that a function has in a public namespace, or None."""
    path = own_code.home(f"eagerflow.{prefix}".rstrip("."))
    # Who has a function of another namespace in hand has imported that.
    module = (
        importlib.import_module(path) if prefix in ("math", "nn", "") else sys.modules.get(path)
    )
    if module is None:
        return None
    name = str(getattr(function, "__name__", ""))
    if name in vars(module) or name in vars(module).get("__all__", ()):
        if getattr(module, name) is function:
            return name
    aliases = [name for name, value in vars(module).items() if value is function]
    return next((name for name in aliases if not name.startswith("_")), None)


def config_name(function: object) -> str:
    """The name by which a model's configuration refers to an operation."""
    symbol = symbol_of(function)
    if symbol is not None:
        return symbol
    name = getattr(function, "__name__", None) or str(function)
    return f"raw.{name.rpartition('.')[2]}"


def function_of(symbol: str) -> Any:
    """The operation of a name in a configuration.

    Raises:
        ValueError: if there is none.
    """
    function = OPERATORS.get(symbol) if symbol.startswith("__operators__.") else None
    if function is None:
        function = reachable.find_operation(symbol)
    if function is None:
        raise ValueError(
            f"There is no operation on tensors '{symbol}' that configurations can name."
        )
    return function


def is_native(function: object) -> bool:
    """Whether a function is an operation of the table."""
    return isinstance(function, _core.OpFunction) and hasattr(function, "op_name")

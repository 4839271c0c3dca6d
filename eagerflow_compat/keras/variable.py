"""keras.Variable: variables under Keras 3's name and arguments."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.variable import Variable as _Variable
from eagerflow.keras import config, initializers
from eagerflow.ops import conversion


class _AnyVariable(ABCMeta):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _core.Variable)


class Variable(metaclass=_AnyVariable):
    """Makes a variable from a value, or from an initializer and a shape.

    Args:
        initializer: the first value, or an initializer, a function of shape and dtype, or a name.
        shape: the shape, for an initializer.
        dtype: the dtype; that of the value, or the float type.
        trainable: whether tapes watch it.
        autocast: ignored.
        aggregation: ignored.
        synchronization: ignored.
        name: its name.

    Raises:
        ValueError: if an initializer has no shape.

    >>> v = tf.keras.Variable("ones", shape=[2])
    >>> v.numpy().tolist(), isinstance(v, tf.keras.Variable)
    ([1.0, 1.0], True)
    """

    def __new__(
        cls,
        initializer: Any,
        shape: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        aggregation: str | None = None,
        synchronization: str = "auto",
        name: str | None = None,
    ) -> Any:
        if isinstance(initializer, str):
            initializer = initializers.get(initializer)
        if callable(initializer) and not isinstance(initializer, _core.Tensor | _core.Variable):
            if shape is None:
                raise ValueError(
                    "When creating a Variable from an initializer, the `shape` argument should be "
                    f"specified. Received: initializer={initializer} and shape={shape}"
                )
            value = initializer(shape, dtype=dtypes.as_dtype(dtype or config.floatx()))
        else:
            value = _core.as_tensor(initializer)
            if dtype is not None:
                value = conversion.cast(value, dtypes.as_dtype(dtype))
        return _Variable(value, trainable=trainable, name=name or "variable")

"""What helps programs of version 1 on their way: variables of `get_variable` that belong to layers."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow.framework import random_seed
from eagerflow.framework.module import Module
from eagerflow_compat.v1 import variable_scope as scopes


class _Store(Module):
    """The variables and layers that the methods of one object have made by name."""

    def __init__(self) -> None:
        super().__init__()
        self.store = scopes.EagerVariableStore()
        self.shared: dict[str, Any] = {}  # found by what looks for variables of modules
        self.layers: dict[str, Any] = {}

    @contextlib.contextmanager
    def in_use(self, owner: Any) -> Iterator[None]:
        """Makes and shares variables here; losses of new ones are the owner's."""
        _stores.append(self)
        try:
            with self.store.as_default():
                yield
        finally:
            _stores.pop()
            made = self.store.named_variables()
            new = [name for name in made if name not in self.shared]
            self.shared = made
        add_loss = getattr(owner, "add_loss", None)
        if add_loss is not None:
            regularizers = self.store.regularizers()
            for name in new:
                if name in regularizers:
                    add_loss(functools.partial(regularizers[name], made[name]))


# The stores of the methods that are being called, the innermost last.
_stores: list[_Store] = []


def track_tf1_style_variables(method: Callable[..., object]) -> Callable[..., object]:
    """Decorates a method of a layer or module: variables made by name in it belong to the object.

    Args:
        method: a method that calls `get_variable` or `tf.compat.v1.layers`, usually `call`.

    Returns:
        The method, whose calls share variables by name with each other, and with no other object.
        What `get_variable` and `layers` were given as regularizers are losses of the layer.

    Raises:
        ValueError: where a method is called of what is no layer or module.

    >>> class Scale(tf.keras.layers.Layer):
    ...     @tf.compat.v1.keras.utils.track_tf1_style_variables
    ...     def call(self, inputs):
    ...         with tf.compat.v1.variable_scope("scale"):
    ...             w = tf.compat.v1.get_variable("w", [], initializer=tf.ones_initializer())
    ...         return inputs * w
    >>> layer = Scale()
    >>> _, _ = layer(tf.ones([2])), layer(tf.ones([2]))
    >>> [w.name for w in layer.weights]
    ['scale/w:0']
    """

    @functools.wraps(method)
    def tracked(self: object, *args: object, **kwargs: Any) -> object:
        if not isinstance(self, Module):
            raise ValueError(
                "`@tf.compat.v1.keras.utils.track_tf1_layers_and_variables` must be applied to a "
                f"method of a subclassed `tf.Module`, `tf.keras.layers.Layer`, or "
                f"`tf.keras.Model` and which takes `self` as the first argument. But, the first "
                f"argument was {self!r}"
            )
        store = self.__dict__.get("_tf1_style_var_store")
        if store is None:
            store = self._tf1_style_var_store = _Store()
        with store.in_use(self):
            return method(self, *args, **kwargs)

    return tracked


def get_or_create_layer(name: str, create_layer_method: Callable[[], Any]) -> Any:
    """A layer of the object whose method is being called: made once, and found by name afterwards.

    Args:
        name: the layer's name within the current variable scope.
        create_layer_method: makes the layer.

    Raises:
        ValueError: outside of methods with `track_tf1_style_variables`.

    >>> class Twice(tf.keras.layers.Layer):
    ...     @tf.compat.v1.keras.utils.track_tf1_style_variables
    ...     def call(self, inputs):
    ...         make = lambda: tf.keras.layers.Dense(1, use_bias=False)
    ...         layer = tf.compat.v1.keras.utils.get_or_create_layer("dense", make)
    ...         return layer(layer(inputs))
    >>> layer = Twice()
    >>> layer(tf.ones([1, 1])).shape.as_list(), len(layer.weights)
    ([1, 1], 1)
    """
    if not _stores:
        raise ValueError(
            "get_or_create_layer is called in methods that are decorated by "
            "`tf.compat.v1.keras.utils.track_tf1_style_variables` only."
        )
    layers = _stores[-1].layers
    with scopes.variable_scope(name) as scope:
        if scope.name not in layers:
            layers[scope.name] = create_layer_method()
        return layers[scope.name]


class DeterministicRandomTestTool:
    """Gives random operations the same values in programs that call them in another way.

    Args:
        seed: the global seed.
        mode: "constant": all operations begin with the same values; "num_random_ops": those of the
            n-th operation depend on n only.

    Raises:
        ValueError: for another mode.

    >>> tool = tf.compat.v1.keras.utils.DeterministicRandomTestTool(mode="num_random_ops")
    >>> with tool.scope():
    ...     tf.random.uniform([1]).numpy(), tool.operation_seed
    (array([0.8354591], dtype=float32), 1)
    """

    def __init__(self, seed: int = 42, mode: str = "constant") -> None:
        if mode not in ("constant", "num_random_ops"):
            raise ValueError(f"Mode arg must be 'constant' or 'num_random_ops'. Got: {mode}")
        self._seed, self._mode = seed, mode
        self._operation_seed = 0
        self._used: set[int] = set()

    @property
    def operation_seed(self) -> int:
        """The number of the next operation; can be set to leave some out."""
        return self._operation_seed

    @operation_seed.setter
    def operation_seed(self, value: int) -> None:
        self._operation_seed = value

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """The block in which random operations have these values.

        Raises:
            ValueError: if a number is used for a second time.
        """
        with random_seed.drawing(self._draw):
            yield

    def _draw(self, operation: object, op_seed: int | None, blocks: int) -> tuple[int, int, int]:
        number = self._operation_seed
        if self._mode == "num_random_ops":
            if number in self._used:
                raise ValueError(
                    "This `DeterministicRandomTestTool` object is trying to re-use the "
                    f"already-used operation seed {number}. It cannot guarantee random numbers "
                    "will match between eager and sessions when an operation seed is reused. You "
                    "most likely set `operation_seed` explicitly but used a value that caused the "
                    "naturally-incrementing operation seed sequences to overlap with an "
                    "already-used seed."
                )
            self._used.add(number)
            self._operation_seed += 1
        return random_seed.fresh(self._seed, number).take(blocks)

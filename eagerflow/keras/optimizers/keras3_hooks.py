"""Methods of Keras 3's optimizers that Keras 2 does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from eagerflow.framework.variable import Variable


class Keras3Hooks:
    """Methods of Keras 3's optimizers that Keras 2 does not have."""

    apply_gradients: Callable[..., Any]
    _applied_to: list[Variable] | None = None

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Any] | None = None) -> None:
        """Updates variables from their gradients.

        Args:
            grads: a gradient, or None, for each variable.
            trainable_variables: the variables; by default those of the previous call.

        Raises:
            ValueError: if the first call has no variables, or there is not one gradient for each.

        >>> v = tf.Variable(1.0)
        >>> tf.keras.optimizers.SGD(0.5).apply([tf.constant(1.0)], [v])
        >>> print(v.numpy())
        0.5
        """
        if trainable_variables is not None:
            self._applied_to = list(trainable_variables)
        if self._applied_to is None:
            raise ValueError(
                "The first call of `apply` must tell the variables: "
                "`optimizer.apply(grads, trainable_variables)`."
            )
        self.apply_gradients(list(zip(grads, self._applied_to, strict=True)))

    def scale_loss(self, loss: Any) -> Any:
        """The loss that `apply` expects the gradients of; `LossScaleOptimizer` scales it."""
        return loss

    def assign(self, variable: Variable, value: Any) -> None:
        """Assigns a value to a variable."""
        variable.assign(value)

    def assign_add(self, variable: Variable, value: Any) -> None:
        """Adds a value to a variable."""
        variable.assign_add(value)

    def assign_sub(self, variable: Variable, value: Any) -> None:
        """Subtracts a value from a variable."""
        variable.assign_sub(value)

"""An optimizer's variables as arrays: `get_weights`, `set_weights`, and what files of models hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow.framework.variable import Variable
from eagerflow.keras.optimizers import keras3_state
from eagerflow.util.program_warnings import warn


class StoredVariables:
    """The methods of optimizers that store the values of their variables."""

    name: str
    _variables: list[Variable]
    _was_built: bool

    @property
    def weights(self) -> list[Variable]:
        """The same as `variables`."""
        return list(self._variables)

    def get_weights(self) -> list:
        """The values of the optimizer's variables, as arrays."""
        return [variable.numpy() for variable in self._variables]

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Sets the values of the optimizer's variables.

        Raises:
            ValueError: if the optimizer has not been built yet, or a shape does not fit.
        """
        if not self._was_built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. "
                "Please call `optimizer.build(trainable_variables)` to create the optimizer "
                "weights before calling `set_weights()`."
            )
        for variable, weight in zip(self._variables, weights, strict=False):
            if tuple(variable.shape) != tuple(getattr(weight, "shape", ())):
                raise ValueError(
                    f"Optimizer variable {variable.name} has shape {variable.shape} not compatible "
                    f"with provided weight shape {getattr(weight, 'shape', ())}."
                )
            variable.assign(weight)

    def save_own_variables(self, store: dict) -> None:
        """Puts the values of all variables into a store, by index."""
        for index, variable in enumerate(self._variables):
            store[str(index)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Loads the values that `save_own_variables` stored, here or in Keras 3."""
        values = keras3_state.values_for(
            self, [store[str(k)][()] for k in range(len(store.keys()))]
        )
        if len(values) != len(self._variables):
            warn(
                f"Skipping variable loading for optimizer '{self.name}', because it has "
                f"{len(self._variables)} variables whereas the saved optimizer has "
                f"{len(values)} variables."
            )
            return
        for variable, value in zip(self._variables, values, strict=True):
            variable.assign(value)

    def _save_for_keras3(self, store: dict) -> None:
        """As `save_own_variables`, in the order of Keras 3."""
        if type(self).save_own_variables is not StoredVariables.save_own_variables:
            self.save_own_variables(store)
            return
        store |= {str(k): value for k, value in enumerate(keras3_state.values_of(self))}

    def _has_slots_in_keras3(self) -> bool:
        return True

    def _extras_of_keras3(self) -> list[Any]:
        """The last variables of Keras 3's optimizer, which have no counterparts here."""
        return []

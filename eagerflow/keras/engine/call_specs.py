"""What a model was called with, and under which names it has its weights."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.checkpoint.trackable import children
from eagerflow.keras.engine.trainer import Trainer
from eagerflow.type_spec import TensorSpec
from eagerflow.variable import Variable


class Described(Trainer):
    """A model that can tell its inputs' specs and its weights' paths."""

    def _build_for(self, inputs: Any) -> None:
        self._note_inputs(inputs)
        super()._build_for(inputs)

    def _note_inputs(self, inputs: Any) -> None:
        self.__dict__["_called_with"] = _specs(inputs)

    def save_spec(self, dynamic_batch: bool = True) -> tuple[list, dict[str, Any]] | None:
        """The specs of what the model is called with: arguments by place, and by name.

        Args:
            dynamic_batch: whether the first size is left open where a call alone told it.

        Returns:
            None for a model that has no inputs yet and was not called.

        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
        >>> _ = model(tf.ones([4, 3]))
        >>> model.save_spec()[0][0].shape
        TensorShape([None, 3])
        """
        if self._graph is not None:
            known = nest.map_structure(
                lambda x: TensorSpec(x.shape, x.dtype, name=x.name), self._nested_inputs
            )
            called = self.__dict__.get("_called_with")
            if called is not None:
                # The inputs were made for a call: their first sizes are that call's.
                flat = [
                    TensorSpec(spec.shape, spec.dtype, name=own.name)
                    for spec, own in zip(nest.flatten(called), nest.flatten(known), strict=True)
                ]
                known = nest.pack_sequence_as(known, flat)
                if dynamic_batch:
                    known = nest.map_structure(_open_batch, known)
            if isinstance(known, list) and len(known) == 1:
                known = known[0]
            return [known], {}
        known = self.__dict__.get("_called_with")
        if known is None:
            return None
        return [nest.map_structure(_open_batch, known) if dynamic_batch else known], {}

    def get_weight_paths(self) -> dict[str, Variable]:
        """The weights by the attributes that lead to them, joined by dots.

        >>> x = tf.keras.Input((3,))
        >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2, name="d1")(x))
        >>> list(model.get_weight_paths())
        ['d1.kernel', 'd1.bias']
        """
        found: dict[str, Variable] = {}
        level: list[tuple[str, Any]] = [("", self)]
        if self._graph is not None:
            level = [(layer.name, layer) for layer in self.layers]
        seen = {id(item) for _, item in level}
        while level:
            following = []
            for path, owner in level:
                for name, item in children(owner).items():
                    if id(item) in seen:
                        continue
                    seen.add(id(item))
                    whole = f"{path}.{name}" if path else name
                    if isinstance(item, Variable):
                        found[whole] = item
                    following.append((whole, item))
            level = following
        return found


def _specs(inputs: Any) -> Any:
    """The specs of what a model is called with, under the names that Keras gives them."""
    if not all(hasattr(x, "shape") and hasattr(x, "dtype") for x in nest.flatten(inputs)):
        return None
    if isinstance(inputs, dict):
        return {key: TensorSpec(x.shape, x.dtype, name=key) for key, x in inputs.items()}
    flat = [
        TensorSpec(x.shape, x.dtype, name=f"input_{number}")
        for number, x in enumerate(nest.flatten(inputs), 1)
    ]
    return nest.pack_sequence_as(inputs, flat)


def _open_batch(spec: TensorSpec) -> TensorSpec:
    sizes = spec.shape.as_list()
    return TensorSpec([None, *sizes[1:]] if sizes else sizes, spec.dtype, name=spec.name)

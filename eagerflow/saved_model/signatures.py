"""The signatures of a loaded Keras model: functions of named tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.saved_model.constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY


class SignatureFunction:
    """A model as a function of tensors by the names of its inputs, which returns a dictionary.

    Args:
        model: a model whose inputs are known.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        inputs = zip(model.input_names, nest.flatten(model.inputs), strict=True)
        outputs = zip(model.output_names, nest.flatten(model.outputs), strict=True)
        self._inputs = {name: TensorSpec(x.shape, x.dtype, name) for name, x in inputs}
        self.structured_outputs = {name: TensorSpec(y.shape, y.dtype, name) for name, y in outputs}

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, TensorSpec]]:
        """No positional arguments, and the specs of the inputs by name."""
        return (), dict(self._inputs)

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The model's outputs by name.

        Raises:
            TypeError: if inputs are missing, unknown, or no tensors that fit.
        """
        arguments = dict(zip(sorted(self._inputs), args, strict=False))
        arguments.update(kwargs)
        if len(args) > len(self._inputs) or arguments.keys() != self._inputs.keys():
            raise TypeError(
                f"The signature takes the inputs {sorted(self._inputs)}, got {len(args)} positional "
                f"arguments and {sorted(kwargs)}."
            )
        tensors = []
        for name, spec in self._inputs.items():
            value = _core.convert(arguments[name], None, spec.dtype)
            if not spec.shape.is_compatible_with(value.shape):
                raise TypeError(
                    f"The signature's input {name!r} is {spec}, got a tensor of shape "
                    f"{value.shape}."
                )
            tensors.append(value)
        inputs = nest.pack_sequence_as(self._model.inputs, tensors)
        single = len(tensors) == 1 and not isinstance(inputs, Mapping)
        outputs = nest.flatten(self._model(tensors[0] if single else inputs, training=False))
        return dict(zip(self.structured_outputs, outputs, strict=True))


class SignatureMap(Mapping[str, SignatureFunction]):
    """Signatures by name; read only."""

    def __init__(self, signatures: Mapping[str, SignatureFunction]) -> None:
        self._signatures = dict(signatures)

    def __getitem__(self, key: str) -> SignatureFunction:
        return self._signatures[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"SignatureMap({list(self)})"


def add_signatures(model: Any) -> None:
    """Sets the attribute `signatures` of a loaded Keras model."""
    known = getattr(model, "inputs", None) and getattr(model, "outputs", None)
    signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: SignatureFunction(model)} if known else {}
    model.__dict__["signatures"] = SignatureMap(signatures)

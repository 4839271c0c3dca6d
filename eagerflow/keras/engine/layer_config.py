"""Layers as configurations: what made them, and for which shapes they were built."""

from __future__ import annotations

import inspect
from typing import Any

from eagerflow.keras.engine.layer_call import Building, LayerCall
from eagerflow.keras.mixed_precision import policy as policies
from eagerflow.shapes import TensorShape


class LayerConfig(LayerCall):
    """The configuration of a layer, and layers made from it."""

    _auto_arguments: Any = None

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a layer like this one.

        Raises:
            NotImplementedError: if a subclass does not override it and was made with arguments
                that are no plain values.
        """
        config: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": policies.serialize(self._dtype_policy),
        }
        if "_batch_input_shape" in self.__dict__:
            config["batch_input_shape"] = self._batch_input_shape
        if type(self).get_config is LayerConfig.get_config:
            return arguments_config(self, config)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer from what `get_config` returned; its weights are new.

        Raises:
            TypeError: if the class does not take these arguments.
        """
        try:
            return cls(**config)
        except Exception as error:  # whatever a constructor raises
            raise TypeError(
                f"Error when deserializing class '{cls.__name__}' using config={config}."
                f"\n\nException encountered: {error}"
            ) from error

    def get_build_config(self) -> dict[str, Any] | None:
        """The shape that the layer was built for."""
        if self._build_input_shape is None:
            return None
        return {"input_shape": plain_shape(self._build_input_shape)}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Builds the layer for the shape in what `get_build_config` returned."""
        shape = config["input_shape"]
        if shape is not None and not self.built:
            with Building(self, top=True):
                self.build(shape)


def arguments_config(layer: Any, config: dict[str, Any]) -> dict[str, Any]:
    """A configuration made of the arguments the layer was made with, if they are plain."""
    args, kwargs = layer._auto_arguments
    parameters = list(inspect.signature(type(layer).__init__).parameters.values())[1:]
    names = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    given = dict(zip(names, args, strict=False)) | kwargs
    if not takes_any:
        config = {key: value for key, value in config.items() if key in names}
    for key, value in given.items():
        if key in ("name", "trainable", "dtype"):
            continue
        if not _is_plain(value):
            raise NotImplementedError(
                f"Layer {type(layer).__name__} was created by passing non-serializable argument "
                f"values in `__init__()`, and therefore the layer must override `get_config()` in "
                f"order to be serializable: `{key}` is {value!r}."
            )
        config[key] = value
    return config


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, str | int | float | bool)


def plain_shape(shape: Any) -> Any:
    """A shape, or a structure of shapes, as tuples of sizes."""
    if isinstance(shape, TensorShape):
        return None if shape.rank is None else tuple(shape.as_list())
    if isinstance(shape, dict):
        return {key: plain_shape(value) for key, value in shape.items()}
    if isinstance(shape, list):
        return [plain_shape(value) for value in shape]
    if isinstance(shape, tuple):
        return tuple(plain_shape(value) for value in shape)
    return shape

"""HParams: named hyperparameters with types."""

from __future__ import annotations

import json
from typing import Any


class HParams:
    """Hyperparameters, as attributes.

    Args:
        **kwargs: names and values: numbers, strings, booleans, None, or lists or tuples of these.

    >>> from eagerflow_compat.contrib.training import HParams
    >>> hparams = HParams(learning_rate=0.1, layers=[32, 16])
    >>> hparams.parse("learning_rate=0.2,layers=[8]").values()
    {'learning_rate': 0.2, 'layers': [8]}
    """

    def __init__(self, **kwargs: Any) -> None:
        self._names: list[str] = []
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter.

        Raises:
            ValueError: if the name is taken, or the value an empty list.
        """
        if name in self.__dict__ or hasattr(type(self), name):
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, list | tuple):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._names.append(name)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets a hyperparameter, to a value of the type it has.

        Raises:
            KeyError: if there is none of that name.
            ValueError: if the value is of another type, or a list where there was none.
        """
        if name not in self._names:
            raise KeyError(f"Unknown hyperparameter: {name}. There are {self._names}")
        before = getattr(self, name)
        has_several = isinstance(before, list | tuple)
        if has_several != isinstance(value, list | tuple):
            raise ValueError(f"Must {'' if has_several else 'not '}pass a list: {name}")
        if has_several:
            setattr(self, name, type(value)(_cast(name, before[0], item) for item in value))
        else:
            setattr(self, name, _cast(name, before, value))

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Sets several hyperparameters; returns the object itself."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse(self, values: str) -> HParams:
        """Sets hyperparameters from a text such as "rate=0.1,layers=[32,16]".

        Raises:
            ValueError: if the text has another form, or a value another type.
            KeyError: if there is no hyperparameter of a name.
        """
        for part in _split(values):
            name, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"Could not parse hyperparameter: {part!r} lacks a value")
            name, value = name.strip(), value.strip()
            if value.startswith("[") and value.endswith("]"):
                self.set_hparam(name, [item.strip() for item in _split(value[1:-1])])
            else:
                self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Sets hyperparameters from an object in JSON."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, **kwargs: Any) -> str:
        """The hyperparameters as an object in JSON; arguments are those of `json.dumps`."""
        return json.dumps(self.values(), **kwargs)

    def values(self) -> dict[str, Any]:
        """Names and values, in the order in which they were added."""
        return {name: getattr(self, name) for name in self._names}

    def get(self, key: str, default: Any = None) -> Any:
        """A value, or the default if there is no hyperparameter of that name."""
        return getattr(self, key) if key in self._names else default

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __repr__(self) -> str:
        return f"HParams({self.values()})"


def _split(text: str) -> list[str]:
    """The parts of a text between the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def _cast(name: str, like: Any, value: Any) -> Any:
    """The value converted to the type of another, if that loses nothing."""
    message = f"Could not cast hyperparameter '{name}' of type {type(like).__name__} from {value!r}"
    if like is None or value is None:
        return value
    if isinstance(like, bool):
        if isinstance(value, str) and value.lower() in _TRUTH:
            return _TRUTH[value.lower()]
        if not isinstance(value, bool):
            raise ValueError(message)
        return value
    if isinstance(value, bool) or (isinstance(like, int) and isinstance(value, float)):
        raise ValueError(message)
    if isinstance(like, str) != isinstance(value, str) and isinstance(like, str):
        raise ValueError(message)
    try:
        return type(like)(value)
    except (TypeError, ValueError):
        raise ValueError(message) from None

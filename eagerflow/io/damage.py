"""The error for files that are damaged, whatever their format."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

from eagerflow import errors
from eagerflow.util import own_code


class DamagedFileError(errors.DataLossError, ValueError):
    """A file that is not in its format: a DataLossError, and a ValueError.

    Args:
        path: the file.
        part: which part of it.
        reason: the problem.
    """

    def __init__(self, path: str, part: str, reason: object) -> None:
        super().__init__(None, None, f"{part} in {path} is damaged: {reason}")


# Errors of code that reads a damaged structure as a valid one. Others, such as a ValueError or a
# TypeError of a class that refuses its arguments, may be due to the program.
_SIGNS = (
    json.JSONDecodeError,
    UnicodeError,
    LookupError,
    AttributeError,
    RecursionError,
    OverflowError,
)


_OF_THE_PROGRAM = "_eagerflow_of_the_program"


@contextlib.contextmanager
def made_by(cls: type) -> Iterator[None]:
    """A context that makes an object from a file's configuration by methods of its class.

    What a class of the program raises is its answer to the configuration, whatever the error's type:
    `part_of` takes it for no damage. Of classes inside classes the innermost is the one that raised.
    """
    try:
        yield
    except Exception as error:
        if not hasattr(error, _OF_THE_PROGRAM):
            setattr(error, _OF_THE_PROGRAM, not own_code.is_own(cls.__module__))
        raise


@contextlib.contextmanager
def part_of(path: str, part: str) -> Iterator[None]:
    """A context that reads a part of a file: errors that indicate damage become a DamagedFileError.

    Other exceptions get a note with the names of file and part, where Python has notes.

    Raises:
        DamagedFileError: where the block finds no structure as it should be.
    """
    try:
        yield
    except DamagedFileError:
        raise
    except Exception as error:
        if isinstance(error, _SIGNS) and not getattr(error, _OF_THE_PROGRAM, False):
            raise DamagedFileError(path, part, f"{type(error).__name__}: {error}") from error
        if hasattr(error, "add_note"):  # Python 3.11
            error.add_note(f"This was met in {part} of {path}.")
        raise


def check_config(config: object, path: str, part: str) -> None:
    """Refuses a malformed configuration.

    Args:
        config: the JSON of a file: a dictionary with a class's name and configuration.
        path: the file.
        part: which part of it.

    Raises:
        DamagedFileError: if it does not.
    """
    if not isinstance(config, dict) or not {"class_name", "config"} <= config.keys():
        raise DamagedFileError(path, part, "it is no dictionary with `class_name` and `config`")
    waiting: list[object] = [config]
    for value in waiting:
        if isinstance(value, list | tuple):
            waiting.extend(value)
        if not isinstance(value, dict):
            continue
        waiting.extend(value.values())
        _check_entry(value, path, part)


def _check_entry(entry: dict, path: str, part: str) -> None:
    name = entry.get("class_name")
    if "config" not in entry or "class_name" not in entry:
        return
    if not isinstance(name, str):
        raise DamagedFileError(path, part, f"`class_name` is {name!r}")
    for key in ("module", "registered_name"):
        if not isinstance(entry.get(key), str | None):
            raise DamagedFileError(path, part, f"`{key}` of {name} is {entry[key]!r}")
    inner = entry["config"]
    kinds = {"Sequential": dict | list, "Functional": dict, "Model": dict}
    if not isinstance(inner, kinds.get(name, object)):
        raise DamagedFileError(path, part, f"`config` of {name} is no dictionary")
    if not isinstance(inner, dict):
        return
    is_functional = not inner.keys().isdisjoint({"input_layers", "output_layers"})
    if name == "Functional" or (name == "Model" and is_functional):
        for key in ("input_layers", "output_layers"):
            if not isinstance(inner.get(key), list | tuple | dict):
                raise DamagedFileError(path, part, f"`{key}` of {name} is {inner.get(key)!r}")
    elif name != "Sequential":
        return
    layers = inner.get("layers")
    if not isinstance(layers, list):
        raise DamagedFileError(path, part, f"`layers` of {name} is no list")
    for layer in layers:
        if not isinstance(layer, dict) or not isinstance(layer.get("config"), dict):
            raise DamagedFileError(path, part, f"a layer of {name} has no configuration")
        if not isinstance(layer.get("inbound_nodes", []), list):
            raise DamagedFileError(path, part, f"`inbound_nodes` of a layer of {name} is none")

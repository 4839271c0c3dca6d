"""Compares the arguments of tf.keras's classes and functions with those of Keras 2."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).resolve().parent / "keras_arguments.txt"


def arguments(function: Any) -> list[str]:
    """The arguments of a class or function with their defaults, as they are recorded."""
    function = function.__init__ if inspect.isclass(function) else function
    texts = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text = stars.get(parameter.kind, "") + parameter.name
        if parameter.default is not parameter.empty:
            text += f"={parameter.default!r}"
        texts.append(text)
    return texts


def _split(text: str) -> list[str]:
    """Arguments between commas that are in no brackets or quotes."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == "'"
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _same(theirs: str, ours: str) -> bool:
    if theirs.endswith("=?"):
        return ours.partition("=")[0] == theirs[:-2]
    return theirs == ours


def differences(theirs: list[str], ours: list[str]) -> list[str]:
    """The arguments that are missing or have another position or default; additional ones are ignored."""
    catches = any(argument.startswith("**") for argument in ours)
    positional = [argument for argument in theirs if not argument.startswith("**")]
    different = []
    for index, argument in enumerate(positional):
        if index < len(ours) and _same(argument, ours[index]):
            continue
        if any(_same(argument, other) for other in ours):
            different.append(f"position of {argument}")
        elif not (argument.startswith("*") and catches):
            different.append(argument)
    return different


def compare(resolve: Callable[[str], Any]) -> tuple[int, int, list[str]]:
    """How many are alike, of how many, and a line for each that is not.

    Args:
        resolve: returns the object of a dotted name that starts with `tf.`, or None.
    """
    alike = total = 0
    lines = []
    for line in RECORDED.read_text().splitlines():
        match = re.fullmatch(r"([\w.]+)\((.*)\)", line)
        if match is None:
            continue
        name, text = match.groups()
        target = resolve(f"tf.keras.{name}")
        if target is None:
            continue
        total += 1
        different = differences(_split(text), arguments(target))
        alike += not different
        if different:
            lines.append(f"- `{name}`: " + ", ".join(f"`{each}`" for each in different))
    return alike, total, lines

"""Settings of graph optimizers, of which there are none: kept for programs that ask."""

from __future__ import annotations

from typing import Any

_options: dict[str, Any] = {}
_jit = {"mode": ""}


def get_experimental_options() -> dict[str, Any]:
    """The options that were set."""
    return dict(_options)


def set_experimental_options(options: dict[str, object]) -> None:
    """Keeps options; they change nothing."""
    _options.update(options)


def get_jit() -> str:
    """The mode that was set, "" if none was."""
    return _jit["mode"]


def set_jit(enabled: bool | str) -> None:
    """Keeps a mode; it changes nothing."""
    _jit["mode"] = enabled if isinstance(enabled, str) else "autoclustering" if enabled else ""

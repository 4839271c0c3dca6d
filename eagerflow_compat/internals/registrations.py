"""tf.__internal__: what Keras tells TensorFlow of itself. Nothing here asks for it.

Sessions, gradients and checkpoints need no help of Keras's: a variable has its value, and a model is
saved as the module that it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

__all__ = [
    "get_load_options",
    "load_context",
    "register_call_context_function",
    "register_clear_session_function",
    "register_get_session_function",
    "register_load_model_function",
    "register_loss_scale_wrapper",
    "register_session_provider",
    "set_using_mixed_precision_policy",
]


def _ignore(function: Callable[..., object]) -> None:
    """Takes note of nothing."""


register_call_context_function = register_clear_session_function = _ignore
register_get_session_function = register_load_model_function = _ignore
register_session_provider = set_using_mixed_precision_policy = _ignore


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: Callable[..., object], wrapper_cls: type | None = None
) -> None:
    """Takes note of nothing: graphs are not rewritten for 16-bit floats."""


def get_load_options() -> None:
    """The options with which a SavedModel is being loaded: none that anything depends on."""


@contextlib.contextmanager
def load_context(load_options: object) -> Iterator[None]:
    """A scope in which models are loaded; the options say nothing that loading here depends on."""
    yield

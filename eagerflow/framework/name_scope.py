"""Names of variables and modules: the stack of name scopes."""

from __future__ import annotations

import threading
from types import TracebackType

from eagerflow import _core


class _Stack(threading.local):
    def __init__(self) -> None:
        self.prefixes = [""]


_stack = _Stack()


class name_scope:
    """Puts a prefix before the names of the variables made inside.

    Args:
        name: one more part of the prefix; one that ends in `/` replaces the whole prefix, and the
            empty string means no prefix.

    In a `tf.Graph`, the part gets a suffix such as "_1" if the scope has been used before.

    Raises:
        ValueError: if `name` is not a string.

    >>> with tf.name_scope("encoder"):
    ...     print(tf.Variable(1.0, name="scale").name)
    encoder/scale:0
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name

    @property
    def name(self) -> str:
        """The name that the scope was made with."""
        return self._name

    def __enter__(self) -> str:
        if not self._name or self._name.endswith("/"):
            prefix = self._name
        else:
            graph = _core.building()
            if graph is None or graph.building_function:
                prefix = f"{_stack.prefixes[-1]}{self._name}/"
            else:
                prefix = graph.unique_name(self._name) + "/"
        _stack.prefixes.append(prefix)
        return prefix

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _stack.prefixes.pop()


def get_current_name_scope() -> str:
    """The prefix that names get now, without a slash at its end.

    >>> with tf.name_scope("a"), tf.name_scope("b"):
    ...     print(tf.get_current_name_scope())
    a/b
    """
    return _stack.prefixes[-1].rstrip("/")


def current_prefix() -> str:
    """The prefix that names get now, with a slash at its end if there is one."""
    return _stack.prefixes[-1]


def scoped(name: str) -> str:
    """`name` with the current prefix."""
    return _stack.prefixes[-1] + name

"""Which generation of TensorFlow a program was written for, judged by the names it uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from eagerflow.dropin import usage as usage_of
from eagerflow.dropin.facade import resolve

# Keyword arguments that went away with the first generation.
_OLD_KEYWORDS = frozenset({"keep_dims", "reduction_indices", "keep_prob", "feed_dict"})
# Modules that mean the same in programs of either generation.
_OF_BOTH = ("compat.", "python.")


def generation_of(source: str, folder: Path | None = None) -> str:
    """The generation, "1.x" or "2.x", of a program.

    Names that only one of the generations has decide, those of modules beside the program that
    it imports included. Those that the program itself asks for first (`hasattr`, `try`, the version)
    count only where there are no others. A program that uses both, or neither, counts as 2.x, unless
    it uses `tf.contrib`.

    Args:
        source: the program's text.
        folder: where its own modules are.

    >>> from eagerflow.dropin.recognise import generation_of
    >>> generation_of("import tensorflow as tf; print(tf.constant(1))")
    '2.x'
    >>> generation_of("import tensorflow as tf; sess = tf.Session()")
    '1.x'
    """
    names = list(_names_used(source, folder))
    certain = [path for path, asked in names if not asked]
    old, new = _of_one(certain or [path for path, _ in names])
    if any(path.startswith("contrib") for path in old):
        return "1.x"
    return "1.x" if len(old) > len(new) else "2.x"


def _of_one(names: Iterable[str]) -> tuple[set[str], set[str]]:
    """The names that only the first generation has, and those that only the second one has."""
    old, new = set(), set()
    for path in names:
        if path.startswith("__"):
            continue  # modules' own names are those of both generations
        if path.split(".")[0] == "contrib" or path.startswith("keyword:"):
            old.add(path)
            continue
        first, second = _exists("eagerflow.compat.v1", path), _exists("eagerflow", path)
        if first and not second:
            old.add(path)
        elif second and not first:
            new.add(path)
    return old, new


def _exists(root: str, path: str) -> bool:
    # Two levels tell the generations apart; what hangs below may be an instance's attribute.
    return resolve(".".join([root, *path.split(".")[:2]])) is not None


def _names_used(source: str, folder: Path | None) -> Iterator[tuple[str, bool]]:
    """Dotted names below `tensorflow` in a program and in its own modules, and whether it asks for them."""
    keywords, inside = set(), []
    try:
        for _, usage in usage_of.modules_of(source, "", folder):
            keywords |= usage.keywords & _OLD_KEYWORDS
            parts = [(*use.path.partition(".")[::2], use.asked) for use in usage.uses]
            inside += [
                (path, asked) for root, path, asked in parts if root == "tensorflow" and path
            ]
    except (SyntaxError, ValueError):  # what runs it will say so
        pass
    # Programs that name `tf.compat.v1` pass these keywords to its functions.
    if not any(path.startswith("compat.v1") for path, _ in inside):
        yield from ((f"keyword:{name}", False) for name in keywords)
    yield from ((path, asked) for path, asked in inside if not path.startswith(_OF_BOTH))

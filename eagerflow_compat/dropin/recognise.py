"""Which generation of TensorFlow a program was written for."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from eagerflow_compat.dropin.reading import Level, Problem, Reading

_NAMES = {"1.x": "TensorFlow 1", "2.x": "TensorFlow 2"}


class Verdict(NamedTuple):
    """The generation that a program is taken to be of.

    Attributes:
        generation: "1.x" or "2.x".
        doubt: what speaks against it, and how to choose; None if nothing does.
    """

    generation: str
    doubt: str | None = None


def generation_of(source: str, folder: Path | None = None) -> str:
    """The generation, "1.x" or "2.x", of a program: see `judge`.

    >>> from eagerflow_compat.dropin.recognise import generation_of
    >>> generation_of("import tensorflow as tf; print(tf.constant(1))")
    '2.x'
    >>> generation_of("import tensorflow as tf; sess = tf.Session()")
    '1.x'
    """
    return judge(source, folder).generation


def judge(source: str, folder: Path | None = None, file: str = "program.py") -> Verdict:
    """Judges a program by what it runs under either generation.

    The program is followed once for each (`eagerflow_compat/dropin/reading.py`). The generation that
    has all names that certainly run, and passes the program's own checks, is the program's. Where both
    have them, what possibly runs decides, and of a file that runs nothing, its functions do. A program
    that both run counts as 2.x. If neither has all, `tf.contrib` decides, then the program's checks,
    then the number of names that are missing.

    Args:
        source: the program's text.
        folder: where its own modules are.
        file: the name of its file.

    >>> from eagerflow_compat.dropin.recognise import judge
    >>> judge("import tensorflow as tf\\nif tf.__version__[0] == '1': tf.enable_eager_execution()")
    Verdict(generation='2.x', doubt=None)
    """
    try:
        readings = [Reading(source, generation, folder, file) for generation in _NAMES]
    except (SyntaxError, ValueError, RecursionError):  # what runs the program will say so
        return Verdict("2.x")
    old, new = (reading.problems for reading in readings)
    both = old.keys() & new.keys()
    levels = [Level.CERTAIN, Level.POSSIBLE]
    if not any(reading.has_uses for reading in readings):
        levels.append(Level.UNUSED)
    for most in levels:
        against_old = {p for p, level in old.items() if level <= most and p not in both}
        against_new = {p for p, level in new.items() if level <= most and p not in both}
        if not against_old and not against_new:
            continue
        generation = _heavier(against_old, against_new)
        # What speaks against it may run at a level below.
        against = against_old if generation == "1.x" else against_new
        if most is Level.CERTAIN and not against:
            other = old if generation == "1.x" else new
            against = {p for p, level in other.items() if level is Level.POSSIBLE and p not in both}
        for_it = against_new if generation == "1.x" else against_old
        doubted = most <= Level.POSSIBLE and against
        return Verdict(generation, _doubt(generation, for_it, against) if doubted else None)
    return Verdict("2.x")


def _heavier(against_old: Collection[Problem], against_new: Collection[Problem]) -> str:
    """The generation against which less speaks."""
    if not against_old or not against_new:
        return "1.x" if against_new else "2.x"
    if any(problem.name.startswith("tf.contrib") for problem in against_new):
        return "1.x"
    checks = [any(p.is_check for p in against) for against in (against_old, against_new)]
    if checks[0] != checks[1]:
        return "2.x" if checks[0] else "1.x"
    numbers = [len({p.name for p in against}) for against in (against_old, against_new)]
    return "1.x" if numbers[1] > numbers[0] else "2.x"


def _doubt(generation: str, for_it: Collection[Problem], against: Collection[Problem]) -> str:
    other = "1.x" if generation == "2.x" else "2.x"
    return (
        f"taken for a program of {_NAMES[generation]}, because {_listed(for_it)} does not fit "
        f"{_NAMES[other]}; but {_listed(against)} does not fit {_NAMES[generation]}. If it was "
        f"written for {_NAMES[other]}, run it with --generation {other}."
    )


def _listed(problems: Collection[Problem]) -> str:
    """The first of some problems, and how many more there are."""
    first = min(problems, key=lambda problem: (problem.line, problem.name))
    more = len({problem.name for problem in problems}) - 1
    text = f"{first.name} ({first.file}:{first.line})"
    return f"{text} with {more} more" if more else text

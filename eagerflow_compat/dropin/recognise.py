"""Which generation of TensorFlow a program was written for."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from eagerflow_compat.dropin import imported_packages
from eagerflow_compat.dropin.generations import NAMES, other
from eagerflow_compat.dropin.reading import Reading
from eagerflow_compat.dropin.reading_parts import Level, Problem
from eagerflow_compat.dropin.usage import Usage


class Verdict(NamedTuple):
    """The generation that a program is taken to be of.

    Attributes:
        generation: "1.x" or "2.x".
        reason: why, a clause.
        against: what does not fit the generation, though it may run; empty if nothing speaks against it.
    """

    generation: str
    reason: str
    against: str = ""

    @property
    def doubt(self) -> str | None:
        """What speaks against the generation, and how to choose; None if nothing does."""
        if not self.against:
            return None
        second = other(self.generation)
        return (
            f"taken for a program of {NAMES[self.generation]}, because {self.reason}; but "
            f"{self.against}. If it was written for {NAMES[second]}, run it with --generation {second}."
        )


def generation_of(source: str, folder: Path | None = None) -> str:
    """The generation, "1.x" or "2.x", of a program: see `judge`.

    >>> from eagerflow_compat.dropin.recognise import generation_of
    >>> generation_of("import tensorflow as tf; print(tf.constant(1))")
    '2.x'
    >>> generation_of("import tensorflow as tf; sess = tf.Session()")
    '1.x'
    """
    return judge(source, folder).generation


def judge(
    source: str, folder: Path | None = None, file: str = "program.py", package: str = ""
) -> Verdict:
    """Judges a program by what it runs under either generation.

    The program is followed once for each (`eagerflow_compat/dropin/reading.py`). The generation that
    has all names that certainly run, and passes the program's own checks, is the program's. Where both
    have them, what possibly runs decides, and of a file that runs nothing, its functions do. If neither
    has all, what the program says of itself decides (checks of the version, calls that enable or disable
    eager execution), then the number of names that are missing, then whether one of them is of
    `tf.contrib`. A program that both run counts as 2.x, unless a package that it imports requires a
    TensorFlow before 2.

    Args:
        source: the program's text.
        folder: the folder that its own modules are found from.
        file: the name of its file.
        package: the package that its relative imports count from.

    >>> from eagerflow_compat.dropin.recognise import judge
    >>> judge("import tensorflow as tf\\nif tf.__version__[0] == '1': tf.enable_eager_execution()")
    Verdict(generation='2.x', reason='all that it runs fits both generations', against='')
    >>> judge("import tensorflow as tf\\ntf.Session()").reason
    'tf.Session (program.py:2) does not fit TensorFlow 2'
    """
    try:
        readings = [Reading(source, generation, folder, file, package) for generation in NAMES]
    except (SyntaxError, ValueError, RecursionError):  # what runs the program will say so
        return Verdict("2.x", "its text cannot be read")
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
            others = old if generation == "1.x" else new
            against = {
                p for p, level in others.items() if level is Level.POSSIBLE and p not in both
            }
        for_it = against_new if generation == "1.x" else against_old
        doubted = most <= Level.POSSIBLE and against
        return Verdict(
            generation,
            f"{_listed(for_it)} does not fit {NAMES[other(generation)]}",
            f"{_listed(against)} does not fit {NAMES[generation]}" if doubted else "",
        )
    package_of_first = imported_packages.of_first_generation(Usage(source).modules)
    if package_of_first is not None:
        return Verdict("1.x", package_of_first)
    return Verdict("2.x", "all that it runs fits both generations")


def _heavier(against_old: Collection[Problem], against_new: Collection[Problem]) -> str:
    """The generation against which less speaks."""
    if not against_old or not against_new:
        return "1.x" if against_new else "2.x"
    declared = [any(p.declares for p in against) for against in (against_old, against_new)]
    if declared[0] != declared[1]:
        return "2.x" if declared[0] else "1.x"
    numbers = [len({p.name for p in against}) for against in (against_old, against_new)]
    if numbers[0] == numbers[1]:
        return "1.x" if any(p.name.startswith("tf.contrib") for p in against_new) else "2.x"
    return "1.x" if numbers[1] > numbers[0] else "2.x"


def _listed(problems: Collection[Problem]) -> str:
    """The first of some problems, and how many more there are."""
    first = min(problems, key=lambda problem: (not problem.declares, problem.line, problem.name))
    more = len({problem.name for problem in problems}) - 1
    text = f"{first.name} ({first.file}:{first.line})"
    return f"{text} with {more} more" if more else text

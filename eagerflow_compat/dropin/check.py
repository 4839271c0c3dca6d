"""Which names of TensorFlow a program uses that are missing here, found without running it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from eagerflow.protos.schema import Absent
from eagerflow.util import hints, unavailable
from eagerflow.util.deprecated_names import FORMER
from eagerflow_compat.dropin import imported_packages, install, recognise, usage
from eagerflow_compat.dropin import packages as contrib
from eagerflow_compat.dropin.facade import resolve
from eagerflow_compat.dropin.generations import NAMES, ROOTS
from eagerflow_compat.dropin.own_modules import OwnModules
from eagerflow_compat.dropin.reading import Reading


class Finding(NamedTuple):
    """Something that a program uses and that is missing.

    Attributes:
        file: where.
        line: where in it.
        text: what is missing, and what to do.
        asked: whether the program itself asks if it is there, or which version it runs on.
        package: the installed package that uses it; empty if the program does.
    """

    file: str
    line: int
    text: str
    asked: bool
    package: str = ""


class Report(NamedTuple):
    """What is known of a program: its generation, how many names it uses, and what is missing.

    `why` says why it is taken for this generation, and is empty if the generation was chosen.
    """

    generation: str
    why: str
    names: int
    findings: list[Finding]


def check(source: str, file: str, folder: Path | None, generation: str | None = None) -> Report:
    """Looks up every name of TensorFlow and Keras in a program, its own modules, and what it imports.

    Of the packages that it imports, the modules are read that these import from themselves.
    Chains of attributes are followed as far as modules and classes go; what tensors and other objects
    have is known when the program runs.

    Args:
        source: the program's text.
        file: its name.
        folder: where its own modules are; None passes them over.
        generation: "1.x" or "2.x"; else recognised from the text.

    Raises:
        SyntaxError: if the program is no Python.

    >>> from eagerflow_compat.dropin.check import check
    >>> text = "import tensorflow as tf; tf.reduce_summ(1); tf.distribute.TPUStrategy()"
    >>> for finding in check(text, "program.py", None).findings:
    ...     print(finding.line, finding.text[:62])
    1 tf.distribute.TPUStrategy raises when it is used: there are no
    1 tf.reduce_summ is missing; the nearest names are reduce_sum, r
    """
    name = Path(file).name
    why = ""
    if generation is None:
        verdict = recognise.judge(source, folder, name)
        generation = verdict.generation
        why = verdict.doubt or f"taken for {NAMES[generation]}: {verdict.reason}"
    own = Reading(source, generation, folder, name).own
    modules = [("", *read) for read in usage.modules_of(source, file, own)]
    if folder is not None:
        modules += _modules_of_packages([used for _, _, used in modules], own)
    install.install_as_tensorflow(generation)
    try:
        problems: dict[str, str | None] = {}
        findings = []
        for package, name, used in modules:
            seen = set()
            for use in used.uses:
                if use.path not in problems:
                    problems[use.path] = problem(use.path, generation)
                text = problems[use.path]
                if text is not None and (text, use.line) not in seen:
                    seen.add((text, use.line))
                    findings.append(Finding(name, use.line, text, use.asked, package))
            findings += [] if package else _not_installed(name, used, own)
    finally:
        install.uninstall()
    findings.sort(
        key=lambda found: (found.package, found.file != file, found.file, found.line, found.text)
    )
    return Report(generation, why, len(problems), findings)


REFUSED = "raises when it is used"


def problem(path: str, generation: str) -> str | None:
    """What is wrong with a path, and what to do; None if all is well. The drop-in is installed.

    >>> from eagerflow_compat.dropin.check import problem
    >>> tensorflow = tf.install_as_tensorflow()
    >>> problem("tensorflow.nn.relu", "2.x"), problem("tensorflow.nn.relux", "2.x")
    (None, 'tf.nn.relux is missing; the nearest names are relu, ...')
    >>> from eagerflow import dropin
    >>> dropin.uninstall()
    """
    package, *rest = path.split(".")
    value: Any = importlib.import_module(package)
    for end, name in enumerate(rest, 1):
        inside = ".".join(rest[:end])
        shown = f"{'tf' if package in ('tensorflow', 'eagerflow') else package}.{inside}"
        if not isinstance(value, ModuleType | type):
            return None
        try:
            value = getattr(value, name)
            reason = unavailable.reason_of(value)
            if reason is not None:
                return f"{shown} {REFUSED}: {reason}"
            if isinstance(value, Absent):
                value()  # raises
            continue
        except AttributeError:
            pass
        except ImportError as error:
            return f"{shown}: {error}"
        try:
            value = importlib.import_module(f"{package}.{inside}")
        except ImportError:
            return f"{shown} is missing{_advice(package, inside, value, generation)}"
    return None


def _advice(package: str, inside: str, parent: Any, generation: str) -> str:
    """The end of a message that says what there is instead."""
    name = inside.split(".")[-1]
    if package == "tensorflow":
        brought = contrib.advice(inside) if generation == "1.x" else None
        if brought is not None:
            return f". {brought}"
        for other, root in ROOTS.items():
            if other != generation and resolve(f"{root}.{inside}") is not None:
                former = FORMER.get(inside) if other == "1.x" else None
                replaced = f". Instead there is {former}" if former else ""
                return (
                    f"; {NAMES[other]} has it: tf.compat.v{other[0]}.{inside}, or run with "
                    f"--generation {other}{replaced}"
                )
        meant = hints.of_module(*f"eagerflow.{inside}".rsplit(".", 1))
        if meant:
            return meant.rstrip(".")
    near = hints.nearest(name, [known for known in dir(parent) if not known.startswith("_")])
    return f"; the nearest names are {', '.join(near)}" if near else "; nothing is called like it"


def _modules_of_packages(
    program: list[usage.Usage], own: OwnModules
) -> Iterator[tuple[str, str, usage.Usage]]:
    """The packages that a program imports, each with the files of it that are read, and their names."""
    names = [name for used in program for name in used.modules]
    for root, folder in imported_packages.installed(names):
        if own.has(root):
            continue
        inside = OwnModules(None)
        inside.folders = [folder.parent]
        wanted = [name for name in names if name.partition(".")[0] == root]
        for file, used in usage.reached(wanted, inside, root):
            yield root, file, used


def _not_installed(file: str, used: usage.Usage, own: OwnModules) -> Iterator[Finding]:
    """The packages that a module imports and that are neither installed nor the program's own."""
    seen = set()
    for module in used.modules.values():
        root = module.path.split(".")[0]
        if not root or root in seen or root in sys.modules or own.has(root):  # not root: relative
            continue
        seen.add(root)
        if importlib.util.find_spec(root) is None:
            text = f"the package {root} is not installed"
            if not own.complete:
                text += ", and may be in a folder that the program adds to sys.path"
            yield Finding(file, module.line, text, module.asked or not own.complete)


def main(paths: Sequence[str], generation: str | None) -> int:
    """What `eagerflow check` does; returns 1 if something is missing."""
    status = 0
    for file in _scripts(paths):
        try:
            source = file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            print(f"eagerflow: cannot read {file}: {error.strerror}", file=sys.stderr)
            status = max(status, 2)
            continue
        try:
            report = check(source, str(file), file.resolve().parent, generation)
        except (SyntaxError, ValueError) as error:  # ValueError: null bytes, before Python 3.12
            line = getattr(error, "lineno", None) or 1
            text = getattr(error, "msg", error)
            print(f"{file}:{line}: not Python 3: {text}", file=sys.stderr)
            status = max(status, 2)
            continue
        status = max(status, _print(file, report))
    return status


def _scripts(paths: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from sorted(path.rglob("*.py"))
        else:
            yield path


def _print(file: Path, report: Report) -> int:
    program = [finding for finding in report.findings if not finding.package]
    missing = [finding for finding in program if not finding.asked]
    asked = [finding for finding in program if finding.asked]
    packages = [f for f in report.findings if f.package and not f.asked]
    verdict = f"{len(missing)} missing" if missing else "all are there"
    print(f"{file}: {NAMES[report.generation]}, {report.names} names, {verdict}")
    if report.why:
        print(f"  {report.why}")
    for finding in missing:
        print(f"  {finding.file}:{finding.line}: {finding.text}")
    if asked:
        print("  Missing, where the program itself asks what there is, or looks for it:")
        for finding in asked:
            print(f"  {finding.file}:{finding.line}: {finding.text}")
    if packages:
        print("  Missing in packages that it imports, with the first place:")
        for text in dict.fromkeys(finding.text for finding in packages):
            places = [finding for finding in packages if finding.text == text]
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            print(f"  {places[0].file}:{places[0].line}{more}: {text}")
    return 1 if missing else 0

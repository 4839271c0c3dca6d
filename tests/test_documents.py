"""The documents are correct: named files exist, quoted code is in them, and programs run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from eagerflow.version import EAGERFLOW_VERSION

ROOT = Path(__file__).parent.parent
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]

# A file or folder of the repository, in backquotes or as the target of a link.
_NAMED = re.compile(r"`((?:benchmarks|core|docs|eagerflow|examples|tests|tools)/[\w./*-]*)`")
# The site's reference, which `make docs` writes.
_GENERATED = "api/"
_LINKED = re.compile(r"\]\(([^)#:]+)\)")
_CODE = re.compile(r"^```\w*\n.*?^```$", re.MULTILINE | re.DOTALL)
# Code quoted from a named file.
_QUOTED = re.compile(r"^`([\w./]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A program, and its output if that follows.
_PROGRAM = re.compile(
    r"^```python\n((?:import (?:numpy as np|time)\n\n)?import eagerflow.*?)^```$"
    r"(?:\n\n^```text\n(.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)

_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Run by a test of its own.
_PROGRAM_OF_2018 = "docs/program_of_2018.md"


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_every_piece_of_python_is_run_or_quoted_from_a_file(document):
    text, name = document.read_text(), str(document.relative_to(ROOT))
    known = {code for code, _ in _PROGRAM.findall(text)} | {
        code for _, code in _QUOTED.findall(text)
    }
    others = [code for code in _PYTHON.findall(text) if code not in known]
    assert len(others) == (name == _PROGRAM_OF_2018), others


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_files_that_are_named_exist(document):
    text = _CODE.sub("", document.read_text())
    missing = [name for name in _NAMED.findall(text) if not list(ROOT.glob(name.rstrip("/")))]
    links = [name for name in _LINKED.findall(text) if not name.startswith(_GENERATED)]
    missing += [name for name in links if not (document.parent / name).exists()]
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_code_stands_in_the_file_it_is_quoted_from(document):
    for name, code in _QUOTED.findall(document.read_text()):
        assert code in (ROOT / name).read_text(), f"{name} has no such lines:\n{code}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_programs_run_and_print_what_follows_them(document, tmp_path):
    programs = _PROGRAM.findall(document.read_text())
    # One process for all of them, since starting it takes most of the time; devices are divided
    # before anything has run.
    alone = [program for program in programs if "set_logical_device_configuration" in program[0]]
    _run_and_compare([program for program in programs if program not in alone], tmp_path)
    for program in alone:
        _run_and_compare([program], tmp_path)


def _run_and_compare(programs: list[tuple[str, str]], folder: Path) -> None:
    """Runs programs, one after the other in a process, and compares what they print."""
    if not programs:
        return
    mark = "~~~ the next program ~~~"
    for number, (text, _) in enumerate(programs):
        (folder / f"program{number}.py").write_text(text)
    runner = (
        "import runpy\n"
        f"for number in range({len(programs)}):\n"
        "    runpy.run_path(f'program{number}.py', run_name='__main__')\n"
        f"    print({mark!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", runner],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = done.stdout.split(mark + "\n")
    for (_, expected), output in zip(programs, printed, strict=False):
        assert not expected or output == expected


def test_the_program_of_2018_prints_what_its_page_shows(tmp_path):
    text = (ROOT / "docs" / "program_of_2018.md").read_text()
    program, printed, checked = re.findall(r"^```(?:python|text)\n(.*?)^```$", text, re.M | re.S)
    (tmp_path / "program.py").write_text(program)
    for arguments, expected in ([], printed), (["--check"], checked):
        done = subprocess.run(
            [sys.executable, "-m", "eagerflow", *arguments, "program.py"],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout == expected, done.stderr


def test_commands_of_make_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    workflows = (ROOT / ".github" / "workflows").glob("*.yml")
    for document in [*DOCUMENTS, *workflows, ROOT / ".ci" / "run"]:
        named = set(re.findall(r"(?:`|- run: |^)make ([\w-]+)", document.read_text(), re.MULTILINE))
        assert named <= targets, document.name


def test_the_citation_names_the_version():
    version = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert version[1] == EAGERFLOW_VERSION


def test_design_gives_a_reason_for_every_dependency():
    tomllib = pytest.importorskip("tomllib")  # since Python 3.11
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra, packages in project["project"]["optional-dependencies"].items():
        if extra not in ("oracle", "bench"):  # packages to compare with
            needed += packages
    table = (ROOT / "docs" / "design" / "dependencies.md").read_text().lower()
    for requirement in needed:
        name = re.match(r"[\w.-]+", requirement)[0].lower()
        if not name.startswith("onednn"):  # two packages of one project
            assert name in table, requirement


def test_common_arguments_are_described_once():
    # Packages about other versions describe arguments as those versions do.
    others = {"compat", "contrib", "dropin", "graphdef", "horovod", "tpu", "v1"}
    again = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "eagerflow").rglob("*.py")
        if path.relative_to(ROOT).parts[1] not in others
        and re.search(r"^ +name: (ignored|accepted)\.$", path.read_text(), re.MULTILINE)
    ]
    assert not again

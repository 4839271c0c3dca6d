"""What only some operating systems have is used in one place for each question."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Python's modules and attributes of `os` that Windows lacks.
POSIX_MODULES = {"fcntl", "grp", "posix", "pwd", "resource", "termios"}
POSIX_NAMES = {"O_CLOEXEC", "O_NOFOLLOW", "fork", "getuid", "pread", "pwrite", "register_at_fork"}
PYTHON_PLACES = {"eagerflow/util/descriptors.py"}

# Headers that C++ does not have, and where they may be included.
SYSTEM_HEADER = re.compile(
    r"#include <(?:sys/\w+|dlfcn|fcntl|linux/\w+|poll|pthread|sched|signal|unistd|windows|io|malloc)\.h>"
)
NATIVE_PLACES = {
    "core/bindings/gil.h",  # waits while Python ends its threads
    "core/device/signals.h",
    "core/platform/posix.cpp",
    "core/platform/windows.cpp",
    "core/tests/test_allocator.cpp",  # forks
}


def test_python_keeps_to_what_all_systems_have() -> None:
    found = {}
    for package in ("eagerflow", "eagerflow_compat"):
        for path in sorted((ROOT / package).rglob("*.py")):
            names = set()
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    names |= POSIX_MODULES & {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    names |= POSIX_MODULES & {node.module or ""}
                elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    names |= {node.attr} & POSIX_NAMES if node.value.id == "os" else set()
            if names:
                found[path.relative_to(ROOT).as_posix()] = names
    assert set(found) == PYTHON_PLACES, found


def test_the_engine_asks_the_system_in_few_files() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "core").rglob("*")
        if path.suffix in (".h", ".cpp") and SYSTEM_HEADER.search(path.read_text())
    }
    assert found == NATIVE_PLACES

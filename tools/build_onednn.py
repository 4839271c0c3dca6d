"""Builds the part of oneDNN that the engine uses, from oneDNN's source.

python tools/build_onednn.py PREFIX                       # from the project's repository
python tools/build_onednn.py PREFIX --repository FOLDER   # from a clone that is here

PREFIX then is what CMake's `ONEDNN_ROOT` wants: `make wheels WHEELS="--onednn PREFIX"`. The packages of
oneDNN that a checkout builds with hold every primitive, of which the engine calls three kinds; released
wheels take those from here. Needs git, CMake, Ninja and a C++ compiler with OpenMP.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = "https://github.com/uxlfoundation/oneDNN.git"
VERSION = "v3.13.1"
# What the tag named when it was chosen: a tag can be moved, a commit cannot.
COMMIT = "5f93c2194d41d36dc55eb736ce00899b8946e7a3"
OPTIONS = {
    "CMAKE_BUILD_TYPE": "Release",
    "CMAKE_INSTALL_LIBDIR": "lib",  # and not lib64
    # The rest of the build decides at run time what instructions there are; this is oneDNN's own least.
    "ONEDNN_ARCH_OPT_FLAGS": "-msse4.1",
    "ONEDNN_BUILD_DOC": "OFF",
    "ONEDNN_BUILD_EXAMPLES": "OFF",
    "ONEDNN_BUILD_GRAPH": "OFF",
    "ONEDNN_BUILD_TESTS": "OFF",
    "ONEDNN_CPU_RUNTIME": "OMP",
    "ONEDNN_ENABLE_GRAPH_DUMP": "OFF",
    "ONEDNN_ENABLE_ITT_TASKS": "OFF",
    "ONEDNN_ENABLE_JIT_PROFILING": "OFF",
    "ONEDNN_ENABLE_PRIMITIVE": "CONVOLUTION;MATMUL;REORDER",
    "ONEDNN_VERBOSE": "OFF",
    # Of what is left, only what something calls.
    "CMAKE_CXX_FLAGS": "-ffunction-sections -fdata-sections",
    "CMAKE_SHARED_LINKER_FLAGS": "-Wl,--gc-sections",
}


def run(*command: object) -> str:
    """Runs a command and returns what it printed; ends this program if it fails."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed with {done.returncode}")
    return done.stdout.strip()


def fetch(repository: str, folder: Path) -> None:
    """The source of the version; an error if its tag names another commit than it did."""
    quiet = ("--quiet", "-c", "advice.detachedHead=false")
    run("git", "clone", *quiet, "--depth", 1, "--branch", VERSION, repository, folder)
    commit = run("git", "-C", folder, "rev-parse", "HEAD")
    if commit != COMMIT:
        sys.exit(f"{VERSION} of {repository} is {commit}, not {COMMIT}")


def build(source: Path, folder: Path, prefix: Path) -> None:
    """Compiles the library and installs it, its headers and its licenses."""
    options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    options.append(f"-DCMAKE_INSTALL_PREFIX={prefix}")
    run("cmake", "-S", source, "-B", folder, "-G", "Ninja", *options)
    run("cmake", "--build", folder, "--parallel", os.cpu_count() or 1)
    run("cmake", "--install", folder)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="build_onednn", description=__doc__.splitlines()[0])
    parser.add_argument("prefix", type=Path)
    parser.add_argument(
        "--repository", default=REPOSITORY, help=f"a clone or an address; {REPOSITORY}"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        source = Path(name) / "source"
        fetch(arguments.repository, source)
        build(source, Path(name) / "build", arguments.prefix.resolve())


if __name__ == "__main__":
    main()

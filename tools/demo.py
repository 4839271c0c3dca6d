"""Trains the demo's network in an environment of its own, from a clone with nothing installed.

python tools/demo.py                             # as `make demo`
python tools/demo.py --wheel eagerflow==0.1.0    # a released version, from the package index

The package is the newest wheel in dist/ that this Python can use; if there is none, it is built into
dist/, which needs a C++20 compiler. What the build and the installation need themselves lies in a
temporary environment. What stays is .venv-demo: the package, Matplotlib and scikit-learn.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / ".venv-demo"
DIST = ROOT / "dist"
SOURCES = ("core", "eagerflow", "eagerflow_compat", "cmake", "CMakeLists.txt", "pyproject.toml")

# Ninja's words: %f of %t steps are done, %W is the time that it expects for the others.
STATUS = "compiling %f of %t, about %W left  "
BUILD = (
    "import scikit_build_core.build as build;"
    f"build.build_wheel({str(DIST)!r}, {{'build-dir': 'build'}})"
)
USABLE = """
import sys
from pip._vendor.packaging.tags import sys_tags
from pip._vendor.packaging.utils import parse_wheel_filename
usable = set(sys_tags())
for name in sys.argv[1:]:
    if parse_wheel_filename(name)[3] & usable:
        print(name)
"""


def run(*command: object) -> str:
    """Runs a command and returns its output; ends this program with that if it fails."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def python_of(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def changed(path: Path) -> float:
    """The time of the last change to a file, or to one in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return max((f.stat().st_mtime for f in files if f.suffix != ".pyc" and f.is_file()), default=0)


def newest_wheel(tool: Path) -> Path | None:
    wheels = {path.name: path for path in DIST.glob("eagerflow-*.whl")}
    usable = [wheels[name] for name in run(tool, "-c", USABLE, *wheels).split()]
    newest = max(usable, key=changed, default=None)
    if newest and any(changed(ROOT / name) > changed(newest) for name in SOURCES):
        print(f"dist/{newest.name} is older than the sources here; `make wheel` builds it again.")
    return newest


def build_wheel(tool: Path, requirements: Path) -> Path:
    print("Installing what the build needs: CMake, Ninja, nanobind, oneDNN ...", flush=True)
    groups = run(tool, ROOT / "tools/requirements.py", "build").splitlines()
    requirements.write_text("\n".join([*groups, "cmake>=3.26", "ninja>=1.12"]))
    run(tool, "-m", "pip", "install", "--no-compile", "-r", requirements)
    print("Building the package, once:", flush=True)
    path = os.pathsep.join([str(tool.parent), os.environ["PATH"]])
    done = subprocess.run(
        [str(tool), "-c", BUILD], cwd=ROOT, env={**os.environ, "PATH": path, "NINJA_STATUS": STATUS}
    )
    if done.returncode:
        sys.exit("The build failed; the compiler's messages are above.")
    wheel = newest_wheel(tool)
    assert wheel, "the build made no wheel for this Python"
    return wheel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", help="a requirement or a file to install, instead of dist/'s")
    arguments = parser.parse_args()

    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder) / "tools", with_pip=True)
        tool = python_of(Path(folder) / "tools")
        wheel = arguments.wheel or newest_wheel(tool)
        wheel = wheel or build_wheel(tool, Path(folder) / "requirements.txt")
        print(f"Installing {Path(wheel).name}, Matplotlib and scikit-learn ...", flush=True)
        shutil.rmtree(DEMO, ignore_errors=True)
        venv.create(DEMO, symlinks=os.name != "nt")
        extras = "[examples]" if Path(wheel).exists() else ""
        pip = (tool, "-m", "pip", "--python", python_of(DEMO), "install", "--no-compile")
        run(*pip, f"{wheel}{extras}", *([] if extras else ["matplotlib", "scikit-learn"]))
    print(f"Ready after {time.perf_counter() - started:.0f} s.\n", flush=True)

    # Compiled modules go where everything that is built goes.
    environment = {
        **os.environ,
        "MPLBACKEND": "Agg",
        "PYTHONPYCACHEPREFIX": str(ROOT / "build/pycache"),
    }
    done = subprocess.run([str(python_of(DEMO)), "examples/digits.py"], cwd=ROOT, env=environment)
    if done.returncode:
        sys.exit(done.returncode)
    print(
        """
The loss is drawn in loss.png, the digits that the network gets wrong in misread.png.
What next:
  source .venv-demo/bin/activate              this environment, in which `import eagerflow as tf` works
  python examples/digits_loop.py              the same network with a training loop of its own
  eagerflow examples/generations/tapes.py     a program that says `import tensorflow`, as it is
  docs/start.md                               the first steps, in five minutes"""
    )


if __name__ == "__main__":
    main()

"""Prints requirements that pyproject.toml declares, one a line, for `pip install -r`.

    python tools/requirements.py build runtime dev

`build` names the build system's requirements, `runtime` the dependencies of the package, and any
other word an extra. Pip by itself installs these only together with the package.
"""

import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    from pip._vendor import tomli as tomllib

pyproject = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())
groups = {
    "build": pyproject["build-system"]["requires"],
    "runtime": pyproject["project"]["dependencies"],
    **pyproject["project"]["optional-dependencies"],
}
for group in sys.argv[1:]:
    print(*groups[group], sep="\n")

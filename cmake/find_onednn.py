"""Prints where the oneDNN packages are installed: the library, a line break, the headers' folder.

The two packages put plain files under the prefix of the environment that holds them, which is
`sys.prefix` in a virtual environment but an overlay folder during an isolated build; their
installation records know the place in either case.
"""

import sys
from importlib import metadata
from pathlib import Path


def installed_file(distribution: str, name: str) -> Path:
    """The path of the distribution's file that ends in `name`."""
    for file in metadata.files(distribution) or []:
        if file.as_posix().endswith(name):
            return Path(file.locate()).resolve()
    raise FileNotFoundError(f"the package {distribution} has no file {name}")


try:
    library = installed_file("onednn-cpu-gomp", "/libdnnl.so.3")
    header = installed_file("onednn-devel-cpu-gomp", "/include/dnnl.hpp")
except (metadata.PackageNotFoundError, FileNotFoundError) as error:
    sys.exit(f"oneDNN not found: {error}")

print(library)
print(header.parent)

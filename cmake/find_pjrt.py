"""Prints the folder of pjrt_c_api.h, which the package xla-cpu-pjrt has; nothing if that is missing."""

from importlib import metadata
from pathlib import Path

try:
    files = metadata.files("xla-cpu-pjrt") or []
except metadata.PackageNotFoundError:
    files = []
for file in files:
    if file.name == "pjrt_c_api.h":
        print(Path(file.locate()).resolve().parent)

"""The kinds of programs: how each is built."""

from __future__ import annotations

from collections.abc import Callable

from builder import Builder
from kinds.eager import eager, ragged, random, sparse, strings
from kinds.files import files
from kinds.functions import captures, functions
from kinds.objects import datasets, layers, optimizers
from programs import Program

KINDS: dict[str, Callable[[Builder], Program]] = {
    "eager": eager,
    "functions": functions,
    "captures": captures,
    "strings": strings,
    "ragged": ragged,
    "sparse": sparse,
    "random": random,
    "layers": layers,
    "optimizers": optimizers,
    "datasets": datasets,
    "files": files,
}

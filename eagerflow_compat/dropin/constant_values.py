"""What expressions of a program give, as far as that follows from its text and TensorFlow's version."""

from __future__ import annotations

import ast
import operator
import os
import pathlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple


class Path(NamedTuple):
    """A dotted name below a package, such as `tensorflow.nn.relu`."""

    name: str


class Names(NamedTuple):
    """What `dir()` of a package lists."""

    path: str


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


# What does not follow from the text.
UNKNOWN: Any = _Unknown()

_PLAIN = (bool, int, float, str, bytes, type(None), tuple, list, re.Match, pathlib.PurePath)
_FUNCTIONS: Mapping[str, Callable[..., object]] = {
    function.__name__: function
    for function in (abs, all, any, bool, float, int, len, list, max, min, sorted, str, sum, tuple)
}
# What programs find versions, and the folders of their modules, with.
_OF_MODULES: Mapping[str, Callable[..., object]] = {
    "re.match": re.match,
    "re.search": re.search,
    "re.findall": re.findall,
    "re.split": re.split,
    "os.getcwd": os.getcwd,
    "pathlib.Path": pathlib.Path,
    **{
        f"os.path.{function.__name__}": function
        for function in (
            *(os.path.abspath, os.path.basename, os.path.dirname, os.path.expanduser),
            *(os.path.join, os.path.normpath, os.path.realpath, os.path.split),
        )
    },
}
_CONSTANTS: Mapping[str, object] = {
    "os.curdir": os.curdir,
    "os.pardir": os.pardir,
    "os.sep": os.sep,
    "os.path.pardir": os.pardir,
    "sys.version_info": tuple(sys.version_info[:3]),
}
# Modules of Python's that programs name versions and files with, and functions that a reading follows itself.
MODULES = frozenset({"importlib", "inspect", "os", "os.path", "pathlib", "re", "site", "sys"})
_FOLLOWED = frozenset(
    "importlib.import_module inspect.getfile inspect.currentframe site.addsitedir sys.path "
    "sys.path.append sys.path.extend sys.path.insert".split()
)
_METHODS = frozenset(
    "startswith endswith split rsplit strip lstrip rstrip lower upper replace find index count "
    "partition rpartition isdigit join group groups format resolve absolute as_posix joinpath".split()
)
_ATTRIBUTES = frozenset({"parent", "parents", "name"})  # of files
_VERSION_TYPES = frozenset(
    {"LooseVersion", "StrictVersion", "NumpyVersion", "Version", "V", "parse", "parse_version"}
)
_COMBINED = (str, int, float, pathlib.PurePath)
_COMPARISONS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda x, y: x in y,
    ast.NotIn: lambda x, y: x not in y,
}
_ARITHMETIC: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class Version(NamedTuple):
    """A parsed version: what programs compare, and the parts that they ask for."""

    release: tuple[int, ...]

    @property
    def version(self) -> list[int]:
        """The numbers as a list, as distutils has them."""
        return list(self.release)

    @property
    def major(self) -> int:
        """The first number."""
        return self.release[0]

    @property
    def minor(self) -> int:
        """The second number."""
        return (*self.release, 0)[1]

    @property
    def vstring(self) -> str:
        """The text."""
        return ".".join(map(str, self.release))


def version_of(text: object) -> object:
    """A version as programs parse it: its first numbers; UNKNOWN of what is none."""
    found = re.match(r"v?(\d+(?:\.\d+)*)", text) if isinstance(text, str) else None
    if found is None:
        return UNKNOWN
    numbers = [int(number) for number in found[1].split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:  # 2.0 equals 2.0.0
        numbers.pop()
    return Version(tuple(numbers))


def is_plain(value: object) -> bool:
    """Whether a value is one of Python's, which Python can compute with."""
    if isinstance(value, Version):
        return True
    if isinstance(value, Path | Names) or not isinstance(value, _PLAIN):
        return False
    return not isinstance(value, tuple | list) or all(map(is_plain, value))


def truth(value: object) -> bool | None:
    """Whether a value is true; None if that is unknown."""
    if value is UNKNOWN:
        return None
    return bool(value) if is_plain(value) else True


def computed(function: Callable[..., object], *arguments: object) -> object:
    """A function of plain values; UNKNOWN if one is not, or if it raises."""
    if not all(map(is_plain, arguments)):
        return UNKNOWN
    try:
        value = function(*arguments)
    except (
        TypeError,
        ValueError,
        IndexError,
        KeyError,
        ArithmeticError,
        AttributeError,
        OSError,
        re.error,
    ):
        return UNKNOWN
    return value if is_plain(value) else UNKNOWN


def compared(comparison: ast.cmpop, left: object, right: object) -> object:
    """What a comparison gives."""
    if isinstance(comparison, ast.Is | ast.IsNot):
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        same = left is right if left is None or right is None else left == right
        return same is isinstance(comparison, ast.Is)
    if isinstance(left, Version) != isinstance(right, Version):
        # distutils compares with texts, too.
        left = left if isinstance(left, Version) else version_of(left)
        right = right if isinstance(right, Version) else version_of(right)
    return computed(_COMPARISONS[type(comparison)], left, right)


def combined(operation: ast.operator, left: object, right: object) -> object:
    """What an arithmetic operation gives."""
    function = _ARITHMETIC.get(type(operation))
    # Texts and lists stay short: nothing here may take long.
    if function is None or not all(isinstance(x, _COMBINED) for x in (left, right)):
        return UNKNOWN
    if isinstance(operation, ast.Mult) and isinstance(left, str) | isinstance(right, str):
        return UNKNOWN
    return computed(function, left, right)


def of_python(path: str) -> object:
    """What a dotted name below a module of Python's gives."""
    if path in _CONSTANTS:
        return _CONSTANTS[path]
    return Path(path) if path in MODULES or path in _OF_MODULES or path in _FOLLOWED else UNKNOWN


def function_called(name: str, arguments: Sequence[object]) -> object:
    """What a call of a function of Python's modules gives."""
    return computed(_OF_MODULES[name], *arguments) if name in _OF_MODULES else UNKNOWN


def attribute(value: object, name: str) -> object:
    """What an attribute of a version, or of a file's name, gives."""
    if isinstance(value, pathlib.PurePath) and name == "parents":
        return tuple(value.parents)
    if isinstance(value, Version) or (isinstance(value, pathlib.PurePath) and name in _ATTRIBUTES):
        return computed(getattr, value, name)
    return UNKNOWN


def called(node: ast.Call, receiver: object, arguments: Sequence[object]) -> object:
    """What a call of one of Python's functions, or of a method of a plain value, gives.

    Args:
        node: the call.
        receiver: the value whose method is called, if the function is an attribute.
        arguments: the values of its positional arguments.
    """
    if node.keywords:
        return UNKNOWN
    text = ast.unparse(node.func)
    name = text.rpartition(".")[2]
    if name in _VERSION_TYPES and len(arguments) == 1:
        return version_of(arguments[0])
    if isinstance(node.func, ast.Attribute):
        if name not in _METHODS or not is_plain(receiver):
            return UNKNOWN
        return computed(lambda *rest: getattr(receiver, name)(*rest), *arguments)
    if text == "map" and len(arguments) == 2 and isinstance(node.args[0], ast.Name):
        function = _FUNCTIONS.get(node.args[0].id)
        if function is not None:
            return computed(lambda values: [function(value) for value in values], arguments[1])
    return computed(_FUNCTIONS[text], *arguments) if text in _FUNCTIONS else UNKNOWN

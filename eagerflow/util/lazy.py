"""Modules, and names of public namespaces, that are imported when a program first uses them.

A namespace's stub, such as `keras/losses/__init__.pyi` or `linalg.pyi`, is the one list of its names. It
has lines such as

    from eagerflow.keras.losses.regression import mean_squared_error as mean_squared_error

    MSE = mse = mean_squared_error

Type checkers and editors read it as they read any stub, and `attach` reads it when the namespace is
imported: `from namespace import name` then imports the module of that name and no other.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

from eagerflow.util import own_code

_ALL = re.compile(r"^from (\S+) import \*", re.MULTILINE)
_FUNCTION = re.compile(r"^def (\w+)(\(.*?\)) -> [^\n]*: \.\.\.$", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"^from (\S+) import (\([^)]*\)|.*)", re.MULTILINE)
_NAME = re.compile(r"(\w+)( as \w+)?")
_SYNONYMS = re.compile(r"^(\w+ = .*)", re.MULTILINE)


@functools.cache
def origins(namespace: str) -> dict[str, tuple[str, str]]:
    """The names in a namespace's stub, with the module that each comes from and its name there.

    All callers share the dictionary.

    >>> from eagerflow.util import lazy
    >>> lazy.origins("eagerflow.keras.layers")["Dense"]
    ('eagerflow.keras.layers.dense', 'Dense')
    """
    text = _stub(namespace)
    listed = {}
    imported = {}
    for module in _ALL.findall(text):
        listed.update({name: (module, name) for name in [*origins(module), *signatures(module)]})
    for module, names in _IMPORT.findall(text):
        for name, is_listed in _NAME.findall(names):
            imported[name] = (module, name)
            if is_listed:
                listed[name] = (module, name)
    for statement in _SYNONYMS.findall(text):
        *synonyms, name = statement.split(" = ")
        listed.update(dict.fromkeys(synonyms, imported[name]))
    return listed


@functools.cache
def signatures(namespace: str) -> dict[str, str]:
    """The functions that a namespace's stub declares itself, with their parameters as text."""
    return dict(_FUNCTION.findall(_stub(namespace)))


def _stub(namespace: str) -> str:
    with open(_stub_file(namespace), encoding="utf-8") as stub:
        return stub.read()


def _stub_file(namespace: str) -> str:
    if namespace in sys.modules:
        return os.path.splitext(sys.modules[namespace].__file__ or "")[0] + ".pyi"
    path = own_code.path_of(namespace)
    return os.path.join(path, "__init__.pyi") if os.path.isdir(path) else f"{path}.pyi"


def has_stub(namespace: str) -> bool:
    """Whether a module, imported or not, has a stub.

    >>> from eagerflow.util import lazy
    >>> lazy.has_stub("eagerflow.linalg"), lazy.has_stub("eagerflow.nest")
    (True, False)
    """
    return os.path.isfile(_stub_file(namespace))


def _imported_from(module: ModuleType, name: str) -> Any:
    """The object of `from module import name`: an attribute, or a module inside of a package."""
    try:
        return getattr(module, name)
    except AttributeError:
        try:
            return importlib.import_module(f"{module.__name__}.{name}")
        except ModuleNotFoundError:
            pass
        raise


def _is_missing(source: str) -> bool:
    """Whether a module is one of the neighbour's, which is not installed."""
    return source.partition(".")[0] == own_code.NEIGHBOR and not own_code.is_installed()


def attach(
    namespace: str,
    make: Callable[[str, str], object] | None = None,
    together: bool = False,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a module or package with a stub.

    Where the neighbour is not installed, its names are left out of the two lists.

    Args:
        namespace: the module's `__name__`.
        make: makes the functions that the stub declares itself, from their names and parameters.
        together: whether all names are imported once a program names the namespace, as in `tf.math`.
            The interpreter reads attributes of modules without `__getattr__` faster.
    """
    listed = origins(namespace)
    declared = signatures(namespace) if make is not None else {}
    shown = [*listed, *declared]
    if not own_code.is_installed():
        shown = [name for name in shown if name in declared or not _is_missing(listed[name][0])]
    module = sys.modules[namespace]
    if together:
        vars(module)["_together"] = True

    def __getattr__(name: str) -> Any:
        """Imports a name when it is first used."""
        if name in declared and make is not None:
            value = make(name, declared[name])
        elif name not in listed:
            raise _missing(module, name)
        elif listed[name][0] == namespace:
            value = importlib.import_module(f"{namespace}.{listed[name][1]}")
            _import_together(value)
            _explain(value)
        elif _is_missing(listed[name][0]):
            text = own_code.absent(f"{namespace}.{name}")
            raise AttributeError(text, name=name, obj=module)
        else:
            source, original = listed[name]
            value = _imported_from(importlib.import_module(source), original)
            _explain(value)
        setattr(module, name, value)
        return value

    # What users complete by the tabulator: public names, not the modules that this one imports.
    def __dir__() -> list[str]:
        return sorted({*shown, *(name for name in vars(module) if name[:2] == "__")})

    return __getattr__, __dir__, shown


def _explain(value: object) -> None:
    """Has constructors say, where a keyword is unknown, which one was meant.

    Functions of operations, and those that take `**kwargs`, do so themselves.
    """
    if isinstance(value, type):
        for base in value.__mro__:
            if own_code.is_own(base.__module__) and "__init__" in vars(base):
                _core.set_keyword_hints(vars(base)["__init__"])
    elif isinstance(value, ModuleType) and "__getattr__" not in vars(value):
        for inside in vars(value).values():
            if isinstance(inside, type) and own_code.is_own(inside.__module__):
                _explain(inside)


def _missing(module: ModuleType, name: str) -> AttributeError:
    hint = ""
    # `from package import module` asks the package first, and then imports the module.
    if sys._getframe(2).f_code.co_filename != "<frozen importlib._bootstrap>":
        hint = hints.of_module(module.__name__, name)
    text = f"module '{module.__name__}' has no attribute '{name}'{hint}"
    # The module lets Python ask whether another name was meant.
    return AttributeError(text, name=name, obj=None if hint else module)


def listing(namespace: str) -> Callable[[], list[str]]:
    """`__dir__` of a public module without a stub: what it imports for itself is left out.

    These are modules, and what other packages define; or all that `__all__` does not name.

    >>> from eagerflow.util import lazy
    >>> names = dir(tf.keras.regularizers)
    >>> "L2" in names, "Any" in names, "annotations" in names
    (True, False, False)
    """

    def shown(name: str, value: object) -> bool:
        origin = getattr(value, "__module__", None) or type(value).__module__
        ours = own_code.is_own(origin) or origin.split(".")[0] in ("tensorflow", "builtins")
        return name[:2] == "__" or (ours and name[0] != "_" and not isinstance(value, _MODULES))

    def __dir__() -> list[str]:
        return sorted(
            name for name, value in vars(sys.modules[namespace]).items() if shown(name, value)
        )

    return __dir__


def _import_together(namespace: ModuleType) -> None:
    """Imports all names of a namespace that was attached so."""
    if vars(namespace).pop("_together", False):
        for name in namespace.__all__:
            getattr(namespace, name)
        del vars(namespace)["__getattr__"]


class Module:
    """A module that is imported when an attribute of it is first asked for.

    It is declared where a file has its imports, for modules that import the file in turn, and for
    those that few programs need.

    Args:
        name: the module's full name.

    >>> from eagerflow.util import lazy
    >>> quality = lazy.Module("eagerflow.image.quality")
    >>> quality.psnr is tf.image.psnr
    True
    """

    __slots__ = ("_module", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._module: Any = None

    def __getattr__(self, attribute: str) -> Any:
        if self._module is None:
            self._module = importlib.import_module(self._name)
        return getattr(self._module, attribute)


# Both import modules that import this one.
_core = Module("eagerflow._core")
hints = Module("eagerflow.util.hints")


class Objects(Mapping[str, Any]):
    """The objects of names, each imported when it is looked up.

    Args:
        origins: the modules that they come from, and their names there.

    >>> from eagerflow.util import lazy
    >>> losses = lazy.Objects(lazy.origins("eagerflow.keras.losses"))
    >>> "Huber" in losses, losses["Huber"] is tf.keras.losses.Huber
    (True, True)
    """

    def __init__(self, origins: Mapping[str, tuple[str, str]]) -> None:
        self._origins = origins

    def __getitem__(self, name: str) -> Any:
        module, original = self._origins[name]
        if _is_missing(module):
            raise ModuleNotFoundError(own_code.absent(name), name=module)
        return getattr(importlib.import_module(module), original)

    def __contains__(self, name: object) -> bool:
        return name in self._origins

    def __iter__(self) -> Iterator[str]:
        return iter(self._origins)

    def __len__(self) -> int:
        return len(self._origins)


_MODULES = (ModuleType, Module)

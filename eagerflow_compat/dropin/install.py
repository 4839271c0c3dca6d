"""The import hook that answers `import tensorflow`."""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import _bootstrap
from pathlib import Path
from types import ModuleType
from typing import Any

from eagerflow import version
from eagerflow.util import lazy, unavailable
from eagerflow_compat.dropin import (
    answered_packages,
    appearance,
    companions,
    distributions,
    estimators,
    installed_keras,
    keras_names,
    native_packages,
    packages,
    paths,
    private_names,
)
from eagerflow_compat.dropin.facade import Facade, missing, resolve
from eagerflow_compat.dropin.generations import keras_version

_TENSORFLOW = ("tensorflow", "tensorflow_core")
_KERAS = ("keras", "tf_keras")
schema = lazy.Module("eagerflow.protos.schema")
_FILE = str(Path(__file__).parent / "tensorflow" / "__init__.py")


class _Files:
    """The reader of the files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def files(self) -> Path:
        return self._folder


def _described(inside: str) -> dict[str, Any]:
    """The description of a file of messages, which is in protobuf's pool from now on."""
    if not (inside.startswith("core.") and inside.endswith("_pb2")):
        return {}
    try:
        file = schema.register(f"tensorflow/{inside.removesuffix('_pb2').replace('.', '/')}.proto")
    except ImportError:  # without protobuf
        return {}
    return {} if file is None else {"DESCRIPTOR": file}


class _KerasFacade(Facade):
    """Keras, whose version depends on what the program imports of it."""

    @property
    def __version__(self) -> str:
        return keras_version(self.__name__.split(".")[0], generation() or "2.x")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `tensorflow` and everything below it in this package."""

    def __init__(self, generation: str, keras: bool) -> None:
        self.generation = generation
        self.first = generation == "1.x"
        self.estimators = estimators.EstimatorFinder(self.first)
        self.packages = (*_TENSORFLOW, *_KERAS) if keras else _TENSORFLOW
        self.keras = keras
        self._asked = ""  # the name that a module did not have just now
        self._refused: list[str] = []  # names of one statement that are no modules either

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, inside = fullname.partition(".")
        if package not in self.packages:
            return None
        if not self.keras and installed_keras.module(inside) is not None:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if self._targets(package, inside) is None:
            asked, self._asked = self._asked, ""
            if not _is_imported(fullname):  # `importlib.util.find_spec` asks whether it exists.
                return None
            self._refused = [*self._refused, fullname] if asked == fullname else []
            parent, _, name = fullname.rpartition(".")
            known = dir(sys.modules[parent]) if parent in sys.modules else []
            raise ModuleNotFoundError(missing(parent, name, known), name=fullname)
        # The file is that of the first module that answers; what the path has nobody imports.
        targets = map(resolve, self._targets(package, inside) or ())
        file = next(filter(None, (getattr(t, "__file__", None) for t in targets)), _FILE)
        spec = importlib.machinery.ModuleSpec(
            fullname, self, origin=file if inside else _FILE, is_package=True
        )
        spec.submodule_search_locations = [str(Path(_FILE).parent)]
        spec.has_location = True
        return spec

    def get_resource_reader(self, name: str) -> _Files:
        """The files beside a module's, for `importlib.resources`."""
        return _Files(Path(sys.modules[name].__file__ or _FILE).parent)

    def find_distributions(
        self, context: importlib.metadata.DistributionFinder.Context | None = None
    ) -> Iterator[importlib.metadata.Distribution]:
        """The packages that are imported from here, for `importlib.metadata.version`."""
        versions = {"tensorflow": version.GENERATIONS[self.generation]}
        if _KERAS[0] in self.packages:
            versions |= {name: keras_version(name, self.generation) for name in _KERAS}
        context = context or importlib.metadata.DistributionFinder.Context()
        return distributions.find(context, versions)

    def _targets(self, package: str, inside: str) -> tuple[str, ...] | None:
        """The namespaces that answer for a module, or None if there is no such module."""
        if package in _KERAS:
            targets = paths.keras_targets(paths.keras_root(self.first), inside)
        elif paths.is_private(inside):
            return paths.targets(inside, self.first) or ()
        else:
            targets = paths.targets(inside, self.first) or ()
        modules = tuple(path for path in targets if isinstance(resolve(path), ModuleType))
        if (
            not modules
            and package in _TENSORFLOW
            and unavailable.is_namespace(paths.second(inside))
        ):
            return ()
        return modules or None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        package, _, inside = spec.name.partition(".")
        if not self.keras and installed_keras.module(inside) is not None:
            return ModuleType(spec.name)  # until `exec_module` finds the other
        targets = self._targets(package, inside)
        assert targets is not None
        if package in _TENSORFLOW and paths.is_private(inside):
            find = self._noted(spec.name, functools.partial(private_names.find, inside))
            described = _described(inside)
            return Facade(spec.name, targets, described, find, private_names.submodules(inside))
        names: dict[str, Any] = {}
        if package in _TENSORFLOW and inside in ("", "compat.v1", "compat.v2", "version"):
            names = self._versions()
        make = _KerasFacade if spec.name.split(".")[-1] in (*_KERAS, "src") else Facade
        if package in _KERAS:
            find = self._noted(spec.name, functools.partial(keras_names.find, inside))
            return make(spec.name, targets, names, find, () if inside else ["__internal__"])
        find = self._noted(spec.name, functools.partial(self._unavailable, inside))
        below = set(paths.submodules(inside, self.first))
        if not self.keras:
            below.update(installed_keras.names(inside))
        return make(spec.name, targets, names, find, below)

    def _noted(self, module: str, find: Callable[[str], Any]) -> Callable[[str], Any]:
        """A look-up that notes which names it was asked for.

        `from package import name` asks for the name, imports a module of this name, and asks again. The
        second time its error is raised here: Python's own has the same type, but does not say why.
        """

        def look_up(name: str) -> Any:
            full = f"{module}.{name}"
            try:
                return find(name)
            except AttributeError:
                is_second = full in self._refused[:1]
                if is_second or self._asked:
                    self._refused = []
                self._asked = "" if is_second else full
                if not is_second:
                    raise
            known = sys.modules[module]
            raise ImportError(missing(module, name, dir(known)), name=module, path=known.__file__)

        return look_up

    def _versions(self) -> dict[str, str | int]:
        number = version.GENERATIONS[self.generation]
        return {
            "VERSION": number,
            "__version__": number,
            "__git_version__": version.GIT_VERSION,
            "__compiler_version__": version.COMPILER_VERSION,
            "__cxx11_abi_flag__": 1,
            "__monolithic_build__": 0,
        }

    @staticmethod
    def _unavailable(namespace: str, name: str) -> Any:
        """A module that its package does not import, or what stands for a thing that is not here."""
        for module in packages.modules(namespace)[-1:]:
            if isinstance(resolve(f"{module}.{name}"), ModuleType):
                return importlib.import_module(f"tensorflow.{namespace}.{name}")
        value = unavailable.find(f"{paths.second(namespace)}.{name}".strip("."))
        if value is None:
            raise AttributeError(name)
        return value

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run: facades look their names up when they are asked for.

        Modules whose functions programs replace are ours themselves.
        """
        package, _, inside = module.__name__.partition(".")
        other = None if self.keras else installed_keras.module(inside)
        if other is not None:
            sys.modules[module.__name__] = importlib.import_module(other)
        elif package in _TENSORFLOW and inside in paths.REPLACEABLE:
            sys.modules[module.__name__] = importlib.import_module(paths.REPLACEABLE[inside])
        elif package in _TENSORFLOW and inside.startswith("compat.v2.compat."):
            inside = inside.removeprefix("compat.v2.")
            sys.modules[module.__name__] = importlib.import_module(f"{package}.{inside}")


def _is_imported(name: str) -> bool:
    """Whether a module is being imported: then the import system holds its lock."""
    reference = getattr(_bootstrap, "_module_locks", {}).get(name)
    return reference is not None and reference() is not None


_active: _Finder | None = None
_answered = answered_packages.AnsweredFinder()
_native = native_packages.NativeFinder()


def generation() -> str | None:
    """The generation of TensorFlow that `import tensorflow` gives now, or None.

    >>> from eagerflow import dropin
    >>> dropin.generation() in (None, "1.x", "2.x")
    True
    """
    return _active.generation if _active else None


def install_as_tensorflow(generation: str = "2.x", keras: bool = True) -> ModuleType:
    """Makes `import tensorflow` give eagerflow, here and in every module imported later.

    Args:
        generation: "2.x", or "1.x" for programs of the time of `tf.contrib.eager`, `tf.Session`
            and `tf.train.GradientDescentOptimizer`. Programs of the first generation build graphs
            until they call `tf.enable_eager_execution()`.
        keras: whether `import keras` and `import tf_keras` give `tf.keras`, too. False leaves these
            packages, and `tf.keras` if one of them is there, to what is installed.

    Returns:
        The module `tensorflow`.

    Raises:
        ValueError: for another generation.
        RuntimeError: if TensorFlow itself has been imported already.

    >>> module = tf.install_as_tensorflow()
    >>> import tensorflow
    >>> tensorflow.constant(1.0) + 1.0
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>
    >>> from eagerflow import dropin
    >>> dropin.uninstall()
    """
    global _active
    if generation not in version.GENERATIONS:
        raise ValueError(
            f"generation must be one of {', '.join(version.GENERATIONS)}, got {generation!r}."
        )
    loaded = sys.modules.get("tensorflow")
    if loaded is not None and not isinstance(loaded, Facade):
        raise RuntimeError(
            "TensorFlow has been imported already: call install_as_tensorflow() before the first "
            "`import tensorflow`."
        )
    uninstall()

    appearance.take_on(generation, keras)
    _active = _Finder(generation, keras)
    sys.meta_path[:0] = [_active, _active.estimators, _answered, _native]
    companions.bring()
    schema.use_default_pool()
    return importlib.import_module("tensorflow")


def uninstall() -> None:
    """Takes the import hook away again; modules that have been imported keep working."""
    global _active
    if _active is None:
        return

    sys.meta_path.remove(_active)
    sys.meta_path.remove(_answered)
    sys.meta_path.remove(_native)
    sys.meta_path.remove(_active.estimators)
    answered_packages.forget()
    estimators.forget()
    _active = None
    for name, module in list(sys.modules.items()):
        if isinstance(module, Facade) or name.partition(".")[2] in paths.REPLACEABLE:
            del sys.modules[name]
    appearance.give_up()

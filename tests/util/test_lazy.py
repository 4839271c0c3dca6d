"""Namespaces list their names once, and import each when a program uses it."""

import ast
import importlib
import pathlib
import subprocess
import sys

import pytest

import eagerflow as tf
from eagerflow.util import lazy, own_code

_ROOT = pathlib.Path(tf.__file__).parent.parent


def _namespaces():
    """The modules and packages with stubs, and the stubs."""
    for package in own_code.PACKAGES:
        for stub in sorted((_ROOT / package).glob("**/*.pyi")):
            module = stub.parent if stub.stem == "__init__" else stub.with_suffix("")
            if stub.with_suffix(".py").exists():
                yield ".".join(module.relative_to(_ROOT).parts), stub


_STUBS = dict(_namespaces())


def _loaded_by(program: str) -> set[str]:
    """The package's modules that a program loads."""
    shown = f"import sys\n{program}\nprint(*[m for m in sys.modules if m.startswith('eagerflow')])"
    run = subprocess.run(
        [sys.executable, "-c", shown], capture_output=True, text=True, cwd=_ROOT, check=True
    )
    return set(run.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("namespace", _STUBS)
def test_every_listed_name_is_there(namespace):
    module = importlib.import_module(namespace)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None or name == "newaxis", name
        assert name in dir(module)


@pytest.mark.parametrize("namespace", _STUBS)
def test_the_stub_is_read_as_python_reads_it(namespace):
    listed = {}
    imported = {}
    declared = []
    for statement in ast.parse(_STUBS[namespace].read_text()).body:
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            every = [*lazy.origins(statement.module), *lazy.signatures(statement.module)]
            listed |= {name: (statement.module, name) for name in every}
        elif isinstance(statement, ast.ImportFrom):
            for name in statement.names:
                assert name.name not in imported
                imported[name.name] = (statement.module, name.name)
                assert name.asname in (None, name.name)
                if name.asname:
                    listed[name.asname] = (statement.module, name.name)
        elif isinstance(statement, ast.FunctionDef):
            declared.append(statement.name)
        elif isinstance(statement, ast.AnnAssign):
            assert hasattr(importlib.import_module(namespace), statement.target.id)
        else:
            assert isinstance(statement, ast.Assign)
            for target in statement.targets:
                assert target.id not in listed
                listed[target.id] = imported[statement.value.id]
    assert list(lazy.signatures(namespace)) == declared
    assert lazy.origins(namespace) == listed


@pytest.mark.parametrize("namespace", _STUBS)
def test_no_module_has_the_name_of_something_else(namespace):
    stub = _STUBS[namespace]
    if stub.stem != "__init__":
        return
    folder = stub.parent
    inside = {
        path.stem
        for path in folder.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    for name, origin in lazy.origins(namespace).items():
        if name in inside:
            assert origin == (namespace, name)


def test_unknown_names():
    with pytest.raises(AttributeError, match="'eagerflow.keras.layers' has no attribute 'Dence'"):
        _ = tf.keras.layers.Dence
    with pytest.raises(ImportError, match="Dence"):
        from eagerflow.keras.layers import Dence  # noqa: F401


def test_an_optimizer_needs_no_layers():
    loaded = _loaded_by("import eagerflow as tf; tf.optimizers.Adam()")
    assert "eagerflow.keras.optimizers.adam" in loaded
    assert "eagerflow.keras.optimizers.sgd" not in loaded
    for part in ("layers", "engine", "losses", "metrics", "callbacks", "applications"):
        assert not any(name.startswith(f"eagerflow.keras.{part}") for name in loaded), part


def test_a_small_model_needs_only_its_layers():
    loaded = _loaded_by(
        "import numpy as np\nimport eagerflow as tf\n"
        "model = tf.keras.Sequential([tf.keras.layers.Dense(2, 'relu'), tf.keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0)"
    )
    layers = {name for name in loaded if name.startswith("eagerflow.keras.layers.")}
    needed = ("adaptable", "arguments", "dense")
    assert layers == {f"eagerflow.keras.layers.{name}" for name in needed}
    for part in (
        "keras.applications",
        "keras.datasets",
        "keras.saving.hdf5",
        "image",
        "v1",
    ):
        assert not any(name.startswith(f"eagerflow.{part}") for name in loaded), part
    # Steps are functions of an iterator: what iterators are made of, and no datasets.
    data = {name for name in loaded if name.startswith("eagerflow.data.")}
    assert data == {
        f"eagerflow.data.{part}"
        for part in ("context", "graph_iterators", "iterator", "options", "structure")
    }


def test_models_in_files_bring_their_layers():
    program = (
        "import eagerflow as tf\n"
        "config = {'class_name': 'Sequential', 'config': {'name': 'm', 'layers': [\n"
        "    {'class_name': 'Dense', 'config': {'units': 2, 'batch_input_shape': [None, 3]}},\n"
        "    {'module': 'keras.layers', 'class_name': 'LeakyReLU', 'config': {},\n"
        "     'registered_name': None}]}}\n"
        "assert tf.keras.models.model_from_config(config).output_shape == (None, 2)"
    )
    assert "eagerflow.keras.layers.activation" in _loaded_by(program)


def test_namespaces_that_come_after_symbolic_inputs_take_them():
    program = (
        "import eagerflow as tf\n"
        "x = tf.keras.Input((8, 4))\n"
        "from eagerflow.keras import backend\n"
        "assert 'eagerflow.signal' not in sys.modules\n"
        "shape = backend.batch_flatten(x).shape, tf.signal.frame(x, 4, 2, axis=1).shape\n"
        "assert [s.as_list() for s in shape] == [[None, 32], [None, 3, 4, 4]], shape"
    )
    assert "eagerflow.signal" in _loaded_by(program)


def test_namespaces_of_operations_have_no_hook_once_they_are_named():
    """The interpreter reads attributes faster of modules without one."""
    program = "import eagerflow as tf; tf.math.sin; print('__getattr__' in vars(tf.math))"
    run = [sys.executable, "-c", program]
    shown = subprocess.run(run, capture_output=True, text=True, cwd=_ROOT, check=True)
    assert shown.stdout == "False\n"

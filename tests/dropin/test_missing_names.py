"""Names that a module lacks: they are refused where they are imported, and nothing is made up for them."""

import subprocess
import sys

import pytest

# All modules that the drop-in answers for, and what each does about a name that there is nowhere.
EVERY_MODULE = """
import importlib
import sys
from types import ModuleType

import tensorflow as tf

from eagerflow_compat.dropin import paths, private_names

NAME = "quokka_of_no_module"
private = [f"tensorflow.{path}" for path in private_names.modules()]
keras = sorted(paths._keras_modules())
names = ["tensorflow", "keras", "tf_keras", "tensorflow.python.keras", "tensorflow.keras.__internal__"]
names += private + [f"{root}.{path}" for root in ("keras", "tensorflow.python.keras") for path in keras]


seen = set()
public = {"tensorflow"}
modules = []
while names:
    name = names.pop()
    if name in seen or "__pycache__" in name:
        continue
    seen.add(name)
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        assert any(f"'{part}'" in str(error) for part in name.split(".")), (name, error)
        continue
    modules.append(module)
    for inner in dir(module):
        full = f"{name}.{inner}"
        if name in public and isinstance(getattr(module, inner), ModuleType):
            names.append(full)
            if full.count(".") < 4:
                public.add(full)


def attempts(module, all_ways):
    name = module.__name__
    yield ImportError, lambda: exec(f"from {name} import {NAME}")
    if not all_ways:
        return
    yield AttributeError, lambda: getattr(module, NAME)
    yield ModuleNotFoundError, lambda: importlib.import_module(f"{name}.{NAME}")
    yield ImportError, lambda: exec(f"from {name}.{NAME} import {NAME}")


wrong = []
for index, module in enumerate(modules):
    for error, attempt in attempts(module, index % 20 == 0):
        try:
            attempt()
        except error as raised:
            if NAME not in str(raised) or module.__name__ not in str(raised):
                wrong.append((module.__name__, str(raised)))
        else:
            wrong.append((module.__name__, "nothing was raised"))
    if NAME in vars(module) or f"{module.__name__}.{NAME}" in sys.modules:
        wrong.append((module.__name__, "the name is kept"))
print(len(modules), len(wrong))
for each in wrong[:20]:
    print(*each)
"""


def run(text):
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", "-c", text], capture_output=True, text=True, check=False
    )


def test_every_module_refuses_a_name_that_it_lacks():
    done = run(EVERY_MODULE)
    assert done.returncode == 0, done.stderr
    count, wrong = done.stdout.splitlines()[0].split()
    assert int(count) > 2000 and wrong == "0", done.stdout


@pytest.mark.parametrize(
    "line, says",
    [
        ("from tensorflow.python.ops.array_ops import reshap", "the nearest names are reshape"),
        ("from tensorflow.python.keras.layers import Dens", "the nearest names are Dense"),
        ("from tensorflow.python.keras.utils import generic_util", "generic_utils"),
        ("from tensorflow.python.framework import opz", "the nearest names are ops"),
        ("from keras.layers.core import Dens", "the nearest names are Dense"),
        ("import tensorflow.lite.python.optimize", "models are not converted for phones here"),
        ("from tensorflow.tpu import nothing", "has no attribute 'nothing'"),
    ],
)
def test_refusals_say_what_was_meant_and_why(line, says):
    done = run(f"try:\n    {line}\nexcept ImportError as error:\n    print(error)\n")
    assert says in done.stdout, done


@pytest.mark.parametrize(
    "module, name, says",
    [
        ("client.session", "_FetchHandler", "session.run(fetches)"),
        ("training.monitored_session", "_HookedSession", "session.run(fetches)"),
        ("autograph.converters.call_trees", "transform", "tf.autograph.to_code"),
    ],
)
def test_what_packages_import_and_do_not_use_refuses_its_call(module, name, says):
    done = run(
        f"from tensorflow.python.{module} import {name}\n"
        f"try:\n    {name}()\nexcept NotImplementedError as error:\n    print(error)\n"
    )
    assert says in done.stdout, done


def test_compiled_programs_have_their_private_name():
    done = run(
        "import tensorflow as tf\nfrom tensorflow.python.compiler.xla import xla\n"
        "print(xla.compile is tf.xla.experimental.compile)\n"
        "print(xla.compile(lambda x: x + 1.0, [tf.constant(2.0)])[0].numpy())\n"
    )
    assert done.stdout.split() == ["True", "3.0"], done


ERRORS = """
import importlib
import importlib.util

import tensorflow as tf
import tensorflow.python.ops.array_ops

for module in (tf, tf.math, tf.keras.layers, tensorflow.python.ops.array_ops):
    name = module.__name__
    for line in ("no_such, no_other", "constant as c, no_such", "no_such, no_other, no_such"):
        line = line if hasattr(module, "constant") else line.replace("constant", "__doc__")
        for _ in range(2):
            try:
                exec(f"from {name} import {line}")
            except ImportError as error:
                assert type(error) is ImportError, type(error)
                assert (error.name, error.path) == (name, module.__file__), (error.name, error.path)
                assert f"module {name!r} has no attribute 'no_such'" in str(error), error
            else:
                raise AssertionError(line)
    for _ in range(3):  # What asks itself, or imports, gets the errors of asking and of importing.
        assert not hasattr(module, "no_such")
        assert importlib.util.find_spec(f"{name}.no_such") is None
        assert getattr(module, "no_such", 1) == 1
    for full in (f"{name}.no_such", f"{name}.no_such.below"):
        assert not hasattr(module, "no_such")
        for _ in range(2):
            try:
                importlib.import_module(full)
            except ModuleNotFoundError as error:
                assert error.name == f"{name}.no_such", error.name
            else:
                raise AssertionError(full)
"""


def test_errors_of_imports_name_modules():
    done = run(ERRORS)
    assert done.returncode == 0, done.stderr


FILES = """
import importlib.resources
import importlib.util
import os
import inspect

import tensorflow as tf
import tensorflow.python.ops.array_ops as array_ops

assert os.path.basename(os.path.dirname(tf.__file__)) == "tensorflow"
assert [entry.name for entry in importlib.resources.files("tensorflow").iterdir() if entry.is_file()]
for module in (tf, tf.keras, tf.compat.v1, array_ops):
    assert os.path.isfile(module.__file__) and os.path.isdir(module.__path__[0])
    assert importlib.util.find_spec(module.__name__).origin == module.__file__ == inspect.getfile(module)
    assert importlib.resources.files(module).is_dir()
"""


def test_modules_have_files():
    done = run(FILES)
    assert done.returncode == 0, done.stderr


COMPANIONS = """
import sys
import concurrent, urllib, xml
before = set(sys.modules)
import tensorflow
assert "http.client" not in sys.modules and "concurrent.futures.thread" not in sys.modules
assert urllib.request.Request("file:///x").selector == "/x"
assert concurrent.futures.ThreadPoolExecutor(1).submit(int, "3").result() == 3
assert xml.sax.handler.ContentHandler
"""


def test_modules_of_others_come_along():
    done = run(COMPANIONS)
    assert done.returncode == 0, done.stderr


FLAGS = """
import tensorflow
import sys
from absl import app, flags

sys.argv += ["--alsologtostderr", "--name=own"]
flags.DEFINE_string("name", "", "a flag of the program")

def main(_):
    assert flags.FLAGS.name == "own" and flags.FLAGS.alsologtostderr

app.run(main)
"""


def test_flags_of_abseil_exist():
    """`absl.logging` defines some, and TensorFlow imports it."""
    done = run(FLAGS)
    assert done.returncode == 0, done.stderr

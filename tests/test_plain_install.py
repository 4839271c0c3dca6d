"""`pip install eagerflow` alone, without the packages that extras bring."""

import re
import subprocess
import sys

import pytest

import plain_install
import test_documents
from test_documents import DOCUMENTS, NAMES, ROOT

EXAMPLES = sorted((ROOT / "examples" / "generations").glob("*.py"))
_EXTRA = re.compile(r"eagerflow\[[\w,]+\]")
_MISSING = re.compile(
    r"(Import|Attribute)Error: .*: pip install .+, or pip install 'eagerflow\[\w+\]'"
)


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Runs Python, and returns what it printed."""
    command, environment = plain_install.install(tmp_path_factory.mktemp("installed"))
    folder = tmp_path_factory.mktemp("programs")

    def run(*arguments):
        return subprocess.run(
            [*command, *map(str, arguments)],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    run.folder = folder
    return run


def test_what_extras_bring_is_not_installed(python):
    tomllib = pytest.importorskip("tomllib")  # since Python 3.11
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {re.match(r"[\w.-]+", line)[0].lower() for line in project["dependencies"]}
    done = python(
        "-c", "import importlib.metadata as m; print(*(d.name for d in m.distributions()))"
    )
    installed = set(done.stdout.lower().split())
    assert {"eagerflow", *needed} <= installed, done.stderr
    for requirements in project["optional-dependencies"].values():
        brought = {re.match(r"[\w.-]+", line)[0].lower() for line in requirements}
        assert not (brought - {"eagerflow"} - needed) & installed


def _programs(document):
    """The programs of a page whose section does not say that an extra is needed."""
    text = document.read_text()
    for found in test_documents._PROGRAM.finditer(text):
        section = text[: found.start()].rpartition("\n#")[2]
        if not _EXTRA.search(section):
            yield found.groups()


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_pages_run_unless_they_name_an_extra(document, python):
    for program, expected in _programs(document):
        (python.folder / "program.py").write_text(program)
        done = python("program.py")
        assert done.returncode == 0, f"Name the extra in the page, before the code:\n{done.stderr}"
        assert not expected or done.stdout == expected


def test_the_program_of_2018_runs(python):
    text = (ROOT / test_documents._PROGRAM_OF_2018).read_text()
    program, printed, checked = re.findall(r"^```(?:python|text)\n(.*?)^```$", text, re.M | re.S)
    (python.folder / "program.py").write_text(program)
    assert python("-m", "eagerflow", "program.py").stdout == printed
    assert python("-m", "eagerflow", "--check", "program.py").stdout == checked


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_and_are_checked(path, python):
    text = path.read_text()
    checked = python("-m", "eagerflow", "--check", path)
    # An extra may bring a namespace whole; scikit-learn is the program's own business.
    advised = _EXTRA.search(text) and _EXTRA.search(checked.stdout)
    assert (
        advised
        or "the package sklearn is not installed" in checked.stdout
        or "all are there" in checked.stdout
    ), checked.stdout + checked.stderr
    assert checked.returncode == ("all are there" not in checked.stdout)
    done = python("-m", "eagerflow", path)
    if "import load_digits" in text:
        assert "No module named 'sklearn'" in done.stderr
    elif _EXTRA.search(text):
        assert _MISSING.search(done.stderr), done.stderr
    else:
        assert done.returncode == 0, done.stderr


_EVERY_NAME = """
import importlib, pkgutil, sys, types
import eagerflow as tf
import eagerflow.contrib
import eagerflow_compat
from eagerflow.util import own_code

seen = set()

def ask(namespace):
    if namespace in seen:
        return
    seen.add(namespace)
    for name in dir(namespace):
        if name[:1] != "_":
            value = getattr(namespace, name, None)
            if isinstance(value, types.ModuleType) and own_code.is_own(value.__name__):
                ask(value)

for package in (tf, eagerflow_compat):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        # Keras imports its backend, tf2onnx is there where operators are added to it, and the commands
        # end the process.
        others = ("keras_backend", "onnx_operators", "__main__")
        if not any(other in module.name for other in others):
            importlib.import_module(module.name)
assert "google" not in sys.modules  # also where it is installed
for namespace in (tf, tf.compat.v1, eagerflow.contrib):
    ask(namespace)
print(len(seen))
"""


def test_every_module_is_imported_and_every_name_is_there(python):
    done = python("-W", "ignore", "-c", _EVERY_NAME)
    assert not done.stderr and int(done.stdout) > 200


def test_modules_import_no_messages_where_they_are_installed(tmp_path):
    pytest.importorskip("google.protobuf")
    program = _EVERY_NAME.partition("for namespace")[0]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


_MESSAGES = """
import tensorflow as tf
from tensorflow.core.example import example_pb2
from tensorflow.core.framework import types_pb2
from tensorflow.core.util.event_pb2 import SessionLog

assert types_pb2.DT_FLOAT == types_pb2.DataType.DT_FLOAT == 1 and SessionLog.START == 1
assert not isinstance(3, tf.train.Example) and example_pb2.Example is tf.train.Example

def message(text) -> tf.train.Example:
    return tf.train.Example.FromString(text)

for make in (
    lambda: message(b""),
    tf.train.Example,
    lambda: tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="x")]),
    lambda: tf.compat.v1.GraphDef(),
    lambda: tf.compat.v1.SessionLog(status=SessionLog.START),
):
    try:
        make()
    except ImportError as error:
        print(error)
assert not hasattr(tf.train.Example, "__wrapped__")
"""


def test_messages_can_be_named_and_say_what_they_need_when_one_is_made(python):
    (python.folder / "program.py").write_text(_MESSAGES)
    done = python("-m", "eagerflow", "program.py")
    needs = "needs protobuf: pip install protobuf, or pip install 'eagerflow[messages]'"
    assert not done.stderr
    assert done.stdout.splitlines() == [
        f"The message {name} {needs}"
        for name in ("Example", "Example", "Value", "GraphDef", "SessionLog")
    ]
    checked = python("-m", "eagerflow", "--check", "program.py")
    assert f"program.py:11: tf.train.Example: The message Example {needs}" in checked.stdout

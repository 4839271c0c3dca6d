"""The first hour of a user: completed names, checkouts that are not built, output in notebooks."""

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import eagerflow as tf
from eagerflow import debug

ROOT = Path(__file__).parent.parent
NAMESPACES = [
    line[1:-1]
    for line in (ROOT / "tools" / "api_names.txt").read_text().splitlines()
    if line.startswith("[") and not line.startswith("[members")
]


@pytest.mark.parametrize("path", NAMESPACES)
def test_completion_offers_no_modules_of_others_and_no_private_names(path):
    namespace = tf
    for name in path.split(".")[1:]:
        namespace = getattr(namespace, name, None)
    if not isinstance(namespace, ModuleType):
        return
    for name in dir(namespace):
        assert name[:2] == "__" or name[0] != "_"
        value = getattr(namespace, name)
        assert not isinstance(value, ModuleType) or value.__name__.startswith("eagerflow")
    assert not {"annotations", "Any", "lazy"} & set(dir(namespace))


def test_a_checkout_that_is_not_built_says_so(tmp_path):
    package = tmp_path / "eagerflow"
    shutil.copytree(
        ROOT / "eagerflow", package, ignore=shutil.ignore_patterns("*.so*", "keras", "lib")
    )
    # Without the import hook of an editable install, which would find the module elsewhere.
    command = [sys.executable, "-S", "-c", "import eagerflow"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "native engine has not been built for Python" in done.stderr
    assert "make build" in done.stderr and str(package) in done.stderr


def test_notebooks_show_models_by_their_summaries():
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name="first")])
    assert model._repr_mimebundle_() == {}
    model.build([None, 3])
    shown = model._repr_mimebundle_()["text/html"]
    assert "<table>" in shown and "first (Dense)" in shown and "&quot;sequential" in shown


def test_notebooks_show_explanations_as_text():
    x = tf.constant(2.0)
    with debug.trace(), tf.GradientTape() as tape:
        y = x * x
    shown = debug.explain_gradient(tape, y, x)._repr_html_()
    assert shown.startswith("<pre style='font-family: monospace'><b>") and "<module>" not in shown


def test_shells_show_listings_as_lines():
    function = tf.function(lambda x: tf.exp(x) + 1.0)
    with debug.trace(), tf.GradientTape(persistent=True) as tape:
        tf.square(tf.Variable(1.0))
    for shown in (
        debug.show_graph(function.get_concrete_function(tf.TensorSpec([]))),
        debug.show_tape(tape),
        debug.show_fusion(lambda: tf.exp(tf.ones([256, 256])) * 2.0),
        tf.data.Dataset.range(3).batch(2).explain(),
    ):
        assert isinstance(shown, str) and repr(shown) == str(shown) and shown


_FAILING = """
import traceback
import numpy as np
import eagerflow as tf

@tf.function
def product(x):
    return tf.matmul(x, x)

class Failing(tf.keras.layers.Layer):
    def call(self, x):
        raise ValueError("in a layer")

model = tf.keras.Sequential([Failing()])
model.compile("sgd", "mse")

def element(x):
    return tf.reshape(x, [7])

def show(call):
    try:
        call()
    except Exception as error:
        print([frame.name for frame in traceback.extract_tb(error.__traceback__)])

def all_of_them():
    show(lambda: product(tf.ones([2, 3])))
    show(lambda: model.fit(np.ones([8, 3]), np.ones([8, 2]), verbose=0))
    show(lambda: tf.data.Dataset.range(3).map(element))

all_of_them()
tf.debugging.disable_traceback_filtering()
all_of_them()
"""


def test_tracebacks_show_the_program_and_where_it_entered_the_package(tmp_path):
    (tmp_path / "program.py").write_text(_FAILING)
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    frames = [eval(line) for line in done.stdout.splitlines()]
    assert frames[0] == ["show", "<lambda>", "_call", "product"], done.stderr
    assert frames[1] == ["show", "<lambda>", "run", "call"]
    assert frames[2] == ["show", "<lambda>", "call", "map", "mapped", "traced", "element"]
    for short, full in zip(frames[:3], frames[3:], strict=True):
        assert len(short) + 3 < len(full)

"""The tables of other packages' habits: errors show them, and what they say to write here works."""

import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.util import habits, hints, lazy, unavailable

TABLES = {
    name: getattr(habits, name)
    for name in (
        "TENSOR",
        "VARIABLE",
        "MODULE",
        "LAYER",
        "OPTIMIZER",
        "FUNCTION",
        "DATASET",
        "TAPE",
    )
}
TABLES["NAMES"] = habits.NAMES
ALL = [(table, name) for table, lines in TABLES.items() for name in lines]
METHODS = [name for name in habits.TENSOR if name != "__setitem__"]

# NumPy's expressions for what only PyTorch's or JAX's tensors have.
IN_NUMPY = {
    "amax": "x.max(1)",
    "amin": "x.min(1)",
    "norm": "np.sqrt((x * x).sum())",
    "logsumexp": "np.log(np.exp(x).sum(1))",
    "sort": "np.sort(x, 1)",
    "unique": "np.array([3.0, 1.0, 2.0, 4.0])",
    "nonzero": "np.argwhere(x)",
    "abs": "np.abs(x)",
    "neg": "-x",
    "sqrt": "np.sqrt(x)",
    "rsqrt": "1 / np.sqrt(x)",
    "square": "x * x",
    "exp": "np.exp(x)",
    "log": "np.log(x)",
    "sin": "np.sin(x)",
    "cos": "np.cos(x)",
    "tanh": "np.tanh(x)",
    "sigmoid": "1 / (1 + np.exp(-x))",
    "relu": "np.maximum(x, 0)",
    "softmax": "np.exp(x) / np.exp(x).sum(1, keepdims=True)",
    "log_softmax": "x - np.log(np.exp(x).sum(1, keepdims=True))",
    "floor": "np.floor(x)",
    "ceil": "np.ceil(x)",
    "clamp": "np.clip(x, 0, 2)",
    "isnan": "np.isnan(x)",
    "isfinite": "np.isfinite(x)",
    "add": "x + y",
    "sub": "x - y",
    "mul": "x * y",
    "div": "x / y",
    "pow": "x**2",
    "eq": "x == y",
    "lt": "x < y",
    "gt": "x > y",
    "matmul": "x @ x.T",
    "mm": "x @ x.T",
    "bmm": "batch @ batch",
    "t": "x.T",
    "mT": "x.T",
    "permute": "x.transpose(1, 0)",
    "view": "x.reshape(-1, 2)",
    "view_as": "x",
    "unsqueeze": "x[None]",
    "expand": "np.stack([row, row])",
    "expand_as": "np.stack([row, row])",
    "repeat_interleave": "row.repeat(2)",
    "tile": "np.tile(row, 2)",
    "roll": "np.roll(row, 1)",
    "flip": "row[::-1]",
    "chunk": "np.split(row, 3)",
    "split": "np.split(row, 3)",
    "unbind": "[x[0], x[1]]",
    "gather": "np.take_along_axis(x, index, 1)",
    "index_select": "x[[0, 1]]",
    "masked_fill": "np.where(mask, 0, x)",
    "masked_select": "x[mask]",
    "scatter": "np.stack([row, x[1]])",
    "scatter_add": "np.stack([row + x[0], x[1]])",
    "where": "np.where(mask, x, 0)",
    "tril": "np.tril(x)",
    "triu": "np.triu(x)",
    "diag": "x.diagonal()",
    "inverse": "np.linalg.inv(square)",
    "det": "np.linalg.det(square)",
    "numel": "x.size",
    "nelement": "x.size",
    "dim": "x.ndim",
    "ndimension": "x.ndim",
    "stride": "x.strides",
    "element_size": "x.itemsize",
    "detach": "x",
    "clone": "x",
    "contiguous": "x",
    "type_as": "x",
    "float": "x",
    "double": "x",
    "half": "x",
    "bfloat16": "x",
    "int": "x",
    "long": "x",
    "bool": "x != 0",
    "to": "x",
    "cuda": "x",
    "block_until_ready": "x",
    "new_zeros": "np.zeros(2)",
    "new_ones": "np.ones(2)",
    "new_tensor": "np.ones(1)",
    "add_": "x + x",
    "sub_": "x - x",
    "mul_": "x * 2",
    "copy_": "x",
    "fill_": "np.full([2, 3], 2.0)",
    "zero_": "np.zeros([2, 3])",
    "data": "x",
    "size": "x.shape[0]",
    "type": "x",
    "max": "x.max(1)",
    "topk": "(np.array([[3.0, 2.0], [4.0, 3.0]]), np.array([[0, 2], [2, 0]]))",
    "real": "x",
    "imag": "0 * x",
    "fill": "np.full([2, 3], 2.0)",
    "swapaxes": "x.T",
    "squeeze": "x",
    "T": "x.T",
    "item": "3.0",
}
# What has no value that an array could have.
WITHOUT_VALUES = (
    "__setitem__ backward grad grad_fn requires_grad requires_grad_ retain_grad register_hook is_leaf "
    "is_cuda is_contiguous is_floating_point"
).split()
ARRAYS = {
    "x": np.array([[3.0, 1.0, 2.0], [3.0, 2.0, 4.0]], np.float32),
    "y": np.array([[1.0, 1.0, 5.0], [1.0, 3.0, 4.0]], np.float32),
    "row": np.array([7.0, 8.0, 9.0], np.float32),
    "mask": np.array([[True, False, True], [False, True, True]]),
    "columns": np.array([0, 1]),
    "index": np.array([[0, 1], [1, 0]]),
    "batch": np.arange(8, dtype=np.float32).reshape(2, 2, 2),
    "square": np.array([[2.0, 1.0], [1.0, 3.0]], np.float32),
    "scalar": np.float32(3.0),
}


def _scene():
    """What the lines of the tables name."""
    scene = {name: tf.constant(value) for name, value in ARRAYS.items()}
    v = tf.Variable(scene["x"])
    x = scene["x"]
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model(x)
    model.compile("sgd", "mse")
    tape = tf.GradientTape(persistent=True)
    with tf.debug.trace(), tape:
        tape.watch(x)
        loss = tf.reduce_sum(v * v) + tf.reduce_sum(x * x) + tf.reduce_sum(model(x))
    variables = [v]
    scene |= {
        "v": v,
        "model": model,
        "layer": model.layers[0],
        "weights": model.get_weights(),
        "tape": tape,
        "loss": loss,
        "variables": variables,
        "gradients": [tf.ones_like(v)],
        "optimizer": tf.keras.optimizers.SGD(0.1),
        "f": tf.function(lambda x: x + 1.0),
        "dataset": tf.data.Dataset.range(4),
        "array": ARRAYS["x"],
        "labels": tf.constant([0, 2]),
        "z": x,
        "images": tf.zeros([1, 4, 4, 3]),
        "tf": tf,
        "np": np,
        "math": math,
        "eagerflow": tf,
    }
    return scene


def _run(code, scene):
    """The value of an expression; of a statement, None."""
    if code.startswith("with tape."):
        with scene["tape"]:
            exec(f"{code} pass", scene)
        return None
    try:
        return eval(code, scene)
    except SyntaxError:
        exec(code, scene)
        return None


@pytest.mark.parametrize(("table", "name"), ALL, ids=[f"{t}-{n}" for t, n in ALL])
def test_what_is_written_here_runs(table, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = _scene()
    scene["path"] = "m.weights.h5"
    scene["folder"] = "saved"
    if name == "load":
        scene["model"].save_weights("m.weights.h5")
    if name == "hub":
        tf.saved_model.save(scene["model"], "saved")
    code = TABLES[table][name].ours
    policy = tf.keras.mixed_precision.global_policy()
    try:
        tf.keras.backend.clear_session()
        if name == "partial_fit" or "fit(" in code or "evaluate(" in code:
            scene["y"] = tf.ones([2, 1])
        value = _run(code, scene)
    finally:
        tf.keras.mixed_precision.set_global_policy(policy)
    if table == "TENSOR" and name not in WITHOUT_VALUES:
        there = IN_NUMPY.get(name) or TABLES[table][name].theirs
        scene = {**ARRAYS, "np": np, "v": ARRAYS["x"].copy()}
        expected = eval(there, scene)
        parts = [np.asarray(part) for part in tf.nest.flatten(value)]
        wanted = tf.nest.flatten(expected) if isinstance(expected, list | tuple) else [expected]
        if name in ("strides", "stride", "tolist"):
            parts, wanted = [np.asarray(value)], [np.asarray(expected)]
        if name == "tobytes":
            assert value == expected
            return
        for part, want in zip(parts, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(part, float), np.asarray(want, float), rtol=1e-3)


def _tensors():
    symbolic = []
    tf.function(symbolic.append).get_concrete_function(tf.TensorSpec([2, 3]))
    x = tf.constant(ARRAYS["x"])
    return {
        "tensor": x,
        "weak": tf.constant(1.0),
        "variable": tf.Variable(x),
        "symbolic": symbolic[0],
        "keras": tf.keras.Input([3]),
        "ragged": tf.ragged.constant([[1.0], [2.0, 3.0]]),
        "sparse": tf.sparse.from_dense(x),
    }


@pytest.mark.parametrize("kind", list(_tensors()))
def test_tensors_of_all_kinds_say_what_to_write(kind):
    value = _tensors()[kind]
    for name in METHODS:
        if (kind, name) == ("variable", "scatter_add"):
            continue  # variables have it
        assert not hasattr(value, name) and name not in dir(value), name
        with pytest.raises(AttributeError, match=f"object has no attribute '{name}'") as caught:
            getattr(value, name)
        assert f"write `{habits.TENSOR[name].ours}`" in str(caught.value)
        assert not hasattr(type(value), name)
    with pytest.raises(
        TypeError, match=r"does not support item assignment. Instead of .*\[0\] = row"
    ):
        value[0] = 1.0


def _objects():
    scene = _scene()
    inputs = tf.keras.Input([3])
    return [
        ("MODULE", tf.Module()),
        ("MODULE", scene["layer"]),
        ("LAYER", scene["layer"]),
        ("MODULE", scene["model"]),
        ("LAYER", scene["model"]),
        ("LAYER", tf.keras.Model(inputs, scene["layer"](inputs))),
        ("OPTIMIZER", scene["optimizer"]),
        ("OPTIMIZER", tf.keras.optimizers.legacy.Adam()),
        ("FUNCTION", scene["f"]),
        ("DATASET", scene["dataset"].batch(2)),
        ("TAPE", tf.GradientTape()),
    ]


@pytest.mark.parametrize("index", range(11))
def test_other_objects_say_what_to_write(index):
    table, value = _objects()[index]
    for name, habit in TABLES[table].items():
        assert not hasattr(value, name) and name not in dir(value), name
        with pytest.raises(AttributeError) as caught:
            getattr(value, name)
        assert f"no attribute '{name}'" in str(caught.value) and habit.ours in str(caught.value)


@pytest.mark.parametrize("path", list(habits.NAMES))
def test_modules_say_what_to_write(path):
    *modules, name = path.split(".")
    namespace = tf
    for module in modules:
        namespace = getattr(namespace, module)
    assert not hasattr(namespace, name)
    with pytest.raises(AttributeError) as caught:
        getattr(namespace, name)
    assert f"has no attribute '{name}'" in str(caught.value)
    assert habits.NAMES[path].ours in str(caught.value)


@pytest.mark.parametrize("name", ["lite", "mlir"])
def test_modules_that_do_not_exist_say_what_to_do(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}': .* here"):
        getattr(tf, name)
    assert unavailable.reason_of_namespace(name)


def test_names_elsewhere_are_found():
    def says(namespace, name):
        with pytest.raises(AttributeError) as caught:
            getattr(namespace, name)
        return str(caught.value)

    assert says(tf, "conv2d").endswith("There is tf.nn.conv2d")
    assert says(tf, "Dense").endswith("There is tf.keras.layers.Dense")
    assert says(tf.keras.layers, "Conv2d").endswith("There is tf.keras.layers.Conv2D")
    assert (
        says(tf, "no_such_name_at_all")
        == "module 'eagerflow' has no attribute 'no_such_name_at_all'"
    )
    assert says(tf, "_private") == "module 'eagerflow' has no attribute '_private'"


def test_attributes_of_subclasses_and_mixins_come_first():
    class Mixin:
        def train(self):
            return "mixin"

        to = 3

    class Net(tf.keras.Model, Mixin):
        def __init__(self):
            super().__init__()
            self.weight = 5

        def forward(self):
            return "own"

        @property
        def broken(self):
            return self.nothing_of_the_kind

    net = Net()
    assert (net.train(), net.to, net.weight, net.forward()) == ("mixin", 3, 5, "own")
    assert Net.to == 3 and "train" in dir(net) and "eval" not in dir(net)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = net.broken


def test_copies_and_probes_of_other_packages():
    x = tf.constant([1.0, 2.0])
    assert pickle.loads(pickle.dumps(x)).numpy().tolist() == [1.0, 2.0]
    assert np.asarray(x).sum() == 3.0
    for name in ("__array_struct__", "_repr_html_", "__cuda_array_interface__", "_no"):
        assert not hasattr(x, name)


def test_tables_are_read_when_an_error_is_made():
    program = (
        "import sys\nimport eagerflow as tf\nx = tf.constant([1.0])\n"
        "tf.keras.layers.Dense(1)(x[None])\n"
        "assert not hasattr(x, '_private') and 'eagerflow.util.habits' not in sys.modules\n"
        "assert not hasattr(x, 'sum') and 'eagerflow.util.habits' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ)


def test_numpy_behavior_adds_its_methods():
    program = (
        "import eagerflow as tf\n"
        "tf.experimental.numpy.experimental_enable_numpy_behavior()\n"
        "x = tf.constant([[1.0, 2.0]])\n"
        "for v in (x, tf.Variable(x)):\n"
        "    assert v.T.shape == [2, 1] and v.reshape(2).shape == [2] and float(v.mean()) == 1.5\n"
        "    assert 'mean' in dir(v) and 'unsqueeze' not in dir(v)\n"
        "    try:\n"
        "        v.unsqueeze\n"
        "    except AttributeError as error:\n"
        "        assert 'tf.expand_dims' in str(error)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ)


def test_page_shows_the_tables():
    sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
    try:
        import habits_page
    finally:
        sys.path.pop(0)
    text = habits_page.PAGE.read_text()
    assert habits_page.page(text) == text, "run `python tools/habits_page.py`"


def test_keywords_are_explained():
    assert hints.of_keyword("dim", ["x", "axis"]) == ". Did you mean 'axis'?"
    assert (
        hints.of_keyword("transpose_bb", ["a", "b", "transpose_b"])
        == ". Did you mean 'transpose_b'?"
    )
    assert hints.of_keyword("inplace", ["features"]).startswith(
        ". Leave it out: tensors do not change"
    )
    assert hints.of_keyword("qqqq", ["features"]) == ""


def test_stubs_are_found_without_an_import():
    assert lazy.has_stub("eagerflow.signal") and not lazy.has_stub("eagerflow.nest")

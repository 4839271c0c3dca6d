"""Models and functions as ONNX files, which onnxruntime runs: `model.export(format="onnx")`."""

import functools
import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
import layer_cases
from eagerflow.keras.export import archive
from eagerflow.onnx import exporting

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("flatbuffers")  # of tf2onnx, which imports `tensorflow` itself
if importlib.util.find_spec("tf2onnx") is None:
    pytest.skip("tf2onnx is not installed", allow_module_level=True)

K = tf.keras
L = K.layers
X = np.linspace(-1, 1, 12, dtype="f").reshape(4, 3)
IDS = np.arange(12, dtype="int32").reshape(2, 6) % 7
IMAGES = layer_cases.values(2, 9, 8, 3)

# Layers that need an operation for which ONNX has no operator.
REFUSED = {
    "Hashing": "StringToHashBucketFast",
    "HashedCrossing": "SparseCross",
    "TextVectorization": "RegexReplace",
}


def run(model, inputs):
    """onnxruntime's outputs for inputs by name."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    taken = {tensor.name for tensor in session.get_inputs()}
    return session.run(None, {key: inputs[key] for key in taken})


def given(array):
    """An array as onnxruntime accepts it: text as objects of str."""
    array = np.asarray(array)
    return array.astype(str).astype(object) if array.dtype.kind in "OSU" else array


def differs(found, expected):
    """What differs between outputs; empty if nothing does."""
    expected = [np.asarray(tensor) for tensor in tf.nest.flatten(expected)]
    if len(found) != len(expected):
        return f"{len(found)} outputs instead of {len(expected)}"
    for got, wanted in zip(found, expected, strict=True):
        if got.shape != wanted.shape:
            return f"shape {got.shape} instead of {wanted.shape}"
        if wanted.dtype.kind in "OSU":
            if given(got).tolist() != given(wanted).tolist():
                return f"{got} instead of {wanted}"
            continue
        if got.dtype != wanted.dtype:
            return f"dtype {got.dtype} instead of {wanted.dtype}"
        limit = 2e-3 if got.dtype == np.float16 else 2e-5
        scale = max(1.0, np.abs(wanted.astype("f8")).max(initial=0))
        error = np.abs(got.astype("f8") - wanted.astype("f8")).max(initial=0) / scale
        if not error < limit:
            return f"an error of {error}"
    return ""


def functional(layer, case):
    """A model of one layer, with the inputs `in0` and so on."""
    inputs = [
        K.Input(
            a.shape[1:], dtype="string" if a.dtype.kind in "OSU" else str(a.dtype), name=f"in{k}"
        )
        for k, a in enumerate(case.arrays)
    ]
    named = {key: value for key, value in case.arguments(tf).items() if key != "training"}
    return K.Model(inputs, layer(case.packed(inputs), **named))


@pytest.mark.parametrize("family", layer_cases.FAMILIES)
def test_every_layer(family, tmp_path):
    """The first case of each class of layers; a table says which ones are refused."""
    models = {}
    for case in importlib.import_module(f"layer_cases.{family}").CASES:
        layer = case.make(L)
        if type(layer).__name__ not in models:
            models[type(layer).__name__] = functional(layer, case), case
    for name, (model, _) in models.items():
        (tmp_path / name).mkdir()
        traced = tf.function(
            archive._inference(model), input_signature=archive._known_arguments(model)
        )
        concrete = traced.get_concrete_function()
        exporting.request(concrete, tmp_path / name, output_names=model.output_names)
    exporting.convert([tmp_path / name for name in models])
    wrong, refused = {}, {}
    for name, (model, case) in models.items():
        users = functools.partial(archive._users, model)
        try:
            file = exporting.converted(tmp_path / name, users)
        except tf.errors.UnimplementedError as error:
            assert f"'{model.layers[-1].name}' ({name})" in str(error)
            refused[name] = str(error)
            continue
        found = run(file, {f"in{k}": given(array) for k, array in enumerate(case.arrays)})
        expected = model(case.packed([tf.constant(a) for a in case.arrays]), training=False)
        wrong[name] = differs(found, expected)
    assert {name: text for name, text in wrong.items() if text} == {}
    assert set(refused) == set(REFUSED) & set(models)
    assert all(REFUSED[name] in text for name, text in refused.items())


def perceptron():
    inner = [L.Dense(16, "gelu"), L.BatchNormalization(), L.Dropout(0.5), L.Dense(4, "softmax")]
    return K.Sequential([K.Input((3,), name="x"), *inner])


def convolutional():
    x = given_x = K.Input((9, 8, 3), name="x")
    for layer in [
        L.Conv2D(8, 3, strides=2, padding="same"),
        L.BatchNormalization(),
        L.ReLU(6.0),
        L.DepthwiseConv2D(3, padding="same", dilation_rate=2),
        L.SeparableConv2D(8, 3, padding="same", activation="swish"),
        L.MaxPooling2D(2, padding="same"),
        L.Conv2DTranspose(4, 3, strides=2, padding="same"),
        L.AveragePooling2D(2),
        L.GlobalAveragePooling2D(),
        L.Dense(5),
    ]:
        x = layer(x)
    return K.Model(given_x, x)


def recurrent():
    x = inputs = K.Input((None,), dtype="int32", name="x")
    x = L.Embedding(7, 4, mask_zero=True)(x)
    x = L.Bidirectional(L.LSTM(3, return_sequences=True))(x)
    return K.Model(inputs, L.GRU(5)(x))


def transformer(width=8, heads=2):
    """A small encoder, as in the package transformers: learned positions, gelu, a mask."""
    ids = K.Input((6,), dtype="int32", name="ids")
    mask = K.Input((6,), dtype="int32", name="mask")
    x = L.Embedding(7, width)(ids) + L.Embedding(6, width)(tf.range(6))
    allowed = L.Lambda(lambda m: tf.cast(m[:, None, None, :], tf.bool))(mask)
    for _ in range(2):
        x = L.LayerNormalization()(x + L.MultiHeadAttention(heads, 4)(x, x, attention_mask=allowed))
        inner = L.Dense(2 * width, activation="gelu")(x)
        x = L.LayerNormalization()(x + L.Dense(width)(inner))
    pooled = L.Dense(width, "tanh", name="pooled")(x[:, 0])
    return K.Model([ids, mask], [x, pooled])


def half():
    with_half = [L.Dense(4, "relu", dtype="float16"), L.LayerNormalization(dtype="float16")]
    return K.Sequential([K.Input((3,), dtype="float16", name="x"), *with_half])


class Parts(K.Model):
    """A model of a program's class, with dictionaries for inputs and outputs."""

    def __init__(self):
        super().__init__()
        self.first, self.second = L.Dense(2), L.Dense(3)

    def call(self, inputs, training=False):
        return {"sum": self.first(inputs["a"]) + 1.0, "other": [self.second(inputs["b"])]}


def looping(x):
    total, k = tf.zeros_like(x), tf.constant(0)
    while k < tf.shape(x)[0] and tf.reduce_sum(total) < 100.0:
        total += x * tf.cast(k, x.dtype)
        k += 1
    return total


def nested(x):
    total = tf.zeros_like(x)
    for row in tf.range(tf.shape(x)[0]):
        k = 0
        while k < row:
            if tf.reduce_sum(x[k]) > 0.0:
                total += tf.tanh(x) * tf.cast(k, x.dtype)
            k += 1
        total = tf.tanh(total)
    return tf.tanh(total)


def branching(x):
    return tf.sin(x) if tf.reduce_sum(x) > -0.5 else x * 2.0


def gathering(x):
    rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    for k in tf.range(tf.shape(x)[0]):
        rows = rows.write(k, tf.cumsum(x[k]))
    return {"rows": rows.stack(), "input": x}


def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sigmoid(x) * tf.tanh(x) + tf.nn.softplus(x) + tf.nn.relu(x) + tf.sqrt(x + 2.0)
    return tape.gradient(y, x)


def special(x):
    return [
        tf.math.erfc(x), tf.math.expm1(x), tf.math.log1p(x + 1.5), tf.math.xlogy(x, x + 2.0),
        tf.math.xdivy(x, x), tf.math.xlog1py(x, x + 2.0), tf.math.multiply_no_nan(x, x),
        tf.math.divide_no_nan(x, x), tf.norm(x, axis=1), tf.nn.l2_loss(x), tf.linspace(0.0, x[3, 2], 5),
        tf.raw_ops.TruncateMod(x=x, y=[0.3]), tf.math.floormod(x, 0.3), tf.reduce_logsumexp(x, 1),
        tf.one_hot(tf.constant([1, -1, 2]), 3), tf.searchsorted([-0.5, 0.1, 0.2], tf.reshape(x, [-1])),
        tf.searchsorted([-0.5, 0.0, 0.2], tf.reshape(x, [-1]), side="right"),
        tf.raw_ops.Bucketize(input=x, boundaries=[-0.5, 0.0, 0.3]),
        tf.raw_ops.EuclideanNorm(input=x, axis=[1], keep_dims=True),
        tf.raw_ops.BroadcastArgs(s0=tf.shape(x), s1=[3]), tf.rank(x),
    ]  # fmt: skip


def functions(function, *specs):
    return tf.function(function, input_signature=specs or [tf.TensorSpec([None, 3], name="x")])


MODELS = {
    "perceptron": (perceptron, {"x": X}),
    "convolutional": (convolutional, {"x": IMAGES}),
    "recurrent": (recurrent, {"x": IDS}),
    "transformer": (transformer, {"ids": IDS, "mask": (IDS > 0).astype("int32")}),
    "half": (half, {"x": X.astype("float16")}),
    "looping": (lambda: functions(looping), {"x": X}),
    "nested": (lambda: functions(nested), {"x": X}),
    "branching": (lambda: functions(branching), {"x": X}),
    "gathering": (lambda: functions(gathering), {"x": X}),
    "slope": (lambda: functions(slope), {"x": X}),
    "special": (lambda: functions(special), {"x": X}),
}


def test_kinds_of_models(tmp_path):
    """Other sizes of batches than the first, in one process for all."""
    made = {name: make() for name, (make, _) in MODELS.items()}
    for name, value in made.items():
        (tmp_path / name).mkdir()
        names = getattr(value, "output_names", None)
        if names is not None:
            signature = archive._known_arguments(value)
            value = tf.function(archive._inference(value), input_signature=signature)
        exporting.request(value.get_concrete_function(), tmp_path / name, output_names=names)
    exporting.convert([tmp_path / name for name in made])
    wrong = {}
    for name, (_, inputs) in MODELS.items():
        file = exporting.converted(tmp_path / name)
        onnx.checker.check_model(onnx.load_model_from_string(file))
        for arrays in (inputs, {key: np.concatenate([a, a[:1]]) for key, a in inputs.items()}):
            tensors = [tf.constant(array) for array in arrays.values()]
            value = made[name]
            expected = (
                value(tensors, training=False) if isinstance(value, K.Model) else value(*tensors)
            )
            wrong[name, len(tensors[0])] = differs(run(file, arrays), expected)
    assert {name: text for name, text in wrong.items() if text} == {}


def test_names_and_other_modules(tmp_path):
    model = transformer()
    path = tmp_path / "new" / "m.onnx"
    model.export(path, format="onnx", opset_version=15)
    file = onnx.load(path)
    assert [x.name for x in file.graph.input] == ["ids", "mask"]
    assert [x.name for x in file.graph.output] == model.output_names
    assert file.opset_import[0].version == 15
    assert file.producer_name == "eagerflow"
    assert "tf2onnx" not in sys.modules
    sizes = [d.dim_value for d in file.graph.input[0].type.tensor_type.shape.dim]
    assert sizes == [0, 6]  # the batch has any size


def test_models_of_the_programs_class(tmp_path):
    model = Parts()
    inputs = {"a": X, "b": X * 2}
    expected = model({key: tf.constant(value) for key, value in inputs.items()})
    model.export(tmp_path / "m.onnx", format="onnx")
    file = onnx.load(tmp_path / "m.onnx")
    assert [x.name for x in file.graph.output] == ["other_0", "sum"]
    names = [x.name for x in file.graph.input]
    arrays = dict(zip(names, [inputs["a"], inputs["b"]], strict=True))
    found = run(str(tmp_path / "m.onnx"), arrays)
    assert differs(found, [expected["other"], expected["sum"]]) == ""


def test_signatures_of_saved_models(tmp_path):
    module = tf.Module()
    module.scale = tf.Variable(3.0)
    spec = tf.TensorSpec([None], name="numbers")
    module.scaled = tf.function(
        lambda numbers: {"y": numbers * module.scale}, input_signature=[spec]
    )
    module.shifted = tf.function(lambda numbers: numbers + module.scale, input_signature=[spec])
    signatures = {"scaled": module.scaled, "shifted": module.shifted}
    tf.saved_model.save(module, tmp_path / "saved", signatures=signatures)
    tf.onnx.export(str(tmp_path / "saved"), tmp_path / "m.onnx", signature="scaled")
    (found,) = run(str(tmp_path / "m.onnx"), {"numbers": np.array([1, 2], "f")})
    assert found.tolist() == [3.0, 6.0]
    with pytest.raises(ValueError, match=r"no signature 'other'.*\['scaled', 'shifted'\]"):
        tf.onnx.export(str(tmp_path / "saved"), tmp_path / "m.onnx", signature="other")


def test_misuse(tmp_path):
    path = tmp_path / "m.onnx"
    with pytest.raises(ValueError, match="from 13 to 18, got 9"):
        perceptron().export(path, format="onnx", opset_version=9)
    with pytest.raises(ValueError, match="0 traces. Pass the specs"):
        tf.onnx.export(tf.function(lambda x: x), path)
    variable = tf.Variable(0.0)
    counting = tf.function(lambda x: variable.assign_add(x), input_signature=[tf.TensorSpec([])])
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be exported"):
        tf.onnx.export(counting, path)
    with pytest.raises(ValueError, match="'tf_saved_model', 'onnx' and 'safetensors'"):
        perceptron().export(path, format="torch")
    inverse = tf.function(tf.linalg.inv, input_signature=[tf.TensorSpec([None, 2, 2])])
    with pytest.raises(tf.errors.UnimplementedError, match="no operator for MatrixInverse"):
        tf.onnx.export(inverse, path)
    assert not path.exists()


def test_tensorflow_stays_what_it_was():
    """The program's process is not the one that answers `import tensorflow`."""
    text = """
import sys, tempfile, eagerflow as tf
tf.onnx.export(lambda x: x + 1.0, tempfile.mkdtemp() + "/m.onnx", [tf.TensorSpec([2])])
assert not {"tensorflow", "tf2onnx", "onnx"} & set(sys.modules)
"""
    folder = pathlib.Path(tf.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

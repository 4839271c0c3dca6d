"""Estimators of the package tensorflow-estimator, in programs of both generations."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eagerflow_compat.dropin import estimators, install

ROOT = Path(__file__).parents[2]
installed = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow_estimator") is None, reason="needs tensorflow-estimator"
)

# What the programs share: `E` are the estimators, `inputs()` a batch after another, `columns` what they have.
_HEAD = """
import json, sys, tempfile
import numpy as np
import tensorflow as tf

GENERATION = sys.argv[1]
E = tf.estimator
v1 = tf.compat.v1
v1.logging.set_verbosity(v1.logging.ERROR)
random = np.random.RandomState(0)
x = random.rand(200, 1).astype(np.float32)
kinds = random.choice(["a", "b", "c"], 200)
y = (2 * x[:, :1] + (kinds == "b")[:, None]).astype(np.float32)
labels = (y > 1.2).astype(np.int64)

def inputs(targets=y, repeat=None):
    data = tf.data.Dataset.from_tensor_slices(({"x": x, "kind": kinds}, targets))
    return data.batch(20).repeat(repeat)

number = tf.feature_column.numeric_column("x")
kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["a", "b", "c"])
vector = tf.feature_column.indicator_column(kind)
config = E.RunConfig(tf_random_seed=3)
"""


def run(tmp_path, generation, text, *arguments):
    """The last line that a program prints, read as JSON."""
    path = tmp_path / "program.py"
    path.write_text(_HEAD + text)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "eagerflow",
            "--generation",
            generation,
            path,
            generation,
            *arguments,
        ],
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


_CANNED = """
kinds_of = {
    "LinearRegressor": (y, lambda: E.LinearRegressor([number, kind], config=config)),
    "LinearClassifier": (labels, lambda: E.LinearClassifier([number, kind], config=config)),
    "DNNRegressor": (y, lambda: E.DNNRegressor([8], [number, vector], config=config)),
    "DNNClassifier": (labels, lambda: E.DNNClassifier([8], [number, vector], config=config)),
    "DNNLinearCombinedRegressor": (y, lambda: E.DNNLinearCombinedRegressor(
        linear_feature_columns=[number, kind], dnn_feature_columns=[number, vector],
        dnn_hidden_units=[8], config=config)),
    "DNNLinearCombinedClassifier": (labels, lambda: E.DNNLinearCombinedClassifier(
        linear_feature_columns=[kind], dnn_feature_columns=[
            number, tf.feature_column.embedding_column(kind, 2)],
        dnn_hidden_units=[8], config=config)),
    "BaselineRegressor": (y, lambda: E.BaselineRegressor(config=config)),
    "BaselineClassifier": (labels, lambda: E.BaselineClassifier(config=config)),
}
targets, make = kinds_of[sys.argv[2]]
estimator = make()
estimator.train(lambda: inputs(targets), steps=60)
found = estimator.evaluate(lambda: inputs(targets, 1))
predicted = list(estimator.predict(lambda: inputs(targets, 1)))
spec = tf.feature_column.make_parse_example_spec([number, vector])
receiver = E.export.build_parsing_serving_input_receiver_fn(spec)
folder = estimator.export_saved_model(tempfile.mkdtemp(), receiver).decode()

example = tf.train.Example()
example.features.feature["x"].float_list.value.append(float(x[0, 0]))
example.features.feature["kind"].bytes_list.value.append(kinds[0].encode())
key = "predictions" if "predictions" in predicted[0] else "probabilities"
with tf.Graph().as_default(), v1.Session() as session:
    signatures = v1.saved_model.load(session, ["serve"], folder).signature_def
    signature = signatures["predict"]
    (given,) = signature.inputs.values()
    served = session.run(signature.outputs[key].name, {given.name: [example.SerializeToString()]})
print(json.dumps({
    "step": int(found["global_step"]), "loss": float(found["average_loss"]), "count": len(predicted),
    "served": served[0].tolist(), "predicted": predicted[0][key].tolist(),
    "signatures": sorted(signatures),
}))
"""
# Losses that TensorFlow 2.15 has after 60 steps; random first values are those of the same seed.
_LOSSES = {
    ("1.x", "LinearRegressor"): 0.0575029,
    ("2.x", "LinearRegressor"): 0.0583417,
    ("1.x", "LinearClassifier"): 0.4208530,
    ("2.x", "LinearClassifier"): 0.4500906,
    ("1.x", "DNNRegressor"): 0.0386002,
}


@installed
@pytest.mark.parametrize("generation", ["1.x", "2.x"])
@pytest.mark.parametrize(
    "name",
    "LinearRegressor LinearClassifier DNNRegressor DNNClassifier DNNLinearCombinedRegressor "
    "DNNLinearCombinedClassifier BaselineRegressor BaselineClassifier".split(),
)
def test_canned_estimators_train_evaluate_predict_and_are_served(tmp_path, generation, name):
    if generation == "2.x" and name.startswith("Baseline"):
        pytest.skip(
            "TensorFlow's own does not train on datasets: its first values wait for a batch."
        )
    found = run(tmp_path, generation, _CANNED, name)
    assert found["step"] == 60 and found["count"] == 200
    loss = _LOSSES.get((generation, name))
    assert loss is None or found["loss"] == pytest.approx(loss, rel=1e-5)
    assert found["served"] == pytest.approx(found["predicted"], rel=1e-5)
    assert {"predict", "serving_default"} <= set(found["signatures"])


_CUSTOM = """
kind_of_layers = sys.argv[2]

def model_fn(features, labels, mode, params):
    if kind_of_layers == "variables":
        w = v1.get_variable("w", [1, 1], initializer=v1.zeros_initializer())
        predicted = tf.matmul(features["x"], w) + v1.get_variable("b", [1])
    elif kind_of_layers == "layers":
        net = v1.layers.batch_normalization(features["x"], training=mode == E.ModeKeys.TRAIN)
        predicted = v1.layers.dense(v1.layers.dropout(net, 0.0), 1)
    else:
        predicted = tf.keras.layers.Dense(1, name="out")(features["x"])
    if mode == E.ModeKeys.PREDICT:
        return E.EstimatorSpec(mode, predictions={"y": predicted})
    loss = v1.losses.mean_squared_error(labels, predicted)
    if kind_of_layers == "keras" and GENERATION == "2.x":
        metric = tf.keras.metrics.MeanAbsoluteError()
        metric.update_state(labels, predicted)
    else:
        metric = v1.metrics.mean_absolute_error(labels, predicted)
    step = v1.train.get_global_step()
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        train = v1.train.GradientDescentOptimizer(params["rate"]).minimize(loss, step)
    return E.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops={"mae": metric})

class Count(v1.train.SessionRunHook):
    calls = []
    def begin(self): self.calls.append("begin")
    def after_create_session(self, session, coord): self.calls.append("created")
    def before_run(self, context): return v1.train.SessionRunArgs(v1.train.get_global_step())
    def after_run(self, context, values): self.calls.append("run")
    def end(self, session): self.calls.append("end")

def make(rate=0.3, **arguments):
    return E.Estimator(model_fn, tempfile.mkdtemp(), config, {"rate": rate}, **arguments)

first = make()
with tf.Graph().as_default():
    receiver = E.export.build_raw_serving_input_receiver_fn({"x": v1.placeholder(tf.float32, [None, 1])})
exporter = E.LatestExporter("latest", receiver)
results, (exported,) = E.train_and_evaluate(
    first,
    E.TrainSpec(inputs, max_steps=80, hooks=[Count()]),
    E.EvalSpec(lambda: inputs(repeat=1), steps=None, exporters=[exporter], throttle_secs=0))
# It goes on where it was, and another begins with its values.
first.train(inputs, steps=5)
second = make(0.0, warm_start_from=first.model_dir)
second.train(inputs, steps=1)
names = [n for n in first.get_variable_names() if "global" not in n and "moving" not in n]
predicted = [float(p["y"][0]) for p in first.predict(lambda: inputs(repeat=1), yield_single_examples=True)]
print(json.dumps({
    "step": int(results["global_step"]), "mae": float(results["mae"]), "calls": Count.calls[:3],
    "last": Count.calls[-1], "runs": Count.calls.count("run"), "exported": bool(exported),
    "later": int(first.get_variable_value("global_step")), "count": len(predicted),
    "near": float(max(abs(first.get_variable_value(n) - second.get_variable_value(n)).max()
                      for n in names)),
}))
"""


@installed
@pytest.mark.parametrize("generation", ["1.x", "2.x"])
@pytest.mark.parametrize("layers", ["variables", "layers", "keras"])
def test_custom_estimators_with_layers_of_each_generation(tmp_path, generation, layers):
    found = run(tmp_path, generation, _CUSTOM, layers)
    assert found["step"] == 80 and found["later"] == 85 and found["count"] == 200
    assert 0 < found["mae"] < 0.6
    assert found["calls"] == ["begin", "created", "run"] and found["last"] == "end"
    assert found["runs"] == 80 and found["exported"]
    assert found["near"] == 0


_KERAS = """
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), name="out")])
optimizer = "sgd" if GENERATION == "1.x" else tf.keras.optimizers.legacy.SGD(0.1)
model.compile(optimizer, "mse", metrics=["mae"])
before = model.get_weights()
estimator = tf.keras.estimator.model_to_estimator(model, model_dir=tempfile.mkdtemp())
data = lambda repeat=None: tf.data.Dataset.from_tensor_slices((x, y)).batch(20).repeat(repeat)
start = estimator.evaluate(lambda: data(1))
estimator.train(data, steps=50)
end = estimator.evaluate(lambda: data(1))
(predicted, *_) = estimator.predict(lambda: tf.data.Dataset.from_tensor_slices(x).batch(20))
copy = tf.keras.models.clone_model(model)
copy.load_weights(tf.train.latest_checkpoint(estimator.model_dir))
print(json.dumps({
    "step": int(end["global_step"]), "start": float(start["loss"]), "end": float(end["loss"]),
    "mae": float(end["mae"]), "kept": bool((before[0] == model.get_weights()[0]).all()),
    "predicted": float(predicted["out"][0]),
    "copied": float(x[0, 0] * copy.get_weights()[0][0, 0] + copy.get_weights()[1][0]),
}))
"""


@installed
def test_a_keras_model_becomes_an_estimator_whose_checkpoints_it_reads(tmp_path):
    found = run(tmp_path, "2.x", _KERAS)
    assert found["step"] == 50 and found["end"] < found["start"] and found["kept"]
    assert found["mae"] == pytest.approx(0.5, abs=0.3)
    assert found["copied"] == pytest.approx(found["predicted"], rel=1e-5)


_INPUTS = """
pandas = __import__("pandas")
clusters = E.experimental.KMeans(2, use_mini_batch=False, config=config, seed=1)
points = np.concatenate([x, x + 5]).astype(np.float32)
feed = lambda epochs: E.inputs.numpy_input_fn(
    {"x": points}, batch_size=400, num_epochs=epochs, shuffle=False)
clusters.train(feed(None), steps=10)
regressor = E.LinearRegressor([number], config=config)
frame = pandas.DataFrame({"x": x[:, 0]})
regressor.train(E.inputs.pandas_input_fn(
    frame, pandas.Series(y[:, 0]), num_epochs=None, shuffle=True), steps=20)
more = E.add_metrics(regressor, lambda labels, predictions: {
    "top": v1.metrics.mean(predictions["predictions"])})
found = more.evaluate(E.inputs.pandas_input_fn(frame, pandas.Series(y[:, 0]), shuffle=False))
print(json.dumps({"centers": sorted(clusters.cluster_centers()[:, 0].tolist()), "top": float(found["top"]),
                  "mean": float(found["prediction/mean"])}))
"""


@installed
def test_inputs_of_arrays_and_frames_and_metrics_that_are_added(tmp_path):
    pytest.importorskip("pandas")
    found = run(tmp_path, "1.x", _INPUTS)
    assert found["centers"] == pytest.approx([0.5, 5.5], abs=0.1)
    assert found["top"] == pytest.approx(found["mean"], rel=1e-5)


_NO_TPU = """
def model_fn(features, labels, mode, params):
    w = v1.get_variable("w", [1])
    loss = tf.reduce_mean(tf.square(features["x"] * w - labels))
    train = v1.train.GradientDescentOptimizer(0.3).minimize(loss, v1.train.get_global_step())
    return E.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train)

def tpu_inputs(params):
    data = tf.data.Dataset.from_tensor_slices(({"x": x}, 2 * x)).repeat()
    return data.batch(params["batch_size"], drop_remainder=True)

settings = E.tpu.RunConfig(model_dir=tempfile.mkdtemp(), tpu_config=E.tpu.TPUConfig(10))
estimator = E.tpu.TPUEstimator(
    model_fn, config=settings, use_tpu=False, train_batch_size=20, eval_batch_size=20)
estimator.train(tpu_inputs, max_steps=100)
print(json.dumps({"w": float(estimator.get_variable_value("w")[0])}))
"""


@installed
def test_an_estimator_for_tpus_trains_without_them(tmp_path):
    assert run(tmp_path, "1.x", _NO_TPU)["w"] == pytest.approx(2, abs=0.05)


@pytest.fixture
def without_package(monkeypatch):
    monkeypatch.setattr(estimators, "is_installed", lambda: False)
    yield
    install.uninstall()


@pytest.mark.parametrize("generation", ["1.x", "2.x"])
def test_where_the_package_is_missing_the_error_says_how_to_install_it(without_package, generation):
    tensorflow = install.install_as_tensorflow(generation)
    assert not hasattr(tensorflow, "estimator")
    advice = r"pip install .*tensorflow-estimator==2\.15\.0"
    with pytest.raises(AttributeError, match=advice):
        tensorflow.estimator  # noqa: B018
    with pytest.raises(AttributeError, match=advice):
        tensorflow.compat.v1.estimator  # noqa: B018
    with pytest.raises(ImportError, match=advice):
        import tensorflow.estimator
    with pytest.raises(NotImplementedError, match=advice):
        tensorflow.keras.estimator.model_to_estimator(tensorflow.keras.Sequential())

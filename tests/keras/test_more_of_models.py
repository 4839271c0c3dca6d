"""Specs and paths of models, evaluators beside training, flat minima, functions of gradients."""

import numpy as np
import pytest

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.bn = layers.BatchNormalization()
        self.rows = [layers.Dense(1), layers.Dense(1)]
        self.named = {"a": layers.Dense(1)}

    def call(self, x):
        return self.bn(self.named["a"](self.rows[1](self.rows[0](x["u"]))))


def described(spec):
    return (spec.shape.as_list(), spec.dtype.name, spec.name)


def test_specs():
    model = keras.Sequential([layers.Dense(2, input_shape=(3,), name="d")])
    (args, kwargs) = model.save_spec()
    assert [described(spec) for spec in args] == [([None, 3], "float32", "d_input")]
    assert kwargs == {}
    deferred = keras.Sequential([layers.Dense(2)])
    assert deferred.save_spec() is None
    deferred(tf.zeros([4, 3]))
    assert deferred.save_spec()[0][0].shape == [None, 3]
    assert deferred.save_spec(dynamic_batch=False)[0][0].shape == [4, 3]
    x, y = keras.Input((3,), name="a"), keras.Input((2,), name="b", batch_size=5)
    outputs = [layers.Dense(1)(x), layers.Dense(1)(y)]
    (pair,), _ = keras.Model([x, y], outputs).save_spec()
    assert [described(spec)[0] for spec in pair] == [[None, 3], [5, 2]]
    (named,), _ = keras.Model({"p": x, "q": y}, outputs).save_spec()
    assert {key: described(spec)[2] for key, spec in named.items()} == {"p": "a", "q": "b"}
    own = Own()
    assert own.save_spec() is None
    own({"u": tf.zeros([2, 1])})
    assert described(own.save_spec()[0][0]["u"]) == ([None, 1], "float32", "u")
    assert own.save_spec(False)[0][0]["u"].shape == [2, 1]


def test_paths_of_weights():
    own = Own()
    assert own.get_weight_paths() == {}
    own({"u": tf.zeros([2, 1])})
    paths = own.get_weight_paths()
    expected = "bn.gamma bn.beta bn.moving_mean bn.moving_variance rows.0.kernel rows.0.bias "
    expected += "rows.1.kernel rows.1.bias named.a.kernel named.a.bias"
    assert set(paths) == set(expected.split())
    assert paths["rows.1.kernel"] is own.rows[1].kernel
    x = keras.Input((10,))
    model = keras.Model(x, layers.Dense(30, name="d2")(layers.Dense(20, name="d1")(x)))
    assert set(model.get_weight_paths()) == {"d1.kernel", "d1.bias", "d2.kernel", "d2.bias"}


def test_evaluation_beside_training(tmp_path):
    def model():
        made = keras.Sequential([layers.Dense(1, input_shape=(3,))])
        made.compile(keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
        return made

    x = np.random.default_rng(0).normal(size=(32, 3)).astype("float32")
    y = x @ np.ones((3, 1), "float32")
    trained = model()
    checkpoint = tf.train.Checkpoint(model=trained, optimizer=trained.optimizer)
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path, max_to_keep=2, checkpoint_name="ckpt"
    )
    for _ in range(2):
        trained.fit(x, y, verbose=0)
        manager.save()
    seen = []
    data = tf.data.Dataset.from_tensors((x, y))
    evaluated = model()
    export = keras.callbacks.SidecarEvaluatorModelExport(
        str(tmp_path / "best-{epoch:02d}.weights.h5"),
        str(tmp_path / "ckpt-{epoch}"),
        save_freq="eval",
        save_weights_only=True,
        monitor="loss",
        mode="min",
    )
    note = keras.callbacks.LambdaCallback()
    note.on_test_end = lambda logs: seen.append(float(logs["loss"]))
    keras.utils.SidecarEvaluator(
        evaluated, data, str(tmp_path), max_evaluations=2, callbacks=[note, export]
    ).start()
    np.testing.assert_allclose(seen, [trained.evaluate(x, y, verbose=0)[0]], rtol=1e-6)
    again = model()
    again.load_weights(tmp_path / "best-02.weights.h5")
    np.testing.assert_array_equal(again.get_weights()[0], trained.get_weights()[0])


def test_a_tuner_repeats_what_made_the_program_faster():
    steps = tf.Variable(4, dtype=tf.int64)
    optimizer = keras.optimizers.SGD()
    tuner = keras.utils.StepsPerExecutionTuner(optimizer, steps, change_spe_interval=1)
    start = tuner._seen[1]
    counts = []
    for look, iteration in enumerate((100, 300, 310, 311, 312), 1):
        tuner._look(iteration, start + look)
        counts.append(int(steps))
    # Faster, faster, slower and slower again: each time the other way; then nothing changes.
    assert counts == [6, 9, 4, 6, 6]
    tuner.steps_per_execution = 3
    assert int(tuner.steps_per_execution) == 3
    thread = tuner.start()
    assert tuner.start() is thread
    tuner.stop()
    thread.join(5)
    assert not thread.is_alive()


@pytest.mark.parametrize("splits", [None, 2])
def test_flat_minima(splits):
    x = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
    y = x @ np.ones((3, 1), "float32")
    inner = keras.Sequential([layers.Dense(1, input_shape=(3,), use_bias=False)])
    start = inner.get_weights()[0]
    model = keras.models.experimental.SharpnessAwareMinimization(inner, 0.1, splits)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    model.fit(x, y, batch_size=8, epochs=1, shuffle=False, verbose=0)
    total = np.zeros_like(start)
    for part_x, part_y in zip(np.split(x, splits or 1), np.split(y, splits or 1), strict=True):
        slope = lambda w, a=part_x, b=part_y: 2 * a.T @ (a @ w - b) / len(a)  # noqa: E731
        way = slope(start)
        total += slope(start + 0.1 * way / np.linalg.norm(way))
    np.testing.assert_allclose(inner.get_weights()[0], start - 0.1 * total, rtol=1e-4)
    again = type(model).from_config(model.get_config())
    assert again.rho == 0.1 and again.model.count_params() == 3


def test_functions_of_gradients():
    legacy = keras.optimizers.legacy
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    calls = []

    def double(pairs):
        calls.append(len(pairs))
        return [(gradient * 2.0, variable) for gradient, variable in pairs]

    optimizer = legacy.SGD(0.1, gradient_aggregator=double, gradient_transformers=[double, double])
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v), (None, w)])
    np.testing.assert_allclose(v.numpy(), [0.2, 1.2], rtol=1e-6)
    assert calls == [1, 1, 1]
    with pytest.raises(ValueError, match="gradient_transformers"):
        legacy.Adam(clipnorm=1.0, gradient_transformers=[double])

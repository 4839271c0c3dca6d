"""Errors of unknown keywords say which one was meant, in all kinds of calls."""

import inspect
import pickle

import numpy as np
import pytest

import eagerflow as tf

L = tf.keras.layers
X = np.ones([2, 2], np.float32)


def _model():
    model = tf.keras.Sequential([L.Dense(1)])
    model.compile("sgd", "mse")
    return model


CASES = {
    # operations of the table, and functions that are composed of them
    "reduce_sum-dim": (lambda: tf.reduce_sum(X, dim=1), "'axis'"),
    "reduce_sum-keepdim": (lambda: tf.reduce_sum(X, axis=1, keepdim=True), "'keepdims'"),
    "concat-dim": (lambda: tf.concat([X, X], dim=1), "'axis'"),
    "stack-dim": (lambda: tf.stack([X, X], dim=1), "'axis'"),
    "softmax-dim": (lambda: tf.nn.softmax(X, dim=1), "'axis'"),
    "argmax-dim": (lambda: tf.argmax(X, dim=1), "'axis'"),
    "relu-inplace": (lambda: tf.nn.relu(X, inplace=True), "Leave it out"),
    "matmul-misspelt": (lambda: tf.matmul(X, X, transpose_bb=True), "'transpose_b'"),
    "normal-size": (lambda: tf.random.normal(size=[2]), "'shape'"),
    "uniform-low": (lambda: tf.random.uniform([2], low=1.0), "'minval'"),
    "cast-misspelt": (lambda: tf.cast(X, dtyp=tf.int32), "'dtype'"),
    "dropout-p": (lambda: tf.nn.dropout(X, p=0.5), "'rate'"),
    "one_hot-classes": (lambda: tf.one_hot([1], num_classes=3), "'depth'"),
    # Python's own functions
    "function-argnums": (lambda: tf.function(print, static_argnums=0), "Leave it out"),
    "function-misspelt": (lambda: tf.function(print, jit_compil=True), "'jit_compile'"),
    "save-misspelt": (lambda: tf.saved_model.save(None, export_dr="x"), "'export_dir'"),
    # classes with and without `**kwargs`
    "dense-bias": (lambda: L.Dense(3, bias=False), "'use_bias'"),
    "dense-features": (lambda: L.Dense(out_features=3), "'units'"),
    "dense-misspelt": (lambda: L.Dense(3, activaton="relu"), "'activation'"),
    "conv-stride": (lambda: L.Conv2D(3, 3, stride=2), "'strides'"),
    "conv-channels": (lambda: L.Conv2D(3, 3, in_channels=2), "the first call determines"),
    "lstm-hidden": (lambda: L.LSTM(hidden_size=3), "'units'"),
    "lstm-batch-first": (lambda: L.LSTM(3, batch_first=True), "Leave it out"),
    "dropout-layer-p": (lambda: L.Dropout(p=0.5), "'rate'"),
    "model-misspelt": (lambda: tf.keras.Model(inpts=1), "'inputs'"),
    "adam-wd": (lambda: tf.keras.optimizers.Adam(wd=0.1), "'weight_decay'"),
    "adam-betas": (lambda: tf.keras.optimizers.Adam(betas=(0.9, 0.9)), "'beta_1'"),
    "adam-misspelt": (lambda: tf.keras.optimizers.Adam(leaning_rate=0.1), "'learning_rate'"),
    "legacy-misspelt": (lambda: tf.keras.optimizers.legacy.SGD(momentun=0.1), "'momentum'"),
    "stopping-misspelt": (lambda: tf.keras.callbacks.EarlyStopping(patient=3), "'patience'"),
    "loss-reduce": (lambda: tf.keras.losses.MeanSquaredError(reduce="sum"), "'reduction'"),
    "metric-misspelt": (lambda: tf.keras.metrics.Mean(nam="x"), "'name'"),
    "initializer-std": (lambda: tf.keras.initializers.RandomNormal(std=0.1), "'stddev'"),
    "variable-grad": (lambda: tf.Variable(X, requires_grad=True), "Leave it out"),
    "tape-misspelt": (lambda: tf.GradientTape(persistant=True), "'persistent'"),
    "tape-retain": (lambda: tf.GradientTape(retain_graph=True), "'persistent'"),
    "checkpoint-manager": (
        lambda: tf.train.CheckpointManager(None, "x", max_to_kep=1),
        "'max_to_keep'",
    ),
    # methods
    "fit-epoch": (lambda: _model().fit(X, X, epoch=2), "'epochs'"),
    "fit-batchsize": (lambda: _model().fit(X, X, batchsize=2), "'batch_size'"),
    "predict-misspelt": (lambda: _model().predict(X, batchsize=2), "'batch_size'"),
    "evaluate-misspelt": (lambda: _model().evaluate(X, X, batchsize=2), "'batch_size'"),
    "compile-misspelt": (lambda: _model().compile("sgd", "mse", metric=["mse"]), "'metrics'"),
    "batch-drop-last": (
        lambda: tf.data.Dataset.range(3).batch(2, drop_last=True),
        "'drop_remainder'",
    ),
    "map-workers": (
        lambda: tf.data.Dataset.range(3).map(abs, num_workers=2),
        "'num_parallel_calls'",
    ),
    "slices-misspelt": (lambda: tf.data.Dataset.from_tensor_slices(tensor=X), "'tensors'"),
    "raw-misspelt": (lambda: tf.raw_ops.Relu(features=X, nam="a"), "'name'"),
}


@pytest.mark.parametrize("case", CASES)
def test_unknown_keywords_are_explained(case):
    call, meant = CASES[case]
    with pytest.raises(TypeError) as caught:
        call()
    text = str(caught.value)
    assert meant in text and ("Did you mean" in text or "Leave it out" in text), text


def test_functions_stay_what_they_are():
    function = tf.keras.losses.mean_squared_error
    assert inspect.isfunction(function) and pickle.loads(pickle.dumps(function)) is function
    assert list(inspect.signature(function).parameters) == ["y_true", "y_pred"]
    np.testing.assert_allclose(function(y_true=X, y_pred=X), [0.0, 0.0])


def test_errors_of_calls_within_stay():
    def inner(a):
        return a

    @tf.function
    def outer(b):
        return inner(dim=b)

    with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'dim'") as caught:
        outer(b=1)
    assert "axis" not in str(caught.value)
    with pytest.raises(TypeError, match=r"'qqq'$"):
        tf.reduce_sum(X, qqq=1)
    with pytest.raises(TypeError, match="mine"):
        tf.map_fn(fn=_raise, elems=tf.ones([2]))


def _raise(x):
    raise TypeError("mine")

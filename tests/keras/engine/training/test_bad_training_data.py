"""What models say to data, labels, names and files that do not fit."""

import warnings

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


X = np.ones((8, 2), "float32")


Y = np.ones((8, 1), "float32")


INVALID = tf.errors.InvalidArgumentError


def model(loss="mse", units=1, metrics=None):
    made = tf.keras.Sequential([layers.Dense(units, input_shape=(2,), name="dense")], name="rows")
    made.compile("sgd", loss, metrics=metrics)
    return made


def named():
    inputs = [tf.keras.Input((2,), name=name) for name in ("a", "b")]
    return tf.keras.Model(inputs, layers.Add()(inputs))


def fit(made, *args, **kwargs):
    return made.fit(*args, verbose=0, **kwargs)


CLASSES = "sparse_categorical_crossentropy"


CASES = {
    # Shapes: the layer, what it expects, what it received.
    "features": (
        lambda: fit(model(), np.ones((8, 3)), Y),
        ValueError,
        r'"rows".*expected shape=\(None, 2\), found shape=\(None, 3\)',
    ),
    "rank": (
        lambda: layers.Conv2D(2, 3, name="conv")(np.ones((2, 5, 5))),
        ValueError,
        r'"conv".*expected min_ndim=4, found ndim=3.*\(2, 5, 5\)',
    ),
    "sequence": (lambda: layers.LSTM(2)(np.ones((2, 5))), ValueError, "expected ndim=3"),
    "concatenated": (
        lambda: layers.Concatenate()([tf.ones((2, 3)), tf.ones((3, 3))]),
        ValueError,
        r"matching shapes.*\(2, 3\), \(3, 3\)",
    ),
    "added": (
        lambda: layers.Add()([tf.ones((2, 3)), tf.ones((2, 4))]),
        ValueError,
        r"incompatible shapes.*\(3,\) and \(4,\)",
    ),
    "targets": (
        lambda: fit(model("categorical_crossentropy", 3), X, np.ones((8, 4))),
        ValueError,
        r"\(None, 4\) and \(None, 3\)",
    ),
    "metric": (
        lambda: tf.keras.metrics.MeanSquaredError().update_state(np.ones((4, 2)), np.ones((4, 3))),
        INVALID,
        r"\[4,3\] vs. \[4,2\]",
    ),
    "metric's weights": (
        lambda: tf.keras.metrics.Mean().update_state(np.ones(4), sample_weight=np.ones(3)),
        INVALID,
        r"\[4\] vs. \[3\]",
    ),
    # Names: what is like them.
    "loss": (lambda: fit(model("mean_sqared_error"), X, Y), ValueError, "'mean_squared_error'"),
    "metric's name": (lambda: fit(model(metrics=["acuracy"]), X, Y), ValueError, "'accuracy'"),
    "activation": (lambda: layers.Dense(1, activation="rellu"), ValueError, "'relu'"),
    "optimizer": (
        lambda: tf.keras.Sequential([layers.Dense(1)]).compile("addam"),
        ValueError,
        "'adam'",
    ),
    "initializer": (
        lambda: layers.Dense(1, kernel_initializer="glorot_unifrom"),
        ValueError,
        "'glorot_uniform'",
    ),
    "constraint": (
        lambda: layers.Dense(1, kernel_constraint="maxnorm2"),
        ValueError,
        "'max_norm'",
    ),
    "layer's name": (lambda: model().get_layer("dnse"), ValueError, r"\['dense'\]"),
    "argument": (lambda: layers.Dense(1, unit=2), TypeError, "unit"),
    # Labels outside of the classes.
    "label": (
        lambda: fit(model(CLASSES, 3), X, 5 * Y),
        INVALID,
        r"label value of 5 .*\[0, 3\)",
    ),
    "negative label": (lambda: fit(model(CLASSES, 3), X, -Y), INVALID, "-1"),
    "class without weight": (
        lambda: fit(model(CLASSES, 3), X, Y, class_weight={0: 1.0}),
        INVALID,
        r"not in \[0, 1\)",
    ),
    "word": (lambda: layers.Embedding(3, 2)(np.array([[5]])), INVALID, r"5 is not in \[0, 3\)"),
    # No data, or of different lengths.
    "no samples": (lambda: fit(model(), X[:0], Y[:0]), ValueError, "no samples"),
    "no batches": (
        lambda: fit(model(), tf.data.Dataset.from_tensor_slices((X[:0], Y[:0])).batch(2)),
        ValueError,
        "no samples",
    ),
    "nothing to evaluate": (lambda: model().evaluate(X[:0], Y[:0]), ValueError, "no samples"),
    "nothing to predict": (lambda: model().predict(X[:0]), ValueError, "no samples"),
    "empty generator": (lambda: fit(model(), iter([])), ValueError, "no batch"),
    "counts": (lambda: fit(model(), X, Y[:5]), ValueError, "x sizes: 8\n  y sizes: 5"),
    "counts of weights": (
        lambda: fit(model(), X, Y, sample_weight=np.ones(3)),
        ValueError,
        "sample_weight sizes: 3",
    ),
    "no targets": (lambda: fit(model(), X), ValueError, "Target data is missing"),
    "two inputs": (lambda: fit(model(), [X, X], Y), ValueError, r"expects 1 input\(s\)"),
    "input's name": (
        lambda: named().predict({"a": X, "zzz": X}),
        ValueError,
        r"Missing data for input \"b\".*\['a', 'zzz'\]",
    ),
    "split of a dataset": (
        lambda: fit(
            model(), tf.data.Dataset.from_tensor_slices((X, Y)).batch(2), validation_split=0.2
        ),
        ValueError,
        "validation_split",
    ),
    # Order of calls, and files.
    "not compiled": (
        lambda: tf.keras.Sequential([layers.Dense(1)]).fit(X, Y),
        RuntimeError,
        "compile",
    ),
    "not built": (
        lambda: tf.keras.Sequential([layers.Dense(1)]).summary(),
        ValueError,
        "not yet been built",
    ),
    "weights": (
        lambda: model().set_weights([np.ones((2, 1))]),
        ValueError,
        "length 1.*expecting 2",
    ),
    "file of weights": (
        lambda: model().load_weights("missing.h5"),
        FileNotFoundError,
        "missing.h5",
    ),
    "file of a model": (
        lambda: tf.keras.models.load_model("missing.keras"),
        OSError,
        "missing.keras",
    ),
}


@pytest.mark.parametrize("name", list(CASES))
def test_refused(name):
    program, kind, words = CASES[name]
    with pytest.raises(kind, match=f"(?s){words}"):
        program()


def test_a_loss_that_is_no_number_is_reported_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        history = fit(model(), X * np.nan, Y, epochs=3, batch_size=2)
    assert np.isnan(history.history["loss"]).all()
    assert len([one for one in caught if "The loss is NaN in epoch 1" in str(one.message)]) == 1


@pytest.mark.parametrize(("name", "value"), [("batch_size", 0), ("batch_size", -3), ("epochs", 0)])
def test_counts_are_positive(name, value):
    model = tf.keras.Sequential([layers.Dense(1)])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match=f"Expected {name} to be positive. Received is {value}."):
        model.fit(np.ones((2, 1)), np.ones((2, 1)), verbose=0, **{name: value})

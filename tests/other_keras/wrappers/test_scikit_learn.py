"""Models with scikit-learn's methods."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import eagerflow as tf
from eagerflow.keras.wrappers.scikit_learn import KerasClassifier, KerasRegressor

RNG = np.random.RandomState(0)


X = RNG.randn(60, 3).astype("float32")


LABELS = np.where(X[:, 0] > 0, 7, 4)


def classifier(units=4, rate=0.1, loss="sparse_categorical_crossentropy"):
    tf.keras.utils.set_random_seed(1)
    last = (1, "sigmoid") if loss == "binary_crossentropy" else (2, "softmax")
    dense = tf.keras.layers.Dense
    model = tf.keras.Sequential([dense(units, "relu"), dense(*last)])
    model.compile(tf.keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    return model


@pytest.mark.parametrize(
    "loss", ["sparse_categorical_crossentropy", "categorical_crossentropy", "binary_crossentropy"]
)
def test_classifier_learns_labels(loss):
    found = KerasClassifier(build_fn=classifier, loss=loss, epochs=20, verbose=0)
    found.fit(X, LABELS)
    assert found.score(X, LABELS, verbose=0) > 0.9
    predicted = found.predict(X, verbose=0)
    assert set(predicted.ravel().tolist()) == {4, 7}
    assert (predicted.ravel() == LABELS).mean() > 0.9
    shares = found.predict_proba(X, verbose=0)
    assert shares.shape == (60, 2)
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-5)


def test_searches_make_copies_with_other_arguments():
    model = KerasClassifier(build_fn=classifier, epochs=5, verbose=0)
    search = GridSearchCV(model, {"rate": [1e-6, 0.1]}, cv=2, scoring="accuracy")
    search.fit(X, LABELS)
    assert search.best_params_ == {"rate": 0.1}
    assert search.best_score_ > 0.8


def test_regressor():
    def build():
        tf.keras.utils.set_random_seed(2)
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse", metrics=["mae"])
        return model

    found = KerasRegressor(build, epochs=60, verbose=0)
    target = X @ [1.0, 2.0, 3.0]
    found.fit(X, target)
    assert found.predict(X).shape == (60,)
    errors = np.mean((found.predict(X) - target) ** 2)
    np.testing.assert_allclose(found.score(X, target), -errors, rtol=1e-4)
    assert errors < 0.5
    scores = cross_val_score(found, X, target, cv=2, scoring="neg_mean_squared_error")
    assert scores.shape == (2,) and scores.max() < 0


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="learning is not a legal parameter"):
        KerasClassifier(classifier, learning=1)
    found = KerasClassifier(classifier, units=3)
    assert found.get_params() == {"units": 3, "build_fn": classifier}
    found.set_params(units=2, batch_size=5)
    assert found.get_params()["units"] == 2
    with pytest.raises(ValueError, match="Invalid shape for y"):
        found.fit(X, np.ones([60, 2, 2]))

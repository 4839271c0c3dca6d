"""Warnings name the program's line, from whatever depth they come."""

import linecache
import warnings

import numpy as np
import pytest

import eagerflow as tf


def trained(loss, y):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, "softmax")])
    model.compile("sgd", loss)
    return model.fit(np.ones([4, 2], np.float32), y, verbose=0)


FROM_LOGITS = tf.keras.losses.CategoricalCrossentropy(from_logits=True)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("EarlyStopping mode", lambda: tf.keras.callbacks.EarlyStopping(mode="least")),
        ("loss is NaN", lambda: trained("mse", np.full([4, 2], np.nan))),
        ("from_logits=True", lambda: trained(FROM_LOGITS, np.ones([4, 2]))),
    ],
)
def test_warnings_name_the_programs_line(message, call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert caught
    for warning in caught:  # a function that makes variables is traced twice
        assert message in str(warning.message)
        assert warning.filename == __file__
        line = linecache.getline(__file__, warning.lineno).strip()
        assert line.startswith(("return model.fit", "("))

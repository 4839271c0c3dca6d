"""Version 1's parameters: older names, shared parameters, and functions declared in rows."""

import inspect

import numpy as np
import pytest

import eagerflow
from eagerflow.v1 import metrics
from eagerflow.v1.arguments import optional_parameters, version_1, with_parameters

tf = eagerflow.compat.v1
X = np.arange(6, dtype="float32").reshape(1, 2, 3)


def test_older_names_stand_for_the_newer_ones():
    assert tf.squeeze(X, squeeze_dims=[0]).shape == (2, 3)
    assert tf.reduce_sum(X, reduction_indices=[1], keep_dims=True).shape == (1, 1, 3)
    assert tf.nn.softmax(X, dim=1).numpy() == pytest.approx(tf.nn.softmax(X, axis=1).numpy())
    with pytest.raises(ValueError, match="squeeze_dims.*axis"):
        tf.squeeze(X, [0], squeeze_dims=[0])


def test_a_row_passes_on_what_the_function_has():
    def scaled(x, factor=2, offset=1):
        return x * factor + offset

    function = version_1(__name__, "older(a, by=None, name=None)", scaled, "S.", a="x", by="factor")
    assert list(inspect.signature(function).parameters) == ["a", "by", "name"]
    assert function(3) == 7 and function(3, by=10, name="ignored") == 31
    assert function.__name__ == "older" and function.__module__ == __name__
    with pytest.raises(TypeError, match="offset"):
        function(3, offset=2)


def test_shared_parameters_are_added_and_documented():
    def described(labels, weights=None):
        """A text.

        Args:
            labels: the labels.
        """

    function = with_parameters(
        described,
        [*inspect.signature(described).parameters.values(), *optional_parameters(name="n")],
        lambda values: values,
        {"name": "the name."},
    )
    assert function([1], name="m") == {"labels": [1], "weights": None, "name": "m"}
    assert inspect.getdoc(function).endswith("    labels: the labels.\n    name: the name.")
    for arguments in ((), (1, 2, 3, 4)):
        with pytest.raises(TypeError, match="described"):
            function(*arguments)
    with pytest.raises(TypeError, match="labels"):
        function(1, labels=2)


def test_metrics_have_the_parameters_of_all_metrics_last():
    names = list(inspect.signature(metrics.mean_iou).parameters)
    assert names[:4] == ["labels", "predictions", "num_classes", "weights"]
    assert names[4:] == ["metrics_collections", "updates_collections", "name"]
    with pytest.raises(RuntimeError, match="eager"):
        metrics.mean([1.0])


def test_convolutions_by_the_rank_of_their_filter():
    x, kernel = tf.ones([1, 4, 1]), tf.ones([2, 1, 1])
    results = [
        tf.nn.convolution(x, filter=kernel, padding="VALID", dilation_rate=[2]),
        tf.nn.convolution(input=x, filters=kernel, padding="VALID", dilations=[2]),
        tf.nn.convolution(x, kernel, "VALID", [1], [2]),
    ]
    assert [result.numpy().ravel().tolist() for result in results] == [[2.0, 2.0]] * 3

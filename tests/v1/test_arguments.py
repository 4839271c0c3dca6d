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


def test_blocks_by_one_number_or_by_sizes():
    v1 = tf.compat.v1
    x, none = tf.reshape(tf.range(4), [1, 2, 2, 1]), [[0, 0], [0, 0]]
    for function in (v1.space_to_batch, v1.nn.space_to_batch):
        parts = function(x, none, 2)
        assert parts.shape == [4, 1, 1, 1]
        for arguments in ({"block_size": 2}, {"block_shape": [2, 2]}):
            whole = v1.batch_to_space(parts, crops=none, **arguments)
            np.testing.assert_array_equal(whole, x)
    with pytest.raises(ValueError, match="both 'block_shape' and 'block_size'"):
        v1.space_to_batch(x, none, 2, block_shape=[2, 2])


def test_losses_of_predictions_of_unknown_size():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 1])
        loss = v1.losses.mean_squared_error([[1.0]], x)
        assert session.run(loss, {x: [[0.5]]}) == 0.25
        with pytest.raises(ValueError, match="incompatible"):
            v1.losses.mean_squared_error([[1.0, 2.0]], x)

"""Version 1's parameters: older names, shared parameters, and functions declared in rows."""

import inspect

import numpy as np
import pytest

import eagerflow
from eagerflow_compat.v1 import metrics
from eagerflow_compat.v1.arguments import optional_parameters, version_1, with_parameters

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


LOSS = "weights biases labels inputs num_sampled num_classes num_true sampled_values"
LOSS += " remove_accidental_hits partition_strategy name"
COMPARED = "x y data summarize message name"
DECLARED = {
    "random_poisson": "lam shape dtype seed name",
    "random.poisson": "lam shape dtype seed name",
    "nn.nce_loss": LOSS,
    "nn.sampled_softmax_loss": f"{LOSS} seed",
    "nn.separable_conv2d": "input depthwise_filter pointwise_filter strides padding rate name",
    "nn.depthwise_conv2d_native": "input filter strides padding data_format dilations name",
    "nn.conv3d": "input filter strides padding data_format dilations name",
    "nn.conv3d_transpose": "value filter output_shape strides padding data_format name",
    "nn.pool": "input window_shape pooling_type padding dilation_rate strides name",
    "nn.max_pool_with_argmax": "input ksize strides padding data_format Targmax name",
    "nn.batch_norm_with_global_normalization": "t m v beta gamma variance_epsilon",
    "nn.embedding_lookup_sparse": "params sp_ids sp_weights partition_strategy name combiner",
    "nn.ctc_beam_search_decoder": "inputs sequence_length beam_width top_paths merge_repeated",
    "nn.weighted_moments": "x axes frequency_weights name keep_dims",
    "space_to_depth": "input block_size name data_format",
    "image.crop_and_resize": "image boxes box_ind crop_size method extrapolation_value name",
    "image.extract_glimpse": "input size offsets centered normalized uniform_noise name",
    "extract_image_patches": "images ksizes strides rates padding name sizes",
    "sparse_add": "a b threshold thresh",
    "sparse_concat": "axis sp_inputs name expand_nonconcat_dim concat_dim",
    "sparse_reduce_sum": "sp_input axis keepdims reduction_axes keep_dims",
    "sparse.split": "keyword_required sp_input num_split axis name split_dim",
    "reduce_join": "inputs axis keep_dims separator name reduction_indices",
    "strings.to_number": "string_tensor out_type name input",
    "substr": "input pos len name unit",
    "decode_csv": "records record_defaults field_delim use_quote_delim name na_value",
    "decode_raw": "input_bytes out_type little_endian name bytes",
    "parse_example": "serialized features name example_names",
    "io.serialize_sparse": "sp_input name out_type",
    "linalg.norm": "tensor ord axis keepdims name keep_dims",
    "assert_equal": COMPARED,
    "debugging.assert_less": COMPARED,
    "assert_positive": "x data summarize message name",
    "assert_rank": "x rank data summarize message name",
    "verify_tensor_all_finite": "t msg name x message",
}


@pytest.mark.parametrize("name", DECLARED)
def test_parameters_are_those_of_version_1(name):
    function = tf
    for part in name.split("."):
        function = getattr(function, part)
    wanted = DECLARED[name].split()
    assert list(inspect.signature(function).parameters)[: len(wanted)] == wanted


def test_rates_come_before_the_shape():
    assert tf.random_poisson([2.0, 3.0], [5], seed=1).shape == (5, 2)


def test_repeated_labels_are_merged_beyond_blanks():
    frames = np.log(np.array([[[0.9, 0.1]], [[0.1, 0.9]], [[0.9, 0.1]], [[0.9, 0.1]]], "f"))
    frames = np.concatenate([frames, frames[::-1]], 1)
    for merge, found in ((False, [0, 0, 0, 0]), (True, [0, 0])):
        (decoded,), scores = tf.nn.ctc_beam_search_decoder(frames, [4, 4], merge_repeated=merge)
        assert decoded.values.numpy().tolist() == found
        assert decoded.dense_shape.numpy().tolist() == [2, len(found) // 2]
        assert decoded.indices.numpy()[:, 0].tolist() == sorted([0, 1] * (len(found) // 2))
        assert scores.shape == (2, 1)
    (empty,), _ = tf.nn.ctc_beam_search_decoder(frames[:1, :, ::-1], [1, 1], 10)
    assert empty.dense_shape.numpy().tolist() == [2, 0]


def test_dilations_of_all_axes():
    image, kernel = tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1])
    strides = [1, 1, 1, 1]
    wide = tf.nn.depthwise_conv2d_native(image, kernel, strides, "VALID", "NHWC", [1, 2, 3, 1])
    assert wide.shape == (1, 2, 1, 1)


def test_parts_of_strings_are_sparse():
    sparse = tf.strings.split(source=["a b", "c"])
    assert sparse.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert tf.strings.split("a b").dense_shape.numpy().tolist() == [1, 2]
    ragged = tf.strings.split(["a,b"], ",", result_type="RaggedTensor")
    assert ragged.to_list() == [[b"a", b"b"]]
    with pytest.raises(ValueError, match="result_type"):
        tf.strings.split(["a"], result_type="list")


def test_assertions_take_what_errors_show():
    tf.assert_equal(1, 1, ["shown"], 3, "a message")
    with pytest.raises(tf.errors.InvalidArgumentError, match="a message"):
        tf.assert_less(2, 1, data=["shown"], message="a message")
    assert tf.assert_scalar(3).numpy() == 3
    with pytest.raises(ValueError):
        tf.assert_scalar([3])

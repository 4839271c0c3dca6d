"""Older names beside what TensorFlow 2.21 gives for them."""

import numpy as np
import pytest

import eagerflow
from eagerflow.contrib import layers

tf = eagerflow.compat.v1
IMAGES = np.random.RandomState(0).rand(2, 7, 5, 3).astype(np.float32)
# Sums of absolute values times 0, 1, 2 by channel, recorded, by method, size and align_corners.
RESIZED = {
    (0, (10, 11), False): 344.7,
    (0, (10, 11), True): 339.3,
    (0, (3, 4), False): 39.7,
    (1, (10, 11), False): 342.7,
    (1, (10, 11), True): 344.6,
    (2, (10, 11), False): 344.0,
    (2, (3, 4), True): 36.2,
    (3, (10, 11), True): 336.7,
    (3, (3, 4), False): 37.2,
    (3, (3, 4), True): 36.0,
    (3, (7, 5), False): 108.4,
}


@pytest.mark.parametrize("case", RESIZED, ids=str)
def test_images_are_resized_by_their_corners(case):
    method, size, align = case
    found = tf.image.resize_images(IMAGES, size, method=method, align_corners=align)
    assert found.shape == (2, *size, 3)
    assert abs(float(np.sum(np.abs(found) * np.arange(3))) - RESIZED[case]) < 0.06


@pytest.mark.parametrize("name", ["resize_bilinear", "resize_bicubic", "resize_nearest_neighbor"])
def test_pixels_have_either_aligned_corners_or_centres(name):
    resize = getattr(tf.image, name)
    for arguments, options in (((True,), {}), ((), {"align_corners": True})):
        with pytest.raises(eagerflow.errors.InvalidArgumentError, match="must be False"):
            resize(IMAGES, [9, 3], *arguments, half_pixel_centers=True, **options)


def test_more_of_images():
    half = tf.image.resize_bilinear(IMAGES, [9, 3], half_pixel_centers=True)
    np.testing.assert_allclose(
        half, eagerflow.image.resize(IMAGES, [9, 3], antialias=False), rtol=1e-5
    )
    assert tf.image.resize_images(IMAGES, [9, 3], preserve_aspect_ratio=True).shape[1:3] == (4, 3)
    assert tf.image.resize_image_with_crop_or_pad(IMAGES, 9, 3).shape == (2, 9, 3, 3)
    with pytest.raises(ValueError, match="Resize method"):
        tf.image.resize_images(IMAGES, [2, 2], method=7)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.uint8, [None, 8, 8, 1])
        assert tf.image.resize_images(x, [4, 4]).shape.as_list() == [None, 4, 4, 1]


def test_lists_and_rows():
    out, idx = tf.setdiff1d(["a", "b", "c"], ["b"])
    assert out.numpy().tolist() == [b"a", b"c"] and idx.numpy().tolist() == [0, 2]
    assert tf.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist() == [[2], [3]]
    parts = tf.string_split(["a,b", "", "c,,d"], ",")
    assert parts.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0], [2, 1]]
    assert parts.dense_shape.numpy().tolist() == [3, 2]
    assert tf.string_split(["ab"], "").values.numpy().tolist() == [b"a", b"b"]


def test_changes_of_some_elements():
    v = tf.Variable([1.0, 2.0, 3.0])
    tf.scatter_nd_update(v, [[1]], [5.0])
    tf.scatter_mul(v, [0, 2], [10.0, 2.0])
    tf.scatter_max(v, [1], [4.0])
    assert v.numpy().tolist() == [10, 5, 6]


def test_records(tmp_path):
    path = str(tmp_path / "records")
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for text in (b"one", b"two"):
            writer.write(text)
    assert list(tf.python_io.tf_record_iterator(path, options)) == [b"one", b"two"]


def test_summary_messages(tmp_path):
    with tf.Graph().as_default():
        writer = tf.summary.FileWriter(str(tmp_path))
    value = tf.Summary.Value(tag="reward", simple_value=2.5)
    writer.add_summary(tf.Summary(value=[value]), 3)
    writer.close()
    (path,) = tmp_path.glob("events*")
    events = [e for e in tf.train.summary_iterator(str(path)) if e.summary.value]
    assert [(e.step, e.summary.value[0].simple_value) for e in events] == [(3, 2.5)]


def test_layers_of_the_first_generation():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 8, 8, 1])
        hidden = layers.conv2d(x, 4, 3, normalizer_fn=layers.batch_norm)
        hidden = layers.flatten(layers.max_pool2d(hidden, 2))
        hidden = layers.layer_norm(layers.fully_connected(hidden, 3))
        y = layers.stack(hidden, layers.fully_connected, [5, 2], scope="top")
        assert y.shape.as_list() == [None, 2]
        assert [v.op.name for v in tf.trainable_variables()] == [
            "Conv/weights",
            "Conv/BatchNorm/beta",
            "fully_connected/weights",
            "fully_connected/biases",
            "LayerNorm/beta",
            "LayerNorm/gamma",
            "top/fully_connected_1/weights",
            "top/fully_connected_1/biases",
            "top/fully_connected_2/weights",
            "top/fully_connected_2/biases",
        ]
        session.run(tf.global_variables_initializer())
        found = session.run(y, {x: np.random.RandomState(0).rand(3, 8, 8, 1)})
        assert found.shape == (3, 2) and np.all(found >= 0)


def test_regularizers_of_layers_are_losses():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 4])
        layers.fully_connected(x, 2, weights_regularizer=layers.l2_regularizer(0.1))
        assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1


def test_every_namespace_knows_its_names():
    assert tf.__version__.startswith("2.")
    for namespace in (tf, tf.train, tf.nn, tf.metrics, tf.image, tf.python_io, tf.keras):
        for name in dir(namespace):
            assert hasattr(namespace, name), name


def test_quantize_v2_takes_its_older_order():
    found = tf.compat.v1.quantize_v2(
        [0.0, 0.5, 2.5], 0.0, 255.0, tf.quint8, "SCALED", None, "HALF_TO_EVEN"
    )
    assert found.output.numpy().tolist() == [0, 0, 2]


def test_kerass_older_names():
    keras = tf.compat.v1.keras
    np.testing.assert_allclose(keras.losses.cosine_proximity([[3.0, 4.0]], [[3.0, 4.0]]), [-1])
    assert keras.metrics.cosine([[1.0, 0.0]], [[0.0, 1.0]]).numpy().tolist() == [0]
    assert keras.initializers.normal is tf.keras.initializers.RandomNormal
    assert keras.initializers.uniform(seed=1)([3]).shape == [3]
    assert keras.losses.Huber is tf.keras.losses.Huber


def test_derivatives_of_graphs():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        w = tf.get_variable("w", [2, 3], initializer=tf.ones_initializer())
        session.run(w.initializer)
        y = tf.matmul(x, w) * x[0, 0]
        start = np.float32([[1, 2], [3, 4]])
        found, differences = tf.test.compute_gradient(x, [2, 2], y, [2, 3], x_init_value=start)
        expected = [[4] * 3 + [7] * 3, [1] * 3 + [0] * 3, [0] * 3 + [1] * 3, [0] * 3 + [1] * 3]
        assert found.tolist() == expected
        np.testing.assert_allclose(differences, expected, atol=1e-2)
        assert tf.test.compute_gradient_error(x, [2, 2], y, [2, 3]) < 1e-2
        pairs = tf.test.compute_gradient([x, w], [[2, 2], [2, 3]], y, [2, 3])
        assert [pair[0].shape for pair in pairs] == [(4, 6), (6, 6)]


def test_stand_ins():
    class Settings:
        depth = 1

    stubs = tf.test.StubOutForTesting()
    stubs.Set(Settings, "depth", 2)
    stubs.SmartSet(Settings, "depth", 3)
    assert Settings.depth == 3
    stubs.SmartUnsetAll()
    assert Settings.depth == 2
    stubs.UnsetAll()
    assert Settings.depth == 1
    with pytest.raises(AttributeError):
        stubs.SmartSet(Settings, "height", 1)


@pytest.mark.parametrize(("weights", "expected"), [(1.0, 28), (2.0, 56), ([[1.0], [0.5]], 15)])
def test_pairwise_error(weights, expected):
    labels, predictions = [[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], [[1.0, 1.0, 1.0], [2.0, 5.0, 0.0]]
    with tf.Graph().as_default(), tf.Session() as session:
        loss = tf.losses.mean_pairwise_squared_error(labels, predictions, weights)
        assert tf.losses.get_losses() == [loss]
        assert session.run(loss) == expected
    with pytest.raises(ValueError, match="can not be broadcast"):
        tf.losses.mean_pairwise_squared_error(labels, predictions, [1.0, 0.0])


def test_gradients_of_convolutions():
    ones = tf.ones
    shares = [1] * 4, "VALID"
    inputs = tf.nn.conv2d_backprop_input(
        [1, 3, 3, 1], ones([2, 2, 1, 1]), ones([1, 2, 2, 1]), *shares
    )
    assert inputs.numpy()[0, :, :, 0].tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
    filters = tf.nn.conv2d_backprop_filter(
        ones([1, 3, 3, 1]), [2, 2, 1, 1], ones([1, 2, 2, 1]), *shares
    )
    assert filters.numpy().ravel().tolist() == [4] * 4
    cube = tf.nn.conv3d_backprop_filter_v2(
        ones([1, 3, 3, 3, 1]), [2, 2, 2, 1, 1], ones([1, 2, 2, 2, 1]), [1] * 5, "VALID"
    )
    assert cube.numpy().ravel().tolist() == [8] * 8


def test_names_of_other_namespaces():
    assert tf.debugging.is_nan([np.nan, 1.0]).numpy().tolist() == [True, False]
    assert tf.sets.set_size(tf.sparse.from_dense([[1, 2]])).numpy().tolist() == [2]
    assert tf.linalg.transpose([[1, 2]]).shape == [2, 1]
    assert tf.dtypes.as_string(3).numpy() == b"3"
    assert tf.errors.error_code_from_exception_type(tf.errors.NotFoundError) == 5
    assert tf.random.stateless_multinomial([[0.0, 1.0]], 3, [1, 2]).dtype == tf.int64
    limit = (3 / 12) ** 0.5
    values = tf.uniform_unit_scaling_initializer(seed=1)([3, 4, 5]).numpy()
    assert limit * 0.8 < np.abs(values).max() <= limit


def test_dilation_and_erosion_have_rates():
    x, k = tf.reshape(tf.range(18.0), [1, 3, 3, 2]), tf.ones([2, 2, 2])
    eroded = tf.nn.erosion2d(x, k, [1] * 4, [1] * 4, "SAME").numpy().ravel()
    assert eroded.tolist() == [k - 1 for k in range(18)]
    dilated = tf.nn.dilation2d(x, k, strides=[1] * 4, rates=[1] * 4, padding="SAME")
    assert dilated.numpy().ravel().tolist()[:8] == [9, 10, 11, 12, 11, 12, 15, 16]


def test_templates_have_scopes_of_their_own():
    def variable():
        return tf.get_variable("d", [1], initializer=tf.zeros_initializer())

    def nested():
        templates = [tf.make_template("nested", variable) for _ in range(2)]
        found = [template() for template in templates]
        assert [len(template.variables) for template in templates] == [1, 1]
        return found

    with eagerflow.contrib.eager.EagerVariableStore().as_default():
        first, second = tf.make_template("s", nested), tf.make_template("s", nested)
        made = [*first(), *second()]
        assert [v.name for v in made] == [
            "s/nested/d:0",
            "s/nested_1/d:0",
            "s_1/nested/d:0",
            "s_1/nested_1/d:0",
        ]
        assert [first()[k] is made[k] for k in range(2)] == [True, True]
    model = eagerflow.keras.Model()
    model.template = first
    assert [weight is v for weight, v in zip(model.weights, made, strict=False)] == [True, True]
    model.other = second
    assert len(model.trainable_variables) == 4


def test_parts_of_devices_can_be_changed():
    spec = tf.DeviceSpec(replica=1, device_type="cpu", device_index=2)
    spec.job, spec.task = "ps", 3
    assert spec.to_string() == "/job:ps/replica:1/task:3/device:CPU:2"
    spec.merge_from(tf.DeviceSpec(task=4, device_type="gpu"))
    assert (spec.task, spec.device_type, spec.device_index) == (4, "GPU", 2)
    assert spec.parse_from_string("/job:a/gpu:1") is spec and spec.replica is None
    assert spec == tf.DeviceSpec.from_string("/job:a/device:GPU:1")
    with pytest.raises(AttributeError):
        eagerflow.DeviceSpec().job = "ps"

"""keras.ops.image where the recorded answers do not reach: borders, graphs, models and errors."""

import numpy as np
import pytest

import eagerflow as tf

image = tf.keras.ops.image
ROW = np.array([1, 2, 4, 8], "float32")
BETWEEN = np.array([[-4.75, -2.5, -1, -0.25, 0.5, 2.25, 3.5, 4, 5.75, 8.5]], "float32")
WHOLE = np.array([[-9, -3, -2, -1, 0, 2, 3, 4, 5, 9]], "float32")
# Keras's own answers, by its NumPy backend: its TensorFlow backend mirrors otherwise than it says.
AT_BORDERS = {
    ("constant", 0): [16, 16, 16, 16, 1, 4, 8, 16, 16, 16],
    ("constant", 1): [16, 16, 16, 4.75, 1.5, 5, 12, 16, 16, 16],
    ("nearest", 0): [1, 1, 1, 1, 1, 4, 8, 8, 8, 8],
    ("nearest", 1): [1, 1, 1, 1, 1.5, 5, 8, 8, 8, 8],
    ("wrap", 0): [8, 2, 4, 8, 1, 4, 8, 1, 2, 2],
    ("wrap", 1): [6.25, 3, 8, 2.75, 1.5, 5, 4.5, 1, 3.5, 1.5],
    ("mirror", 0): [8, 8, 4, 2, 1, 4, 8, 4, 2, 8],
    ("mirror", 1): [2.5, 6, 2, 1.25, 1.5, 5, 6, 4, 1.25, 6],
    ("reflect", 0): [1, 4, 2, 1, 1, 4, 8, 8, 4, 2],
    ("reflect", 1): [8, 3, 1, 1, 1.5, 5, 8, 8, 2.5, 1.5],
}
ON_A_GRID = {
    "constant": [5, 5, 27.5],
    "nearest": [30, 10, 95],
    "wrap": [65, 27.5, 35],
    "mirror": [75, 32.5, 65],
    "reflect": [45, 22.5, 95],
}
IMAGES = np.random.default_rng(1).uniform(size=(2, 5, 6, 3)).astype("float32")


@pytest.mark.parametrize(("mode", "order"), AT_BORDERS)
def test_coordinates_beyond_the_border(mode, order):
    values = image.map_coordinates(ROW, BETWEEN if order else WHOLE, order, mode, 16.0)
    np.testing.assert_allclose(values, AT_BORDERS[mode, order])


@pytest.mark.parametrize("mode", ON_A_GRID)
def test_coordinates_beyond_the_border_of_two_axes(mode):
    grid = np.arange(12, dtype="float32").reshape(3, 4) * 10
    places = np.array([[-1.5, 0.25, 2.75], [4.5, -2.25, 1.5]], "float32")
    np.testing.assert_allclose(image.map_coordinates(grid, places, 1, mode, 5), ON_A_GRID[mode])


def test_coordinates_of_other_dtypes():
    whole = image.map_coordinates(np.array([2, 5], "uint8"), [[0.5, 0.9]], 1)
    assert whole.dtype == tf.uint8 and whole.numpy().tolist() == [4, 5]
    assert image.map_coordinates(ROW, np.array([[3, 0]]), 0).numpy().tolist() == [8, 1]
    assert image.map_coordinates(ROW, np.array([[3, 0]]), 1).numpy().tolist() == [8, 1]
    exact = image.map_coordinates(np.array([2**31 - 2, 7]), [[0.2, 1.3]], 0, "nearest")
    assert exact.numpy().tolist() == [2**31 - 2, 7]
    assert image.map_coordinates(tf.cast(ROW, "float16"), BETWEEN, 1).dtype == tf.float16


def test_one_element_is_mirrored_onto_itself():
    for mode in ("mirror", "reflect", "wrap", "nearest"):
        values = image.map_coordinates([3.0], [[-2.5, 0.5, 4.0]], 1, mode)
        assert values.numpy().tolist() == [3, 3, 3]


def test_the_homography_of_points():
    start = np.array([[[0, 0], [0, 64], [80, 0], [80, 64]]] * 2, "int32")
    end = np.array(
        [[[3, 5], [7, 64], [76, -10], [84, 61]], [[8, 10], [10, 61], [65, 3], [88, 43]]], "float32"
    )
    expected = [
        [1.3170458, -0.0892912, -3.5046811, 0.2300896, 1.119769, -6.2891126, 0.0029294, 0.0004088],
        [
            1.3367995,
            -0.0524235,
            -10.1701613,
            0.2413758,
            1.9654886,
            -21.5858936,
            -0.0011032,
            0.0095873,
        ],
    ]
    matrix = image.compute_homography_matrix(start, end)
    assert matrix.dtype == tf.float32
    np.testing.assert_allclose(matrix, expected, rtol=1e-5, atol=2e-7)
    half = image.compute_homography_matrix(tf.cast(start, "float16"), tf.cast(end, "float16"))
    assert half.dtype == tf.float16
    np.testing.assert_allclose(half, expected, rtol=2e-3, atol=1e-4)


def test_scaled_bytes_are_rounded_and_stay_in_their_range():
    values = (np.arange(48).reshape(4, 4, 3) * 5).astype("uint8")
    scaled = image.scale_and_translate(values, (4, 7, 3), [1.6], [-0.4], (1,), "cubic")
    assert scaled.dtype == tf.uint8 and scaled[1, :, 0].numpy().tolist() == [
        61,
        69,
        80,
        89,
        100,
        106,
        0,
    ]
    named = image.scale_and_translate(values, (4, 7, 3), [1.6], [-0.4], (1,), "triangle")
    linear = image.scale_and_translate(values, (4, 7, 3), [1.6], [-0.4], (1,), "linear")
    assert named.numpy().tolist() == linear.numpy().tolist()
    assert (
        image.scale_and_translate(ROW, (4,), [], [], (), "linear").numpy().tolist() == ROW.tolist()
    )


def test_affine_gradients_are_those_of_the_pixels_that_are_read():
    x = tf.constant(IMAGES[:1, :, :, :1])
    moves = tf.constant([0.8, 0.1, 0.3, -0.2, 1.1, 0.7, 0, 0])
    weights = np.random.default_rng(2).normal(size=x.shape).astype("float32")
    with tf.GradientTape() as tape:
        tape.watch([x, moves])
        total = tf.reduce_sum(image.affine_transform(x, moves) * weights)
    gradient, none = tape.gradient(total, [x, moves])
    assert none is None
    unit = np.zeros(x.shape, "float32")
    unit[0, 2, 3, 0] = 1.0
    moved = image.affine_transform(unit, moves)
    assert float(gradient[0, 2, 3, 0]) == pytest.approx(
        float(tf.reduce_sum(moved * weights)), rel=1e-5
    )


def test_a_constant_image_is_no_other_when_it_is_distorted():
    for mode in ("nearest", "wrap", "mirror", "reflect"):
        distorted = image.elastic_transform(
            np.full((2, 6, 7, 3), 5, "uint8"), 9.0, 1.5, fill_mode=mode
        )
        assert distorted.dtype == tf.uint8 and np.all(distorted == 5)


def test_distortions_follow_their_seed():
    one, same, other = (image.elastic_transform(IMAGES, 5.0, 1.0, seed=s) for s in (1, 1, 2))
    assert np.all(one == same) and np.any(one != other)
    seeds = tf.keras.random.SeedGenerator(1)
    one, other = (image.elastic_transform(IMAGES, 5.0, 1.0, seed=seeds) for _ in range(2))
    assert np.any(one != other)
    first = image.elastic_transform(
        IMAGES.transpose(0, 3, 1, 2), 5.0, 1.0, seed=1, data_format="channels_first"
    )
    np.testing.assert_array_equal(np.transpose(first, (0, 2, 3, 1)), same)


def test_blurred_integers_are_rounded():
    spot = np.zeros((3, 3, 1), "uint8")
    spot[1, 1] = 100
    assert image.gaussian_blur(spot)[1, :, 0].numpy().tolist() == [12, 20, 12]


CORNERS = np.array([[0, 0], [0, 4], [5, 0], [5, 4]], "float32")
CALLS = {
    "affine": lambda x: image.affine_transform(x, [0.9, 0.1, 0.4, 0, 1.2, -0.3, 0, 0]),
    "perspective": lambda x: image.perspective_transform(x, CORNERS, CORNERS[::-1] + 0.5),
    "blur": lambda x: image.gaussian_blur(x, (3, 3), (0.8, 1.4)),
    "elastic": lambda x: image.elastic_transform(x, 4.0, 1.0, seed=3),
    "map": lambda x: image.map_coordinates(
        x[0, :, :, 0], np.stack([BETWEEN[0], -BETWEEN[0]]), 1, "mirror"
    ),
    "scale": lambda x: image.scale_and_translate(
        x, tf.stack([tf.shape(x)[0], 4, 9, 3]), [0.7, 1.5], [0.2, 0.1], (1, 2), "lanczos3"
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_graphs_of_unknown_sizes(name):
    call = CALLS[name]
    graph = tf.function(call, input_signature=[tf.TensorSpec([None, None, None, 3], tf.float32)])
    np.testing.assert_allclose(graph(IMAGES), call(tf.constant(IMAGES)), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        graph(IMAGES[:1, :4]), call(tf.constant(IMAGES[:1, :4])), rtol=1e-5, atol=1e-5
    )


def test_models_transform_their_inputs():
    inputs = tf.keras.Input((5, 6, 3))
    x = image.gaussian_blur(inputs)
    x = image.affine_transform(x, np.array([1.0, 0, 1, 0, 1, 0, 0, 0], "float32"))
    model = tf.keras.Model(inputs, image.elastic_transform(x, 2.0, 1.0, seed=1))
    assert model.output_shape == (None, 5, 6, 3)
    moved = image.affine_transform(image.gaussian_blur(IMAGES), [1.0, 0, 1, 0, 1, 0, 0, 0])
    expected = image.elastic_transform(moved, 2.0, 1.0, seed=1)
    np.testing.assert_allclose(model(IMAGES), expected, rtol=1e-5, atol=1e-6)
    again = tf.keras.Model.from_config(model.get_config())
    np.testing.assert_allclose(again(IMAGES), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: image.affine_transform(IMAGES, ROW, "cubic"), "interpolation"),
        (lambda: image.affine_transform(IMAGES, ROW, fill_mode="mirror"), "fill_mode"),
        (lambda: image.affine_transform(IMAGES, [[ROW]]), "transform.shape"),
        (lambda: image.affine_transform(ROW, ROW), "images.shape"),
        (lambda: image.perspective_transform(IMAGES, CORNERS, CORNERS[:3]), "end_points"),
        (lambda: image.perspective_transform(IMAGES, CORNERS, CORNERS[None]), "same shape"),
        (lambda: image.map_coordinates(ROW, [[0.0], [1.0]], 1), "rank of `inputs`"),
        (lambda: image.map_coordinates(ROW, [1.0], 1), "2 axes"),
        (lambda: image.map_coordinates(ROW, BETWEEN, 1, "edge"), "fill_mode"),
        (lambda: image.elastic_transform(IMAGES, fill_mode="edge"), "fill_mode"),
        (lambda: image.elastic_transform(ROW), "images.shape"),
        (lambda: image.gaussian_blur(ROW), "images.shape"),
        (lambda: image.scale_and_translate(ROW, (4,), [1.0], [0.0], [0], "area"), "method"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_orders_above_one_are_not_there():
    with pytest.raises(NotImplementedError, match="order"):
        image.map_coordinates(ROW, BETWEEN, 2)

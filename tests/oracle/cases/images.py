"""tf.image: sizes, colours, places, similarity, boxes and randomness."""

import numpy as np

from oracle.inputs import gradient
from oracle.registry import case, errors

METHODS = (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
)
SEEDS = ((1, 2), (3, 4))


def picture(tf, shape=(2, 5, 6, 3), dtype="float32", seed=0):
    """A picture with values in [0, 1), or over the whole range of an integer dtype."""
    values = np.random.RandomState(seed).rand(*shape).astype(np.float32)
    if dtype.startswith("float"):
        return tf.constant(values.astype(dtype))
    return tf.constant((values * np.iinfo(dtype).max).astype(dtype))


@case(method=METHODS, antialias=(False, True), size=((3, 4), (9, 11), (5, 2), (1, 1)), loose=4)
def resize(tf, method, antialias, size):
    return tf.image.resize(picture(tf), size, method, antialias=antialias)


@case(method=METHODS, loose=4)
def resize_keeping_proportions(tf, method):
    image = picture(tf)
    return [
        tf.image.resize(image, (4, 20), method, preserve_aspect_ratio=True),
        tf.image.resize(image[0], (20, 4), method, preserve_aspect_ratio=True),
        tf.image.resize_with_pad(image, 4, 9, method),
        tf.image.resize_with_pad(image, 7, 100, method),
    ]


@case(method=("bilinear", "nearest", "bicubic", "lanczos3"), antialias=(False, True), loose=8)
def resize_gradient(tf, method, antialias):
    def resized(x):
        return tf.image.resize(x, (3, 8), method, antialias=antialias)

    return gradient(tf, resized, picture(tf))


@case(method=("bilinear", "nearest", "area"), dtype=("uint8", "int32", "float16", "float64"))
def resize_dtype(tf, method, dtype):
    return tf.image.resize(picture(tf, dtype=dtype), (3, 8), method)


GEOMETRY = {
    "crop": lambda tf, x: tf.image.crop_to_bounding_box(x, 1, 2, 3, 4),
    "pad": lambda tf, x: tf.image.pad_to_bounding_box(x, 1, 2, 8, 9),
    "crop or pad": lambda tf, x: tf.image.resize_with_crop_or_pad(x, 8, 3),
    "central crop": lambda tf, x: tf.image.central_crop(x, 0.5),
    "central crop third": lambda tf, x: tf.image.central_crop(x, 0.33),
    "left right": lambda tf, x: tf.image.flip_left_right(x),
    "up down": lambda tf, x: tf.image.flip_up_down(x),
    "transpose": lambda tf, x: tf.image.transpose(x),
    "rot90": lambda tf, x: tf.image.rot90(x),
    "rot180": lambda tf, x: tf.image.rot90(x, 2),
    "rot270": lambda tf, x: tf.image.rot90(x, -1),
}


@case(what=list(GEOMETRY))
def geometry(tf, what):
    image = picture(tf)
    function = GEOMETRY[what]
    return (
        function(tf, image),
        function(tf, image[1]),
        function(tf, picture(tf, dtype="uint8")),
        gradient(tf, lambda x: function(tf, x), image),
    )


@case(loose=4)
def neighbours(tf):
    image = picture(tf)
    return [
        tf.image.image_gradients(image),
        tf.image.sobel_edges(image),
        tf.image.total_variation(image),
        tf.image.total_variation(image[0]),
        tf.image.per_image_standardization(image),
        tf.image.per_image_standardization(picture(tf, dtype="uint8")),
        tf.image.per_image_standardization(tf.ones([2, 2, 1])),
    ]


@case(name=("sobel_edges", "total_variation", "per_image_standardization"), loose=16)
def neighbours_gradient(tf, name):
    return gradient(tf, getattr(tf.image, name), picture(tf))


SPACES = ("rgb_to_hsv", "hsv_to_rgb", "rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb")


@case(name=SPACES, dtype=("float32", "float64"), loose=4)
def colour_space(tf, name, dtype):
    image = picture(tf, dtype=dtype)
    grey = tf.ones([1, 2, 3], dtype) * tf.cast(0.25, dtype)
    return getattr(tf.image, name)(image), getattr(tf.image, name)(grey)


@case(name=tuple(name for name in SPACES if name != "hsv_to_rgb"), loose=16)
def colour_space_gradient(tf, name):
    return gradient(tf, getattr(tf.image, name), picture(tf))


@case(dtype=("uint8", "int16", "float32", "float16"))
def grey(tf, dtype):
    image = picture(tf, dtype=dtype)
    levels = tf.image.rgb_to_grayscale(image)
    return levels, tf.image.grayscale_to_rgb(levels)


@case(
    source=("uint8", "uint16", "int32", "float32", "float64"),
    target=("uint8", "int16", "uint16", "int32", "float16", "float32", "float64"),
    saturate=(False, True),
)
def convert_dtype(tf, source, target, saturate):
    return tf.image.convert_image_dtype(picture(tf, dtype=source), target, saturate)


ADJUSTMENTS = {
    "brightness": lambda tf, x: tf.image.adjust_brightness(x, 0.2),
    "darkness": lambda tf, x: tf.image.adjust_brightness(x, -0.4),
    "contrast": lambda tf, x: tf.image.adjust_contrast(x, 1.7),
    "gamma": lambda tf, x: tf.image.adjust_gamma(x, 2.0, 0.8),
    "hue": lambda tf, x: tf.image.adjust_hue(x, 0.3),
    "hue back": lambda tf, x: tf.image.adjust_hue(x, -0.7),
    "saturation": lambda tf, x: tf.image.adjust_saturation(x, 1.8),
    "paleness": lambda tf, x: tf.image.adjust_saturation(x, 0.3),
}


@case(what=list(ADJUSTMENTS), dtype=("float32", "uint8"), loose=8)
def adjusted(tf, what, dtype):
    return ADJUSTMENTS[what](tf, picture(tf, dtype=dtype))


@case(loose=16)
def similarity(tf):
    first = picture(tf, (2, 24, 26, 3))
    second = first * 0.9 + 0.1 * picture(tf, (2, 24, 26, 3), seed=1)
    bytes_of = [tf.image.convert_image_dtype(x, tf.uint8) for x in (first, second)]
    return [
        tf.image.psnr(first, second, 1.0),
        tf.image.psnr(*bytes_of, 255),
        tf.image.ssim(first, second, 1.0),
        tf.image.ssim(*bytes_of, 255),
        tf.image.ssim(first, second, 1.0, filter_size=7, filter_sigma=2.0, k1=0.02, k2=0.05),
        tf.image.ssim(first, second, 1.0, return_index_map=True),
        tf.image.ssim_multiscale(first, second, 1.0, power_factors=(0.5, 0.5)),
    ]


@case(
    window=((1, 3, 3, 1), (1, 2, 4, 1)),
    stride=((1, 1, 1, 1), (1, 2, 3, 1)),
    rate=((1, 1, 1, 1), (1, 2, 1, 1)),
    padding=("VALID", "SAME"),
)
def patches(tf, window, stride, rate, padding):
    return tf.image.extract_patches(picture(tf, (1, 6, 7, 2)), window, stride, rate, padding)


@case(loose=4)
def patches_gradient(tf):
    def cut(x):
        return tf.image.extract_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "SAME")

    return gradient(tf, cut, picture(tf, (1, 6, 7, 2)))


CROPS = np.array(
    [[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8], [-0.2, 0.3, 1.3, 0.9], [0.9, 0.9, 0.2, 0.1]], np.float32
)


@case(method=("bilinear", "nearest"), size=((4, 5), (1, 1), (1, 3)), loose=4)
def crop_and_resize(tf, method, size):
    args = (CROPS, [0, 1, 1, 0], size, method, 7.0)
    return (
        tf.image.crop_and_resize(picture(tf), *args),
        tf.image.crop_and_resize(picture(tf, dtype="uint8"), *args),
    )


@case(loose=32)
def crop_and_resize_gradient(tf):
    def cut(image, boxes):
        return tf.image.crop_and_resize(image, boxes, [0, 1, 1, 0], (4, 5))

    return gradient(tf, cut, picture(tf), tf.constant(CROPS))


def candidates():
    rng = np.random.RandomState(0)
    corners = rng.rand(20, 4)
    corners[:, 2:] = corners[:, :2] + 0.1 + 0.5 * rng.rand(20, 2)
    corners[7] = corners[7][[2, 3, 0, 1]]
    scores = rng.rand(20)
    scores[3] = scores[5]
    return corners.astype(np.float32), scores.astype(np.float32)


@case(threshold=(0.1, 0.5, 0.9), loose=4)
def suppression(tf, threshold):
    boxes, scores = (tf.constant(part) for part in candidates())
    image = tf.image
    overlaps = tf.constant(np.random.RandomState(3).rand(20, 20).astype(np.float32))
    return [
        image.non_max_suppression(boxes, scores, 10, threshold),
        image.non_max_suppression(boxes, scores, 10, threshold, 0.4),
        image.non_max_suppression_with_scores(boxes, scores, 10, threshold),
        image.non_max_suppression_with_scores(
            boxes, scores, 10, threshold, 0.2, soft_nms_sigma=0.5
        ),
        image.non_max_suppression_overlaps(overlaps, scores, 10, threshold),
        image.non_max_suppression_padded(boxes, scores, 10, threshold, pad_to_max_output_size=True),
        image.non_max_suppression(boxes[:0], scores[:0], 10),
    ]


@case(threshold=(0.1, 0.5), pad=(False, True))
def combined_suppression(tf, threshold, pad):
    boxes = tf.reshape(candidates()[0], [2, 10, 1, 4])
    scores = np.random.RandomState(3).rand(2, 10, 3).astype(np.float32)
    result = tf.image.combined_non_max_suppression(
        boxes, scores, 2, 9, threshold, 0.1, pad_per_class=pad
    )
    return list(result)


@case(channels=(1, 3), given=(False, True))
def drawn_boxes(tf, channels, given):
    boxes = [
        [[0.1, 0.2, 0.6, 0.9], [-0.5, -0.5, 0.3, 1.2], [0.2, 0.2, 0.1, 0.9]],
        [[0.0, 0.0, 1.0, 1.0], [0.5, 0.5, 0.5, 0.5], [2.0, 2.0, 3.0, 3.0]],
    ]
    colours = np.eye(channels)[:2].astype(np.float32) if given else None
    return tf.image.draw_bounding_boxes(picture(tf, (2, 9, 12, channels)), boxes, colours)


@case(centered=(False, True), normalized=(False, True), size=((2, 2), (5, 6)))
def glimpses(tf, centered, normalized, size):
    places = [[0.0, 0.0], [0.3, -0.2]] if normalized else [[1.0, 2.0], [-3.0, 4.0]]
    return tf.image.extract_glimpse(
        picture(tf, (2, 9, 12, 1)), size, places, centered, normalized, "zero"
    )


AUGMENTATIONS = {
    "left right": lambda tf, x, seed: tf.image.stateless_random_flip_left_right(x, seed),
    "up down": lambda tf, x, seed: tf.image.stateless_random_flip_up_down(x, seed),
    "one": lambda tf, x, seed: tf.image.stateless_random_flip_left_right(x[0], seed),
    "brightness": lambda tf, x, seed: tf.image.stateless_random_brightness(x, 0.3, seed),
    "contrast": lambda tf, x, seed: tf.image.stateless_random_contrast(x, 0.3, 0.9, seed),
    "hue": lambda tf, x, seed: tf.image.stateless_random_hue(x, 0.3, seed),
    "saturation": lambda tf, x, seed: tf.image.stateless_random_saturation(x, 0.3, 2.0, seed),
    "crop": lambda tf, x, seed: tf.image.stateless_random_crop(x, [1, 3, 4, 3], seed),
    "box": lambda tf, x, seed: list(
        tf.image.stateless_sample_distorted_bounding_box(
            [90, 120, 3], [[[0.1, 0.2, 0.7, 0.8]]], seed, 0.3
        )
    ),
    "boxes": lambda tf, x, seed: list(
        tf.image.stateless_sample_distorted_bounding_box(
            [33, 57, 3],
            [[[0.1, 0.2, 0.7, 0.8], [0.0, 0.0, 0.1, 0.1]]],
            seed,
            0.1,
            [0.5, 2.0],
            [0.2, 0.6],
        )
    ),
}


@case(what=list(AUGMENTATIONS), seed=SEEDS, loose=8)
def stateless(tf, what, seed):
    return AUGMENTATIONS[what](tf, picture(tf), seed)


@case(loose=8)
def stateful(tf):
    tf.random.set_seed(7)
    image = picture(tf)
    found = []
    for _ in range(2):
        found += [
            tf.image.random_flip_left_right(image),
            tf.image.random_flip_up_down(image, seed=3),
            tf.image.random_flip_left_right(image[0], seed=1),
            tf.image.random_brightness(image, 0.3),
            tf.image.random_contrast(image, 0.3, 0.9, seed=2),
            tf.image.random_hue(image, 0.3),
            tf.image.random_saturation(image, 0.3, 2.0),
            tf.image.random_crop(image, [1, 3, 4, 3]),
            *tf.image.sample_distorted_bounding_box(
                [90, 120, 3], [[[0.1, 0.2, 0.7, 0.8]]], seed=5, min_object_covered=0.3
            ),
        ]
    return found


errors(
    "images",
    "refused",
    {
        "size": (lambda tf: tf.image.resize(picture(tf), (5,)), ["'size'"]),
        "empty size": (lambda tf: tf.image.resize(picture(tf), (0, 5)), []),
        "method": (lambda tf: tf.image.resize(picture(tf), (5, 5), "sharp"), ["not implemented"]),
        "rank": (lambda tf: tf.image.resize(tf.ones([3, 3]), (5, 5)), []),
        "crop": (lambda tf: tf.image.crop_to_bounding_box(picture(tf), 1, 2, 30, 4), []),
        "pad": (lambda tf: tf.image.pad_to_bounding_box(picture(tf), 1, 2, 3, 4), []),
        "fraction": (lambda tf: tf.image.central_crop(picture(tf), 1.5), ["central_fraction"]),
        "hue": (lambda tf: tf.image.adjust_hue(picture(tf), 2.0), ["delta"]),
        "gamma": (lambda tf: tf.image.adjust_gamma(picture(tf), -1), ["Gamma"]),
        "channels": (lambda tf: tf.image.rgb_to_hsv(tf.ones([2, 2, 4])), ["3"]),
        "grey": (lambda tf: tf.image.grayscale_to_rgb(picture(tf)), ["size 1"]),
        "filter": (lambda tf: tf.image.ssim(picture(tf), picture(tf), 1.0), []),
        "overlap": (
            lambda tf: tf.image.non_max_suppression(*candidates(), 10, 2.0),
            ["iou_threshold"],
        ),
        "scores": (lambda tf: tf.image.non_max_suppression(candidates()[0], [1.0], 10), []),
        "boxes": (
            lambda tf: tf.image.crop_and_resize(picture(tf), CROPS, [0, 1, 1, 0], (0, 5)),
            ["positive"],
        ),
        "image": (
            lambda tf: tf.image.crop_and_resize(picture(tf), CROPS, [0, 1, 9, 0], (2, 5)),
            [],
        ),
        "max_delta": (lambda tf: tf.image.random_brightness(picture(tf), -1.0), ["max_delta"]),
        "range": (lambda tf: tf.image.random_contrast(picture(tf), 0.9, 0.3), ["upper"]),
        "large crop": (lambda tf: tf.image.random_crop(picture(tf), [9, 9, 9, 9]), []),
    },
)

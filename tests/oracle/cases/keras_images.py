"""tf.keras.preprocessing.image: changes of images with the numbers that a seed gives."""

import numpy as np

from oracle.inputs import array
from oracle.registry import case, errors

CHANGES = {
    "rotation": {"rotation_range": 40},
    "shifts": {"width_shift_range": 0.3, "height_shift_range": 0.2},
    "pixels": {"width_shift_range": 3, "height_shift_range": [1, 2]},
    "shear": {"shear_range": 20.0, "fill_mode": "reflect"},
    "zoom": {"zoom_range": 0.4, "fill_mode": "constant", "cval": 7.0},
    "zoom range": {"zoom_range": [0.5, 0.9], "interpolation_order": 0},
    "flips": {"horizontal_flip": True, "vertical_flip": True},
    "channels": {"channel_shift_range": 60.0},
    "brightness": {"brightness_range": (0.4, 1.6)},
    "all": {
        "rotation_range": 20,
        "width_shift_range": 0.2,
        "height_shift_range": 0.2,
        "shear_range": 10.0,
        "zoom_range": 0.2,
        "horizontal_flip": True,
        "channel_shift_range": 20.0,
        "rescale": 1 / 255,
    },
    "samplewise": {"samplewise_center": True, "samplewise_std_normalization": True},
}


def images(count=5):
    return array((count, 6, 8, 3), low=0, high=255, seed=count)


def taken(iterator, count):
    return [next(iterator) for _ in range(count)]


@case(loose=20, name=list(CHANGES))
def flows(tf, name):
    generator = tf.keras.preprocessing.image.ImageDataGenerator(**CHANGES[name])
    return taken(generator.flow(images(), np.arange(5), batch_size=2, seed=3), 4)


@case(
    loose=100,
    options={
        "features": {"featurewise_center": True, "featurewise_std_normalization": True},
        "whitening": {"zca_whitening": True, "featurewise_center": True},
    },
)
def fitted(tf, options):
    generator = tf.keras.preprocessing.image.ImageDataGenerator(**options)
    generator.fit(images(40)[:, :2, :2])
    return generator.standardize(images(40)[0, :2, :2].copy())


@case
def parts(tf):
    generator = tf.keras.preprocessing.image.ImageDataGenerator(validation_split=0.4)
    x, y = images(), np.array([0, 1, 1, 0, 1])
    options = {"batch_size": 2, "shuffle": False}
    train = generator.flow(x, y, subset="training", sample_weight=None, **options)
    val = generator.flow([x, y * 2.0], y, subset="validation", **options)
    return [len(train), len(val), taken(train, 3), taken(val, 1)[0][0], train[1][1]]


@case
def sample_weights(tf):
    generator = tf.keras.preprocessing.image.ImageDataGenerator()
    iterator = generator.flow(images(), np.arange(5), 2, sample_weight=np.ones(5) * 3, seed=1)
    return [list(part) for part in taken(iterator, 2)]


@case(loose=20)
def functions(tf):
    module = tf.keras.preprocessing.image
    x = images()[0]
    last = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
    np.random.seed(4)
    return [
        module.random_rotation(x, 30, **last),
        module.random_shift(x, 0.3, 0.2, **last),
        module.random_shear(x, 20, **last),
        module.random_zoom(x, (0.5, 1.5), **last),
        module.random_channel_shift(x, 40, 2),
        module.random_brightness(x, (0.5, 1.5)),
        module.apply_affine_transform(x, theta=30, tx=1, ty=2, shear=5, zx=0.8, zy=1.2, **last),
        module.apply_affine_transform(x.transpose(2, 0, 1), theta=90, order=3),
        module.apply_channel_shift(x, 30.0, 2),
        module.apply_brightness_shift(x, 0.5),
    ]


errors(
    "keras_images",
    "refused",
    {
        "zoom": (
            lambda tf: tf.keras.preprocessing.image.ImageDataGenerator(zoom_range=[1, 2, 3]),
            ["zoom_range"],
        ),
        "split": (
            lambda tf: tf.keras.preprocessing.image.ImageDataGenerator(validation_split=2),
            ["validation_split"],
        ),
        "rank": (
            lambda tf: tf.keras.preprocessing.image.ImageDataGenerator().flow(np.ones((2, 2))),
            ["rank 4"],
        ),
        "lengths": (
            lambda tf: tf.keras.preprocessing.image.ImageDataGenerator().flow(images(), np.ones(3)),
            ["same length"],
        ),
        "axes": (
            lambda tf: tf.keras.preprocessing.image.apply_affine_transform(
                np.ones((2, 2, 2)), row_axis=0, channel_axis=0
            ),
            ["distinct"],
        ),
    },
)

"""Random operations in traced functions: each has a seed of its own, given while it is traced."""

from oracle.cases import images, random
from oracle.inputs import tensor
from oracle.registry import case

SEEDS = ((None, 7), (42, None), (42, 7), (0, 0))


def calls(tf, function, *arguments):
    """The results of two calls of a traced function, and of one of a second trace."""
    traced = tf.function(function, autograph=False)
    again = tf.function(function, autograph=False)
    return [traced(*arguments), traced(*arguments), again(*arguments)]


@case(draw=random.DRAWS, seeds=SEEDS, loose=10)
def draws(tf, draw, seeds):
    tf.random.set_seed(seeds[0])
    return calls(tf, lambda: [draw(tf, seeds[1]), draw(tf, seeds[1])])


# What draws random values for a tensor `[2, 9, 11, 2]`.
USES = {
    "dropout": lambda tf, x: tf.nn.dropout(x, 0.4),
    "dropout seed": lambda tf, x: tf.nn.dropout(x, 0.4, seed=3),
    "dropout noise": lambda tf, x: tf.nn.dropout(x, 0.5, noise_shape=[2, 1, 1, 2]),
    "dropout rate": lambda tf, x: tf.nn.dropout(x, tf.reduce_mean(tf.abs(x)) / 2),
    "dropouts": lambda tf, x: [tf.nn.dropout(x, 0.5), tf.nn.dropout(x, 0.5)],
    "max pool": lambda tf, x: list(tf.nn.fractional_max_pool(x, [1, 1.5, 1.5, 1], True, seed=5)),
    "avg pool": lambda tf, x: list(tf.nn.fractional_avg_pool(x, [1, 1.3, 2.2, 1], seed=5)),
    "shuffle": lambda tf, x: tf.random.shuffle(x),
    "crop": lambda tf, x: tf.image.random_crop(x, [1, 3, 4, 2]),
    "gamma": lambda tf, x: tf.random.gamma([3], tf.abs(x[0, 0, 0]) + 1),
    "poisson": lambda tf, x: tf.random.poisson([3], tf.abs(x[0, 0, 0]) * 5),
    "categorical": lambda tf, x: tf.random.categorical(x[0, 0], 5),
    "initializers": lambda tf, x: [
        tf.random_normal_initializer()([3]),
        tf.random_uniform_initializer()(tf.shape(x)[-2:]),
    ],
    "cond": lambda tf, x: [
        tf.cond(x[0, 0, 0, 0] < 5, lambda: tf.random.uniform([2]), lambda: tf.zeros([2])),
        tf.random.uniform([2]),
    ],
    "loop": lambda tf, x: tf.while_loop(
        lambda k, s: k < 3, lambda k, s: (k + 1, s + tf.random.uniform([])), (0, 0.0)
    ),
    "map": lambda tf, x: tf.map_fn(
        lambda row: row[0, 0] + tf.random.normal([2]), x, parallel_iterations=1
    ),
    "call": lambda tf, x: [
        tf.function(lambda: tf.random.uniform([2]))(),
        tf.function(lambda: tf.random.uniform([2]))(),
    ],
}


@case(use=USES, sizes_known=(True, False), loose=10)
def uses(tf, use, sizes_known):
    tf.random.set_seed(11)
    x = tensor(tf, (2, 9, 11, 2))
    spec = tf.TensorSpec(x.shape if sizes_known else [None] * 4, x.dtype)
    function = tf.function(lambda x: use(tf, x), input_signature=[spec], autograph=False)
    return [function(x), function(x)]


@case
def dropout_gradient(tf):
    tf.random.set_seed(5)

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.dropout(x, 0.4)
        return [y, tape.gradient(y, x)]

    return calls(tf, both, tensor(tf, (4, 4)))


@case(loose=10)
def image_functions(tf):
    tf.random.set_seed(7)

    def augmented(image):
        return [
            tf.image.random_flip_left_right(image),
            tf.image.random_flip_up_down(image, seed=3),
            tf.image.random_flip_left_right(image[0], seed=1),
            tf.image.random_brightness(image, 0.3),
            tf.image.random_contrast(image, 0.3, 0.9, seed=2),
            tf.image.random_hue(image, 0.3),
            tf.image.random_saturation(image, 0.3, 2.0),
            tf.image.random_crop(image, [1, 3, 4, 3]),
        ]

    return calls(tf, augmented, images.picture(tf))

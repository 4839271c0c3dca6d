"""Random numbers: the seed rules and TensorFlow's own streams, bit for bit where they are exact."""

import numpy as np

from oracle.inputs import resolve, tensor
from oracle.registry import case

# A sequence of calls follows from the two seeds and from how many calls came before.
SEEDS = {
    "global only": (42, None),
    "global zero": (0, None),
    "both": (42, 7),
    "both zero": (0, 0),
    "large global": (123456789012, None),
    "negative global": (-5, None),
    "large operation": (1, 98765432109),
    "global and zero": (5, 0),
}

DRAWS = {
    "uniform": lambda tf, seed: tf.random.uniform([3, 5], seed=seed),
    "uniform range": lambda tf, seed: tf.random.uniform([7], -2.0, 3.0, seed=seed),
    "uniform float64": lambda tf, seed: tf.random.uniform([5], dtype=tf.float64, seed=seed),
    "uniform half": lambda tf, seed: tf.random.uniform([9], dtype=tf.float16, seed=seed),
    "uniform bfloat16": lambda tf, seed: tf.random.uniform([9], dtype=tf.bfloat16, seed=seed),
    "uniform int32": lambda tf, seed: tf.random.uniform([9], 0, 100, tf.int32, seed=seed),
    "uniform int64": lambda tf, seed: tf.random.uniform([9], -5, 1 << 40, tf.int64, seed=seed),
    "normal": lambda tf, seed: tf.random.normal([3, 5], seed=seed),
    "normal moments": lambda tf, seed: tf.random.normal([6], 3.0, 0.5, seed=seed),
    "normal float64": lambda tf, seed: tf.random.normal([5], dtype=tf.float64, seed=seed),
    "normal half": lambda tf, seed: tf.random.normal([9], dtype=tf.float16, seed=seed),
    "truncated": lambda tf, seed: tf.random.truncated_normal([40], seed=seed),
    "truncated moments": lambda tf, seed: tf.random.truncated_normal([9], 1.0, 2.0, seed=seed),
    "truncated float64": lambda tf, seed: tf.random.truncated_normal(
        [9], dtype=tf.float64, seed=seed
    ),
    "shuffle": lambda tf, seed: tf.random.shuffle(tf.range(20), seed=seed),
    "shuffle rows": lambda tf, seed: tf.random.shuffle(tensor(tf, (7, 2)), seed=seed),
}
EXACT = ("uniform", "shuffle", "truncated half")


def sequence(tf, name, seeds, calls=3):
    first, second = seeds
    tf.random.set_seed(first)
    return [DRAWS[name](tf, second) for _ in range(calls)]


@case(loose=0, seeds=SEEDS, name=[name for name in DRAWS if name.startswith(EXACT)])
def exact(tf, seeds, name):
    return sequence(tf, name, seeds)


@case(loose=0.1, seeds=SEEDS, name=[name for name in DRAWS if not name.startswith(EXACT)])
def close(tf, seeds, name):
    return sequence(tf, name, seeds)


@case
def calls_count_together(tf):
    tf.random.set_seed(3)
    first = [tf.random.uniform([2]), tf.random.normal([2]), tf.random.uniform([2])]
    tf.random.set_seed(3)
    return [first, [tf.random.normal([2]), tf.random.uniform([2], seed=1), tf.random.uniform([2])]]


@case
def operation_seed_repeats_per_call(tf):
    tf.random.set_seed(9)
    results = [tf.random.uniform([2], seed=4) for _ in range(2)]
    results += [tf.random.uniform([2], seed=5), tf.random.uniform([2], seed=4)]
    results.append(tf.random.normal([2], seed=4))
    tf.random.set_seed(9)
    return [*results, tf.random.uniform([2], seed=4)]


@case(size=(1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 1000))
def uniform_of_size(tf, size):
    tf.random.set_seed(1)
    return [tf.random.uniform([size])[-9:], tf.random.uniform([size], 0, 1000, tf.int32)[-9:]]


@case(size=(1, 2, 3, 5, 255, 256, 257, 1000, 5000))
def normal_of_size(tf, size):
    tf.random.set_seed(1)
    return [tf.random.normal([size])[-9:], tf.random.truncated_normal([size])[-9:]]


@case(size=(70000, 600001))
def long_streams(tf, size):
    tf.random.set_seed(2)
    draws = [
        tf.random.uniform([size]),
        tf.random.normal([size]),
        tf.random.truncated_normal([size]),
        tf.random.normal([size], dtype=tf.float64),
    ]
    return [[x[::9973], x[-3:]] for x in draws]


@case(size=(70000,))
def long_shuffle(tf, size):
    tf.random.set_seed(2)
    return tf.random.shuffle(tf.range(size))[::997]


@case(shape=((), (0,), (1,), (2, 0, 3), (2, 1, 3, 1, 2)))
def shape_of_draw(tf, shape):
    tf.random.set_seed(1)
    return [
        tf.random.uniform(shape),
        tf.random.normal(shape),
        tf.random.truncated_normal(shape),
        tf.random.uniform(shape, maxval=10, dtype=tf.int32),
    ]


@case(bounds={"5 6": (5, 6), "-10 10": (-10, 10), "wide": (-(2**31), 2**31 - 1)})
def uniform_int32_bounds(tf, bounds):
    tf.random.set_seed(8)
    return tf.random.uniform([9], *bounds, dtype=tf.int32)


@case(bounds={"0 3": (0, 3), "wide": (-(2**63), 2**63 - 1), "negative": (-9, -3)})
def uniform_int64_bounds(tf, bounds):
    tf.random.set_seed(8)
    return tf.random.uniform([9], *bounds, dtype=tf.int64)


FORMS = {
    "tensor shape": lambda tf: tf.random.uniform(tf.constant([2, 3])),
    "TensorShape": lambda tf: tf.random.normal(tf.TensorShape([2])),
    "tensor bounds": lambda tf: tf.random.uniform([3], tf.constant(1.0), tf.constant(2.0)),
    "row of bounds": lambda tf: tf.random.uniform([2, 2], [0.0, 10.0], [1.0, 20.0]),
    "row of moments": lambda tf: tf.random.normal([2, 2], [0.0, 10.0], [1.0, 0.1]),
    "int bounds": lambda tf: tf.random.uniform([3], 1, 2),
    "shuffle strings": lambda tf: tf.random.shuffle(["a", "b", "c", "d", "e"]),
    "shuffle one": lambda tf: [tf.random.shuffle([5]), tf.random.shuffle(tf.zeros([0, 2]))],
}


@case(form=FORMS)
def form(tf, form):
    tf.random.set_seed(6)
    return form(tf)


# --- stateless --------------------------------------------------------------------------------

STATELESS_SEEDS = {"1,2": [1, 2], "0,0": [0, 0], "negative": [-1, -7], "large": [1 << 30, 12345]}
STATELESS = {
    "uniform": lambda tf, s: tf.random.stateless_uniform([3, 5], s),
    "uniform range": lambda tf, s: tf.random.stateless_uniform([7], s, -2.0, 3.0),
    "uniform float64": lambda tf, s: tf.random.stateless_uniform([5], s, dtype=tf.float64),
    "uniform half": lambda tf, s: tf.random.stateless_uniform([9], s, dtype=tf.float16),
    "uniform bfloat16": lambda tf, s: tf.random.stateless_uniform([9], s, dtype=tf.bfloat16),
    "uniform int32": lambda tf, s: tf.random.stateless_uniform([9], s, 0, 100, tf.int32),
    "uniform int64": lambda tf, s: tf.random.stateless_uniform([9], s, -5, 1 << 40, tf.int64),
    "uniform full int32": lambda tf, s: tf.random.stateless_uniform([9], s, None, None, tf.int32),
    "uniform full int64": lambda tf, s: tf.random.stateless_uniform([9], s, None, None, tf.int64),
    "uniform full uint32": lambda tf, s: tf.random.stateless_uniform([9], s, None, None, tf.uint32),
    "uniform full uint64": lambda tf, s: tf.random.stateless_uniform([9], s, None, None, tf.uint64),
    "normal": lambda tf, s: tf.random.stateless_normal([3, 5], s),
    "normal moments": lambda tf, s: tf.random.stateless_normal([6], s, 3.0, 0.5),
    "normal float64": lambda tf, s: tf.random.stateless_normal([5], s, dtype=tf.float64),
    "normal half": lambda tf, s: tf.random.stateless_normal([9], s, dtype=tf.float16),
    "truncated": lambda tf, s: tf.random.stateless_truncated_normal([40], s),
    "truncated moments": lambda tf, s: tf.random.stateless_truncated_normal([9], s, 1.0, 2.0),
    "truncated float64": lambda tf, s: tf.random.stateless_truncated_normal(
        [9], s, dtype=tf.float64
    ),
}


@case(loose=0, seed=STATELESS_SEEDS, name=[n for n in STATELESS if n.startswith(EXACT)])
def stateless_exact(tf, seed, name):
    return STATELESS[name](tf, seed)


@case(loose=0.1, seed=STATELESS_SEEDS, name=[n for n in STATELESS if not n.startswith(EXACT)])
def stateless_close(tf, seed, name):
    return STATELESS[name](tf, seed)


@case
def stateless_seed_forms(tf):
    return [
        tf.random.stateless_uniform([2], (3, 4)),
        tf.random.stateless_uniform([2], tf.constant([3, 4])),
        tf.random.stateless_uniform([2], tf.constant([3, 4], tf.int64)),
        tf.random.stateless_uniform([], [3, 4]),
        tf.random.stateless_uniform([0], [3, 4]),
        tf.random.stateless_normal(tf.constant([1, 2]), [3, 4]),
    ]


@case(loose=0.1, size=(255, 256, 257, 5000, 70000))
def stateless_of_size(tf, size):
    draws = [
        tf.random.stateless_uniform([size], [1, 2]),
        tf.random.stateless_normal([size], [1, 2]),
        tf.random.stateless_truncated_normal([size], [1, 2]),
        tf.random.stateless_uniform([size], [1, 2], 0, 9, tf.int32),
    ]
    return [x[-5:] for x in draws]


@case(draw=("uniform", "normal", "truncated_normal"))
def dtype_of_draw(tf, draw):
    return [resolve(tf, "random." + draw)([1], dtype=d).dtype for d in (tf.float32, tf.float64)]


@case(
    bounds=(
        (0.3, 1.2, -1, 2),
        (0, 1, 3, 5),
        (0, 1, -np.inf, 1),
        (0, 2, -1, np.inf),
        (0, 1, -9, -7),
    ),
    loose=1000,
)
def truncated_normal_gradients(tf, bounds):
    parameters = [tf.constant(value, tf.float64) for value in bounds]
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        draw = tf.random.stateless_parameterized_truncated_normal([7], [1, 2], *parameters)
    return [draw, tape.gradient(draw, parameters)]

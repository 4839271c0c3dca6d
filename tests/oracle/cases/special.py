"""Special functions and products of segments."""

import numpy as np

from oracle.inputs import array, gradient, resolve, tensor
from oracle.registry import case, errors

WIDE = ("float32", "float64")
NAN, INF = float("nan"), float("inf")

BESSEL = [f"bessel_{kind}" for kind in ("i0", "i0e", "i1", "i1e", "j0", "j1", "y0", "y1")]
POSITIVE = ["bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "expint", "spence"]
OTHER = ["dawsn", "fresnel_cos", "fresnel_sin"]


@case(loose=20, dtype=WIDE, name=BESSEL + POSITIVE + OTHER)
def special(tf, dtype, name):
    x = np.array([0.1, 0.5, 0.99, 1.5, 2.0, 3.7, 8.0, 11.0])
    x = x if name in POSITIVE or "_y" in name else np.concatenate([-x, x])
    return gradient(tf, resolve(tf, f"math.special.{name}"), tf.constant(x.astype(dtype)))


@case(loose=100, name=BESSEL + POSITIVE + OTHER)
def special_far(tf, name):
    x = np.array([1e-200, 1e-20, 1e-8, 4.0, 5.0, 7.99, 20.0, 37.0, 60.0, 700.0, INF])
    x = x if name in POSITIVE or "_y" in name else np.concatenate([-x, x])
    return resolve(tf, f"math.special.{name}")(tf.constant(x))


@case(loose=10, dtype=WIDE)
def ndtri(tf, dtype):
    p = np.array([0.0, 1e-30, 1e-6, 0.1, 0.134, 0.136, 0.5, 0.7, 0.99, 1.0, -0.1, 1.1, NAN])
    shares = tf.constant(p.astype(dtype))
    return gradient(tf, tf.math.ndtri, shares[1:-4]), tf.math.ndtri(shares)


@case(loose=10, name=BESSEL[:-1] + POSITIVE + OTHER)
def special_edges(tf, name):
    return resolve(tf, f"math.special.{name}")([0.0, 1.0, NAN])


@case(loose=10, name=BESSEL[:4] + ["bessel_k0", "bessel_k1"])
def special_half(tf, name):
    return resolve(tf, f"math.special.{name}")(tensor(tf, (6,), "float16", 0.5, 3))


@case(loose=50, dtype=WIDE, name=("igamma", "igammac"))
def incomplete_gamma(tf, dtype, name):
    a = tf.constant(np.array([[0.1], [0.7], [1.0], [2.5], [7.0], [20.0]], dtype))
    x = tf.constant(np.array([0.05, 0.5, 1.0, 3.0, 9.0, 25.0], dtype))
    return resolve(tf, f"math.{name}")(a, x)


@case(loose=1e6, name=("igamma", "igammac"))
def incomplete_gamma_gradient(tf, name):
    a = tf.constant(np.array([[0.3], [0.7], [1.0], [2.5], [7.0], [20.0]]))
    x = tf.constant(np.array([0.05, 0.5, 1.0, 3.0, 9.0, 25.0]))
    return gradient(tf, resolve(tf, f"math.{name}"), a, x)["grads"]


@case(loose=1e5, name=("igamma", "igammac"))
def incomplete_gamma_of_high_order(tf, name):
    a = tf.constant(np.array([[19.0], [21.0], [50.0], [300.0], [2000.0]]))
    x = a * tf.constant(np.array([0.3, 0.61, 0.9, 1.0, 1.1, 1.39, 2.0]))
    return gradient(tf, resolve(tf, f"math.{name}"), a, x)


@case(name=("igamma", "igammac"), dtype=WIDE)
def incomplete_gamma_edges(tf, name, dtype):
    a, x = np.meshgrid([-INF, -1, 0, 0.5, 3, 50, INF, NAN], [-INF, -1, 0, INF, NAN])
    return resolve(tf, f"math.{name}")(tf.constant(a.astype(dtype)), tf.constant(x.astype(dtype)))


@case(loose=1e4)
def gamma_slopes(tf):
    alpha = tf.constant(np.repeat([0.2, 0.9, 3.0, 15.0, 60.0, 1000.0], 20))
    return gradient(tf, lambda a: tf.random.stateless_gamma([120], [1, 2], a, dtype=a.dtype), alpha)


@case(dtype=WIDE)
def betainc_edges(tf, dtype):
    grid = np.meshgrid([-1, 0, 0.5, 3, INF, NAN], [-1, 0, 0.5, INF, NAN], [-0.1, 0, 1, 1.1, NAN])
    return tf.math.betainc(*(tf.constant(part.astype(dtype)) for part in grid))


@case(loose=1e5)
def betainc_tails(tf):
    a, b, x = np.meshgrid([1e-3, 0.5, 40, 900], [0.1, 2, 30, 700], [1e-6, 0.2, 0.55, 0.9999])
    return tf.math.betainc(tf.constant(a), tf.constant(b), tf.constant(x))


@case(dtype=WIDE)
def zeta_edges(tf, dtype):
    s, q = np.meshgrid([-1, 0.5, 1, 1.5, 2, 3, INF, NAN], [-INF, -2, -1, 0, 1, 3, INF, NAN])
    return tf.math.zeta(tf.constant(s.astype(dtype)), tf.constant(q.astype(dtype)))


@case(loose=50, dtype=WIDE)
def betainc(tf, dtype):
    a, b, x = (
        tensor(tf, (3, 2), dtype, 0.1, high, seed) for seed, high in ((0, 4), (1, 4), (2, 0.9))
    )
    scalar = tf.math.betainc(tf.constant(2, dtype), b, tf.constant(0.25, dtype))
    return gradient(tf, tf.math.betainc, a, b, x), scalar, tf.math.betainc(a, b, x * 0), x.shape


@case(loose=50, dtype=WIDE)
def zeta(tf, dtype):
    x = tf.constant(np.array([1.5, 2.0, 3.0, 7.5], dtype))
    q = tf.constant(np.array([[0.5], [1.0], [4.0]], dtype))
    edges = tf.math.zeta([1.0, 3.0, 0.5, 2.0, 2.0], [3.0, 0.0, 1.0, -1.0, -1.5])
    return tf.math.zeta(x, q), edges, gradient(tf, lambda q: tf.math.zeta(x, q), q)


@case(dtype=WIDE)
def nextafter(tf, dtype):
    a = tf.constant(np.array([[0.0], [1.0], [-2.0], [np.inf]], dtype))
    b = tf.constant(np.array([0.0, 5.0, -5.0, np.nan], dtype))
    return gradient(tf, tf.math.nextafter, a, b)


@case(loose=0, dim=(1, 3, 40), skip=(0, 5), dtype=WIDE)
def sobol_sample(tf, dim, skip, dtype):
    return tf.math.sobol_sample(dim, 9, skip, dtype)


IDS = {"some": [0, -1, 2, 0, 2], "all": [0, 0, 0, 0, 0], "out": [-1, -1, -1, -1, -1]}


@case(dtype=("float32", "float64", "int32", "complex64"), ids=list(IDS))
def unsorted_segment_prod(tf, dtype, ids):
    return tf.math.unsorted_segment_prod(tensor(tf, (5, 2), dtype), IDS[ids], 4)


@case
def unsorted_segment_prod_gradient(tf):
    x = tf.constant(array((5, 2)) * np.array([[1], [1], [0], [1], [1]], np.float32))
    return gradient(tf, lambda x: tf.math.unsorted_segment_prod(x, [0, 1, 0, 2, 0], 4), x)


@case(dtype=("float32", "int64"))
def segment_prod(tf, dtype):
    return tf.math.segment_prod(tensor(tf, (5, 2), dtype), [0, 0, 2, 2, 2])


@case
def segment_prod_matrix_of_ids(tf):
    x = tensor(tf, (2, 3, 2))
    return tf.math.unsorted_segment_prod(x, [[0, 1, 1], [2, 0, 1]], 3)


errors(
    "special",
    "wrong",
    {
        "int bessel": (lambda tf: tf.math.bessel_i0([1]), ["BesselI0"]),
        "mixed": (lambda tf: tf.math.igamma(tf.constant(1.0), tf.constant(1.0, tf.float64)), []),
        "shapes": (lambda tf: tf.math.igamma([1.0, 2.0], [1.0, 2.0, 3.0]), []),
        "betainc": (lambda tf: tf.math.betainc([1.0, 2.0], 3.0, [[0.5, 0.1]]), ["inconsistent"]),
        "half zeta": (lambda tf: tf.math.zeta(*[tf.constant(2.0, tf.half)] * 2), ["float, double"]),
        "sobol": (lambda tf: tf.math.sobol_sample(0, 3), []),
        "segment": (lambda tf: tf.math.unsorted_segment_prod([1.0, 2.0], [0, 7], 2), []),
    },
)

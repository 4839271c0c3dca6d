"""Version 1's distributions: shapes, densities, statistics, samples with seeds, divergences."""

import numpy as np

from oracle.registry import case, errors

MADE = {
    "normal": (lambda d: d.Normal([0.0, 1.0], [1.0, 2.0]), [-12.0, 1.5]),
    "laplace": (lambda d: d.Laplace([0.0, 1.0], 2.0), [-0.5, 1.5]),
    "student": (lambda d: d.StudentT([0.5, 1.5, 3.0], 0.0, [1.0, 2.0, 3.0]), [0.5, -1.5, 3.0]),
    "uniform": (lambda d: d.Uniform([0.0, 1.0], 2.0), [0.5, 2.0]),
    "gamma": (lambda d: d.Gamma([0.5, 2.0], [1.0, 3.0]), [0.5, 1.5]),
    "exponential": (lambda d: d.Exponential([1.0, 2.0]), [0.5, 1.5]),
    "beta": (lambda d: d.Beta([0.5, 2.0], 3.0), [0.2, 0.7]),
    "dirichlet": (
        lambda d: d.Dirichlet([[1.0, 2.0, 3.0], [0.5, 2.0, 2.0]]),
        [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]],
    ),
    "bernoulli": (lambda d: d.Bernoulli(probs=[0.2, 0.7]), [0, 1]),
    "bernoulli_logits": (lambda d: d.Bernoulli(logits=[-1.0, 2.0]), [0, 1]),
    "categorical": (lambda d: d.Categorical(probs=[[0.2, 0.8], [0.5, 0.5]]), [0, 1]),
    "categorical_row": (lambda d: d.Categorical([1.0, 2.0, 3.0]), [0, 2]),
    "multinomial": (
        lambda d: d.Multinomial([4.0, 2.0], probs=[[0.2, 0.8], [0.5, 0.5]]),
        [[1.0, 3.0], [2.0, 0.0]],
    ),
    "dirichlet_multinomial": (
        lambda d: d.DirichletMultinomial(4.0, [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]),
        [[1.0, 3.0, 0.0], [2.0, 1.0, 1.0]],
    ),
}
SCALARS = ("normal", "laplace", "student", "uniform", "gamma", "exponential", "beta")
CLASSES = ("bernoulli", "bernoulli_logits", "categorical", "categorical_row")
CUMULATIVE = ("cdf", "log_cdf", "survival_function", "log_survival_function")
FUNCTIONS = [f"{kind}.{name}" for kind in MADE for name in ("log_prob", "prob")] + [
    f"{kind}.{name}" for kind in (*SCALARS, *CLASSES[2:]) for name in CUMULATIVE
]
STATISTICS = [
    f"{kind}.{name}"
    for kind in MADE
    if not kind.startswith("categorical")
    for name in ("mean", "variance", "stddev")
]
STATISTICS += [f"{kind}.entropy" for kind in (*SCALARS, "dirichlet", *CLASSES)]
STATISTICS += [f"{kind}.mode" for kind in (*SCALARS, *CLASSES) if kind not in ("uniform", "beta")]
STATISTICS += [
    f"{kind}.covariance" for kind in ("dirichlet", "multinomial", "dirichlet_multinomial")
]
OTHERS = {
    "normal": lambda d: d.Normal(1.0, 3.0),
    "gamma": lambda d: d.Gamma(1.0, 2.0),
    "exponential": lambda d: d.Exponential(2.0),
    "beta": lambda d: d.Beta(1.0, 2.0),
    "dirichlet": lambda d: d.Dirichlet([1.0, 1.0, 1.0]),
    "bernoulli": lambda d: d.Bernoulli(probs=0.4),
    "categorical": lambda d: d.Categorical(logits=[0.0, 1.0]),
}


def distributions(tf):
    return tf.compat.v1.distributions


@case(kind=list(MADE))
def shapes(tf, kind):
    made = MADE[kind][0](distributions(tf))
    known = [made.batch_shape.as_list(), made.event_shape.as_list(), made.dtype.name]
    tensors = [made.batch_shape_tensor(), made.event_shape_tensor()]
    return *known, *tensors, made.is_scalar_batch(), made.is_scalar_event()


@case(loose=50, name=FUNCTIONS)
def of_values(tf, name):
    kind, name = name.split(".")
    make, values = MADE[kind]
    return getattr(make(distributions(tf)), name)(values)


@case(loose=50, name=STATISTICS)
def statistics(tf, name):
    kind, name = name.split(".")
    return getattr(MADE[kind][0](distributions(tf)), name)()


@case(loose=50, kind=list(MADE), shape=((), 3, (2, 2)))
def samples(tf, kind, shape):
    tf.random.set_seed(5)
    return MADE[kind][0](distributions(tf)).sample(shape, seed=7)


@case(loose=50, kind=list(OTHERS))
def divergences(tf, kind):
    a, b = MADE[kind][0](distributions(tf)), OTHERS[kind](distributions(tf))
    return a.kl_divergence(b), a.cross_entropy(b), distributions(tf).kl_divergence(b, b)


@case(loose=50, kind=("Normal", "Laplace", "Gamma", "Beta", "Uniform"))
def gradients(tf, kind):
    a, b = tf.constant(0.5), tf.constant(2.0)
    tf.random.set_seed(5)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        made = getattr(distributions(tf), kind)(a, b)
        density = made.log_prob(0.7)
        sample = tf.reduce_sum(made.sample(4, seed=3)) if kind not in ("Gamma", "Beta") else density
    return tape.gradient(density, [a, b]), tape.gradient(sample, [a, b])


REFUSED = {
    "whole": (lambda d: d.Normal(0, 1), ["Expected floating point type"]),
    "dtypes": (lambda d: d.Normal(np.float32(0.0), np.float64(1.0)), ["must be of the same type"]),
    "scale": (lambda d: d.Normal(0.0, -1.0, validate_args=True), []),
    "both": (lambda d: d.Bernoulli(logits=1.0, probs=0.2), ["but not both"]),
    "neither": (lambda d: d.Categorical(), ["but not both"]),
    "low": (lambda d: d.Uniform(1.0, 0.0, validate_args=True), ["low >= high"]),
    "outside": (
        lambda d: d.Beta(1.0, 2.0, validate_args=True).log_prob(2.0),
        ["must be less than `1`"],
    ),
    "class": (
        lambda d: d.Bernoulli(probs=0.2, validate_args=True).log_prob(2),
        ["Elements cannot exceed 1"],
    ),
    "sum": (lambda d: d.Categorical(probs=[0.5, 0.6], validate_args=True), []),
    "counts": (
        lambda d: d.Multinomial(3.0, probs=[0.5, 0.5], validate_args=True).prob([1.0, 1.0]),
        ["counts must sum"],
    ),
    "one": (lambda d: d.Dirichlet([1.0], validate_args=True), ["event_size >= 2"]),
    "undefined": (
        lambda d: d.StudentT(0.5, 0.0, 1.0, allow_nan_stats=False).mean(),
        ["not defined for components"],
    ),
    "no_mode": (lambda d: d.Gamma(1.0, 1.0, allow_nan_stats=False).mode(), ["mode not defined"]),
    "no_rule": (lambda d: d.Normal(0.0, 1.0).kl_divergence(d.Gamma(1.0, 1.0)), ["No KL"]),
    "no_cdf": (lambda d: d.Bernoulli(0.0).cdf(1), ["cdf is not implemented: Bernoulli"]),
    "no_quantile": (lambda d: d.Beta(1.0, 2.0).quantile(0.2), ["quantile is not implemented"]),
    "registered": (
        lambda d: d.RegisterKL(d.Normal, d.Normal)(lambda a, b, name: 0),
        ["already been registered"],
    ),
}

errors(
    "random_variables",
    "refused",
    {
        label: (lambda tf, program=program: program(distributions(tf)), words)
        for label, (program, words) in REFUSED.items()
    },
)

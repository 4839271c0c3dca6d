"""Optimizers: the parameters after a few steps, as Keras 2 (tf_keras) and Keras 3 compute them."""

from oracle.inputs import array
from oracle.registry import case

OPTIMIZERS = {
    "sgd": ("SGD", {"learning_rate": 0.1}),
    "sgd default": ("SGD", {}),
    "momentum": ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    "nesterov": ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    "adam": ("Adam", {"learning_rate": 0.05}),
    "adam default": ("Adam", {}),
    "adam betas": (
        "Adam",
        {"learning_rate": 0.1, "beta_1": 0.8, "beta_2": 0.95, "epsilon": 1e-4},
    ),
    "amsgrad": ("Adam", {"learning_rate": 0.1, "amsgrad": True}),
    "rmsprop": ("RMSprop", {"learning_rate": 0.05}),
    "rmsprop default": ("RMSprop", {}),
    "rmsprop momentum": ("RMSprop", {"learning_rate": 0.05, "rho": 0.8, "momentum": 0.9}),
    "rmsprop centered": ("RMSprop", {"learning_rate": 0.05, "centered": True, "epsilon": 1e-3}),
    "adagrad": ("Adagrad", {"learning_rate": 0.5}),
    "adagrad default": ("Adagrad", {}),
    "adagrad start": (
        "Adagrad",
        {"learning_rate": 0.1, "initial_accumulator_value": 1.0, "epsilon": 1e-3},
    ),
}


def optimizer(tf, name, where="keras", **changes):
    kind, arguments = OPTIMIZERS[name]
    namespace = tf.keras.optimizers if where == "keras" else tf.optimizers
    return getattr(namespace, kind)(**{**arguments, **changes})


def run(tf, opt, dtype="float32", steps=4):
    """Variables after each of a few steps with different gradients."""
    shapes = ((2, 3), (3,), ())
    variables = [tf.Variable(array(s, dtype, seed=i)) for i, s in enumerate(shapes)]
    history = []
    for step in range(steps):
        grads = [tf.constant(array(s, dtype, seed=10 * step + i)) for i, s in enumerate(shapes)]
        opt.apply_gradients(zip(grads, variables, strict=True))
        history.append([v.numpy() for v in variables])
    return history


@case(loose=2, name=list(OPTIMIZERS))
def steps(tf, name):
    return run(tf, optimizer(tf, name))


@case(loose=2, name=("sgd", "nesterov", "adam", "rmsprop", "adagrad"))
def steps_by_short_name(tf, name):
    return run(tf, optimizer(tf, name, where="optimizers"))


@case(name=("nesterov", "adam", "rmsprop momentum", "adagrad"))
def steps_float64(tf, name):
    # The rates and decays are float32 numbers somewhere in Keras.
    return [tf.cast(x, tf.float32) for x in run(tf, optimizer(tf, name), "float64")[-1]]


@case(loose=2, name=("sgd", "momentum", "adam"))
def many_steps(tf, name):
    return run(tf, optimizer(tf, name), steps=60)[-1]


@case(loose=2, name=("sgd", "momentum", "adam"))
def training(tf, name):
    w, b = tf.Variable(array((3, 1))), tf.Variable([0.0])
    x = tf.constant(array((8, 3), seed=5))
    y = tf.reduce_sum(x, axis=1, keepdims=True) + 1.0
    opt = optimizer(tf, name)
    losses = []
    for _ in range(10):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + b - y))
        opt.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        losses.append(loss)
    return [losses, w, b]


@case
def iterations(tf):
    opt = optimizer(tf, "sgd")
    v = tf.Variable([1.0])
    counts = []
    for _ in range(3):
        counts.append(int(opt.iterations))
        opt.apply_gradients([(tf.constant([1.0]), v)])
    return [*counts, int(opt.iterations), v]


@case
def learning_rate_changes(tf):
    opt = optimizer(tf, "sgd")
    v = tf.Variable([1.0, 2.0])
    opt.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    first = float(opt.learning_rate)
    opt.learning_rate = 0.5
    opt.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    return [first, float(opt.learning_rate), v]


@case
def a_missing_gradient_is_skipped(tf):
    a, b = tf.Variable([1.0]), tf.Variable([2.0])
    optimizer(tf, "sgd").apply_gradients([(tf.constant([1.0]), a), (None, b)])
    return [a, b]


@case(name=("sgd", "momentum", "adam", "rmsprop", "adagrad"))
def sparse_gradients(tf, name):
    v = tf.Variable(array((5, 2)))
    opt = optimizer(tf, name)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(v, [1, 3, 1]) ** 2)
        opt.apply_gradients([(tape.gradient(y, v), v)])
    return v


@case
def held_values_stay(tf):
    v = tf.Variable([1.0, 2.0])
    held = [v.value(), v.read_value(), v.numpy()]
    optimizer(tf, "adam").apply_gradients([(tf.constant([1.0, -1.0]), v)])
    return [held, v]


@case(dtype=("float16", "bfloat16"))
def sgd_half(tf, dtype):
    return run(tf, optimizer(tf, "sgd"), dtype, steps=2)

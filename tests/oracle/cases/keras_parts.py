"""Initializers, regularizers, constraints and activations as Keras 2 (tf_keras) has them."""

from oracle.inputs import array
from oracle.registry import case

INITIALIZERS = {
    "Zeros": {},
    "Ones": {},
    "Constant": {"value": 2.5},
    "RandomNormal": {"stddev": 0.5, "seed": 3},
    "RandomUniform": {"minval": -1.0, "maxval": 2.0, "seed": 3},
    "TruncatedNormal": {"mean": 1.0, "seed": 3},
    "VarianceScaling": {"scale": 2.0, "mode": "fan_avg", "distribution": "uniform", "seed": 3},
    "GlorotNormal": {"seed": 3},
    "GlorotUniform": {"seed": 3},
    "HeNormal": {"seed": 3},
    "HeUniform": {"seed": 3},
    "LecunNormal": {"seed": 3},
    "LecunUniform": {"seed": 3},
    "Orthogonal": {"gain": 2.0, "seed": 3},
    "Identity": {"gain": 0.5},
}


def made(tf, name):
    return getattr(tf.keras.initializers, name)(**INITIALIZERS[name])


@case(loose=10, name=INITIALIZERS.keys(), shape=((3, 4), (5, 2)))
def initializers(tf, name, shape):
    first = made(tf, name)
    return [first(shape), first(shape), made(tf, name)(shape, dtype="float64")]


@case(loose=10, name=[n for n in INITIALIZERS if n not in ("Identity",)])
def initializers_of_kernels(tf, name):
    return made(tf, name)((3, 3, 4, 5))


@case(name=INITIALIZERS.keys())
def configurations_of_initializers(tf, name):
    initializer = made(tf, name)
    again = type(initializer).from_config(initializer.get_config())
    third = tf.keras.initializers.deserialize(tf.keras.initializers.serialize(initializer))
    return [initializer.get_config(), again.get_config(), third.get_config()]


@case(loose=10, name=("glorot_uniform", "he_normal", "orthogonal", "random_normal", "uniform"))
def unseeded_initializers(tf, name):
    tf.keras.utils.set_random_seed(7)
    first, second = (tf.keras.initializers.get(name)((3, 4)) for _ in range(2))
    return [first, second]


@case(loose=10)
def weights_after_a_seed(tf):
    tf.keras.utils.set_random_seed(11)
    layers = tf.keras.layers
    rows = [
        layers.Conv2D(3, 3, input_shape=(8, 8, 2)),
        layers.DepthwiseConv2D(3),
        layers.Reshape((4, -1)),
        layers.GRU(3),
        layers.Embedding(4, 2),
        layers.LSTM(2),
        layers.Dense(2),
    ]
    return tf.keras.Sequential(rows).get_weights()


REGULARIZERS = {
    "L1": {"l1": 0.3},
    "L2": {"l2": 0.2},
    "L1L2": {"l1": 0.1, "l2": 0.2},
    "OrthogonalRegularizer": {"factor": 0.3, "mode": "columns"},
}


@case(loose=10, name=REGULARIZERS.keys())
def regularizers(tf, name):
    regularizer = getattr(tf.keras.regularizers, name)(**REGULARIZERS[name])
    x = tf.constant(array((4, 3)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = regularizer(x)
    config = {key: float(v) if key != "mode" else v for key, v in regularizer.get_config().items()}
    again = tf.keras.regularizers.deserialize(tf.keras.regularizers.serialize(regularizer))
    return [loss, tape.gradient(loss, x), config, again(x)]


@case(name=("l1", "l2", "l1_l2"))
def regularizers_by_name(tf, name):
    x = tf.constant(array((4, 3)))
    return [tf.keras.regularizers.get(name)(x), getattr(tf.keras.regularizers, name)()(x)]


CONSTRAINTS = {
    "MaxNorm": {"max_value": 1.5, "axis": 0},
    "MinMaxNorm": {"min_value": 1.0, "max_value": 2.0, "rate": 0.8, "axis": 1},
    "NonNeg": {},
    "UnitNorm": {"axis": 0},
}


@case(loose=10, name=CONSTRAINTS.keys())
def constraints(tf, name):
    constraint = getattr(tf.keras.constraints, name)(**CONSTRAINTS[name])
    again = tf.keras.constraints.deserialize(tf.keras.constraints.serialize(constraint))
    x = tf.constant(array((4, 3)))
    return [constraint(x), constraint.get_config(), again(x)]


@case(loose=10)
def radial_constraint(tf):
    return tf.keras.constraints.RadialConstraint()(tf.constant(array((5, 5, 2, 3))))


@case(loose=10)
def constrained_training(tf):
    layer = tf.keras.layers.Dense(
        2, kernel_constraint="max_norm", bias_constraint="non_neg", kernel_initializer="ones"
    )
    model = tf.keras.Sequential([layer])
    model.compile(tf.keras.optimizers.SGD(0.5), "mse")
    model.fit(array((8, 3)), array((8, 2), seed=1), batch_size=8, epochs=2, verbose=0)
    return model.get_weights()


ACTIVATIONS = (
    "elu exponential gelu hard_sigmoid linear mish relu selu sigmoid softmax softplus softsign "
    "swish tanh".split()
)


@case(loose=10, name=ACTIVATIONS)
def activations(tf, name):
    x = tf.constant(array((4, 6), low=-4.0, high=4.0))
    function = tf.keras.activations.get(name)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        total = tf.reduce_sum(tf.square(y))
    serialized = tf.keras.activations.serialize(function)
    return [y, tape.gradient(total, x), serialized if isinstance(serialized, str) else "object"]


@case(loose=10)
def activations_with_arguments(tf):
    k, x = tf.keras.activations, tf.constant(array((4, 6), low=-4.0, high=8.0))
    return [
        k.relu(x, alpha=0.1, max_value=5.0, threshold=1.0),
        k.elu(x, alpha=2.0),
        k.gelu(x, approximate=True),
        k.softmax(x, axis=0),
    ]


@case(name=("GlobalMaxPool2D", "GlobalMaxPool3D", "MaxPool3D"))
def names_of_pools(tf, name):
    shape = (2, 4, 4, 3) if "2D" in name else (2, 4, 4, 4, 3)
    return getattr(tf.keras.layers, name)()(tf.constant(array(shape)))

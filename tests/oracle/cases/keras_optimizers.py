"""Optimizers, schedules and their configurations as Keras 2 (tf_keras) has them."""

from oracle.inputs import array
from oracle.registry import case, errors

OPTIMIZERS = {
    "adamw": ("AdamW", {"learning_rate": 0.05, "weight_decay": 0.1}),
    "adamw amsgrad": ("AdamW", {"amsgrad": True}),
    "nadam": ("Nadam", {"learning_rate": 0.05, "beta_1": 0.8}),
    "nadam default": ("Nadam", {}),
    "adamax": ("Adamax", {"learning_rate": 0.05, "beta_2": 0.9}),
    "adamax default": ("Adamax", {}),
    "adadelta": ("Adadelta", {"learning_rate": 1.0, "rho": 0.8}),
    "adadelta default": ("Adadelta", {}),
    "ftrl": ("Ftrl", {"learning_rate": 0.1}),
    "ftrl strong": (
        "Ftrl",
        {
            "learning_rate": 0.1,
            "learning_rate_power": -0.7,
            "l1_regularization_strength": 0.1,
            "l2_regularization_strength": 0.2,
            "l2_shrinkage_regularization_strength": 0.3,
            "beta": 0.1,
        },
    ),
    "lion": ("Lion", {"learning_rate": 0.01}),
    "lion decay": ("Lion", {"weight_decay": 0.1, "beta_1": 0.7}),
    "sgd decay": ("SGD", {"learning_rate": 0.1, "weight_decay": 0.1}),
    "adam clipnorm": ("Adam", {"clipnorm": 0.5}),
    "sgd clipvalue": ("SGD", {"clipvalue": 0.25, "learning_rate": 1.0}),
    "sgd global": ("SGD", {"global_clipnorm": 0.5, "learning_rate": 1.0}),
    "sgd norm before value": ("SGD", {"clipnorm": 0.5, "clipvalue": 0.1, "learning_rate": 1.0}),
    "sgd ema": ("SGD", {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2}),
    "rmsprop centered": ("RMSprop", {"momentum": 0.9, "centered": True}),
    "adam amsgrad": ("Adam", {"amsgrad": True}),
    "adagrad": ("Adagrad", {"learning_rate": 0.1}),
    "momentum": ("SGD", {"momentum": 0.9}),
}
LEGACY = {
    "sgd": ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    "sgd decay": ("SGD", {"learning_rate": 0.1, "decay": 0.5}),
    "adam": ("Adam", {"learning_rate": 0.05, "amsgrad": True}),
    "rmsprop": ("RMSprop", {"learning_rate": 0.05, "epsilon": 0.1}),
    "rmsprop centered": ("RMSprop", {"learning_rate": 0.05, "epsilon": 0.1, "centered": True}),
    "rmsprop momentum": ("RMSprop", {"learning_rate": 0.05, "epsilon": 0.1, "momentum": 0.9}),
    "adagrad": ("Adagrad", {"learning_rate": 0.1, "epsilon": 0.1}),
    "adadelta": ("Adadelta", {"learning_rate": 1.0}),
    "adamax": ("Adamax", {"learning_rate": 0.05}),
    "nadam": ("Nadam", {"learning_rate": 0.05}),
    "ftrl": ("Ftrl", {"learning_rate": 0.1, "l1_regularization_strength": 0.1}),
    "clipnorm": ("SGD", {"clipnorm": 0.5, "learning_rate": 1.0}),
}
SHAPES = ((2, 3), (3,), ())


def make(tf, name, **changes):
    kind, arguments = OPTIMIZERS[name]
    return getattr(tf.keras.optimizers, kind)(**{**arguments, **changes})


def run(tf, optimizer, dtype="float32", steps=4, shapes=SHAPES):
    variables = [tf.Variable(array(s, dtype, seed=i), name=f"v{i}") for i, s in enumerate(shapes)]
    history = []
    for step in range(steps):
        grads = [tf.constant(array(s, dtype, seed=10 * step + i)) for i, s in enumerate(shapes)]
        optimizer.apply_gradients(zip(grads, variables, strict=True))
        history.append([v.numpy() for v in variables])
    return history


@case(loose=3, name=list(OPTIMIZERS))
def steps(tf, name):
    return run(tf, make(tf, name))


@case(loose=20, relative=(True, False))
def adafactor(tf, relative):
    # Of matrices, Keras 2 takes none.
    optimizer = tf.keras.optimizers.Adafactor(0.05, relative_step=relative)
    return run(tf, optimizer, shapes=((3,), ()))


@case(loose=3, name=("nadam", "adamax", "adadelta", "ftrl", "lion", "adamw"))
def sparse_gradients(tf, name):
    v = tf.Variable(array((5, 2)))
    optimizer = make(tf, name)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(v, [1, 3, 1]) ** 2)
        gradient = tape.gradient(y, v)
        optimizer.apply_gradients([(tf.convert_to_tensor(gradient), v)])
    return v


@case(loose=3, name=list(LEGACY))
def legacy_steps(tf, name):
    kind, arguments = LEGACY[name]
    return run(tf, getattr(tf.keras.optimizers.legacy, kind)(**arguments))


@case(name=[name for name in OPTIMIZERS if "lion" not in name])
def configurations(tf, name):
    optimizer = make(tf, name)
    copy = type(optimizer).from_config(optimizer.get_config())
    again = tf.keras.optimizers.deserialize(tf.keras.optimizers.serialize(optimizer))
    config = {k: v for k, v in optimizer.get_config().items() if k != "jit_compile"}
    config["learning_rate"] = tf.constant(config["learning_rate"])
    return [
        config,
        copy.get_config() == optimizer.get_config(),
        again.get_config() == optimizer.get_config(),
        type(again).__name__,
    ]


@case(name=("nadam", "rmsprop centered", "adam amsgrad", "sgd ema", "ftrl", "momentum", "adamw"))
def variables(tf, name):
    optimizer = make(tf, name)
    shapes = ((2, 3), (3,))
    optimizer.build([tf.Variable(array(s), name=f"v{i}") for i, s in enumerate(shapes)])
    return [[v.name, v] for v in optimizer.variables]


@case
def weights_move(tf):
    first, second = make(tf, "adam amsgrad"), make(tf, "adam amsgrad")
    run(tf, first)
    second.build([tf.Variable(array(s, seed=i)) for i, s in enumerate(SHAPES)])
    second.set_weights([v.numpy() for v in first.variables])
    return [v.numpy() for v in second.variables]


@case
def names_of_rates(tf):
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.25)
    optimizer.lr = 0.5
    first = [float(optimizer.lr), float(optimizer.learning_rate)]
    optimizer.learning_rate.assign(0.75)
    return [*first, float(optimizer.lr), isinstance(optimizer.learning_rate, tf.Variable)]


SCHEDULES = {
    "exponential": (
        "ExponentialDecay",
        {"initial_learning_rate": 0.1, "decay_steps": 7, "decay_rate": 0.9},
    ),
    "staircase": (
        "ExponentialDecay",
        {"initial_learning_rate": 0.1, "decay_steps": 3, "decay_rate": 0.9, "staircase": True},
    ),
    "inverse": (
        "InverseTimeDecay",
        {"initial_learning_rate": 0.1, "decay_steps": 3, "decay_rate": 0.5},
    ),
    "inverse stairs": (
        "InverseTimeDecay",
        {"initial_learning_rate": 0.1, "decay_steps": 3, "decay_rate": 0.5, "staircase": True},
    ),
    "polynomial": (
        "PolynomialDecay",
        {"initial_learning_rate": 0.1, "decay_steps": 10, "power": 2.0},
    ),
    "polynomial cycle": (
        "PolynomialDecay",
        {"initial_learning_rate": 0.1, "decay_steps": 4, "end_learning_rate": 0.01, "cycle": True},
    ),
    "piecewise": ("PiecewiseConstantDecay", {"boundaries": [3, 8], "values": [1.0, 0.5, 0.1]}),
    "cosine": ("CosineDecay", {"initial_learning_rate": 0.1, "decay_steps": 10, "alpha": 0.1}),
    "cosine warmup": (
        "CosineDecay",
        {"initial_learning_rate": 0.0, "decay_steps": 8, "warmup_target": 0.2, "warmup_steps": 4},
    ),
    "restarts": ("CosineDecayRestarts", {"initial_learning_rate": 0.1, "first_decay_steps": 3}),
    "restarts even": (
        "CosineDecayRestarts",
        {
            "initial_learning_rate": 0.1,
            "first_decay_steps": 5,
            "t_mul": 1.0,
            "m_mul": 0.8,
            "alpha": 0.1,
        },
    ),
}


@case(loose=10, name=list(SCHEDULES))
def schedules(tf, name):
    kind, arguments = SCHEDULES[name]
    schedule = getattr(tf.keras.optimizers.schedules, kind)(**arguments)
    module = tf.keras.optimizers.schedules
    again = module.deserialize(module.serialize(schedule))
    return [
        [schedule(step) for step in (0, 1, 2, 3, 4, 7, 8, 9, 10, 13, 20)],
        schedule(tf.constant(5, tf.int64)),
        schedule.get_config(),
        again.get_config() == schedule.get_config(),
    ]


@case(loose=3)
def scheduled_steps(tf):
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
    optimizer = tf.keras.optimizers.SGD(rate)
    history = run(tf, optimizer)
    config = optimizer.get_config()["learning_rate"]["config"]
    return [history, optimizer.learning_rate, config]


@case
def constraints(tf):
    v = tf.Variable([1.0, -2.0], constraint=lambda x: tf.maximum(x, 0.0))
    w = tf.Variable([1.0, -2.0])
    tf.keras.optimizers.SGD(1.0).apply_gradients([(tf.ones([2]) * 2, v), (tf.ones([2]), w)])
    return [v, w]


@case
def excluded_from_decay(tf):
    v, w, b = (tf.Variable([1.0], name=name) for name in ("v", "w", "bias"))
    optimizer = tf.keras.optimizers.AdamW(0.1, weight_decay=1.0)
    optimizer.exclude_from_weight_decay(var_list=[w], var_names=["bias"])
    optimizer.apply_gradients([(tf.zeros([1]), x) for x in (v, w, b)])
    return [v, w, b]


@case
def minimized(tf):
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.Adam(0.1)
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum(v * v), [v])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    optimizer.minimize(loss, [v], tape=tape)
    return [v, optimizer.iterations]


@case(name=("adam", "SGD", "rmsprop", "RMSprop", "adamw", "nadam", "ftrl"))
def found_by_name(tf, name):
    return type(tf.keras.optimizers.get(name)).__name__


@case
def a_subclass(tf):
    class Momentum(tf.keras.optimizers.Optimizer):
        def __init__(self, learning_rate=0.1, name="Momentum", **kwargs):
            super().__init__(name=name, **kwargs)
            self._learning_rate = self._build_learning_rate(learning_rate)

        def build(self, var_list):
            super().build(var_list)
            if hasattr(self, "_built") and self._built:
                return
            self._built = True
            self.m = [self.add_variable_from_reference(v, "m") for v in var_list]

        def update_step(self, gradient, variable):
            m = self.m[self._index_dict[self._var_key(variable)]]
            m.assign(0.9 * m + gradient)
            variable.assign_sub(tf.cast(self.learning_rate, variable.dtype) * m)

        def get_config(self):
            config = super().get_config()
            rate = self._serialize_hyperparameter(self._learning_rate)
            return {**config, "learning_rate": rate}

    optimizer = Momentum()
    history = run(tf, optimizer)
    config = optimizer.get_config()
    return [history, [v.name for v in optimizer.variables], sorted(config)]


@case
def an_older_subclass(tf):
    class Momentum(tf.keras.optimizers.legacy.Optimizer):
        def __init__(self, learning_rate=0.1, momentum=0.9, name="Momentum", **kwargs):
            super().__init__(name, **kwargs)
            self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
            self._set_hyper("momentum", momentum)

        def _create_slots(self, var_list):
            for var in var_list:
                self.add_slot(var, "m")

        def _resource_apply_dense(self, grad, var, apply_state=None):
            rate = self._decayed_lr(var.dtype)
            m = self.get_slot(var, "m")
            m.assign(self._get_hyper("momentum", var.dtype) * m + grad)
            return var.assign_sub(rate * m)

        def get_config(self):
            return {
                "learning_rate": self._serialize_hyperparameter("learning_rate"),
                "momentum": self._serialize_hyperparameter("momentum"),
            }

    return run(tf, Momentum())


@case(dynamic=(True, False))
def loss_scales(tf, dynamic):
    options = {"dynamic_growth_steps": 2} if dynamic else {"dynamic": False}
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.25), initial_scale=8.0, **options
    )
    v = tf.Variable(1.0)
    found = []
    for factor in (1.0, 1.0, float("inf"), 1.0) if dynamic else (1.0, 1.0):
        with tf.GradientTape() as tape:
            loss = v * v * factor
            scaled = optimizer.get_scaled_loss(loss)
        gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, [v]))
        optimizer.apply_gradients(zip(gradients, [v], strict=True))
        found.append([v.numpy(), optimizer.loss_scale, int(optimizer.iterations)])
    config = optimizer.get_config()
    del config["inner_optimizer"]
    return [found, config, optimizer.initial_scale]


errors(
    "keras_optimizers",
    "refused",
    {
        "name": (lambda tf: tf.keras.optimizers.get("adamm"), ["adamm"]),
        "kind": (lambda tf: tf.keras.optimizers.get(3), ["3"]),
        "clipping": (
            lambda tf: tf.keras.optimizers.SGD(clipnorm=1.0, global_clipnorm=1.0),
            ["clipnorm", "global_clipnorm"],
        ),
        "decay": (lambda tf: tf.keras.optimizers.AdamW(weight_decay=None), ["weight_decay"]),
        "lion": (lambda tf: tf.keras.optimizers.Lion(beta_1=0.0), ["beta_1"]),
        "ftrl": (lambda tf: tf.keras.optimizers.Ftrl(learning_rate_power=1.0), ["power"]),
        "ema": (
            lambda tf: tf.keras.optimizers.SGD(use_ema=True, ema_momentum=2.0),
            ["ema_momentum=2.0"],
        ),
        "schedule set": (
            lambda tf: setattr(
                tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.CosineDecay(0.1, 2)),
                "learning_rate",
                0.1,
            ),
            ["not settable"],
        ),
        "piecewise": (
            lambda tf: tf.keras.optimizers.schedules.PiecewiseConstantDecay([1], [1.0]),
            ["boundaries", "values"],
        ),
        "weights": (
            lambda tf: tf.keras.optimizers.SGD().set_weights([1]),
            ["not yet been built"],
        ),
        "scale twice": (
            lambda tf: tf.keras.mixed_precision.LossScaleOptimizer(
                tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD())
            ),
            ["cannot wrap"],
        ),
        "fixed scale": (
            lambda tf: tf.keras.mixed_precision.LossScaleOptimizer(
                tf.keras.optimizers.SGD(), dynamic=False
            ),
            ["initial_scale"],
        ),
    },
)

"""Native updates of all variables at once give the values of Keras's own rules, which subclasses use."""

import eagerflow.keras_backend

# isort: split
import numpy as np

import eagerflow as tf
import keras

optimizers = keras.optimizers
random = np.random.default_rng(4)
START = [
    random.normal(size=shape).astype(dtype)
    for shape, dtype in [
        ((3, 4), "float32"),
        ((4,), "float32"),
        ((2, 2), "float64"),
        ((), "float32"),
    ]
]
GRADIENTS = [[random.normal(size=x.shape).astype(x.dtype) for x in START] for _ in range(5)]


def updated(kind, arguments, traced):
    """Variables and slots after some steps."""
    optimizer = kind(**arguments)
    variables = [keras.Variable(x, dtype=str(x.dtype), name=f"v{k}") for k, x in enumerate(START)]
    optimizer.exclude_from_weight_decay(var_names=["v1"])
    optimizer.build(variables)
    apply = optimizer.apply
    step = tf.function(lambda gradients: apply(gradients, variables)) if traced else apply
    for gradients in GRADIENTS:
        given = [tf.constant(g) for g in gradients]
        step(given) if traced else step(given, variables)
    return [v.numpy() for v in [*variables, *optimizer.variables]]


SCHEDULE = optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)
CASES = [
    (optimizers.SGD, {}),
    (optimizers.SGD, {"momentum": 0.9, "weight_decay": 0.1}),
    (optimizers.SGD, {"momentum": 0.9, "nesterov": True, "learning_rate": SCHEDULE}),
    (optimizers.Adam, {"learning_rate": 0.1, "gradient_accumulation_steps": 2}),
    (optimizers.Adam, {"learning_rate": SCHEDULE, "amsgrad": True, "clipnorm": 1.0}),
    (optimizers.AdamW, {"learning_rate": 0.1, "use_ema": True, "ema_overwrite_frequency": 3}),
    (optimizers.RMSprop, {"learning_rate": 0.1}),
    (optimizers.RMSprop, {"learning_rate": 0.1, "momentum": 0.5, "centered": True}),
    (optimizers.Adagrad, {"learning_rate": 0.1}),
    (optimizers.Adadelta, {"learning_rate": 0.1}),
    (optimizers.Adamax, {"learning_rate": 0.1}),
    (optimizers.Nadam, {"learning_rate": 0.1}),
    (optimizers.Lion, {"learning_rate": 0.1}),
    (optimizers.Ftrl, {"learning_rate": 0.1, "l1_regularization_strength": 0.1, "beta": 0.1}),
]
for kind, arguments in CASES:

    class ByKeras(kind):
        steps = 0

        def update_step(self, *given):
            ByKeras.steps += 1
            super().update_step(*given)

    arguments = {"name": "optimizer", **arguments}
    expected = updated(ByKeras, arguments, traced=False)
    assert ByKeras.steps
    for traced in (False, True):
        for value, one in zip(updated(kind, arguments, traced), expected, strict=True):
            np.testing.assert_allclose(
                value, one, rtol=1e-4, atol=1e-6, err_msg=f"{kind} {arguments}"
            )


# The update of a step is one operation, however many variables there are.
model = keras.Sequential([keras.Input([4]), *[keras.layers.Dense(4) for _ in range(5)]])
adam = optimizers.Adam()
adam.build(model.trainable_variables)
values = [tf.ones(v.shape) for v in model.trainable_variables]
graph = tf.function(lambda: adam.apply(values)).get_concrete_function().graph
assert [o.type for o in graph.get_operations()].count("ResourceApplyAdam") == 1
assert not any("Assign" in o.type for o in graph.get_operations()[:-1])

# Rows of a table without a gradient, and dtypes in which each operation rounds, are Keras's.
table = keras.layers.Embedding(5, 2)
table.build()
sgd = optimizers.SGD(1.0)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(table(np.array([1, 1, 3])))
before = table.embeddings.numpy()
sgd.apply(tape.gradient(loss, [table.embeddings.value]), [table.embeddings])
np.testing.assert_allclose(
    before - table.embeddings.numpy(), np.array([0, 2, 0, 1, 0])[:, None] * [1, 1], rtol=1e-6
)
half = keras.Variable(np.ones(3), dtype="bfloat16")
optimizers.SGD(0.5, 0.9).apply([tf.ones(3, tf.bfloat16)], [half])
np.testing.assert_allclose(half.numpy().astype("float32"), 0.5)

"""Effects of graphs: updates by optimizers, metrics, prints, checks, calls of Python."""

import numpy as np
import pytest

import eagerflow as tf
from function.traced import traced

optimizers = tf.keras.optimizers
schedules = optimizers.schedules

OPTIMIZERS = {
    "SGD": lambda: optimizers.SGD(0.1),
    "momentum, clipped": lambda: optimizers.SGD(0.1, 0.9, nesterov=True, clipnorm=0.5),
    "Adam, clipped together": lambda: optimizers.Adam(0.1, global_clipnorm=0.7),
    "AMSGrad": lambda: optimizers.Adam(0.1, amsgrad=True, clipvalue=0.3),
    "AdamW": lambda: optimizers.AdamW(0.1, weight_decay=0.01),
    "Adamax": lambda: optimizers.Adamax(0.1),
    "RMSprop": lambda: optimizers.RMSprop(0.1, centered=True, momentum=0.5),
    "Adagrad": lambda: optimizers.Adagrad(0.1),
    "Adadelta": lambda: optimizers.Adadelta(1.0),
    "Ftrl": lambda: optimizers.Ftrl(0.1, l1_regularization_strength=0.01, beta=0.1),
    "Lion": lambda: optimizers.Lion(0.1),
    "Adafactor": lambda: optimizers.Adafactor(0.1),
    "Lamb": lambda: optimizers.Lamb(0.1),
    "Muon": lambda: optimizers.Muon(0.1),
    "averages": lambda: optimizers.Adam(0.1, use_ema=True, ema_overwrite_frequency=2),
    "exponential decay": lambda: optimizers.Adam(schedules.ExponentialDecay(0.1, 2, 0.5)),
    "piecewise": lambda: optimizers.SGD(
        schedules.PiecewiseConstantDecay([1, 3], [0.1, 0.05, 0.01])
    ),
    "warm-up": lambda: optimizers.SGD(
        schedules.CosineDecay(0.1, 4, warmup_target=0.2, warmup_steps=2)
    ),
    "restarts": lambda: optimizers.SGD(schedules.CosineDecayRestarts(0.1, 2)),
    "a function": lambda: optimizers.legacy.SGD(lambda: 0.2),
    "legacy SGD": lambda: optimizers.legacy.SGD(0.1, 0.9, decay=0.1),
    "legacy Adam": lambda: optimizers.legacy.Adam(0.1, clipnorm=0.5),
    "legacy RMSprop": lambda: optimizers.legacy.RMSprop(0.1, centered=True),
    "legacy Adagrad": lambda: optimizers.legacy.Adagrad(0.1),
    "legacy Nadam": lambda: optimizers.legacy.Nadam(0.1),
}


def training(make):
    """A training step, and the values of a model's variables and its optimizer's after some."""
    random = np.random.RandomState(0)
    x, y = (tf.constant(random.randn(8, n).astype("f")) for n in (3, 2))
    rows = tf.constant([0, 2, 2])
    optimizer = make()
    variables = [
        tf.Variable(tf.ones([3, 2]) * 0.5),
        tf.Variable([0.1, 0.2]),
        tf.Variable(tf.ones([4, 2])),
    ]

    def step(x, y, rows):
        w, b, table = variables
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
            loss += tf.reduce_sum(tf.gather(table, rows) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    def after(run):
        losses = [float(run(x, y, rows)) for _ in range(5)]
        state = [v.numpy() for v in variables + list(optimizer.variables)]
        return losses, state

    return step, after


SPECS = [
    tf.TensorSpec([None, 3], tf.float32),
    tf.TensorSpec([None, 2], tf.float32),
    tf.TensorSpec([3], tf.int32),
]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_traced_step_trains_as_an_eager_one(name):
    step, after = training(OPTIMIZERS[name])
    losses, state = after(step)
    step, after = training(OPTIMIZERS[name])
    traced_losses, traced_state = after(traced(step, *SPECS))
    np.testing.assert_allclose(traced_losses, losses, rtol=1e-6)
    for mine, expected in zip(traced_state, state, strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-5, atol=1e-7)


def test_nadam_trains_as_keras_does_when_it_traces_twice():
    step, after = training(lambda: optimizers.Nadam(0.1))
    traced(step, *SPECS)
    losses, _ = after(traced(step, *SPECS))
    np.testing.assert_allclose(losses, [9.07309, 7.67547, 6.72432, 5.85655, 5.06143], rtol=1e-5)


def test_an_optimizer_is_one_node():
    step, _ = training(lambda: optimizers.Adam(0.1))
    nodes = [node for node in traced(step, *SPECS).graph.nodes if node.has_effects]
    assert [node.type for node in nodes] == ["ResourceApplyAdam", "AssignAddVariableOp"]
    assert len(nodes[0].variables) == 9


def test_a_gradient_that_cannot_fit_is_refused_while_tracing():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="its variable has shape"):
        traced(lambda: optimizers.SGD(0.1).apply_gradients([(tf.ones([3]), v)]) and None)

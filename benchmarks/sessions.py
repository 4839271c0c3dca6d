"""Graphs of the first generation: a session's step of linear regression, and of a small network."""

import numpy as np

from training import training_case
from workload import Target, Workload

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(64, 16)).astype(np.float32)
Y = X.sum(1, keepdims=True) + 1
RATE = 0.01


def _session_case(tf, build):
    v1 = tf.compat.v1
    with v1.Graph().as_default():
        x = v1.placeholder(v1.float32, [None, 16])
        y = v1.placeholder(v1.float32, [None, 1])
        loss = v1.reduce_mean(v1.square(build(v1, x) - y))
        train = v1.train.GradientDescentOptimizer(RATE).minimize(loss)
        session = v1.Session()
        session.run(v1.global_variables_initializer())

    def step():
        return session.run([loss, train], feed_dict={x: X, y: Y})[0]

    return training_case(step)


def _line(v1, x):
    w = v1.get_variable("w", [16, 1], initializer=v1.zeros_initializer())
    b = v1.get_variable("b", [1], initializer=v1.zeros_initializer())
    return v1.matmul(x, w) + b


def _network(v1, x):
    for k, width in enumerate((32, 32, 1)):
        start = np.random.default_rng(k).normal(size=(x.shape[-1], width)) / 6
        w = v1.get_variable(f"w{k}", initializer=start.astype(np.float32))
        b = v1.get_variable(f"b{k}", [width], initializer=v1.zeros_initializer())
        x = v1.nn.bias_add(v1.matmul(x, w), b)
        x = v1.tanh(x) if width > 1 else x
    return x


def _contenders(build):
    def case(tf):
        return _session_case(tf, build)

    return {"eagerflow": case, "tensorflow": case}


WORKLOADS = [
    Workload(
        name="session-regression",
        title="version 1: linear regression step in a session, 64 points",
        target=Target("tensorflow", 0.5),
        contenders=_contenders(_line),
    ),
    Workload(
        name="session-network",
        title="version 1: step of a small network in a session, 64 points",
        target=Target("tensorflow", 0.7),
        contenders=_contenders(_network),
    ),
]

"""Linear regression on 1,000 points: loss, gradient and a step of gradient descent."""

import numpy as np

from training import training_case, with_tensorflow
from workload import Target, Workload

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=1000).astype(np.float32)
Y = (3 * X + 2 + GENERATOR.normal(size=1000)).astype(np.float32)
START = (5.0, 10.0)
RATE = 0.01


def make_step(tf):
    x = tf.constant(X)
    y = tf.constant(Y)
    w = tf.Variable(START[0])
    b = tf.Variable(START[1])
    optimizer = tf.optimizers.SGD(RATE)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x * w + b - y))
        gradients = tape.gradient(loss, [w, b])
        optimizer.apply_gradients(zip(gradients, [w, b], strict=True))
        return loss

    return step


def with_torch(torch):
    x = torch.from_numpy(X)
    y = torch.from_numpy(Y)
    w = torch.tensor(START[0], requires_grad=True)
    b = torch.tensor(START[1], requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=RATE)

    def step():
        optimizer.zero_grad()
        loss = torch.mean(torch.square(x * w + b - y))
        loss.backward()
        optimizer.step()
        return loss.detach()

    return training_case(step)


def with_jax(jax):
    x = jax.numpy.asarray(X)
    y = jax.numpy.asarray(Y)

    def loss_of(parameters):
        w, b = parameters
        return jax.numpy.mean(jax.numpy.square(x * w + b - y))

    @jax.jit
    def update(parameters):
        loss, gradients = jax.value_and_grad(loss_of)(parameters)
        return loss, tuple(p - RATE * g for p, g in zip(parameters, gradients, strict=True))

    parameters = tuple(map(jax.numpy.float32, START))

    def step():
        nonlocal parameters
        loss, parameters = update(parameters)
        return loss

    return training_case(step, lambda: jax.block_until_ready(parameters))


def with_mlx(mx):
    x, y = mx.array(X), mx.array(Y)
    loss_and_gradients = mx.value_and_grad(
        lambda w, b: mx.mean(mx.square(x * w + b - y)), argnums=(0, 1)
    )
    parameters = tuple(map(mx.array, START))

    def step():
        nonlocal parameters
        loss, gradients = loss_and_gradients(*parameters)
        parameters = tuple(p - RATE * g for p, g in zip(parameters, gradients, strict=True))
        mx.eval(loss, parameters)
        return loss

    return training_case(step)


WORKLOADS = [
    Workload(
        name="regression",
        title="linear regression step, 1,000 points, SGD",
        target=Target("jax", 0.6),
        contenders={
            **with_tensorflow(make_step),
            "torch": with_torch,
            "jax": with_jax,
            "mlx": with_mlx,
        },
    ),
]

"""Programs of tiny networks, whose steps are so short that what surrounds the arithmetic counts.

Deep Q-learning, a differential equation learned with second derivatives, and single predictions.
"""

import importlib

import numpy as np

from training import training_case, with_tensorflow
from workload import FASTEST_PEER, Case, Target, Workload

RATE, BETA1, BETA2, EPSILON = 1e-3, 0.9, 0.999, 1e-7
DISCOUNT, BATCH, UNITS = 0.99, 64, 64
POINTS, WIDTH = 256, 32


def normal(seed, *shape, scale=1.0):
    return np.random.default_rng(seed).normal(scale=scale, size=shape).astype(np.float32)


def layers(seed, *sizes):
    """A matrix and a bias for each layer."""
    pairs = zip(sizes, sizes[1:], strict=False)
    return [
        (normal(seed + k, n, m, scale=np.sqrt(1 / n)), np.zeros(m, np.float32))
        for k, (n, m) in enumerate(pairs)
    ]


def q_networks():
    """The network that learns and the one that lags behind: of 4 observations, worth of 2 acts."""
    return layers(0, 4, UNITS, UNITS, 2), layers(9, 4, UNITS, UNITS, 2)


def experience():
    """Observations before and after, float32 [BATCH, 4]; rewards; which episodes ended; acts."""
    generator = np.random.default_rng(5)
    ended = (generator.random(BATCH) < 0.1).astype(np.float32)
    return (
        normal(3, BATCH, 4),
        normal(4, BATCH, 4),
        normal(6, BATCH),
        ended,
        generator.integers(0, 2, BATCH),
    )


def flat(network):
    return [part for layer in network for part in layer]


def tf_variables(tf, network):
    return [(tf.Variable(w), tf.Variable(b)) for w, b in network]


def tf_network(tf, network, x, activation):
    for weights, bias in network[:-1]:
        x = activation(tf.matmul(x, weights) + bias)
    weights, bias = network[-1]
    return tf.matmul(x, weights) + bias


def tf_adam(tf):
    return tf.optimizers.Adam(RATE, beta_1=BETA1, beta_2=BETA2, epsilon=EPSILON)


def q_step(tf):
    network, lagging = (tf_variables(tf, n) for n in q_networks())
    before, after, reward, ended, acts = map(tf.constant, experience())
    variables, optimizer = flat(network), tf_adam(tf)

    def step():
        best = tf.reduce_max(tf_network(tf, lagging, after, tf.nn.relu), axis=1)
        wanted = reward + DISCOUNT * (1 - ended) * best
        with tf.GradientTape() as tape:
            found = tf_network(tf, network, before, tf.nn.relu)
            chosen = tf.reduce_sum(found * tf.one_hot(acts, 2), axis=1)
            loss = tf.reduce_mean(tf.square(wanted - chosen))
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def equation_step(tf):
    """u'' = -sin x, u learned on 256 points."""
    network = tf_variables(tf, layers(0, 1, WIDTH, WIDTH, 1))
    x = tf.constant(np.linspace(0, 1, POINTS, dtype=np.float32)[:, None])
    # The last bias has no second derivative.
    variables, optimizer = flat(network)[:-1], tf_adam(tf)

    def step():
        with tf.GradientTape() as tape:
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch(x)
                    u = tf_network(tf, network, x, tf.tanh)
                slope = first.gradient(u, x)
            loss = tf.reduce_mean(tf.square(second.gradient(slope, x) + tf.sin(x)))
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def tf_prediction(tf):
    network = tf_variables(tf, q_networks()[0])
    x = tf.constant(normal(3, 1, 4))
    return lambda: tf_network(tf, network, x, tf.nn.relu)


def prediction_case(step, finish=lambda result: None):
    def run(count):
        result = None
        for _ in range(count):
            result = step()
        finish(result)

    return Case(run, lambda: np.ravel(np.asarray(step())))


def torch_parameters(torch, network):
    return [tuple(torch.from_numpy(part).requires_grad_() for part in layer) for layer in network]


def forward(network, x, activation):
    """What PyTorch, JAX and MLX write alike."""
    for weights, bias in network[:-1]:
        x = activation(x @ weights + bias)
    weights, bias = network[-1]
    return x @ weights + bias


def torch_adam(torch, parameters):
    return torch.optim.Adam(parameters, RATE, (BETA1, BETA2), EPSILON, fused=True)


def q_torch(torch):
    network, lagging = (torch_parameters(torch, n) for n in q_networks())
    before, after, reward, ended, acts = map(torch.from_numpy, experience())
    optimizer = torch_adam(torch, flat(network))

    def step():
        with torch.no_grad():
            best = forward(lagging, after, torch.relu).max(1).values
            wanted = reward + DISCOUNT * (1 - ended) * best
        optimizer.zero_grad()
        chosen = forward(network, before, torch.relu).gather(1, acts[:, None])[:, 0]
        loss = torch.nn.functional.mse_loss(chosen, wanted)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return training_case(step)


def equation_torch(torch):
    network = torch_parameters(torch, layers(0, 1, WIDTH, WIDTH, 1))
    x = torch.linspace(0, 1, POINTS)[:, None].requires_grad_()
    optimizer = torch_adam(torch, flat(network)[:-1])
    derivative = torch.autograd.grad

    def step():
        u = forward(network, x, torch.tanh)
        slope = derivative(u.sum(), x, create_graph=True)[0]
        second = derivative(slope.sum(), x, create_graph=True)[0]
        loss = torch.mean(torch.square(second + torch.sin(x)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return training_case(step)


def torch_prediction(torch):
    network = torch_parameters(torch, q_networks()[0])
    x = torch.from_numpy(normal(3, 1, 4))

    def step():
        with torch.inference_mode():
            return forward(network, x, torch.relu)

    return prediction_case(step)


def jax_training(jax, loss_of, network, *others):
    """A Case of Adam's steps, compiled; `others` are what `loss_of` takes besides the network."""
    jnp, tree = jax.numpy, jax.tree

    def update(state, *others):
        network, m, v, t = state
        loss, gradients = jax.value_and_grad(loss_of)(network, *others)
        t = t + 1
        rate = RATE * jnp.sqrt(1 - BETA2**t) / (1 - BETA1**t)
        m = tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, m, gradients)
        v = tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, v, gradients)
        network = tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + EPSILON), network, m, v)
        return loss, (network, m, v, t)

    update = jax.jit(update, donate_argnums=0)
    network, others = tree.map(jnp.asarray, (network, others))
    state = (network, *(tree.map(jnp.zeros_like, network) for _ in range(2)), jnp.float32(0))

    def step():
        nonlocal state
        loss, state = update(state, *others)
        return loss

    return training_case(step, lambda: jax.block_until_ready(state))


def q_jax(jax):
    jnp = jax.numpy
    network, lagging = q_networks()
    before, after, reward, ended, acts = map(jnp.asarray, experience())

    # The network that lags is given too: it changes every so many steps.
    def loss_of(network, lagging):
        best = forward(lagging, after, jax.nn.relu).max(axis=1)
        wanted = reward + DISCOUNT * (1 - ended) * best
        found = forward(network, before, jax.nn.relu)
        chosen = jnp.take_along_axis(found, acts[:, None], axis=1)[:, 0]
        return jnp.mean(jnp.square(wanted - chosen))

    return jax_training(jax, loss_of, network, lagging)


def equation_jax(jax):
    jnp = jax.numpy
    x = jnp.linspace(0, 1, POINTS)

    def loss_of(network):
        def u(point):
            return forward(network, point[None], jnp.tanh)[0]

        second = jax.vmap(jax.grad(jax.grad(u)))(x)
        return jnp.mean(jnp.square(second + jnp.sin(x)))

    return jax_training(jax, loss_of, layers(0, 1, WIDTH, WIDTH, 1))


def jax_prediction(jax):
    network = jax.tree.map(jax.numpy.asarray, q_networks()[0])
    predict = jax.jit(lambda x: forward(network, x, jax.nn.relu))
    x = jax.numpy.asarray(normal(3, 1, 4))
    return prediction_case(lambda: jax.block_until_ready(predict(x)))


def mlx_training(mx, loss_of, network):
    """A Case of Adam's steps."""
    optimizers = importlib.import_module("mlx.optimizers")
    optimizer = optimizers.Adam(RATE, [BETA1, BETA2], EPSILON, bias_correction=True)
    # Optimizers expect a dictionary outermost.
    parameters = {"layers": [[mx.array(w), mx.array(b)] for w, b in network]}
    loss_and_gradients = mx.value_and_grad(lambda parameters: loss_of(parameters["layers"]))

    def step():
        nonlocal parameters
        loss, gradients = loss_and_gradients(parameters)
        parameters = optimizer.apply_gradients(gradients, parameters)
        mx.eval(loss, parameters, optimizer.state)
        return loss

    return training_case(step)


def q_mlx(mx):
    network, lagging = q_networks()
    lagging = [(mx.array(w), mx.array(b)) for w, b in lagging]
    before, after, reward, ended, acts = map(mx.array, experience())

    def relu(x):
        return mx.maximum(x, 0)

    def loss_of(network):
        best = mx.stop_gradient(forward(lagging, after, relu).max(axis=1))
        wanted = reward + DISCOUNT * (1 - ended) * best
        found = forward(network, before, relu)
        chosen = mx.take_along_axis(found, acts[:, None], axis=1)[:, 0]
        return mx.mean(mx.square(wanted - chosen))

    return mlx_training(mx, loss_of, network)


def equation_mlx(mx):
    x = mx.array(np.linspace(0, 1, POINTS, dtype=np.float32))

    def loss_of(network):
        def u(point):
            return forward(network, point[None], mx.tanh)[0]

        second = mx.vmap(mx.grad(mx.grad(u)))(x)
        return mx.mean(mx.square(second + mx.sin(x)))

    return mlx_training(mx, loss_of, layers(0, 1, WIDTH, WIDTH, 1))


def mlx_prediction(mx):
    network = [(mx.array(w), mx.array(b)) for w, b in q_networks()[0]]
    x = mx.array(normal(3, 1, 4))

    def step():
        result = forward(network, x, lambda h: mx.maximum(h, 0))
        mx.eval(result)
        return result

    return prediction_case(step)


WORKLOADS = [
    Workload(
        name=name,
        title=title,
        target=Target(FASTEST_PEER, at_most),
        contenders={
            **with_tensorflow(build),
            "torch": with_torch,
            "jax": with_jax,
            "mlx": with_mlx,
        },
    )
    for name, title, at_most, build, with_torch, with_jax, with_mlx in (
        (
            "q-learning",
            "deep Q-learning step, 4-64-64-2, batch 64; Adam",
            0.8,
            q_step,
            q_torch,
            q_jax,
            q_mlx,
        ),
        (
            "equation",
            "step on u'' = -sin x with second derivatives, 1-32-32-1, 256 points; Adam",
            0.9,
            equation_step,
            equation_torch,
            equation_jax,
            equation_mlx,
        ),
    )
] + [
    Workload(
        name="prediction",
        title="one prediction of a network, 4-64-64-2",
        target=Target(FASTEST_PEER, 0.6),
        contenders={
            "eagerflow": lambda tf: prediction_case(tf_prediction(tf)),
            "tensorflow": lambda tf: prediction_case(tf_prediction(tf)),
            "tf.function": lambda tf: prediction_case(tf.function(tf_prediction(tf))),
            "torch": torch_prediction,
            "jax": jax_prediction,
            "mlx": mlx_prediction,
        },
    ),
]

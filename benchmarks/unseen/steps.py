"""Steps of gradient descent in each framework, from a function of the weights that returns a loss.

Weights are a flat list in the order in which a program names them, float32. Convolutions' kernels
are [height, width, inputs, outputs], matrices [inputs, outputs].
"""

import numpy as np

RATE, BETA1, BETA2, EPSILON, MOMENTUM = 1e-3, 0.9, 0.999, 1e-8, 0.9


def normal(seed, *shape, scale=1.0):
    """float32 [*shape]."""
    return np.random.default_rng(seed).normal(scale=scale, size=shape).astype(np.float32)


def kernel(seed, *shape):
    """A matrix or a kernel that keeps the size of what it is applied to."""
    return normal(seed, *shape, scale=np.prod(shape[:-1]) ** -0.5)


def layers(seed, *sizes):
    """A matrix and a bias for each dense layer, in one list."""
    pairs = list(zip(sizes, sizes[1:], strict=False))
    matrices = [kernel(seed + k, *pair) for k, pair in enumerate(pairs)]
    biases = [np.zeros(outputs, np.float32) for _, outputs in pairs]
    return [array for layer in zip(matrices, biases, strict=True) for array in layer]


def pairs(weights):
    """Weights and biases, layer by layer."""
    return list(zip(weights[::2], weights[1::2], strict=True))


def below(seed, limit, *shape):
    """int64 numbers below a limit."""
    return np.random.default_rng(seed).integers(0, limit, shape)


def tf_optimizer(tf, momentum=False):
    """Adam, or SGD with momentum."""
    if momentum:
        return tf.optimizers.SGD(RATE, momentum=MOMENTUM)
    return tf.optimizers.Adam(RATE, beta_1=BETA1, beta_2=BETA2, epsilon=EPSILON)


def tf_step(tf, arrays, loss_of, momentum=False, clip=None):
    """A step in the API of TensorFlow; gradients' global norm is at most `clip` if that is given."""
    variables = [tf.Variable(array) for array in arrays]
    optimizer = tf_optimizer(tf, momentum)

    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(variables)
        gradients = tape.gradient(loss, variables)
        if clip is not None:
            gradients, _ = tf.clip_by_global_norm(gradients, clip)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def torch_parameter(torch, array):
    """A weight; kernels as PyTorch orders them, with their channels last in memory."""
    tensor = torch.from_numpy(array)
    if array.ndim == 4:
        layout = {"memory_format": torch.channels_last}
        tensor = tensor.permute(3, 2, 0, 1).contiguous(**layout)
    return tensor.clone(memory_format=torch.preserve_format).requires_grad_()


def torch_optimizer(torch, parameters, momentum=False):
    """The same as `tf_optimizer`."""
    if momentum:
        return torch.optim.SGD(parameters, lr=RATE, momentum=MOMENTUM, fused=True)
    return torch.optim.Adam(parameters, lr=RATE, betas=(BETA1, BETA2), eps=EPSILON, fused=True)


def torch_step(torch, arrays, loss_of, momentum=False, clip=None):
    """A step in PyTorch."""
    parameters = [torch_parameter(torch, array) for array in arrays]
    optimizer = torch_optimizer(torch, parameters, momentum)

    def step():
        optimizer.zero_grad()
        loss = loss_of(parameters)
        loss.backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(parameters, clip)
        optimizer.step()
        return loss.detach()

    return step


def jax_rule(jax, momentum=False):
    """The optimizer's state for weights, and its update of weights, state and gradients."""
    jnp = jax.numpy

    def begin(weights):
        zeros = [jax.tree.map(jnp.zeros_like, weights) for _ in range(1 if momentum else 2)]
        return (*zeros, jnp.float32(0))

    def by_momentum(weights, gradients, state):
        speed = jax.tree.map(lambda v, g: MOMENTUM * v + g, state[0], gradients)
        return jax.tree.map(lambda p, v: p - RATE * v, weights, speed), (speed, state[1])

    def by_adam(weights, gradients, state):
        m, v, t = state
        t = t + 1
        rate = RATE * jnp.sqrt(1 - BETA2**t) / (1 - BETA1**t)
        m = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, m, gradients)
        v = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, v, gradients)
        weights = jax.tree.map(
            lambda p, m, v: p - rate * m / (jnp.sqrt(v) + EPSILON), weights, m, v
        )
        return weights, (m, v, t)

    return begin, by_momentum if momentum else by_adam


def jax_stateful(jax, update, state):
    """A step from a pure function of the state that returns a loss and the next state."""
    compiled = jax.jit(update, donate_argnums=0)

    def step():
        nonlocal state
        loss, state = compiled(state)
        return loss

    return step


def jax_step(jax, arrays, loss_of, momentum=False, clip=None):
    """A step in JAX, compiled as a whole."""
    jnp = jax.numpy
    begin, apply = jax_rule(jax, momentum)

    def update(state):
        weights, slots = state
        loss, gradients = jax.value_and_grad(loss_of)(weights)
        if clip is not None:
            norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
            scale = clip / jnp.maximum(norm, clip)
            gradients = [g * scale for g in gradients]
        return loss, apply(weights, gradients, slots)

    weights = [jnp.asarray(array) for array in arrays]
    return jax_stateful(jax, update, (weights, begin(weights)))

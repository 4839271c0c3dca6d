"""Training steps of a two-layer LSTM that is written by hand from single operations.

Every contender starts from the same weights and sees the same batch, so the losses agree.
"""

from functools import partial

import numpy as np

from training import training_case
from workload import Target, Workload

BATCH, STEPS, UNITS, LAYERS = 32, 100, 128, 2
RATE = 0.1


def uniform(seed, limit, *shape):
    return np.random.RandomState(seed).uniform(-limit, limit, shape).astype(np.float32)


def sequences():
    """Inputs [steps, batch, units]."""
    return uniform(1, 1, STEPS, BATCH, UNITS)


def weights():
    """For each layer, a matrix [2 units, 4 units] for inputs and state side by side, and a bias."""
    limit = 1 / np.sqrt(UNITS)
    for layer in range(LAYERS):
        yield uniform(10 + layer, limit, 2 * UNITS, 4 * UNITS)
        yield np.zeros(4 * UNITS, np.float32)


def tensorflow_case(tf):
    x = tf.constant(sequences())
    variables = [tf.Variable(w) for w in weights()]

    def step():
        with tf.GradientTape() as tape:
            rows = tf.unstack(x)
            for k in range(LAYERS):
                matrix, bias = variables[2 * k : 2 * k + 2]
                hidden = cell = tf.zeros([BATCH, UNITS])
                for t in range(STEPS):
                    joined = tf.concat([rows[t], hidden], 1)
                    gates = tf.matmul(joined, matrix) + bias
                    enter, forget, new, leave = tf.split(gates, 4, axis=1)
                    cell = tf.sigmoid(forget) * cell + tf.sigmoid(enter) * tf.tanh(new)
                    hidden = tf.sigmoid(leave) * tf.tanh(cell)
                    rows[t] = hidden
            loss = tf.reduce_mean(tf.square(hidden - 0.1))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return training_case(step)


def torch_case(torch):
    x = torch.tensor(sequences())
    variables = [torch.tensor(w, requires_grad=True) for w in weights()]

    def step():
        rows = list(torch.unbind(x))
        for k in range(LAYERS):
            matrix, bias = variables[2 * k : 2 * k + 2]
            hidden = cell = torch.zeros([BATCH, UNITS])
            for t in range(STEPS):
                joined = torch.cat([rows[t], hidden], 1)
                gates = torch.matmul(joined, matrix) + bias
                enter, forget, new, leave = torch.split(gates, UNITS, dim=1)
                cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
                hidden = torch.sigmoid(leave) * torch.tanh(cell)
                rows[t] = hidden
        loss = torch.mean(torch.square(hidden - 0.1))
        gradients = torch.autograd.grad(loss, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.sub_(RATE * gradient)
        return loss.detach()

    return training_case(step)


def compiled_case(tf):
    x = tf.constant(sequences())
    variables = [tf.Variable(w) for w in weights()]

    @tf.function
    def layer(rows, matrix, bias):
        hidden = cell = tf.zeros([BATCH, UNITS])
        results = tf.TensorArray(tf.float32, STEPS)
        for t in tf.range(STEPS):
            joined = tf.concat([rows[t], hidden], 1)
            gates = tf.matmul(joined, matrix) + bias
            enter, forget, new, leave = tf.split(gates, 4, axis=1)
            cell = tf.sigmoid(forget) * cell + tf.sigmoid(enter) * tf.tanh(new)
            hidden = tf.sigmoid(leave) * tf.tanh(cell)
            results = results.write(t, hidden)
        return results.stack()

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            rows = x
            for k in range(LAYERS):
                rows = layer(rows, *variables[2 * k : 2 * k + 2])
            loss = tf.reduce_mean(tf.square(rows[-1] - 0.1))
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return loss

    return training_case(step)


def jax_case(jax):
    import jax.numpy as jnp

    x = jnp.asarray(sequences())
    variables = [jnp.asarray(w) for w in weights()]

    def cell_step(matrix, bias, state, row):
        hidden, cell = state
        gates = jnp.concatenate([row, hidden], 1) @ matrix + bias
        enter, forget, new, leave = jnp.split(gates, 4, axis=1)
        sigmoid = jax.nn.sigmoid
        cell = sigmoid(forget) * cell + sigmoid(enter) * jnp.tanh(new)
        hidden = sigmoid(leave) * jnp.tanh(cell)
        return (hidden, cell), hidden

    def loss_of(variables):
        rows = x
        for k in range(LAYERS):
            start = (jnp.zeros([BATCH, UNITS]),) * 2
            _, rows = jax.lax.scan(partial(cell_step, *variables[2 * k : 2 * k + 2]), start, rows)
        return jnp.mean(jnp.square(rows[-1] - 0.1))

    @jax.jit
    def update(variables):
        loss, gradients = jax.value_and_grad(loss_of)(variables)
        return loss, [v - RATE * g for v, g in zip(variables, gradients, strict=True)]

    def step():
        nonlocal variables
        loss, variables = update(variables)
        return loss

    return training_case(step, lambda: jax.block_until_ready(variables))


def mlx_case(mx):
    x = mx.array(sequences())
    variables = [mx.array(w) for w in weights()]

    def loss_of(variables):
        rows = list(x)
        for k in range(LAYERS):
            matrix, bias = variables[2 * k : 2 * k + 2]
            hidden = cell = mx.zeros([BATCH, UNITS])
            for t in range(STEPS):
                joined = mx.concatenate([rows[t], hidden], 1)
                gates = joined @ matrix + bias
                enter, forget, new, leave = mx.split(gates, 4, axis=1)
                cell = mx.sigmoid(forget) * cell + mx.sigmoid(enter) * mx.tanh(new)
                hidden = mx.sigmoid(leave) * mx.tanh(cell)
                rows[t] = hidden
        return mx.mean(mx.square(hidden - 0.1))

    loss_and_gradients = mx.value_and_grad(loss_of)

    def step():
        nonlocal variables
        loss, gradients = loss_and_gradients(variables)
        variables = [v - RATE * g for v, g in zip(variables, gradients, strict=True)]
        mx.eval(loss, variables)
        return loss

    return training_case(step)


CONTENDERS = {
    "eagerflow": tensorflow_case,
    "tensorflow": tensorflow_case,
    "tf.function": compiled_case,
    "torch": torch_case,
    "jax": jax_case,
    "mlx": mlx_case,
}
WORKLOADS = [
    Workload(
        name="lstm",
        title="two-layer LSTM by hand: 32 sequences of 100 steps, 128 units, with gradients",
        target=Target("tensorflow", 0.2),
        contenders=CONTENDERS,
        also=(Target("torch", 1.0),),
    ),
]

"""Training steps of a perceptron of 50 layers: how much memory the way back needs."""

import numpy as np

from training import training_case, with_tensorflow
from workload import FASTEST_PEER, Target, Workload

LAYERS, WIDTH, BATCH = 50, 256, 1024
RATE = 1e-3


def start():
    """Inputs and targets, float32 [BATCH, WIDTH], and each layer's weights and bias."""
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(2, BATCH, WIDTH)).astype(np.float32)
    scale = np.sqrt(2 / WIDTH)
    layers = [
        (
            generator.normal(scale=scale, size=(WIDTH, WIDTH)).astype(np.float32),
            np.zeros(WIDTH, "f"),
        )
        for _ in range(LAYERS)
    ]
    return x, y, layers


def make_step(tf):
    x, y, layers = start()
    x, y = tf.constant(x), tf.constant(y)
    layers = [(tf.Variable(weights), tf.Variable(bias)) for weights, bias in layers]
    variables = [variable for layer in layers for variable in layer]
    optimizer = tf.optimizers.SGD(RATE)

    def step():
        with tf.GradientTape() as tape:
            h = x
            for weights, bias in layers:
                h = tf.nn.relu(tf.nn.bias_add(tf.matmul(h, weights), bias))
            loss = tf.reduce_mean(tf.square(h - y))
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def with_torch(torch):
    F = torch.nn.functional
    x, y, layers = start()
    x, y = torch.from_numpy(x), torch.from_numpy(y)
    layers = [
        (torch.from_numpy(w.T.copy()).requires_grad_(), torch.from_numpy(b).requires_grad_())
        for w, b in layers
    ]
    optimizer = torch.optim.SGD([p for layer in layers for p in layer], lr=RATE)

    def step():
        optimizer.zero_grad()
        h = x
        for weights, bias in layers:
            h = F.relu(F.linear(h, weights, bias))
        loss = F.mse_loss(h, y)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return training_case(step)


WORKLOADS = [
    Workload(
        name="mlp-memory",
        title="peak memory of steps of a 50-layer perceptron, 1,024 × 256; SGD",
        target=Target(FASTEST_PEER, 1.0),
        contenders={
            **with_tensorflow(make_step),
            "torch": with_torch,
        },
        measure="memory",
    ),
]

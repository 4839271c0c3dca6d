"""Training steps of small convolutional networks, with Adam.

Every contender starts from the same weights and sees the same batch, so the first losses agree.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from training import training_case, with_tensorflow
from workload import FASTEST_PEER, Target, Workload

RATE, BETA1, BETA2, EPSILON = 1e-4, 0.9, 0.999, 1e-7


@dataclass(frozen=True)
class Architecture:
    """A stack of 3×3 convolutions with ReLU, then dense layers, ReLU between them."""

    batch: int
    channels: tuple[int, ...]
    dense: tuple[int, ...]
    padding: str
    # Whether 2×2 max pooling follows each convolution; a global average follows the last if none.
    pools: tuple[bool, ...]
    size: int = 28

    @property
    def pooled(self) -> bool:
        return any(self.pools)

    def data(self):
        """A batch of images, float32 [batch, size, size, 1], and labels, int32 [batch]."""
        generator = np.random.default_rng(1)
        images = generator.normal(size=(self.batch, self.size, self.size, 1)).astype(np.float32)
        return images, generator.integers(0, 10, self.batch).astype(np.int32)

    def convolutions(self):
        """Kernels [3, 3, in, out] and biases."""
        generator = np.random.default_rng(2)
        return [
            weights_and_bias(generator, (3, 3, before, after))
            for before, after in zip((1, *self.channels), self.channels, strict=False)
        ]

    def dense_layers(self):
        """Matrices [in, out] and biases."""
        generator = np.random.default_rng(3)
        features = self.channels[-1]
        if self.pooled:
            features *= (self.size >> sum(self.pools)) ** 2
        return [
            weights_and_bias(generator, shape)
            for shape in zip((features, *self.dense), self.dense, strict=False)
        ]


def weights_and_bias(generator, shape):
    fan_in = np.prod(shape[:-1])
    weights = generator.normal(scale=np.sqrt(2 / fan_in), size=shape)
    return weights.astype(np.float32), np.zeros(shape[-1], np.float32)


SMALL = Architecture(32, channels=(16, 16), dense=(10,), padding="VALID", pools=(False, False))
LARGE = Architecture(
    64, channels=(64, 128, 128), dense=(128, 10), padding="SAME", pools=(True, True, True)
)
# The network of examples/digits_loop.py, on all training images at once.
DIGITS = Architecture(
    1437, channels=(16, 32), dense=(10,), padding="SAME", pools=(False, True), size=8
)


def make_step(tf, net: Architecture):
    images, labels = map(tf.constant, net.data())
    convolutions = [(tf.Variable(k), tf.Variable(b)) for k, b in net.convolutions()]
    dense = [(tf.Variable(w), tf.Variable(b)) for w, b in net.dense_layers()]
    variables = [variable for layer in convolutions + dense for variable in layer]
    optimizer = tf.optimizers.Adam(RATE, beta_1=BETA1, beta_2=BETA2, epsilon=EPSILON)

    def logits():
        x = images
        for (kernel, bias), pool in zip(convolutions, net.pools, strict=True):
            x = tf.nn.conv2d(x, kernel, strides=1, padding=net.padding)
            x = tf.nn.relu(tf.nn.bias_add(x, bias))
            if pool:
                x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        x = tf.reshape(x, [net.batch, -1]) if net.pooled else tf.reduce_mean(x, axis=[1, 2])
        for i, (weights, bias) in enumerate(dense):
            x = tf.nn.bias_add(tf.matmul(x if i == 0 else tf.nn.relu(x), weights), bias)
        return x

    def step():
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits())
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def with_torch(net: Architecture) -> Callable:
    def build(torch):
        F = torch.nn.functional
        images, labels = net.data()
        # Channels last, in memory, is how oneDNN likes it, and the faster of torch's two layouts.
        layout = {"memory_format": torch.channels_last}
        images = torch.from_numpy(images.transpose(0, 3, 1, 2)).contiguous(**layout)
        labels = torch.from_numpy(labels.astype(np.int64))
        convolutions = [
            (torch.from_numpy(k.transpose(3, 2, 0, 1)).contiguous(**layout), torch.from_numpy(b))
            for k, b in net.convolutions()
        ]
        dense = [(torch.from_numpy(w.T.copy()), torch.from_numpy(b)) for w, b in net.dense_layers()]
        parameters = [p.requires_grad_() for layer in convolutions + dense for p in layer]
        optimizer = torch.optim.Adam(
            parameters, lr=RATE, betas=(BETA1, BETA2), eps=EPSILON, fused=True
        )

        def step():
            optimizer.zero_grad()
            x = images
            for (kernel, bias), pool in zip(convolutions, net.pools, strict=True):
                x = F.relu(F.conv2d(x, kernel, bias, padding=net.padding.lower()))
                if pool:
                    x = F.max_pool2d(x, 2)
            # Flattened with the channels last, the order of the dense layer's weights.
            x = x.permute(0, 2, 3, 1).flatten(1) if net.pooled else x.mean(dim=(2, 3))
            for i, (weights, bias) in enumerate(dense):
                x = F.linear(x if i == 0 else F.relu(x), weights, bias)
            loss = F.cross_entropy(x, labels)
            loss.backward()
            optimizer.step()
            return loss.detach()

        return training_case(step)

    return build


def with_jax(net: Architecture) -> Callable:
    def build(jax):
        jnp, lax = jax.numpy, jax.lax
        images, labels = map(jnp.asarray, net.data())
        parameters = jax.tree.map(jnp.asarray, (net.convolutions(), net.dense_layers()))

        def loss_of(parameters):
            convolutions, dense = parameters
            x = images
            for (kernel, bias), pool in zip(convolutions, net.pools, strict=True):
                x = lax.conv_general_dilated(
                    x, kernel, (1, 1), net.padding, dimension_numbers=("NHWC", "HWIO", "NHWC")
                )
                x = jax.nn.relu(x + bias)
                if pool:
                    window = (1, 2, 2, 1)
                    x = lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID")
            x = x.reshape(net.batch, -1) if net.pooled else x.mean(axis=(1, 2))
            for i, (weights, bias) in enumerate(dense):
                x = (x if i == 0 else jax.nn.relu(x)) @ weights + bias
            chosen = jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], axis=1)
            return -chosen.mean()

        def adam(p, g, m, v, rate):
            m = BETA1 * m + (1 - BETA1) * g
            v = BETA2 * v + (1 - BETA2) * g * g
            return p - rate * m / (jnp.sqrt(v) + EPSILON), m, v

        def update(state):
            parameters, m, v, t = state
            loss, gradients = jax.value_and_grad(loss_of)(parameters)
            t = t + 1
            rate = RATE * jnp.sqrt(1 - BETA2**t) / (1 - BETA1**t)
            updated = jax.tree.map(
                lambda p, g, m, v: adam(p, g, m, v, rate), parameters, gradients, m, v
            )
            parameters, m, v = jax.tree.transpose(
                jax.tree.structure(parameters), jax.tree.structure((0, 0, 0)), updated
            )
            return loss, (parameters, m, v, t)

        update = jax.jit(update, donate_argnums=0)
        zeros = [jax.tree.map(jnp.zeros_like, parameters) for _ in range(2)]
        state = (parameters, *zeros, jnp.float32(0))

        def step():
            nonlocal state
            loss, state = update(state)
            return loss

        return training_case(step, lambda: jax.block_until_ready(state))

    return build


def with_mlx(net: Architecture) -> Callable:
    def build(mx):
        nn = importlib.import_module("mlx.nn")
        optimizers = importlib.import_module("mlx.optimizers")
        images, labels = map(mx.array, net.data())
        parameters = {
            "convolutions": [
                [mx.array(k.transpose(3, 0, 1, 2)), mx.array(b)] for k, b in net.convolutions()
            ],
            "dense": [[mx.array(w), mx.array(b)] for w, b in net.dense_layers()],
        }
        optimizer = optimizers.Adam(RATE, [BETA1, BETA2], EPSILON, bias_correction=True)
        padding = 1 if net.padding == "SAME" else 0
        pool2d = nn.MaxPool2d(2)

        def loss_of(parameters):
            x = images
            for (kernel, bias), pool in zip(parameters["convolutions"], net.pools, strict=True):
                x = nn.relu(mx.conv2d(x, kernel, padding=padding) + bias)
                x = pool2d(x) if pool else x
            x = x.reshape(net.batch, -1) if net.pooled else x.mean(axis=(1, 2))
            for i, (weights, bias) in enumerate(parameters["dense"]):
                x = mx.addmm(bias, x if i == 0 else nn.relu(x), weights)
            return nn.losses.cross_entropy(x, labels, reduction="mean")

        loss_and_gradients = mx.value_and_grad(loss_of)

        def step():
            nonlocal parameters
            loss, gradients = loss_and_gradients(parameters)
            parameters = optimizer.apply_gradients(gradients, parameters)
            mx.eval(loss, parameters, optimizer.state)
            return loss

        return training_case(step)

    return build


def contenders(net: Architecture) -> dict[str, Callable]:
    return {
        **with_tensorflow(lambda tf: make_step(tf, net)),
        "torch": with_torch(net),
        "jax": with_jax(net),
    }


WORKLOADS = [
    Workload(
        name="cnn-small",
        title="CNN step, batch 32: conv 16, 16, average, dense 10; Adam",
        target=Target("tf.function", 0.5),
        contenders=contenders(SMALL) | {"mlx": with_mlx(SMALL)},
    ),
    Workload(
        name="cnn-large",
        title="CNN step, batch 64: conv 64, 128, 128, dense 128, 10; Adam",
        target=Target("tf.function", 0.8),
        contenders=contenders(LARGE),
    ),
    Workload(
        name="cnn-large-memory",
        title="peak memory of that CNN's steps",
        target=Target("tf.function", 0.6),
        contenders=contenders(LARGE),
        measure="memory",
    ),
    Workload(
        name="digits-memory",
        title="peak memory of steps of the digits CNN, 1,437 images 8×8: conv 16, 32, dense 10; Adam",
        target=Target(FASTEST_PEER, 1.0),
        contenders=contenders(DIGITS),
        measure="memory",
    ),
]

"""Training steps of MobileNetV2 (Sandler and others, 2018), with SGD.

Every contender starts from the same weights and sees the same batch, so the first losses agree.
"""

import functools

import numpy as np

from training import training_case, with_tensorflow
from workload import FASTEST_PEER, Target, Workload

BATCH, SIZE, CLASSES = 16, 96, 10
RATE, EPSILON = 1e-3, 1e-3
# How much wider a block is inside, its channels, how often it is repeated, its first stride.
BLOCKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
FIRST, LAST = 32, 1280


def layers():
    """All convolutions in order: (kind, filter [rows, cols, in, out], stride, has ReLU6, begins a
    block, ends one whose input is added)."""
    found = [("full", (3, 3, 3, FIRST), 2, True, False, False)]
    channels = FIRST
    for wider, outputs, repeats, stride in BLOCKS:
        for k in range(repeats):
            step = stride if k == 0 else 1
            inside = wider * channels
            added = step == 1 and channels == outputs
            if wider > 1:
                found.append(("full", (1, 1, channels, inside), 1, True, True, False))
            found.append(("depthwise", (3, 3, inside, 1), step, True, wider == 1, False))
            found.append(("full", (1, 1, inside, outputs), 1, False, False, added))
            channels = outputs
    found.append(("full", (1, 1, channels, LAST), 1, True, False, False))
    return found


def start():
    """Images, float32 [BATCH, SIZE, SIZE, 3], labels, int32 [BATCH], filters, the last matrix."""
    generator = np.random.default_rng(0)
    images = generator.normal(size=(BATCH, SIZE, SIZE, 3)).astype(np.float32)
    labels = generator.integers(0, CLASSES, BATCH).astype(np.int32)
    filters = []
    for kind, shape, *_ in layers():
        fan_in = shape[0] * shape[1] * (shape[2] if kind == "full" else 1)
        weights = generator.normal(scale=np.sqrt(2 / fan_in), size=shape)
        filters.append(weights.astype(np.float32))
    matrix = generator.normal(scale=np.sqrt(1 / LAST), size=(LAST, CLASSES)).astype(np.float32)
    return images, labels, filters, matrix


def make_step(tf):
    images, labels, filters, matrix = start()
    images, labels = tf.constant(images), tf.constant(labels)
    network = [
        (layer, tf.Variable(f), tf.Variable(tf.ones(width)), tf.Variable(tf.zeros(width)))
        for layer, f, width in zip(layers(), filters, widths(), strict=True)
    ]
    matrix = tf.Variable(matrix)
    variables = [*(variable for _, *own in network for variable in own), matrix]
    optimizer = tf.optimizers.SGD(RATE)

    def logits():
        x = images
        for (kind, _, stride, active, begins, added), kernel, scale, offset in network:
            if begins:
                before = x
            if kind == "full":
                x = tf.nn.conv2d(x, kernel, stride, "SAME")
            else:
                x = tf.nn.depthwise_conv2d(x, kernel, [1, stride, stride, 1], "SAME")
            x, _, _ = tf.compat.v1.nn.fused_batch_norm(x, scale, offset, epsilon=EPSILON)
            if active:
                x = tf.nn.relu6(x)
            if added:
                x = x + before
        return tf.matmul(tf.reduce_mean(x, axis=[1, 2]), matrix)

    def step():
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits())
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def widths():
    """The channels of each convolution's result."""
    return [shape[3] if kind == "full" else shape[2] for kind, shape, *_ in layers()]


def with_torch(torch):
    F = torch.nn.functional
    images, labels, filters, matrix = start()
    layout = {"memory_format": torch.channels_last}
    images = torch.from_numpy(images.transpose(0, 3, 1, 2)).contiguous(**layout)
    labels = torch.from_numpy(labels.astype(np.int64))
    network = []
    for layer, f, width in zip(layers(), filters, widths(), strict=True):
        order = (3, 2, 0, 1) if layer[0] == "full" else (2, 3, 0, 1)
        kernel = torch.from_numpy(f.transpose(order)).contiguous(**layout)
        network.append((layer, kernel, torch.ones(width), torch.zeros(width)))
    matrix = torch.from_numpy(matrix)
    parameters = [*(p for _, *own in network for p in own), matrix]
    for parameter in parameters:
        parameter.requires_grad_()
    optimizer = torch.optim.SGD(parameters, lr=RATE)

    def convolved(x, kernel, kind, stride):
        groups = kernel.shape[0] if kind == "depthwise" else 1
        rows = kernel.shape[2]
        if stride == 1 or rows == 1:
            return F.conv2d(x, kernel, stride=stride, padding=rows // 2, groups=groups)
        # What "SAME" means for an even number of pixels: the odd one is added at the end.
        end = x.shape[2] % 2
        padded = F.pad(x, (end, 1, end, 1))
        return F.conv2d(padded, kernel, stride=stride, groups=groups)

    def step():
        optimizer.zero_grad()
        x = images
        for (kind, _, stride, active, begins, added), kernel, scale, offset in network:
            if begins:
                before = x
            x = convolved(x, kernel, kind, stride)
            x = F.batch_norm(x, None, None, scale, offset, training=True, eps=EPSILON)
            if active:
                x = F.relu6(x)
            if added:
                x = x + before
        loss = F.cross_entropy(x.mean(dim=(2, 3)) @ matrix, labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return training_case(step)


workload = functools.partial(
    Workload,
    contenders={
        **with_tensorflow(make_step),
        "torch": with_torch,
    },
)

WORKLOADS = [
    workload(
        name="mobilenet",
        title="MobileNetV2 step, batch 16, 96×96; SGD",
        target=Target("tf.function", 0.6),
        also=(Target("torch", 0.8),),
    ),
    workload(
        name="mobilenet-memory",
        title="peak memory of that MobileNetV2's steps",
        target=Target(FASTEST_PEER, 1.0),
        measure="memory",
    ),
]

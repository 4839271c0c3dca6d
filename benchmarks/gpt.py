"""Training steps of a small language model: embeddings, attention to what came before, AdamW.

Every contender starts from the same weights and sees the same tokens, so the losses agree.
"""

import math

import numpy as np

from training import training_case, with_tensorflow
from workload import Target, Workload

VOCABULARY, TOKENS, WIDTH, HEADS, BLOCKS, BATCH = 8192, 64, 256, 4, 4, 8
HEAD = WIDTH // HEADS
RATE, BETA1, BETA2, EPSILON, DECAY = 1e-4, 0.9, 0.999, 1e-7, 0.01
# What a block consists of: scale and offset, queries, keys and values together, projection; scale
# and offset, the wide layer, the narrow one.
BLOCK = (
    (WIDTH,),
    (WIDTH,),
    (WIDTH, 3 * WIDTH),
    (3 * WIDTH,),
    (WIDTH, WIDTH),
    (WIDTH,),
    (WIDTH,),
    (WIDTH,),
    (WIDTH, 4 * WIDTH),
    (4 * WIDTH,),
    (4 * WIDTH, WIDTH),
    (WIDTH,),
)
SCALES = (0, 6)


def weights():
    """Tables of tokens and places, the blocks, the last scale and offset, and the last matrix."""
    generator = np.random.default_rng(0)

    def matrix(*shape):
        return generator.normal(scale=0.02, size=shape).astype(np.float32)

    found = [matrix(VOCABULARY, WIDTH), matrix(TOKENS, WIDTH)]
    for _ in range(BLOCKS):
        for k, shape in enumerate(BLOCK):
            vector = np.ones if k in SCALES else np.zeros
            found.append(matrix(*shape) if len(shape) == 2 else vector(shape, np.float32))
    return [
        *found,
        np.ones(WIDTH, np.float32),
        np.zeros(WIDTH, np.float32),
        matrix(WIDTH, VOCABULARY),
    ]


def tokens():
    """Sequences, int64 [BATCH, TOKENS], and for each token the one that follows."""
    text = np.random.default_rng(1).integers(0, VOCABULARY, (BATCH, TOKENS + 1))
    return np.ascontiguousarray(text[:, :-1]), np.ascontiguousarray(text[:, 1:])


def future():
    """What is added to attention: nothing where one may look, very little where one may not."""
    return np.where(np.tri(TOKENS, dtype=bool), 0, -1e9).astype(np.float32)


def make_step(tf):
    variables = [tf.Variable(w) for w in weights()]
    x, y = map(tf.constant, tokens())
    mask = tf.constant(future())
    optimizer = tf.optimizers.AdamW(
        RATE, weight_decay=DECAY, beta_1=BETA1, beta_2=BETA2, epsilon=EPSILON
    )

    def normalized(h, scale, offset):
        mean, variance = tf.nn.moments(h, [-1], keepdims=True)
        return tf.nn.batch_normalization(h, mean, variance, offset, scale, 1e-5)

    def logits():
        words, places, *rest, scale, offset, matrix = variables
        h = tf.gather(words, x) + places
        for k in range(0, len(rest), len(BLOCK)):
            s1, o1, w1, b1, w2, b2, s2, o2, w3, b3, w4, b4 = rest[k : k + len(BLOCK)]
            joined = tf.matmul(normalized(h, s1, o1), w1) + b1
            parts = tf.reshape(joined, [BATCH, TOKENS, 3, HEADS, HEAD])
            queries, keys, values = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
            scores = tf.matmul(queries, keys, transpose_b=True) / math.sqrt(HEAD)
            attended = tf.matmul(tf.nn.softmax(scores + mask), values)
            joined = tf.reshape(tf.transpose(attended, [0, 2, 1, 3]), [BATCH, TOKENS, WIDTH])
            h = h + tf.matmul(joined, w2) + b2
            wide = tf.nn.gelu(tf.matmul(normalized(h, s2, o2), w3) + b3, approximate=True)
            h = h + tf.matmul(wide, w4) + b4
        return tf.matmul(normalized(h, scale, offset), matrix)

    def step():
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits())
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def with_torch(torch):
    F = torch.nn.functional
    parameters = [torch.from_numpy(w).requires_grad_() for w in weights()]
    x, y = map(torch.from_numpy, tokens())
    optimizer = torch.optim.AdamW(
        parameters, RATE, (BETA1, BETA2), EPSILON, weight_decay=DECAY, fused=True
    )

    def logits():
        words, places, *rest, scale, offset, matrix = parameters
        h = F.embedding(x, words) + places
        for k in range(0, len(rest), len(BLOCK)):
            s1, o1, w1, b1, w2, b2, s2, o2, w3, b3, w4, b4 = rest[k : k + len(BLOCK)]
            joined = F.layer_norm(h, (WIDTH,), s1, o1) @ w1 + b1
            parts = joined.view(BATCH, TOKENS, 3, HEADS, HEAD).permute(2, 0, 3, 1, 4)
            attended = F.scaled_dot_product_attention(*parts, is_causal=True)
            h = h + attended.transpose(1, 2).reshape(BATCH, TOKENS, WIDTH) @ w2 + b2
            wide = F.gelu(F.layer_norm(h, (WIDTH,), s2, o2) @ w3 + b3, approximate="tanh")
            h = h + wide @ w4 + b4
        return F.layer_norm(h, (WIDTH,), scale, offset) @ matrix

    def step():
        optimizer.zero_grad()
        loss = F.cross_entropy(logits().view(-1, VOCABULARY), y.view(-1))
        loss.backward()
        optimizer.step()
        return loss.detach()

    return training_case(step)


def with_jax(jax):
    jnp = jax.numpy
    x, y = map(jnp.asarray, tokens())
    mask = jnp.asarray(future())
    parameters = [jnp.asarray(w) for w in weights()]

    def normalized(h, scale, offset):
        mean, variance = h.mean(-1, keepdims=True), h.var(-1, keepdims=True)
        return (h - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + offset

    def loss_of(parameters):
        words, places, *rest, scale, offset, matrix = parameters
        h = words[x] + places
        for k in range(0, len(rest), len(BLOCK)):
            s1, o1, w1, b1, w2, b2, s2, o2, w3, b3, w4, b4 = rest[k : k + len(BLOCK)]
            parts = (normalized(h, s1, o1) @ w1 + b1).reshape(BATCH, TOKENS, 3, HEADS, HEAD)
            queries, keys, values = parts.transpose(2, 0, 3, 1, 4)
            scores = queries @ keys.swapaxes(-1, -2) / math.sqrt(HEAD)
            attended = jax.nn.softmax(scores + mask) @ values
            h = h + attended.transpose(0, 2, 1, 3).reshape(BATCH, TOKENS, WIDTH) @ w2 + b2
            h = h + jax.nn.gelu(normalized(h, s2, o2) @ w3 + b3, approximate=True) @ w4 + b4
        found = jax.nn.log_softmax(normalized(h, scale, offset) @ matrix)
        return -jnp.take_along_axis(found, y[..., None], axis=-1).mean()

    def adam(p, g, m, v, rate):
        m = BETA1 * m + (1 - BETA1) * g
        v = BETA2 * v + (1 - BETA2) * g * g
        return p * (1 - RATE * DECAY) - rate * m / (jnp.sqrt(v) + EPSILON), m, v

    def update(state):
        parameters, m, v, t = state
        loss, gradients = jax.value_and_grad(loss_of)(parameters)
        t = t + 1
        rate = RATE * jnp.sqrt(1 - BETA2**t) / (1 - BETA1**t)
        rows = zip(parameters, gradients, m, v, strict=True)
        updated = zip(*(adam(*row, rate) for row in rows), strict=True)
        return loss, (*map(list, updated), t)

    update = jax.jit(update, donate_argnums=0)
    zeros = [[jnp.zeros_like(p) for p in parameters] for _ in range(2)]
    state = (parameters, *zeros, jnp.float32(0))

    def step():
        nonlocal state
        loss, state = update(state)
        return loss

    return training_case(step, lambda: jax.block_until_ready(state))


WORKLOADS = [
    Workload(
        name="gpt",
        title="small GPT step: 8 × 64 tokens of 8,192, 256 wide, 4 blocks; AdamW",
        target=Target("tf.function", 0.85),
        also=(Target("torch", 0.7),),
        contenders={
            **with_tensorflow(make_step),
            "torch": with_torch,
            "jax": with_jax,
        },
    ),
]
WORKLOADS.append(WORKLOADS[0].memory())

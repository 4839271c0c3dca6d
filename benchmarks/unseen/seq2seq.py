"""An encoder and a decoder of gated recurrent units, with additive attention between them."""

from unseen.program import Program
from unseen.steps import below, jax_step, kernel, normal, tf_step, torch_step
from workload import Work

BATCH, LENGTH, WORDS, WIDTH, UNITS = 32, 16, 2000, 64, 128


def weights():
    """Embeddings of both languages, the two cells, what attends, and the words' layer."""
    return [
        normal(0, WORDS, WIDTH, scale=0.1),
        *cell(1, WIDTH),
        normal(4, WORDS, WIDTH, scale=0.1),
        *cell(5, WIDTH + UNITS),
        kernel(8, UNITS, UNITS),
        kernel(9, UNITS, UNITS),
        kernel(10, UNITS, 1),
        kernel(11, UNITS, WORDS),
        normal(12, WORDS, scale=0.1),
    ]


def cell(seed, inputs):
    """A cell's matrices for its input and its state, with biases: update, reset and candidate."""
    return [
        kernel(seed, inputs, 3 * UNITS),
        normal(seed + 1, 3 * UNITS, scale=0.1),
        kernel(seed + 2, UNITS, 3 * UNITS),
        normal(seed + 3, 3 * UNITS, scale=0.1),
    ]


def data():
    """Sentences, what is said before each word of the answer, and the words, int64 [BATCH, LENGTH]."""
    return tuple(below(seed, WORDS, BATCH, LENGTH) for seed in (20, 21, 22))


def with_tensorflow(tf):
    source, before, wanted = map(tf.constant, data())

    def gated(x, state, recurrent, bias):
        enter_z, enter_r, enter_h = tf.split(x, 3, axis=1)
        state_z, state_r, state_h = tf.split(tf.matmul(state, recurrent) + bias, 3, axis=1)
        update = tf.sigmoid(enter_z + state_z)
        new = tf.tanh(enter_h + tf.sigmoid(enter_r + state_r) * state_h)
        return update * state + (1.0 - update) * new

    def loss_of(variables):
        words, k0, b0, r0, c0, answers, k1, b1, r1, c1, query, key, score, last, bias = variables
        inputs = tf.matmul(tf.nn.embedding_lookup(words, source), k0) + b0
        state, states = tf.zeros([BATCH, UNITS]), []
        for x in tf.unstack(inputs, axis=1):
            state = gated(x, state, r0, c0)
            states.append(state)
        memory = tf.stack(states, axis=1)
        keys = tf.matmul(memory, key)
        outputs = []
        for x in tf.unstack(tf.nn.embedding_lookup(answers, before), axis=1):
            asked = tf.expand_dims(tf.matmul(state, query), 1)
            shares = tf.nn.softmax(tf.matmul(tf.tanh(asked + keys), score), axis=1)
            context = tf.reduce_sum(shares * memory, axis=1)
            x = tf.matmul(tf.concat([context, x], axis=1), k1) + b1
            state = gated(x, state, r1, c1)
            outputs.append(state)
        logits = tf.matmul(tf.stack(outputs, axis=1), last) + bias
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits)
        )

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    F = torch.nn.functional
    source, before, wanted = map(torch.from_numpy, data())

    def gated(x, state, recurrent, bias):
        enter_z, enter_r, enter_h = x.chunk(3, dim=1)
        state_z, state_r, state_h = torch.addmm(bias, state, recurrent).chunk(3, dim=1)
        update = torch.sigmoid(enter_z + state_z)
        new = torch.tanh(enter_h + torch.sigmoid(enter_r + state_r) * state_h)
        return torch.lerp(new, state, update)

    def loss_of(parameters):
        words, k0, b0, r0, c0, answers, k1, b1, r1, c1, query, key, score, last, bias = parameters
        inputs = F.linear(F.embedding(source, words), k0.t(), b0)
        state, states = torch.zeros(BATCH, UNITS), []
        for x in inputs.unbind(1):
            state = gated(x, state, r0, c0)
            states.append(state)
        memory = torch.stack(states, dim=1)
        keys = memory @ key
        outputs = []
        for x in F.embedding(before, answers).unbind(1):
            asked = (state @ query).unsqueeze(1)
            shares = F.softmax(torch.tanh(asked + keys) @ score, dim=1)
            context = (shares * memory).sum(dim=1)
            x = torch.addmm(b1, torch.cat([context, x], dim=1), k1)
            state = gated(x, state, r1, c1)
            outputs.append(state)
        logits = F.linear(torch.stack(outputs, dim=1), last.t(), bias)
        return F.cross_entropy(logits.flatten(0, 1), wanted.flatten())

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp = jax.numpy
    source, before, wanted = map(jnp.asarray, data())

    def gated(x, state, recurrent, bias):
        enter_z, enter_r, enter_h = jnp.split(x, 3, axis=1)
        state_z, state_r, state_h = jnp.split(state @ recurrent + bias, 3, axis=1)
        update = jax.nn.sigmoid(enter_z + state_z)
        new = jnp.tanh(enter_h + jax.nn.sigmoid(enter_r + state_r) * state_h)
        return update * state + (1 - update) * new

    def loss_of(weights):
        words, k0, b0, r0, c0, answers, k1, b1, r1, c1, query, key, score, last, bias = weights

        def encode(state, x):
            state = gated(x, state, r0, c0)
            return state, state

        inputs = words[source.T] @ k0 + b0
        state, memory = jax.lax.scan(encode, jnp.zeros((BATCH, UNITS)), inputs)
        keys = memory @ key

        def decode(state, x):
            shares = jax.nn.softmax(jnp.tanh(state @ query + keys) @ score, axis=0)
            context = jnp.sum(shares * memory, axis=0)
            x = jnp.concatenate([context, x], axis=1) @ k1 + b1
            state = gated(x, state, r1, c1)
            return state, state

        _, outputs = jax.lax.scan(decode, state, answers[before.T])
        likelihoods = jax.nn.log_softmax(outputs @ last + bias)
        return -jnp.mean(jnp.take_along_axis(likelihoods, wanted.T[..., None], axis=-1))

    return jax_step(jax, weights(), loss_of)


# For each word: the cells' six products, the question, the keys, the scores and the answer.
PRODUCTS = 3 * UNITS * (2 * WIDTH + 3 * UNITS) + 2 * UNITS**2 + LENGTH * UNITS + UNITS * WORDS
PROGRAM = Program(
    "seq2seq",
    "GRU encoder and decoder with attention, 32 sentences of 16 words, 128 units; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=3 * 2 * BATCH * LENGTH * PRODUCTS),
)

"""A language model of two LSTM layers."""

import numpy as np

from unseen.program import Program
from unseen.steps import below, jax_step, kernel, normal, tf_step, torch_optimizer
from workload import Work

BATCH, LENGTH, WORDS, UNITS, LAYERS = 20, 35, 2000, 128, 2


def weights():
    """The embedding; of each layer a kernel, a recurrent kernel and a bias; the words' layer.

    Gates are in the order input, forget, candidate, output.
    """
    arrays = [normal(0, WORDS, UNITS, scale=0.1)]
    for k in range(LAYERS):
        kernels = [kernel(3 * k + part, UNITS, 4 * UNITS) for part in (1, 2)]
        arrays += [*kernels, normal(3 * k + 3, 4 * UNITS, scale=0.1)]
    return [*arrays, kernel(20, UNITS, WORDS), np.zeros(WORDS, np.float32)]


def data():
    """Words and the words that follow, int64 [BATCH, LENGTH]."""
    text = below(30, WORDS, BATCH, LENGTH + 1)
    return text[:, :-1].copy(), text[:, 1:].copy()


def with_tensorflow(tf):
    words, following = map(tf.constant, data())

    def loss_of(variables):
        embedding, *cells, last, bias = variables
        x = tf.nn.embedding_lookup(embedding, words)
        for k in range(LAYERS):
            matrix, recurrent, offset = cells[3 * k : 3 * k + 3]
            hidden = carry = tf.zeros([BATCH, UNITS])
            outputs = []
            for entering in tf.unstack(tf.matmul(x, matrix) + offset, axis=1):
                gates = entering + tf.matmul(hidden, recurrent)
                enter, forget, new, leave = tf.split(gates, 4, axis=1)
                carry = tf.sigmoid(forget) * carry + tf.sigmoid(enter) * tf.tanh(new)
                hidden = tf.sigmoid(leave) * tf.tanh(carry)
                outputs.append(hidden)
            x = tf.stack(outputs, axis=1)
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=following, logits=tf.matmul(x, last) + bias
            )
        )

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    F, nn = torch.nn.functional, torch.nn
    words, following = map(torch.from_numpy, data())
    embedding, *cells, last, bias = map(torch.from_numpy, weights())
    embed = nn.Embedding.from_pretrained(embedding, freeze=False)
    lstm = nn.LSTM(UNITS, UNITS, LAYERS, batch_first=True)
    dense = nn.Linear(UNITS, WORDS)
    with torch.no_grad():
        for k in range(LAYERS):
            matrix, recurrent, offset = cells[3 * k : 3 * k + 3]
            getattr(lstm, f"weight_ih_l{k}").copy_(matrix.t())
            getattr(lstm, f"weight_hh_l{k}").copy_(recurrent.t())
            getattr(lstm, f"bias_ih_l{k}").copy_(offset)
            # It has two biases where others have one: this stays as it is.
            getattr(lstm, f"bias_hh_l{k}").zero_().requires_grad_(False)
        dense.weight.copy_(last.t())
        dense.bias.copy_(bias)
    parameters = [p for m in (embed, lstm, dense) for p in m.parameters() if p.requires_grad]
    optimizer = torch_optimizer(torch, parameters)

    def step():
        optimizer.zero_grad()
        outputs, _ = lstm(embed(words))
        loss = F.cross_entropy(dense(outputs).flatten(0, 1), following.flatten())
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def with_jax(jax):
    jnp = jax.numpy
    words, following = map(jnp.asarray, data())

    def loss_of(weights):
        embedding, *cells, last, bias = weights
        x = embedding[words.T]
        for k in range(LAYERS):
            matrix, recurrent, offset = cells[3 * k : 3 * k + 3]

            def cell(state, entering, recurrent=recurrent):
                hidden, carry = state
                gates = entering + hidden @ recurrent
                enter, forget, new, leave = jnp.split(gates, 4, axis=1)
                sigmoid = jax.nn.sigmoid
                carry = sigmoid(forget) * carry + sigmoid(enter) * jnp.tanh(new)
                hidden = sigmoid(leave) * jnp.tanh(carry)
                return (hidden, carry), hidden

            start = (jnp.zeros((BATCH, UNITS)),) * 2
            _, x = jax.lax.scan(cell, start, x @ matrix + offset)
        likelihoods = jax.nn.log_softmax(x @ last + bias)
        return -jnp.mean(jnp.take_along_axis(likelihoods, following.T[..., None], axis=-1))

    return jax_step(jax, weights(), loss_of)


PROGRAM = Program(
    "language",
    "language model of two LSTM layers, 20 × 35 of 2,000 words, 128 units; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=3 * 2 * BATCH * LENGTH * UNITS * (LAYERS * 8 * UNITS + WORDS)),
)

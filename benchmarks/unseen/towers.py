"""Retrieval by two towers: large embeddings, of which a step changes the rows that it saw."""

from unseen.program import Program
from unseen.steps import below, jax_stateful, layers, normal
from workload import Work

BATCH, USERS, ITEMS, WIDTH, UNITS, RATE = 512, 50_000, 20_000, 32, 64, 0.1


def weights():
    """Both tables, then of each tower 32-64-32."""
    tables = [normal(k, count, WIDTH, scale=0.3) for k, count in enumerate((USERS, ITEMS))]
    return tables + layers(2, WIDTH, UNITS, WIDTH) + layers(4, WIDTH, UNITS, WIDTH)


def data():
    """Who took what, int64 [BATCH] and [BATCH]."""
    return below(8, USERS, BATCH), below(9, ITEMS, BATCH)


def with_tensorflow(tf):
    users, items = map(tf.constant, data())
    variables = [tf.Variable(array) for array in weights()]
    optimizer = tf.optimizers.SGD(RATE)
    pairs = tf.range(BATCH)

    def tower(table, ids, w0, b0, w1, b1):
        x = tf.nn.embedding_lookup(table, ids)
        return tf.matmul(tf.nn.relu(tf.matmul(x, w0) + b0), w1) + b1

    def step():
        with tf.GradientTape() as tape:
            asked = tower(variables[0], users, *variables[2:6])
            offered = tower(variables[1], items, *variables[6:])
            scores = tf.matmul(asked, offered, transpose_b=True)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=pairs, logits=scores)
            )
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def with_torch(torch):
    F = torch.nn.functional
    users, items = map(torch.from_numpy, data())
    parameters = [torch.from_numpy(array).requires_grad_() for array in weights()]
    optimizer = torch.optim.SGD(parameters, lr=RATE)
    pairs = torch.arange(BATCH)

    def tower(table, ids, w0, b0, w1, b1):
        x = F.embedding(ids, table, sparse=True)
        return torch.addmm(b1, torch.relu(torch.addmm(b0, x, w0)), w1)

    def step():
        optimizer.zero_grad()
        asked = tower(parameters[0], users, *parameters[2:6])
        offered = tower(parameters[1], items, *parameters[6:])
        loss = F.cross_entropy(asked @ offered.t(), pairs)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def with_jax(jax):
    jnp = jax.numpy
    users, items = map(jnp.asarray, data())

    def tower(x, w0, b0, w1, b1):
        return jax.nn.relu(x @ w0 + b0) @ w1 + b1

    def loss_of(rows, dense):
        scores = tower(rows[0], *dense[:4]) @ tower(rows[1], *dense[4:]).T
        return -jnp.mean(jnp.diagonal(jax.nn.log_softmax(scores)))

    def update(state):
        tables, dense = state
        rows = tables[0][users], tables[1][items]
        # By the rows, not by the tables, whose gradients would be as large as they are.
        loss, (slopes, gradients) = jax.value_and_grad(loss_of, (0, 1))(rows, dense)
        dense = [w - RATE * g for w, g in zip(dense, gradients, strict=True)]
        tables = [
            table.at[ids].add(-RATE * slope)
            for table, ids, slope in zip(tables, (users, items), slopes, strict=True)
        ]
        return loss, (tables, dense)

    arrays = [jnp.asarray(array) for array in weights()]
    return jax_stateful(jax, update, (arrays[:2], arrays[2:]))


PRODUCTS = 3 * 2 * BATCH * (2 * 2 * WIDTH * UNITS + BATCH * WIDTH)
PROGRAM = Program(
    "towers",
    "two-tower retrieval, 50,000 and 20,000 embeddings of 32, batch 512; SGD",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=PRODUCTS),
)

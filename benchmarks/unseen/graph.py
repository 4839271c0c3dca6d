"""A graph network of two layers, each a product with the sparse matrix of a graph's edges."""

import numpy as np

from unseen.program import Program
from unseen.steps import below, jax_step, layers, normal, tf_step, torch_step
from workload import Work

NODES, EDGES, FEATURES, UNITS, CLASSES = 2708, 10_556, 256, 16, 7


def weights():
    """256-16-7."""
    return layers(0, FEATURES, UNITS, CLASSES)


def data():
    """Edges and loops in order, int64 [count, 2]; their weights; features; labels."""
    loops = np.repeat(np.arange(NODES)[:, None], 2, axis=1)
    edges = np.unique(np.concatenate([below(1, NODES, EDGES, 2), loops]), axis=0)
    degrees = np.bincount(edges[:, 0], minlength=NODES)
    strengths = (degrees[edges[:, 0]] * degrees[edges[:, 1]]) ** -0.5
    features = normal(2, NODES, FEATURES, scale=0.1)
    return edges, strengths.astype(np.float32), features, below(3, CLASSES, NODES)


def with_tensorflow(tf):
    edges, strengths, features, labels = data()
    adjacency = tf.SparseTensor(edges, tf.constant(strengths), [NODES, NODES])
    features, labels = tf.constant(features), tf.constant(labels)

    def loss_of(variables):
        w0, b0, w1, b1 = variables
        x = tf.sparse.sparse_dense_matmul(adjacency, tf.matmul(features, w0))
        x = tf.nn.relu(x + b0)
        logits = tf.sparse.sparse_dense_matmul(adjacency, tf.matmul(x, w1)) + b1
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    F = torch.nn.functional
    edges, strengths, features, labels = map(torch.from_numpy, data())
    adjacency = torch.sparse_coo_tensor(edges.t(), strengths, (NODES, NODES)).to_sparse_csr()

    def loss_of(parameters):
        w0, b0, w1, b1 = parameters
        x = F.relu(adjacency @ (features @ w0) + b0)
        logits = adjacency @ (x @ w1) + b1
        return F.cross_entropy(logits, labels)

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp = jax.numpy
    edges, strengths, features, labels = map(jnp.asarray, data())
    to, source = edges[:, 0], edges[:, 1]

    def gathered(x):
        return jax.ops.segment_sum(
            strengths[:, None] * x[source], to, NODES, indices_are_sorted=True
        )

    def loss_of(weights):
        w0, b0, w1, b1 = weights
        x = jax.nn.relu(gathered(features @ w0) + b0)
        likelihoods = jax.nn.log_softmax(gathered(x @ w1) + b1)
        return -jnp.mean(jnp.take_along_axis(likelihoods, labels[:, None], axis=1))

    return jax_step(jax, weights(), loss_of)


DENSE = 2 * NODES * UNITS * (2 * FEATURES + 3 * CLASSES)
SPARSE = 4 * (EDGES + NODES) * (UNITS + CLASSES)
PROGRAM = Program(
    "graph",
    "graph network 256-16-7, 2,708 nodes, 10,556 edges; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=DENSE + SPARSE, bytes=2 * 4 * NODES * FEATURES),
)

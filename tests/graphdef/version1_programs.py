"""Programs of version 1, whose graphs TensorFlow writes with version 1's choices and loops.

A program builds its nodes from the placeholders `x`, `n` and `p`, and returns tensors by names.
"""

import numpy as np

PROGRAMS = {}

FEEDS = [
    {"x:0": np.array(x, "f"), "n:0": np.int32(n), "p:0": np.bool_(p)}
    for x in ([[1, 2, 3], [4, 5, 6]], [[-1, -2, -3]])
    for n in (0, 3)
    for p in (True, False)
]


def program(make):
    """Registers a program."""
    PROGRAMS[make.__name__] = make
    return make


def built(tf, make):
    """The tensors of a program in the default graph, named after their keys."""
    x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
    n = tf.compat.v1.placeholder(tf.int32, [], name="n")
    p = tf.compat.v1.placeholder(tf.bool, [], name="p")
    found = make(tf, x, n, p)
    return {key: tf.identity(value, name=f"out_{key}") for key, value in found.items()}


@program
def choices(tf, x, n, p):
    v1 = tf.compat.v1
    q = tf.reduce_sum(x) > 0
    nested = v1.cond(
        p, lambda: v1.cond(q, lambda: x + 1.0, lambda: tf.zeros_like(x)), lambda: x * 3.0
    )
    one, two = v1.cond(q, lambda: (tf.constant(1.0), x), lambda: (tf.constant(2.0), -x))
    chain = x
    for k in range(5):
        chain = v1.cond(p if k % 2 else q, lambda chain=chain: chain + 1.0, lambda: x * 2.0)
    cases = v1.case(
        [(q, lambda: tf.constant(1)), (p, lambda: tf.constant(2))], default=lambda: tf.constant(3)
    )
    with tf.control_dependencies([v1.assert_less(n, 100)]):
        checked = tf.identity(n)
    found = {"nested": nested, "one": one, "two": two, "chain": chain, "cases": cases}
    return {**found, "checked": checked}


@program
def loops(tf, x, n, p):
    v1 = tf.compat.v1
    count, total = v1.while_loop(
        lambda i, s: i < n, lambda i, s: (i + 1, s * 2.0 + x), [tf.constant(0), x]
    )

    def inner(i, t):
        def step(j, u):
            odd = tf.equal(j % 2, 1)
            more = v1.cond(odd, lambda: tf.cast(j, tf.float32), lambda: tf.constant(10.0))
            return j + 1, u + more

        return i + 1, v1.while_loop(lambda j, u: j < i, step, [tf.constant(0), t])[1]

    nested = v1.while_loop(lambda i, t: i < n, inner, [tf.constant(0), tf.reduce_mean(x)])[1]
    grown = v1.while_loop(
        lambda i, g: i < n,
        lambda i, g: (i + 1, tf.concat([g, x], 0)),
        [tf.constant(0), x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])],
    )[1]
    chosen = v1.cond(
        p,
        lambda: v1.while_loop(
            lambda i, z: i < n, lambda i, z: (i + 1, z + 1.0), [tf.constant(0), x]
        )[1],
        lambda: x,
    )
    found = {"count": count, "total": total, "nested": nested, "grown": grown}
    return {**found, "chosen": chosen}


@program
def arrays(tf, x, n, p):
    v1 = tf.compat.v1
    rows = tf.map_fn(lambda row: row * tf.reduce_sum(row), x)
    sums = tf.scan(lambda total, row: total + row, x)
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
    array = v1.while_loop(
        lambda i, a: i < n + 1,
        lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) * x[0, :1])),
        [tf.constant(0), array],
    )[1]
    parts = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x[0], [1, 2])
    return {
        "rows": rows, "sums": sums, "written": array.concat(), "size": array.size(),
        "part": parts.read(1),
    }  # fmt: skip

"""Python in graphs, and gradients of one's own: py_func, gradient_override_map, RegisterGradient."""

import numpy as np
import tensorflow as tf


def spiky(x):
    r = x % 1
    return r if r <= 0.5 else 0.0


def d_spiky(x):
    return 1.0 if x % 1 <= 0.5 else 0.0


np_spiky, np_d_spiky = (
    lambda x, f=np.vectorize(f): f(x).astype(np.float32) for f in (spiky, d_spiky)
)


def py_func(func, inp, Tout, stateful=True, name=None, grad=None):
    rnd_name = "PyFuncGrad%d" % abs(hash(name))
    tf.RegisterGradient(rnd_name)(grad)
    g = tf.get_default_graph()
    with g.gradient_override_map({"PyFunc": rnd_name, "PyFuncStateless": rnd_name}):
        return tf.py_func(func, inp, Tout, stateful=stateful, name=name)


def tf_spiky(x, name=None):
    with tf.name_scope(name, "spiky", [x]) as name:
        y = py_func(
            np_spiky,
            [x],
            [tf.float32],
            name=name,
            grad=lambda op, grad: grad * tf.py_func(np_d_spiky, [op.inputs[0]], tf.float32),
        )
        y[0].set_shape(x.get_shape())
        return y[0]


@tf.RegisterGradient("BinarizeGrad")
def _binarize_grad(op, grad):
    return tf.where(tf.abs(op.inputs[0]) <= 1.0, grad, tf.zeros_like(grad))


graph = tf.Graph()
with graph.as_default():
    x = tf.constant([0.2, 0.7, 1.2, 1.7])
    y = tf_spiky(x)
    (slope,) = tf.gradients(y, [x])
    w = tf.constant([-2.0, -0.5, 0.3, 1.5])
    with graph.gradient_override_map({"Sign": "BinarizeGrad"}):
        binary = tf.sign(w)
    straight = tf.gradients(binary * [1.0, 2.0, 3.0, 4.0], w)[0]
    with graph.gradient_override_map({"Identity": "Reversed"}):
        tf.RegisterGradient("Reversed")(lambda op, grad: -0.5 * grad)
        flipped = tf.identity(w)
    reversal = tf.gradients(tf.reduce_sum(flipped * flipped), w)[0]
    seen = []

    def note(a, b):
        seen.append(a.shape)
        return a.sum(), np.array([b"x", b"yy"][int(b)], dtype=object)

    total, word = tf.py_func(note, [w, tf.constant(1)], [tf.float32, tf.string])
    with tf.control_dependencies([tf.py_func(lambda: seen.append("ran"), [], [], stateful=True)]):
        after = tf.identity(total)
    clipped = tf.clip_by_norm(w, 1.0)
    pair = tf.gradients([w * 2, w * w], [w], grad_ys=[tf.ones_like(w), 3 * tf.ones_like(w)])[0]
    blocked = tf.gradients(tf.stop_gradient(w) * w, w)[0]
    hessian = tf.hessians(tf.reduce_sum(w**3), w)[0]
    none = tf.gradients(tf.constant(1.0), w)
    print(total.get_shape(), word.dtype, y.get_shape(), none)
    with tf.Session() as sess:
        print(sess.run(y), sess.run(slope))
        print(sess.run(straight), sess.run(reversal))
        print(sess.run([after, word]), sorted(map(str, seen)))
        print(sess.run([pair, blocked]), np.diag(sess.run(hessian)), sess.run(clipped))
        error = tf.test.compute_gradient_error(w, [4], tf.sin(w) * w, [4])
        print("numerical gradient agrees: %s" % (error < 1e-2))

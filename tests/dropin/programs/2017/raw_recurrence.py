"""raw_rnn, a cell of one's own, residual and device wrappers, static and truncated networks."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import rnn_cell_impl


class MinimalGRU(tf.nn.rnn_cell.RNNCell):
    """One gate only."""

    def __init__(self, num_units, reuse=None):
        super(MinimalGRU, self).__init__(_reuse=reuse)
        self._num_units = num_units

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        joined = tf.concat([inputs, state], 1)
        init = tf.random_normal_initializer(stddev=0.3, seed=7)
        f = tf.layers.dense(
            joined, self._num_units, tf.sigmoid, kernel_initializer=init, name="gate"
        )
        both = tf.concat([inputs, f * state], 1)
        h = tf.layers.dense(both, self._num_units, tf.tanh, kernel_initializer=init, name="new")
        state = (1 - f) * state + f * h
        return state, state


rng = np.random.RandomState(0)
data = rng.randn(3, 5, 4).astype(np.float32)
x = tf.placeholder(tf.float32, [3, None, 4])
lengths = tf.constant([5, 3, 1])
print(issubclass(MinimalGRU, rnn_cell_impl.RNNCell))

outputs, state = tf.nn.dynamic_rnn(MinimalGRU(4), x, lengths, dtype=tf.float32, scope="plain")
print([v.name for v in tf.trainable_variables()], outputs.get_shape(), state.get_shape())

time_major = tf.TensorArray(tf.float32, size=tf.shape(x)[1]).unstack(tf.transpose(x, [1, 0, 2]))
cell = MinimalGRU(4)


def loop_fn(time, cell_output, cell_state, loop_state):
    emit = cell_output
    if cell_output is None:
        next_state = cell.zero_state(3, tf.float32)
    else:
        next_state = cell_state
    finished = time >= lengths
    done = tf.reduce_all(finished)
    feed = tf.cond(done, lambda: tf.zeros([3, 4]), lambda: time_major.read(time))
    return finished, feed, next_state, emit, None


with tf.variable_scope("raw"):
    emitted, last, _ = tf.nn.raw_rnn(cell, loop_fn)
by_hand = tf.transpose(emitted.stack(), [1, 0, 2])

stack = tf.nn.rnn_cell.MultiRNNCell(
    [
        tf.nn.rnn_cell.ResidualWrapper(MinimalGRU(4)),
        tf.nn.rnn_cell.DeviceWrapper(
            tf.nn.rnn_cell.GRUCell(4, kernel_initializer=tf.ones_initializer()), "/cpu:0"
        ),
        tf.nn.rnn_cell.LSTMCell(
            6,
            use_peepholes=True,
            num_proj=2,
            cell_clip=3.0,
            initializer=tf.constant_initializer(0.1),
        ),
    ]
)
layered, layered_state = tf.nn.dynamic_rnn(stack, x, dtype=tf.float32, scope="stack")
parts = tf.unstack(tf.placeholder_with_default(data[:, :3], [3, 3, 4]), axis=1)
static, _ = tf.nn.static_rnn(tf.nn.rnn_cell.BasicRNNCell(2, name="basic"), parts, dtype=tf.float32)
print(
    layered.get_shape(), layered_state[2].c.get_shape(), layered_state[2].h.get_shape(), len(static)
)
gradient = tf.gradients(tf.reduce_sum(by_hand), tf.trainable_variables("raw"))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: data}
    found, raw, s = sess.run([outputs, by_hand, state], feed)
    print(np.allclose(found, raw, atol=1e-6), np.round(s[:, 0], 4))
    print(np.round(sess.run(layered, feed)[:, -1], 4).tolist())
    print([g.shape for g in sess.run(gradient, feed)], sess.run(static[0]).shape)
    assert np.allclose(found, raw, atol=1e-6)

"""Deep Q learning on a small corridor: a target network, replay, one_hot actions, assigns."""

import collections
import random

import numpy as np
import tensorflow as tf


class Corridor:
    """Steps left or right; the right end gives 1, the left end nothing."""

    size = 6

    def reset(self):
        self.at = 2
        return self._seen()

    def _seen(self):
        return np.eye(self.size)[self.at]

    def step(self, action):
        self.at += 1 if action else -1
        done = self.at in (0, self.size - 1)
        return self._seen(), float(self.at == self.size - 1), done, {}


class QNetwork:
    def __init__(self, scope):
        self.scope = scope
        with tf.variable_scope(scope):
            self.s = tf.placeholder(tf.float32, [None, Corridor.size], "s")
            self.a = tf.placeholder(tf.int32, [None], "a")
            self.target = tf.placeholder(tf.float32, [None], "target")
            h = tf.layers.dense(self.s, 16, tf.nn.relu, name="l1")
            self.q = tf.layers.dense(h, 2, name="l2")
            chosen = tf.reduce_sum(self.q * tf.one_hot(self.a, 2), axis=1)
            indices = tf.stack([tf.range(tf.shape(self.a)[0], dtype=tf.int32), self.a], axis=1)
            self.same = tf.reduce_all(tf.equal(chosen, tf.gather_nd(self.q, indices)))
            self.loss = tf.reduce_mean(tf.losses.huber_loss(self.target, chosen))
            self.train = tf.train.AdamOptimizer(0.01).minimize(self.loss)
        self.params = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=scope + "/l")


tf.set_random_seed(2)
random.seed(0)
np.random.seed(0)
online, target = QNetwork("online"), QNetwork("target")
replace = [tf.assign(t, e) for t, e in zip(target.params, online.params)]
soft = [t.assign(0.9 * t + 0.1 * e) for t, e in zip(target.params, online.params)]
memory = collections.deque(maxlen=500)
environment = Corridor()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(replace)
    returns = []
    for episode in range(120):
        s, done, total, n = environment.reset(), False, 0.0, 0
        epsilon = max(0.05, 1 - episode / 60.0)
        while not done and n < 50:
            if random.random() < epsilon:
                a = random.randrange(2)
            else:
                a = int(np.argmax(sess.run(online.q, {online.s: [s]})[0]))
            s2, r, done, _ = environment.step(a)
            memory.append((s, a, r, s2, done))
            s, total, n = s2, total + r, n + 1
            if len(memory) > 32:
                rows = random.sample(memory, 32)
                ss, aa, rr, ss2, dd = map(np.array, zip(*rows))
                future = sess.run(target.q, {target.s: ss2}).max(1)
                feed = {online.s: ss, online.a: aa, online.target: rr + 0.9 * future * (1 - dd)}
                sess.run(online.train, feed)
        sess.run(soft)
        returns.append(total)
    print("always right: %s" % (np.mean(returns[-20:]) > 0.8), sess.run(online.same, feed))
    print([v.name for v in online.params])
    assert np.mean(returns[-20:]) > 0.8

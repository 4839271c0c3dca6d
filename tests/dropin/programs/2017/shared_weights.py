"""Workers in threads compute gradients on copies and push them to a shared network, as in A3C."""

import threading

import numpy as np
import tensorflow as tf

ARMS = np.array([0.1, 0.9, 0.3])


class ACNet(object):
    def __init__(self, scope, shared=None, optimizers=None):
        with tf.variable_scope(scope):
            self.s = tf.placeholder(tf.float32, [None, 1], "S")
            with tf.variable_scope("actor"):
                init = tf.random_normal_initializer(0.0, 0.1, seed=1)
                h = tf.layers.dense(self.s, 8, tf.nn.relu6, kernel_initializer=init, name="la")
                self.a_prob = tf.layers.dense(
                    h, 3, tf.nn.softmax, kernel_initializer=init, name="ap"
                )
            with tf.variable_scope("critic"):
                h = tf.layers.dense(self.s, 8, tf.nn.relu6, kernel_initializer=init, name="lc")
                self.v = tf.layers.dense(h, 1, kernel_initializer=init, name="v")
        self.a_params, self.c_params = [
            tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="%s/%s" % (scope, part))
            for part in ("actor", "critic")
        ]
        if shared is None:
            return
        self.a_his = tf.placeholder(tf.int32, [None], "A")
        self.v_target = tf.placeholder(tf.float32, [None, 1], "Vtarget")
        td = tf.subtract(self.v_target, self.v, name="TD_error")
        c_loss = tf.reduce_mean(tf.square(td))
        log_prob = tf.reduce_sum(
            tf.log(self.a_prob + 1e-5) * tf.one_hot(self.a_his, 3, dtype=tf.float32),
            axis=1,
            keep_dims=True,
        )
        entropy = -tf.reduce_sum(self.a_prob * tf.log(self.a_prob + 1e-5), axis=1, keep_dims=True)
        a_loss = tf.reduce_mean(-(log_prob * tf.stop_gradient(td) + 0.01 * entropy))
        a_grads, c_grads = tf.gradients(a_loss, self.a_params), tf.gradients(c_loss, self.c_params)
        with tf.name_scope("sync"):
            self.pull = [
                local.assign(common)
                for local, common in zip(
                    self.a_params + self.c_params, shared.a_params + shared.c_params
                )
            ]
            self.push = [
                optimizers[0].apply_gradients(zip(a_grads, shared.a_params)),
                optimizers[1].apply_gradients(zip(c_grads, shared.c_params)),
            ]


def work(sess, coord, net, seed):
    rng = np.random.RandomState(seed)
    for _ in range(60):
        if coord.should_stop():
            break
        sess.run(net.pull)
        states = np.ones((10, 1))
        probabilities = sess.run(net.a_prob, {net.s: states})[0].astype(float)
        actions = rng.choice(3, 10, p=probabilities / probabilities.sum())
        rewards = (rng.rand(10) < ARMS[actions]).astype(float)[:, None]
        sess.run(net.push, {net.s: states, net.a_his: actions, net.v_target: rewards})


with tf.device("/cpu:0"):
    optimizers = [
        tf.train.RMSPropOptimizer(rate, name="RMSProp" + k)
        for rate, k in ((0.01, "A"), (0.01, "C"))
    ]
    common = ACNet("Global_Net")
    nets = [ACNet("W_%i" % i, common, optimizers) for i in range(3)]
print(nets[1].s.name, [v.op.name for v in nets[1].a_params][:2], len(common.c_params))
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    sess.run(tf.global_variables_initializer())
    threads = []
    for seed, net in enumerate(nets):
        thread = threading.Thread(target=lambda net=net, seed=seed: work(sess, coord, net, seed))
        thread.start()
        threads.append(thread)
    coord.join(threads)
    found = sess.run(common.a_prob, {common.s: [[1.0]]})[0]
    print("best arm: %d, sure: %s" % (found.argmax(), found.max() > 0.6))
    assert found.argmax() == 1

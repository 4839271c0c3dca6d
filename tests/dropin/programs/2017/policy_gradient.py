"""REINFORCE with a baseline; the gradients are kept in buffers and applied by placeholders."""

import numpy as np
import tensorflow as tf

xavier = tf.contrib.layers.xavier_initializer


class Pole:
    """A cart on a line that is pushed; it must stay near 0."""

    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def reset(self):
        self.state = self.rng.uniform(-0.1, 0.1, 2)
        return self.state

    def step(self, action):
        x, v = self.state
        v = v + (0.2 if action == 1 else -0.2) + 0.05 * self.rng.randn()
        self.state = np.array([x + 0.3 * v, v])
        return self.state, 1.0, abs(self.state[0]) > 1.0, {}


tf.reset_default_graph()
observations = tf.placeholder(tf.float32, [None, 2], name="input_x")
W1 = tf.get_variable("W1", shape=[2, 10], initializer=xavier(seed=1))
layer1 = tf.nn.relu(tf.matmul(observations, W1))
W2 = tf.get_variable("W2", shape=[10, 1], initializer=xavier(seed=2))
probability = tf.nn.sigmoid(tf.matmul(layer1, W2))
tvars = tf.trainable_variables()
input_y = tf.placeholder(tf.float32, [None, 1], name="input_y")
advantages = tf.placeholder(tf.float32, name="reward_signal")
loglik = tf.log(input_y * (input_y - probability) + (1 - input_y) * (input_y + probability))
loss = -tf.reduce_mean(loglik * advantages)
new_grads = tf.gradients(loss, tvars)
adam = tf.train.AdamOptimizer(learning_rate=0.05)
grad_holders = [tf.placeholder(tf.float32, name="batch_grad%d" % i) for i in (1, 2)]
update = adam.apply_gradients(zip(grad_holders, tvars))


def discount(rewards, gamma=0.97):
    out, running = np.zeros_like(rewards), 0
    for t in reversed(range(rewards.size)):
        running = running * gamma + rewards[t]
        out[t] = running
    return out


pole, rng = Pole(0), np.random.RandomState(1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    buffer = [np.zeros_like(g) for g in sess.run(tvars)]
    lengths = []
    for episode in range(1, 161):
        xs, ys, rewards, done, seen = [], [], [], False, pole.reset()
        while not done and len(xs) < 60:
            x = np.reshape(seen, [1, 2])
            p = sess.run(probability, {observations: x})
            action = 1 if rng.uniform() < p else 0
            xs.append(x)
            ys.append(1 - action)
            seen, reward, done, _ = pole.step(action)
            rewards.append(reward)
        lengths.append(len(xs))
        discounted = discount(np.vstack(rewards))
        discounted = (discounted - discounted.mean()) / (discounted.std() + 1e-6)
        feed = {observations: np.vstack(xs), input_y: np.vstack(ys), advantages: discounted}
        for i, grad in enumerate(sess.run(new_grads, feed)):
            buffer[i] += grad
        if episode % 5 == 0:
            sess.run(update, dict(zip(grad_holders, buffer)))
            buffer = [b * 0 for b in buffer]
    print("longer: %s" % (np.mean(lengths[-30:]) > 1.5 * np.mean(lengths[:30])))
    assert np.mean(lengths[-30:]) > 1.5 * np.mean(lengths[:30]), lengths

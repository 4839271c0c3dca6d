"""A recurrent network writes text, letter by letter; its state is fed."""

import numpy as np
import tensorflow as tf

text = "hello world, hello there. " * 30
letters = sorted(set(text))
index = {letter: i for i, letter in enumerate(letters)}
data = np.array([index[c] for c in text], np.int32)
BATCH, STEPS, UNITS = 6, 13, 48


class CharRNN(object):
    def __init__(self, infer=False):
        batch, steps = (1, 1) if infer else (BATCH, STEPS)
        cell = tf.nn.rnn_cell.BasicLSTMCell(UNITS, state_is_tuple=True)
        if not infer:
            cell = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=0.95)
        self.cell = cell = tf.nn.rnn_cell.MultiRNNCell([cell], state_is_tuple=True)
        self.inputs = tf.placeholder(tf.int32, [batch, steps])
        self.targets = tf.placeholder(tf.int32, [batch, steps])
        self.initial_state = cell.zero_state(batch, tf.float32)
        with tf.variable_scope("rnnlm"):
            softmax_w = tf.get_variable("softmax_w", [UNITS, len(letters)])
            softmax_b = tf.get_variable("softmax_b", [len(letters)])
            embedding = tf.get_variable("embedding", [len(letters), UNITS])
        embedded = tf.nn.embedding_lookup(embedding, self.inputs)
        slices = [tf.squeeze(x, [1]) for x in tf.split(embedded, steps, 1)]
        outputs, self.final_state = tf.nn.static_rnn(
            cell, slices, initial_state=self.initial_state, scope="rnnlm"
        )
        output = tf.reshape(tf.concat(outputs, 1), [-1, UNITS])
        self.logits = tf.matmul(output, softmax_w) + softmax_b
        self.probs = tf.nn.softmax(self.logits)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.reshape(self.targets, [-1]), logits=self.logits
        )
        self.cost = tf.reduce_sum(loss) / batch / steps
        if infer:
            return
        self.lr = tf.Variable(0.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, self.norm = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), 5.0)
        self.train_op = tf.train.AdamOptimizer(self.lr).apply_gradients(zip(grads, tvars))

    def sample(self, sess, prime, num):
        state = sess.run(self.cell.zero_state(1, tf.float32))
        result = prime
        for letter in prime[:-1]:
            feed = {self.inputs: [[index[letter]]], self.initial_state: state}
            state = sess.run(self.final_state, feed)
        for _ in range(num):
            feed = {self.inputs: [[index[result[-1]]]], self.initial_state: state}
            probs, state = sess.run([self.probs, self.final_state], feed)
            result += letters[int(np.argmax(probs[0]))]
        return result


tf.set_random_seed(1)
with tf.variable_scope("model"):
    model = CharRNN()
trained = tf.trainable_variables()
with tf.variable_scope("model", reuse=True):
    writer = CharRNN(infer=True)
print(len(trained), len(tf.trainable_variables()))
per_row = len(data) // BATCH // STEPS * STEPS
rows = data[: BATCH * per_row].reshape(BATCH, per_row)
shifted = np.roll(data, -1)[: BATCH * per_row].reshape(BATCH, per_row)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(25):
        sess.run(tf.assign(model.lr, 0.02 * 0.97**epoch))
        state = sess.run(model.initial_state)
        for start in range(0, per_row, STEPS):
            feed = {model.inputs: rows[:, start : start + STEPS]}
            feed[model.targets] = shifted[:, start : start + STEPS]
            for i, (c, h) in enumerate(model.initial_state):
                feed[c], feed[h] = state[i].c, state[i].h
            cost, state, _ = sess.run([model.cost, model.final_state, model.train_op], feed)
    print("learned: %s" % (cost < 0.5))
    print(repr(writer.sample(sess, "hello ", 20)[:6]))
    assert cost < 0.5, cost

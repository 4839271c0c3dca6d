"""A recurrent network that says whether a row of numbers sums to more than zero, as in 2017."""

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("steps", 200, "training steps")
flags.DEFINE_integer("units", 12, "size of the state")
FLAGS = flags.FLAGS


def rows(seed):
    rng = np.random.RandomState(seed)
    while True:
        lengths = rng.randint(3, 9, 32)
        values = rng.uniform(-1, 1, (32, 8, 1)) * (np.arange(8) < lengths[:, None])[..., None]
        yield values.astype(np.float32), lengths, (values.sum((1, 2)) > 0).astype(np.int64)


def network(values, lengths, keep):
    cell = tf.nn.rnn_cell.GRUCell(FLAGS.units)
    cell = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=keep)
    _, state = tf.nn.dynamic_rnn(cell, values, sequence_length=lengths, dtype=tf.float32)
    return tf.layers.dense(state, 2, name="logits")


def main(_):
    tf.set_random_seed(3)
    values = tf.placeholder(tf.float32, [None, 8, 1])
    lengths = tf.placeholder(tf.int32, [None])
    labels = tf.placeholder(tf.int64, [None])
    keep = tf.placeholder_with_default(1.0, [])
    logits = network(values, lengths, keep)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(tf.train.exponential_decay(0.03, step, 100, 0.7))
    pairs = optimizer.compute_gradients(loss)
    clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
    train = optimizer.apply_gradients(
        zip(clipped, [variable for _, variable in pairs]), global_step=step
    )
    _, update = tf.metrics.accuracy(labels, tf.argmax(logits, 1))
    print("variables:", [variable.op.name for variable in tf.trainable_variables()])

    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps), tf.train.NanTensorHook(loss)]
    examples = rows(0)
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        while not session.should_stop():
            batch = dict(zip((values, lengths, labels), next(examples)))
            found, _, number = session.run([loss, train, step], {**batch, keep: 0.9})
            if number % 40 == 1:
                print("step %3d  loss %.3f" % (number, found))
        fresh = rows(1)
        for _ in range(5):
            batch = dict(zip((values, lengths, labels), next(fresh)))
            accuracy = session.run(update, batch)
    print("accuracy: %.2f" % accuracy)
    assert accuracy > 0.75


if __name__ == "__main__":
    tf.app.run()

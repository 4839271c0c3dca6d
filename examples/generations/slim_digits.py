"""TF-Slim of 2017: a network under argument scopes, trained, evaluated from its checkpoint, and reused.

TF-Slim is a package of its own, as is scikit-learn: pip install 'eagerflow[slim,science]'
"""

import tempfile

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

slim = tf.contrib.slim

digits = load_digits()
images = (digits.images / 16.0).astype(np.float32)[..., np.newaxis]
labels = digits.target.astype(np.int64)
TRAINED = 1400
folder = tempfile.mkdtemp()


def network(inputs, is_training):
    """Ten logits for images of 8 by 8."""
    normalization = {"is_training": is_training, "decay": 0.9}
    with slim.arg_scope(
        [slim.conv2d],
        normalizer_fn=slim.batch_norm,
        normalizer_params=normalization,
        weights_regularizer=slim.l2_regularizer(1e-4),
    ):
        net = slim.repeat(inputs, 2, slim.conv2d, 16, [3, 3], scope="conv1")
        net = slim.max_pool2d(net, [2, 2], scope="pool1")
        net = slim.conv2d(net, 32, [3, 3], scope="conv2")
    net = slim.dropout(slim.flatten(net), 0.8, is_training=is_training)
    return slim.fully_connected(net, 10, activation_fn=None, scope="logits")


def train(steps):
    """Trains from queues of examples; returns the last loss."""
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        image, label = tf.train.slice_input_producer([images[:TRAINED], labels[:TRAINED]], seed=7)
        image_batch, label_batch = tf.train.batch([image, label], batch_size=64)
        logits = network(image_batch, is_training=True)
        tf.losses.sparse_softmax_cross_entropy(label_batch, logits)
        loss = tf.losses.get_total_loss()
        tf.summary.scalar("loss", loss)
        train_op = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.01))
        return slim.learning.train(train_op, folder, number_of_steps=steps, log_every_n_steps=40)


def evaluate():
    """Metrics of the examples that were not trained on, from the checkpoint."""
    with tf.Graph().as_default():
        predictions = tf.argmax(network(tf.constant(images[TRAINED:]), is_training=False), 1)
        truth = tf.constant(labels[TRAINED:])
        values, updates = slim.metrics.aggregate_metric_map(
            {
                "accuracy": slim.metrics.streaming_accuracy(predictions, truth),
                "distance": slim.metrics.streaming_mean_absolute_error(predictions, truth),
            }
        )
        return slim.evaluation.evaluate_once(
            "",
            tf.train.latest_checkpoint(folder),
            folder + "/eval",
            eval_op=list(updates.values()),
            final_op=values,
        )


def features(count):
    """The activations of a layer of the trained network, whose logits are left out."""
    with tf.Graph().as_default(), tf.Session() as session:
        logits = network(tf.constant(images[:count]), is_training=False)
        restored = slim.get_variables_to_restore(exclude=["logits"])
        init_fn = slim.assign_from_checkpoint_fn(tf.train.latest_checkpoint(folder), restored)
        session.run(tf.global_variables_initializer())
        init_fn(session)
        pooled = logits.graph.get_tensor_by_name("pool1/MaxPool:0")
        return session.run(pooled), [variable.op.name for variable in restored]


print("loss after 120 steps: %.3f" % train(120))
found = evaluate()
print("accuracy %.3f, mean distance %.3f" % (found["accuracy"], found["distance"]))
assert found["accuracy"] > 0.9
activations, names = features(3)
print(activations.shape, activations.mean() > 0)
print("restored:", ", ".join(names[:4]), "and %d more" % (len(names) - 4))

"""The first generation: a custom estimator, as programs of 2018 trained models.

Estimators are a package of their own: pip install 'eagerflow[estimator]'
"""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)


def blobs(count, seed):
    """Points around three centers, and the names of the centers."""
    random = np.random.RandomState(seed)
    classes = random.randint(0, 3, count)
    centers = np.array([[0.0, 2.0], [-2.0, -1.0], [2.0, -1.0]])
    points = centers[classes] + random.normal(0.0, 0.6, (count, 2))
    return points.astype(np.float32), classes


def input_fn(points, classes, training):
    """Batches of features by name, and of labels."""
    data = tf.data.Dataset.from_tensor_slices(({"point": points}, classes))
    if training:
        data = data.shuffle(200, seed=1).repeat()
    return data.batch(32)


def model_fn(features, labels, mode, params):
    """A network, and what it is for in each mode: to predict, to be evaluated, to be trained."""
    net = tf.feature_column.input_layer(features, params["columns"])
    for units in params["hidden"]:
        net = tf.layers.dense(net, units, activation=tf.nn.relu)
    logits = tf.layers.dense(net, 3)
    predicted = tf.argmax(logits, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        predictions = {"class": predicted, "probabilities": tf.nn.softmax(logits)}
        return tf.estimator.EstimatorSpec(mode, predictions=predictions)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    accuracy = tf.metrics.accuracy(labels, predicted, name="accuracy")
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": accuracy})
    tf.summary.scalar("accuracy", accuracy[1])
    optimizer = tf.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


columns = [tf.feature_column.numeric_column("point", shape=[2])]
classifier = tf.estimator.Estimator(
    model_fn,
    model_dir=tempfile.mkdtemp(),
    config=tf.estimator.RunConfig(tf_random_seed=7, save_checkpoints_steps=100),
    params={"columns": columns, "hidden": [16], "rate": 0.02},
)
train, test = blobs(600, 0), blobs(150, 1)
results, _ = tf.estimator.train_and_evaluate(
    classifier,
    tf.estimator.TrainSpec(lambda: input_fn(*train, True), max_steps=200),
    tf.estimator.EvalSpec(lambda: input_fn(*test, False), steps=None, throttle_secs=0),
)
print("after %d steps, accuracy %.2f" % (results["global_step"], results["accuracy"]))
assert results["accuracy"] > 0.9

# What one run has trained, the next finds in the folder.
predictions = classifier.predict(lambda: input_fn(*blobs(4, 2), False))
print("classes:", [int(each["class"]) for each in predictions])

receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
    {"point": tf.placeholder(tf.float32, [None, 2], name="point")}
)
folder = classifier.export_saved_model(tempfile.mkdtemp(), receiver).decode()
with tf.Graph().as_default(), tf.Session() as session:
    signature = tf.saved_model.loader.load(session, ["serve"], folder).signature_def
    inputs = signature["serving_default"].inputs["point"].name
    outputs = signature["serving_default"].outputs["class"].name
    print("served:", session.run(outputs, {inputs: [[0.0, 2.0], [2.0, -1.0]]}))

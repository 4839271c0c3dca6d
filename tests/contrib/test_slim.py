"""tf.contrib.slim, which the package tf-slim has: its layers, nets, training, evaluation and data."""

import contextlib
import importlib
import importlib.util
import sys

import numpy as np
import pytest

import eagerflow
from eagerflow import dropin

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("tf_slim", "six")),
    reason="needs tf-slim",
)


@pytest.fixture(scope="module")
def tf():
    yield eagerflow.install_as_tensorflow("1.x")
    dropin.uninstall()
    for name in [name for name in sys.modules if name.partition(".")[0] == "tf_slim"]:
        del sys.modules[name]


@pytest.fixture
def slim(tf):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        yield importlib.import_module("tensorflow.contrib.slim")


# From the name of a layer to how it is applied, in training or not, and the shape of its inputs.
LAYERS = {
    "batch_norm": (lambda f, x, training: f(x, is_training=training, decay=0.5), (4, 6, 6, 3)),
    "batch_norm rows": (lambda f, x, training: f(x, is_training=training, scale=True), (4, 3)),
    "batch_norm at once": (
        lambda f, x, training: f(x, is_training=training, updates_collections=None, decay=0.5),
        (4, 6, 6, 3),
    ),
    "batch_norm first": (
        lambda f, x, training: f(x, is_training=training, data_format="NCHW", scale=True),
        (4, 3, 6, 6),
    ),
    "batch_norm renorm": (
        lambda f, x, training: f(x, is_training=training, renorm=True, decay=0.5),
        (4, 6, 6, 3),
    ),
    "bias_add": (lambda f, x, training: f(x), (4, 3)),
    "conv2d": (lambda f, x, training: f(x, 2, 3), (4, 6, 6, 3)),
    "conv2d_in_plane": (lambda f, x, training: f(x, 3), (4, 6, 6, 3)),
    "conv2d_transpose": (lambda f, x, training: f(x, 2, 3, stride=2), (4, 6, 6, 3)),
    "conv3d": (lambda f, x, training: f(x, 2, 3), (2, 4, 4, 4, 3)),
    "convolution1d": (lambda f, x, training: f(x, 2, 3), (4, 6, 3)),
    "fully_connected": (lambda f, x, training: f(x, 5), (4, 3)),
    "group_norm": (lambda f, x, training: f(x, groups=2), (4, 6, 6, 4)),
    "instance_norm": (lambda f, x, training: f(x), (4, 6, 6, 3)),
    "layer_norm": (lambda f, x, training: f(x), (4, 6)),
    "separable_conv2d": (lambda f, x, training: f(x, 2, 3, 1), (4, 6, 6, 3)),
    "spatial_softmax": (lambda f, x, training: f(x), (4, 6, 6, 3)),
}


def value_of(shape):
    return np.random.RandomState(0).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_trained_and_restored(tf, slim, name, tmp_path):
    apply, shape = LAYERS[name]
    layer = getattr(slim, name.split()[0])

    def outputs(x, training):
        # One default for all layers: a regularizer where they take it.
        weights = [slim.conv2d, slim.separable_conv2d, slim.fully_connected]
        with slim.arg_scope(weights, weights_regularizer=slim.l2_regularizer(0.1)):
            with slim.arg_scope([layer], variables_collections=["mine"]):
                return apply(layer, x, training)

    def variables():
        return slim.get_model_variables()

    regularized = name in ("conv2d", "separable_conv2d", "fully_connected")
    loss = tf.reduce_mean(tf.square(outputs(tf.constant(value_of(shape)), True) - 1.0))
    assert len(tf.losses.get_regularization_losses()) >= regularized
    train_op = slim.learning.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1))
    path = str(tmp_path / "model")
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        losses = [session.run(train_op) for _ in range(4)]
        assert losses[-1] < losses[0] and session.run(slim.get_global_step()) == 4
        trained = session.run(variables())
        tf.train.Saver().save(session, path)
    assert not trained or {v.op.name for v in tf.get_collection("mine")} <= {
        v.op.name for v in tf.global_variables()
    }

    with tf.Graph().as_default(), tf.Session() as session:
        result = outputs(tf.placeholder_with_default(value_of(shape), [None, *shape[1:]]), False)
        assert not tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        session.run(tf.global_variables_initializer())
        if trained:
            slim.assign_from_checkpoint_fn(path, variables())(session)
        for found, expected in zip(session.run(variables()), trained, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
        # Evaluation does not depend on what else is in the batch.
        whole = session.run(result)
        single = session.run(result, {result.graph.get_operations()[0].outputs[0]: value_of(shape)})
        np.testing.assert_allclose(single, whole)


def test_moving_averages_of_renormalized_batches_move(tf, slim):
    x = tf.constant(value_of((8, 6, 6, 3)) + 3.0)
    slim.batch_norm(x, renorm=True, decay=0.5, is_training=True, scope="n")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(20):
            session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        names = ("moving_mean", "moving_variance")
        mean, variance = session.run([slim.get_variables_by_suffix(name)[0] for name in names])
    np.testing.assert_allclose(mean, value_of((8, 6, 6, 3)).mean((0, 1, 2)) + 3.0, atol=1e-3)
    np.testing.assert_allclose(variance, value_of((8, 6, 6, 3)).var((0, 1, 2)), atol=1e-2)


def test_batches_are_adjusted_in_training_alone(tf, slim):
    shape, results = (8, 4, 4, 3), {}
    for training in (True, False):
        with tf.Graph().as_default(), tf.Session() as session:
            y = slim.batch_norm(
                tf.constant(value_of(shape)),
                scale=True,
                is_training=training,
                adjustment=lambda _: (tf.constant([2.0, 1.0, 1.0]), tf.constant([0.0, 5.0, 0.0])),
            )
            session.run(tf.global_variables_initializer())
            results[training] = session.run(y)
    x = value_of(shape)
    normal = (x - x.mean((0, 1, 2))) / np.sqrt(x.var((0, 1, 2)) + 0.001)
    np.testing.assert_allclose(results[True], normal * [2, 1, 1] + [0, 5, 0], atol=1e-3)
    np.testing.assert_allclose(results[False], x / np.sqrt(1.001), rtol=1e-5)


@pytest.mark.parametrize(
    "name, size",
    [
        ("alexnet.alexnet_v2", 224),
        ("overfeat.overfeat", 231),
        ("vgg.vgg_a", 224),
        ("inception.inception_v1", 224),
        ("resnet_v1.resnet_v1_50", 64),
        ("resnet_v2.resnet_v2_50", 64),
    ],
)
def test_nets_are_built(tf, slim, name, size):
    module, function = name.split(".")
    net = importlib.import_module(f"tensorflow.contrib.slim.nets.{module}")
    images = tf.placeholder(tf.float32, [2, size, size, 3])
    scope = f"{module}_arg_scope"
    with slim.arg_scope(getattr(net, scope)()) if hasattr(net, scope) else contextlib.nullcontext():
        logits, ends = getattr(net, function)(images, 5, is_training=True)
    assert logits.shape.as_list()[0] == 2 and logits.shape.as_list()[-1] == 5 and len(ends) > 5
    assert len(slim.get_model_variables()) > 10
    assert len({v.op.name.partition("/")[0] for v in slim.get_model_variables()}) == 1


def test_losses_are_optimized_in_one_call(tf, slim):
    layers = tf.contrib.layers
    x, y = tf.constant(value_of((32, 3))), tf.constant(value_of((32, 1)))
    hidden = layers.stack(x, layers.fully_connected, [8, 4], scope="fc")
    loss = tf.reduce_mean(tf.square(layers.linear(hidden, 1) - y))
    step = tf.train.get_or_create_global_step()
    train_op = layers.optimize_loss(
        loss,
        step,
        learning_rate=0.05,
        optimizer="Adam",
        clip_gradients=1.0,
        learning_rate_decay_fn=lambda rate, step: tf.train.exponential_decay(rate, step, 10, 0.9),
        summaries=["loss", "learning_rate", "gradient_norm"],
    )
    tags = {operation.op.name for operation in tf.get_collection(tf.GraphKeys.SUMMARIES)}
    assert {"OptimizeLoss/loss", "OptimizeLoss/learning_rate_1"} <= tags, tags
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = [session.run(train_op) for _ in range(30)]
        assert losses[-1] < losses[0] and session.run(step) == 30


def test_records_are_read_and_trained_to_a_checkpoint(tf, slim, tmp_path):
    rows = value_of((40, 2))
    path = str(tmp_path / "rows.tfrecord")
    with tf.python_io.TFRecordWriter(path) as writer:
        for row in rows:
            feature = {
                "row": tf.train.Feature(float_list=tf.train.FloatList(value=row)),
                "label": tf.train.Feature(
                    int64_list=tf.train.Int64List(value=[int(row.sum() > 0)])
                ),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())

    def examples():
        decoder = slim.tfexample_decoder.TFExampleDecoder(
            {
                "row": tf.FixedLenFeature([2], tf.float32),
                "label": tf.FixedLenFeature([], tf.int64),
            },
            {
                "row": slim.tfexample_decoder.Tensor("row"),
                "label": slim.tfexample_decoder.Tensor("label"),
            },
        )
        data = slim.dataset.Dataset(path, tf.TFRecordReader, decoder, len(rows), {"row": "two"})
        provider = slim.dataset_data_provider.DatasetDataProvider(data, num_readers=1, seed=1)
        return tf.train.batch(provider.get(["row", "label"]), 20)

    def logits(x):
        return slim.fully_connected(x, 2, activation_fn=None, scope="logits")

    x, y = examples()
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits(x))
    train_op = slim.learning.create_train_op(loss, tf.train.AdamOptimizer(0.2))
    folder = str(tmp_path / "run")
    last = slim.learning.train(train_op, folder, number_of_steps=30, log_every_n_steps=30)
    assert last < 0.3 and tf.train.latest_checkpoint(folder).endswith("-30")

    with tf.Graph().as_default():
        x, y = examples()
        accuracy, update = slim.metrics.streaming_accuracy(tf.argmax(logits(x), 1), y)
        values = slim.evaluation.evaluation_loop(
            "",
            folder,
            folder,
            num_evals=2,
            eval_op=update,
            final_op=accuracy,
            max_number_of_evaluations=1,
        )
    assert values > 0.9


def test_names_lead_to_the_package_by_all_their_paths(tf, slim):
    for path in (
        "contrib.slim",
        "contrib.slim.nets.vgg",
        "contrib.slim.python.slim.nets.vgg",
        "contrib.slim.python.slim.learning",
        "contrib.layers.python.layers.layers",
        "contrib.layers.python.layers.regularizers",
        "contrib.framework.python.ops.variables",
        "contrib.losses.python.losses.loss_ops",
        "contrib.metrics.python.ops.metric_ops",
        "contrib.training.python.training.training",
        "contrib.eager.python.tfe",
    ):
        assert importlib.import_module(f"tensorflow.{path}").__name__ == f"tensorflow.{path}"
    contrib = tf.contrib
    assert contrib.layers.conv2d is contrib.slim.conv2d is slim.convolution2d
    assert contrib.framework.arg_scope is slim.arg_scope
    assert contrib.training.HParams(a=1).a == 1 and callable(contrib.training.create_train_op)
    assert contrib.slim.nets.vgg.vgg_16 and contrib.losses.metric_learning.npairs_loss
    assert contrib.layers.embed_sequence(tf.constant([[1]]), 3, 2).shape == (1, 1, 2)
    with pytest.raises(AttributeError, match=r"contrib\.slim' has no attribute 'convd'"):
        _ = contrib.slim.convd

"""tf.layers: the names that layers' variables and operations have."""

import inspect

import pytest

import eagerflow

tf = eagerflow.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_layers_of_one_name_have_variables_of_their_own():
    first, second = tf.layers.Dense(3, name="x"), tf.layers.Dense(3, name="x")
    x = tf.ones([2, 4])
    names = [layer(x).op.name for layer in (first, first, second, second)]
    assert names == ["x/BiasAdd", "x/BiasAdd_1", "x_1/BiasAdd", "x_1/BiasAdd_1"]
    assert second.kernel.op.name == "x_1/kernel" and second.scope_name == "x_1"
    with tf.variable_scope("outside"):
        assert first(x).op.name == "x/BiasAdd_2"
    assert tf.layers.dense(x, 3, name="y").op.name == "y/BiasAdd"
    assert tf.layers.dense(x, 3, name="y", reuse=True).op.name == "y_1/BiasAdd"
    with pytest.raises(ValueError, match="already exists"):
        tf.layers.dense(x, 3, name="y")


def test_last_operations_are_called_as_in_tensorflow():
    x = tf.ones([2, 8, 8, 3])
    layers = tf.layers
    found = [
        layers.max_pooling2d(x, 2, 2),
        layers.average_pooling2d(x, 2, 2),
        layers.max_pooling1d(x[0], 2, 2),
        layers.average_pooling3d(x[None], 2, 2),
        layers.flatten(x),
        layers.dropout(x, training=True),
        layers.dropout(x),
        layers.batch_normalization(x, training=True),
        layers.conv2d(x, 3, 3, use_bias=False),
        layers.dense(x[:, 0, 0], 3, use_bias=False),
        tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.max_pool1d(x[0], 2, 2, "SAME"),
        tf.nn.conv1d(x[0], tf.ones([3, 3, 2]), 1, "SAME"),
        tf.nn.embedding_lookup(tf.ones([2, 2]), [0]),
    ]
    assert [tensor.op.name for tensor in found] == [
        "max_pooling2d/MaxPool",
        "average_pooling2d/AvgPool",
        "max_pooling1d/Squeeze",
        "average_pooling3d/AvgPool3D",
        "flatten/Reshape",
        "dropout/dropout/SelectV2",
        "dropout_1/Identity",
        "batch_normalization/FusedBatchNormV3",
        "conv2d/Conv2D",
        "dense/MatMul",
        "MaxPool",
        "AvgPool",
        "MaxPool1d/Squeeze",
        "conv1d/Squeeze",
        "embedding_lookup/Identity",
    ]


def test_functions_have_the_parameters_of_version_1():
    """Recorded from TensorFlow 2.21: the order, and what is given by it."""
    names = list(inspect.signature(tf.layers.conv2d).parameters)
    assert (
        names[:8]
        == (
            "inputs filters kernel_size strides padding data_format dilation_rate activation"
        ).split()
    )
    assert names[-3:] == ["trainable", "name", "reuse"]
    normalization = inspect.signature(tf.layers.batch_normalization).parameters
    assert list(normalization)[14:18] == ["training", "trainable", "name", "reuse"]
    x = tf.ones([2, 8, 8, 3])
    dropped = tf.layers.dropout(x, 0.5, None, 1, tf.constant(True), "d")
    assert dropped.op.name == "d/cond/Merge"
    assert tf.layers.flatten(x, "f").op.name == "f/Reshape"
    y = tf.layers.conv2d(x, 4, 3, 1, "same", "channels_last", 1, tf.nn.relu)
    assert y.op.type == "Relu" and y.shape.as_list() == [2, 8, 8, 4]
    with pytest.raises(TypeError):
        tf.layers.flatten(x, "f", name="f")
    with pytest.raises(TypeError):
        tf.layers.flatten(x, "f", None, 3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert (session.run(dropped) == 0).any()


class Scale(tf.layers.Layer):
    def build(self, input_shape):
        self.scale = self.add_variable("scale", [3], tf.float32, tf.ones_initializer(), None, False)
        self.built = True

    def call(self, inputs):
        return inputs * self.scale


class Adding(tf.nn.rnn_cell.RNNCell):
    state_size = output_size = 3

    def build(self, inputs_shape):
        self.amount = self.add_weight("amount", [3], tf.float32, tf.ones_initializer())
        self.built = True

    def call(self, inputs, state):
        return (inputs + state + self.amount,) * 2


def test_weights_by_place():
    x = tf.ones([1, 3])
    layer, cell = Scale(), Adding()
    outputs = layer(x), cell(x, x)[0]
    assert layer.trainable_variables == [] and layer.variables[0].op.name == "scale/scale"
    assert [variable.op.name for variable in tf.trainable_variables()] == ["adding/amount"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [value[0, 0] for value in session.run(outputs)] == [1, 3]
    with eagerflow.compat.v1.Graph().as_default():
        assert Scale()(tf.ones([1, 3])).shape.as_list() == [1, 3]


def test_scopes_initialize_weights_that_have_no_initializer():
    x = tf.ones([1, 6, 6, 2])
    with tf.variable_scope("s", initializer=tf.constant_initializer(0.5)):
        tf.layers.dense(x, 3)
        tf.layers.separable_conv2d(x, 3, 2)
        tf.layers.conv2d(x, 3, 2, kernel_initializer=tf.zeros_initializer())
        given = 3, 2, 1, "same", None, 1, 1, None, True, tf.zeros_initializer()
        tf.layers.Conv2D(*given)(x)
    tf.layers.conv2d(x, 3, 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = {v.op.name: session.run(v) for v in tf.trainable_variables()}
    assert (found["s/dense/kernel"] == 0.5).all() and (found["s/dense/bias"] == 0.0).all()
    assert (found["s/separable_conv2d/depthwise_kernel"] == 0.5).all()
    assert (found["s/separable_conv2d/pointwise_kernel"] == 0.5).all()
    assert (found["s/conv2d/kernel"] == 0.0).all() and (found["s/conv2d_1/kernel"] == 0.0).all()
    drawn = found["conv2d/kernel"]
    assert drawn.std() > 0.1 and abs(drawn).max() <= (6.0 / (8 + 12)) ** 0.5


def test_a_scope_with_slashes_is_one_of_names_too():
    with tf.variable_scope("a/b") as scope:
        assert (tf.get_variable("v", []).op.name, tf.constant(1).op.name) == ("a/b/v", "a/b/Const")
    with tf.variable_scope(scope):
        assert tf.constant(1).op.name == "b/Const"
    with tf.name_scope("n") as name:
        pass
    pooling = tf.layers.MaxPooling2D(2, 2, _scope=name)
    assert pooling(tf.ones([1, 4, 4, 1])).op.name == "n/MaxPool"
    volumes = tf.layers.MaxPooling3D(2, 2, data_format="channels_first", name="v")
    assert volumes(tf.ones([1, 1, 2, 2, 2])).op.name == "v/transpose_1"


def test_losses_of_weights_are_called_by_their_names_in_the_layer():
    def named(name):
        return lambda weight: tf.multiply(tf.reduce_sum(weight), 0.1, name=name)

    def renamed(getter, name, *args, **kwargs):
        return getter(name.replace("kernel", "weights"), *args, **kwargs)

    x = tf.ones([2, 4])
    with tf.variable_scope("s", regularizer=named("around"), custom_getter=renamed):
        layer = tf.layers.Dense(3, kernel_regularizer=named("own"), name="d")
        layer(x)
        tf.layers.dense(x, 3, kernel_regularizer=named("own"), name="d", reuse=True)
    assert layer.kernel.op.name == "s/d/weights"
    assert [loss.op.name for loss in tf.losses.get_regularization_losses()] == [
        "s/d/weights/Regularizer/around",
        "s/d/kernel/Regularizer/own",
        "s/d/bias/Regularizer/around",
    ]
    assert [loss.op.name for loss in layer.losses] == ["s/d/kernel/Regularizer/own"]


def test_a_custom_gradient_begins_outside_the_scopes_of_its_function():
    def f(x):
        with tf.variable_scope("inner") as scope:
            weight = tf.get_variable("w", [], initializer=tf.ones_initializer(), use_resource=True)

        @tf.custom_gradient
        def scaled(x):
            def gradient(dy, variables=None):
                with tf.variable_scope(scope.name, reuse=True):
                    again = tf.get_variable("w", [])
                assert again is weight and tf.get_variable_scope().name == ""
                return dy * again * 7, [dy for _ in variables or ()]

            return x * weight.read_value(), gradient

        return scaled(x)

    x = tf.constant(2.0)
    with tf.variable_scope("outer"):
        (slope,) = tf.gradients(f(x), x)
        assert tf.get_variable_scope().name == "outer"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(slope) == 7


def test_the_global_step_is_of_its_graph():
    other = tf.Graph()
    step = tf.train.create_global_step(other)
    assert step.graph is other and step.op.name == "global_step"
    assert tf.train.get_global_step() is None and tf.train.get_global_step(other) is step
    own = tf.Variable(0, trainable=False, name="global_step")
    assert tf.train.get_global_step() is own
    with tf.Graph().as_default():
        tf.Variable(0.0, name="global_step")
        with pytest.raises(TypeError, match="does not have integer type"):
            tf.train.get_global_step()

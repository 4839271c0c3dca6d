"""Methods of Keras 2's layers that are not public, and that subclasses override and programs call."""

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers
X = tf.constant([[1.0, 2.0], [3.0, 6.0]])
STEPS = tf.ones([3, 5, 4])


class TestBatchNormalization:
    def test_moments_by_themselves(self):
        layer = layers.BatchNormalization()
        layer.build([2, 2])
        for method in (layer._moments, layer._calculate_mean_and_var):
            mean, variance = method(X, [0], False)
            np.testing.assert_array_equal(mean, [2.0, 4.0])
            np.testing.assert_array_equal(variance, [1.0, 4.0])
        assert layer._param_shape == (2,)
        assert not layer._get_training_value(None) and layer._get_training_value(True)
        layer.trainable = False
        assert layer._get_training_value(True) is False

    def test_an_average_by_itself(self):
        layer, variable = layers.BatchNormalization(), tf.Variable(1.0)
        layer._assign_moving_average(variable, tf.constant(3.0), 0.9, None)
        np.testing.assert_allclose(variable.numpy(), 1.2)

    @pytest.mark.parametrize("name", ["_moments", "_calculate_mean_and_var"])
    def test_own_moments(self, name):
        def method(self, inputs, reduction_axes, keep_dims, mask=None):
            own = getattr(super(Own, self), name)
            mean, variance = own(inputs, reduction_axes, keep_dims, mask=mask)
            return mean * 0.0, variance * 0.0 + 1.0

        Own = type("Own", (layers.BatchNormalization,), {name: method})
        np.testing.assert_allclose(Own(epsilon=0.0)(X, training=True), X)
        # The fused operation computes its own.
        images = tf.reshape(X, [1, 2, 1, 2])
        np.testing.assert_allclose(
            Own()(images, training=True), layers.BatchNormalization()(images, training=True)
        )

    def test_own_averages(self):
        calls = []

        class Own(layers.BatchNormalization):
            def _assign_moving_average(self, variable, value, momentum, inputs_size):
                calls.append((variable.name.rpartition("/")[2], momentum))
                super()._assign_moving_average(variable, value, momentum, inputs_size)

        layer, plain = Own(), layers.BatchNormalization()
        layer(X, training=True)
        plain(X, training=True)
        assert calls == [("moving_mean:0", 0.99), ("moving_variance:0", 0.99)]
        for own, other in zip(layer.weights, plain.weights, strict=True):
            np.testing.assert_allclose(own.numpy(), other.numpy())

    def test_own_choice_of_training(self):
        class Own(layers.BatchNormalization):
            def _get_training_value(self, training=None):
                return True

        expected = layers.BatchNormalization()(X, training=True)
        np.testing.assert_allclose(Own()(X, training=False), expected)


class TestConvolution:
    def test_what_describes_it(self):
        layer = layers.Conv2D(2, 3)
        assert layer._get_channel_axis() == -1 and layer._tf_data_format == "NHWC"
        assert layer._get_input_channel(tf.TensorShape([1, 5, 5, 2])) == 2
        assert layer._spatial_output_shape([5, None]) == [3, None]
        assert layer._get_padding_op() == "VALID"
        first = layers.Conv2D(2, 3, data_format="channels_first", padding="same")
        assert first._get_channel_axis() == -3 and first._tf_data_format == "NCHW"
        assert first._get_padding_op() == "SAME"
        sequence = layers.Conv1D(2, 3, padding="causal", dilation_rate=2)
        assert sequence._compute_causal_padding(STEPS) == [[0, 0], [4, 0], [0, 0]]
        assert sequence._get_padding_op() == "VALID" and sequence._tf_data_format == "NWC"

    @pytest.mark.parametrize("kind", [layers.Conv1D, layers.SeparableConv1D])
    def test_own_padding(self, kind):
        class Own(kind):
            def _compute_causal_padding(self, inputs):
                return [[0, 0], [5, 0], [0, 0]]

        assert Own(2, 3, padding="causal")(STEPS).shape == [3, 8, 2]


class TestRecurrent:
    @pytest.mark.parametrize("base", [layers.RNN, layers.LSTM])
    def test_own_inputs(self, base):
        calls = []

        class Own(base):
            def _process_inputs(self, inputs, initial_state, constants):
                inputs, states, constants = super()._process_inputs(
                    inputs, initial_state, constants
                )
                calls.append([state.shape for state in states])
                return inputs * 0.0, states, constants

        layer = Own(layers.LSTMCell(2) if base is layers.RNN else 2)
        np.testing.assert_array_equal(layer(STEPS), np.zeros([3, 2]))
        assert calls == [[[3, 2], [3, 2]]]

    def test_own_masks(self):
        calls = []

        class Own(layers.RNN):
            def _maybe_reset_cell_dropout_mask(self, cell):
                calls.append(cell)
                super()._maybe_reset_cell_dropout_mask(cell)

        class Cell(layers.LSTMCell):
            def _create_dropout_mask(self, inputs, training, count=1):
                return [tf.zeros_like(inputs)] * count

        layer = Own(Cell(2, dropout=0.5))
        np.testing.assert_array_equal(layer(STEPS, training=True), np.zeros([3, 2]))
        assert calls == [layer.cell]

    @pytest.mark.parametrize("kind", [layers.LSTM, layers.GRU])
    def test_masks_of_the_cell(self, kind):
        layer = kind(2, dropout=0.5, recurrent_dropout=0.5)
        x = tf.ones([3, 4])
        masks = layer.get_dropout_mask_for_cell(x, True, count=4)
        assert [mask.shape for mask in masks] == [[3, 4]] * 4
        assert layer.get_dropout_mask_for_cell(x, True, count=4) is masks
        layer.reset_dropout_mask()
        assert layer.get_dropout_mask_for_cell(x, True, count=4) is not masks
        assert layer.get_recurrent_dropout_mask_for_cell(x, False) is None
        layer.reset_recurrent_dropout_mask()
        assert layer.cell._create_recurrent_dropout_mask(x, True).shape == [3, 4]

    def test_specs_of_states(self):
        layer = layers.LSTM(2)
        assert layer.state_spec is None and layer.constants_spec is None
        layer(STEPS)
        assert [spec.shape for spec in layer.state_spec] == [(None, 2), (None, 2)]


def test_sizes_and_flags():
    assert layers.EinsumDense("ab,bc->ac", output_shape=3).partial_output_shape == [3]
    assert layers.Embedding(2, 3)._use_one_hot_matmul is False


def test_symbolic_tensors_of_values_and_specs():
    x = tf.keras.Input([4])
    assert x._type_spec.shape.as_list() == [None, 4]
    assert type(x).from_tensor(tf.ones([2, 3])).shape == [2, 3]
    named = type(x).from_type_spec(tf.TensorSpec([2], tf.int32), name="n")
    assert named.dtype == tf.int32 and named.name == "n"
    ragged = type(x).from_tensor(tf.ragged.constant([[1], [2, 3]]))
    assert isinstance(ragged.type_spec, tf.RaggedTensorSpec)


class TestLayers:
    def test_building(self):
        calls = []

        class Own(layers.Dense):
            def _maybe_build(self, inputs):
                calls.append(inputs.shape)
                super()._maybe_build(inputs)

        layer = Own(2, name="own")
        layer(X)
        assert calls == [[2, 2]] and layer.kernel.name == "own/kernel:0"
        Own(2)(tf.keras.Input([2]))
        assert len(calls) >= 2
        plain = layers.Dense(2, name="plain")
        plain._maybe_build(X)
        assert plain.built and plain.kernel.name == "plain/kernel:0"

    def test_casts(self):
        class Own(layers.Dense):
            def _maybe_cast_inputs(self, inputs, input_list=None):
                return super()._maybe_cast_inputs(inputs, input_list) * 0.0

        np.testing.assert_array_equal(Own(2)(X), np.zeros([2, 2]))

    def test_names(self):
        class Own(layers.Layer):
            def _init_set_name(self, name, zero_based=True):
                super()._init_set_name((name or "none") + "_own", zero_based)

        assert Own().name == "none_own" and Own(name="given").name == "given_own"

    def test_losses_and_metrics(self):
        class Own(layers.Layer):
            def build(self, input_shape):
                self.scale = tf.Variable(2.0)
                self._handle_weight_regularization("v", self.scale, tf.keras.regularizers.l2(1.0))

            def call(self, inputs):
                self.add_metric(tf.reduce_sum(inputs), name="sum", aggregation="mean")
                self.add_loss(3.0)
                return inputs * self.scale

        layer = Own()
        assert layer._callable_losses == [] and layer._eager_losses == [] and layer._updates == []
        layer(X)
        assert [float(loss) for loss in layer.losses] == [3.0, 4.0]
        assert len(layer._eager_losses) == len(layer._callable_losses) == 1
        assert layer._get_existing_metric("sum").name == "sum"
        assert layer._get_existing_metric("other") is None
        layer._maybe_create_attribute("extra", 1)
        layer._maybe_create_attribute("extra", 2)
        assert layer.extra == 1

    def test_activity(self):
        class Own(layers.Layer):
            def call(self, inputs):
                self._handle_activity_regularization(inputs, inputs * 2.0)
                return inputs

        layer = Own(activity_regularizer="l2")
        layer(X)
        assert len(layer.losses) == 2
        plain = Own()
        plain(X)
        assert plain.losses == []

    def test_arguments(self):
        assert layers.LSTM(2)._expects_mask_arg and layers.Dropout(0.5)._expects_training_arg
        assert not layers.Dense(2)._expects_mask_arg and not layers.Dense(2)._expects_training_arg

    def test_nodes(self):
        layer = layers.Dense(3)
        layer(tf.keras.Input([2]))
        attribute = layer._get_node_attribute_at_index
        assert attribute(0, "output_shapes", "output shape") == (None, 3)
        with pytest.raises(ValueError, match="only 1 inbound"):
            attribute(1, "output_shapes", "output shape")
        assert layer._self_tracked_trackables == []


class TestModels:
    def make(self):
        shared = layers.Dense(2, name="shared")
        model = tf.keras.Sequential([tf.keras.Input([2]), shared, layers.BatchNormalization()])
        model.layers[1].trainable = False
        return model

    def test_variables_of_layers(self):
        model = self.make()
        assert len(model._gather_children_attribute("variables")) == 6
        assert len(model._gather_children_attribute("trainable_variables")) == 2
        assert len(model._undeduplicated_weights) == 6
        assert len(model._dedup_weights(model.weights * 2)) == 6
        with pytest.raises(AssertionError, match="losses"):
            model._gather_children_attribute("losses")

    def test_what_is_trained(self):
        model = self.make()
        state = model._get_trainable_state()
        model.trainable = False
        assert not model.layers[0].trainable
        model._set_trainable_state(state)
        assert model.trainable and [layer.trainable for layer in model.layers] == [True, False]

    def test_weights_that_do_not_exist(self):
        class Own(tf.keras.Model):
            def build(self, input_shape):
                super().build(input_shape)

        with pytest.raises(ValueError, match="not yet been created"):
            Own()._assert_weights_created()
        self.make()._assert_weights_created()

    def test_compiled(self):
        model = self.make()
        assert not model._compile_was_called
        with pytest.raises(RuntimeError, match="compile"):
            model._get_compile_args()
        model.compile("sgd", "mse", metrics=["mae"], loss_weights=[1.0])
        arguments = model._get_compile_args()
        assert arguments.pop("optimizer") is model.optimizer and model._compile_was_called
        assert arguments == {
            "loss": "mse",
            "metrics": ["mae"],
            "weighted_metrics": None,
            "loss_weights": [1.0],
        }
        assert model._get_callback_model() is model and not model._in_multi_worker_mode()
        assert model._distribution_strategy is None
        kinds = [type(one) for one in model._get_optimizer(["adam", "sgd"])]
        assert kinds == [tf.keras.optimizers.Adam, tf.keras.optimizers.SGD]

    def test_an_own_optimizer_for_what_compile_takes(self):
        class Own(tf.keras.Sequential):
            def _get_optimizer(self, optimizer):
                return super()._get_optimizer({"slow": tf.keras.optimizers.SGD(1e-4)}[optimizer])

        model = Own([layers.Dense(1)])
        model.compile("slow", "mse")
        np.testing.assert_allclose(model.optimizer.learning_rate.numpy(), 1e-4)

    def test_specs(self):
        model = self.make()
        assert model._get_save_spec().shape.as_list() == [None, 2]
        args, _ = model._get_save_spec(inputs_only=False)
        assert args[0].shape.as_list() == [None, 2]

    def test_sequential(self):
        model = self.make()
        assert model._graph_initialized and model._has_explicit_input_shape
        assert not model._is_layer_name_unique(layers.Dense(1, name="shared"))
        other = tf.keras.Sequential([layers.Dense(1)])
        assert not other._graph_initialized and other._inferred_input_shape is None
        other(X)
        assert other._graph_initialized and not other._has_explicit_input_shape
        assert other._inferred_input_shape == (2, 2)


@pytest.mark.parametrize("dtype", ["int32", "float64", "float16"])
@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: tf.keras.layers.Dense(2), [4, 3]),
        (lambda: tf.keras.layers.Dense(2, dtype="bfloat16"), [4, 5, 3]),
        (tf.keras.layers.BatchNormalization, [4, 3]),
        (tf.keras.layers.BatchNormalization, [2, 4, 4, 3]),
        (lambda: tf.keras.layers.BatchNormalization(axis=1, fused=False), [4, 3, 2]),
        (tf.keras.layers.LayerNormalization, [4, 3]),
        (lambda: tf.keras.layers.LayerNormalization(axis=[1, 2]), [4, 3, 2]),
        (tf.keras.layers.UnitNormalization, [4, 3]),
    ],
)
def test_call_casts_to_the_compute_dtype(make, shape, dtype):
    """Also where a layer of the program's calls it, without what `__call__` does before."""
    layer = make()
    layer.build(shape)
    x = tf.cast(tf.reshape(tf.range(np.prod(shape)), shape) % 7, dtype)
    result = layer.call(x)
    assert result.dtype == layer.compute_dtype
    expected = layer(tf.cast(x, layer.compute_dtype))
    np.testing.assert_array_equal(tf.cast(result, "float32"), tf.cast(expected, "float32"))


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        ("ScaledL2NormPooling2D", "scaled_l2_norm_pooling2d"),
        ("MyV2Block3DNet", "my_v2_block3d_net"),
        ("A1B2Cd3Ef", "a1b2_cd3_ef"),
        ("X3DTransposeABCd", "x3d_transpose_ab_cd"),
        ("ConvLSTM2D", "conv_lstm2d"),
        ("_Own2Part", "private__own2_part"),
    ],
)
def test_names_of_classes_with_digits(cls, name):
    for base in (tf.keras.layers.Layer, tf.keras.Model):
        tf.keras.backend.clear_session()
        assert type(cls, (base,), {})().name == name

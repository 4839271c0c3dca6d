"""Names of Keras's own modules that packages import: those that subclasses and training loops need."""

import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
from eagerflow_compat.dropin import keras_names
from eagerflow_compat.internals import keras_backend, keras_recurrent, keras_training

NAMES = """
python.framework.importer _IsControlInput
python.keras.backend _preprocess_padding
python.keras.combinations generate
python.keras.engine.data_adapter get_data_handler
python.keras.engine.data_adapter train_validation_split
python.keras.engine.sequential _get_shape_tuple
python.keras.engine.training reduce_per_replica
python.keras.layers.recurrent DropoutRNNCellMixin
python.keras.layers.recurrent _generate_zero_filled_state_for_cell
python.keras.saving.hdf5_format load_optimizer_weights_from_hdf5_group
python.keras.utils.data_utils _extract_archive
python.keras.utils.object_identity ObjectIdentitySet
python.ops.bitwise_ops PopulationCount
python.ops.op_selector UnliftableError
python.util.compat collections_abc
"""
# Of either generation of Keras.
OF_KERAS = """
layers.kernelized RandomFourierFeatures
layers.rnn.dropout_rnn_cell DropoutRNNCell
layers.rnn.dropout_rnn_cell_mixin DropoutRNNCellMixin
layers.rnn.rnn_utils standardize_args
legacy.backend int_shape
engine.base_layer BaseRandomLayer
engine.node KerasHistory
metrics.confusion_metrics SensitivitySpecificityBase
optimizers.schedules.learning_rate_schedule ExponentialDecay
saving.serialization_lib enable_unsafe_deserialization
utils.metrics_utils AUCCurve
utils.tf_inspect getfullargspec
utils.traceback_utils filter_traceback
"""


def test_modules_have_the_names_of_their_releases():
    lines = [f"tensorflow.{line}" for line in NAMES.split("\n") if line]
    for line in filter(None, OF_KERAS.split("\n")):
        lines += [f"{root}.{line}" for root in ("keras.src", "tf_keras.src")]
    text = "".join(f"from {' import '.join(line.split())}\n" for line in lines)
    run = [sys.executable, "-m", "eagerflow", "-c", text]
    finished = subprocess.run(run, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("path", ["", "layers", "optimizers.schedules", "utils"])
def test_public_modules_have_only_their_own_names(path):
    with pytest.raises(AttributeError):
        keras_names.find(path, "DropoutRNNCellMixin")


@pytest.mark.parametrize("path", ["src.layers", "src.utils"])
def test_sources_of_public_modules_do_not_have_names_of_others(path):
    with pytest.raises(AttributeError):
        keras_names.find(path, "ExponentialDecay")


class Cell(keras_recurrent.DropoutRNNCellMixin, tf.keras.layers.Layer):
    """A cell of a program that draws its masks by the mixin."""

    state_size = output_size = 3
    dropout, recurrent_dropout = 0.5, 0.0

    def call(self, inputs, states, training=None):
        """The inputs that remain."""
        mask = self.get_dropout_mask_for_cell(inputs, training)
        assert self.get_recurrent_dropout_mask_for_cell(inputs, training) is None
        outputs = inputs if mask is None else inputs * mask
        return outputs, [outputs]


def test_a_cell_keeps_its_mask_until_it_is_reset():
    cell, x = Cell(), tf.ones([4, 3])
    outputs = [cell(x, None, training=True)[0].numpy() for _ in range(2)]
    np.testing.assert_array_equal(*outputs)
    assert set(np.unique(outputs[0])) <= {0.0, 2.0}
    np.testing.assert_array_equal(cell(x, None, training=False)[0], x)
    draws = []
    for _ in range(20):
        cell.reset_dropout_mask()
        draws.append(cell(x, None, training=True)[0].numpy())
    assert any((draw != draws[0]).any() for draw in draws)


def test_rnn_draws_a_new_mask_for_each_call():
    rnn = tf.keras.layers.RNN(Cell(), return_sequences=True)
    x = tf.ones([8, 5, 3])
    first, second = rnn(x, training=True).numpy(), rnn(x, training=True).numpy()
    np.testing.assert_array_equal(first, np.repeat(first[:, :1], 5, axis=1))
    assert (first != second).any()


class SeededCell(keras_recurrent.DropoutRNNCell):
    """A cell of Keras 3, which has a generator of seeds."""

    dropout, recurrent_dropout = 0.5, 0.0

    def __init__(self, count):
        self.dropout_mask_count = count
        self.seed_generator = tf.keras.random.SeedGenerator(1)


@pytest.mark.parametrize("count", [1, 2])
def test_masks_of_a_cell_of_keras_3(count):
    x = tf.ones([2, 3])
    cell, same = SeededCell(count), SeededCell(count)
    masks = cell.get_dropout_mask(x)
    assert len(masks if count > 1 else [masks]) == count
    assert cell.get_dropout_mask(x) is masks
    np.testing.assert_array_equal(masks, same.get_dropout_mask(x))
    assert cell.get_recurrent_dropout_mask(x) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("x", None, None, 0), ("x", None, None)),
        ((["x", "s"], None, None, 0), ("x", ["s"], None)),
        ((["x", "s", "c"], None, None, 1), ("x", ["s"], ["c"])),
        ((["x", "c", "d"], None, None, 2), ("x", None, ["c", "d"])),
        (("x", ("s", "t"), "c", 1), ("x", ["s", "t"], ["c"])),
    ],
)
def test_arguments_of_a_recurrent_call(given, expected):
    assert keras_recurrent.standardize_args(*given) == expected


def test_states_in_a_list_are_not_passed_twice():
    with pytest.raises(AssertionError):
        keras_recurrent.standardize_args(["x"], ["s"], None, 0)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("data_format", ["channels_last", "channels_first"])
def test_inputs_of_convolutions(axes, data_format):
    sizes = (5, 6, 7)[:axes]
    x = tf.zeros([2, *sizes, 3] if data_format == "channels_last" else [2, 3, *sizes])
    prepare = getattr(keras_backend, f"_preprocess_conv{axes}d_input")
    prepared, order = prepare(x, data_format)
    assert prepared.shape.as_list() == [2, *sizes, 3]
    assert order == {1: "NWC", 2: "NHWC", 3: "NDHWC"}[axes]


@pytest.mark.parametrize(
    ("reduction", "expected"), [("auto", 1.0), ("first", 1.0), ("sum", 3.0), ("concat", [1.0, 2.0])]
)
def test_values_of_replicas(reduction, expected):
    class Replicas:
        """A strategy of two replicas."""

        def experimental_local_results(self, value):
            """The values of both."""
            return [value, value + 1]

    value = tf.constant([1.0] if reduction == "concat" else 1.0)
    reduced = keras_training.reduce_per_replica({"loss": value}, Replicas(), reduction)
    np.testing.assert_array_equal(reduced["loss"], expected)


def test_optimizer_weights_come_back_from_a_group(tmp_path):
    h5py = pytest.importorskip("h5py")
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    model.compile("adam", "mse")
    model.fit(np.ones([4, 3]), np.ones([4, 2]), verbose=0)
    with h5py.File(tmp_path / "weights.h5", "w") as file:
        keras_backend.save_optimizer_weights_to_hdf5_group(file, model.optimizer)
        values = keras_backend.load_optimizer_weights_from_hdf5_group(file)
    for value, variable in zip(values, model.optimizer.variables, strict=True):
        np.testing.assert_array_equal(value, variable)


@pytest.mark.parametrize(
    "path",
    ["tensorflow.python.keras.optimizer_v2", "tf_keras.src.optimizers.legacy"]
    + ["keras.optimizer_v2", "keras.optimizers.optimizer_v2", "keras.optimizers.legacy"],
)
def test_modules_of_legacy_optimizers_have_legacy_optimizers(path):
    text = f"""
import tensorflow as tf
from {path}.adam import Adam
from {path}.gradient_descent import SGD
from {path}.rmsprop import RMSprop
from {path}.optimizer_v2 import OptimizerV2
for cls in (Adam, SGD, RMSprop):
    assert issubclass(cls, OptimizerV2) and cls is getattr(tf.keras.optimizers.legacy, cls.__name__)
"""
    run = [sys.executable, "-m", "eagerflow", "-c", text]
    finished = subprocess.run(run, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr

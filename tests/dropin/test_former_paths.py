"""Where earlier versions of Keras and TensorFlow had what programs import from them."""

import subprocess
import sys

import pytest

FORMER = """
from keras.backend.tensorflow_backend import set_session
from keras.callbacks.callbacks import EarlyStopping
from keras.engine import Layer as A
from keras.engine.base_layer import Layer as B
from keras.engine.topology import Layer as C
from keras.layers.advanced_activations import LeakyReLU
from keras.layers.convolutional import Conv2D
from keras.layers.core import Activation, Dense as D
from keras.layers.embeddings import Embedding
from keras.layers.merge import concatenate
from keras.layers.normalization import BatchNormalization
from keras.layers.recurrent import LSTM
from keras.objectives import mean_squared_error
from keras.src.layers import Dense as E
from keras.utils.generic_utils import get_custom_objects
from keras.utils.np_utils import to_categorical
from tensorflow.keras.mixed_precision import experimental as mixed_precision
from tensorflow.keras.wrappers.scikit_learn import KerasClassifier
from tensorflow.python.framework.graph_util import convert_variables_to_constants
from tensorflow.python.framework.sparse_tensor import SparseTensor
from tensorflow.python.keras.layers.core import Dense as F
from tensorflow.python.ops import gen_array_ops
from tensorflow.python.ops.gen_math_ops import mat_mul
from tensorflow.python.ops.numpy_ops import np_config
from tensorflow.python.saved_model.simple_save import simple_save
from tensorflow.python.summary.summary_iterator import summary_iterator
import keras.layers.core
import keras
import tensorflow as tf

assert A is B is C is keras.layers.Layer
assert D is E is F is keras.layers.core.Dense is keras.layers.Dense
assert SparseTensor is tf.SparseTensor
assert convert_variables_to_constants is tf.compat.v1.graph_util.convert_variables_to_constants
assert simple_save is tf.compat.v1.saved_model.simple_save
assert callable(summary_iterator) and callable(np_config.enable_numpy_behavior)
assert gen_array_ops.reshape([1, 2], [2, 1]).shape == [2, 1]
assert mixed_precision.global_policy().name == "float32"
from tensorflow.python.keras import testing_utils
from tensorflow.python.saved_model import nested_structure_coder
(x, y), (late, _) = testing_utils.get_test_data(8, 2, (3,), 2, random_seed=1)
assert x.shape == (8, 3) and y.shape == (8,) and late.shape == (2, 3) and x.dtype == "float32"
spec = {"a": (tf.TensorSpec([None, 2], tf.int32, "a"), [1, "b", None])}
message = nested_structure_coder.encode_structure(spec)
assert nested_structure_coder.decode_proto(message) == spec
assert not nested_structure_coder.can_encode(object())
assert to_categorical([1]).tolist() == [[0.0, 1.0]]
"""


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", *arguments], capture_output=True, text=True, check=False
    )


def test_former_paths(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(FORMER)
    done = run(str(path))
    assert done.returncode == 0, done.stderr


FIRST = """
import tensorflow as tf
import keras
from keras.layers.core import Dense as A
from keras.optimizers import Adam
from tensorflow.contrib.keras import layers
from tensorflow.contrib.keras.python.keras.layers import Dense as B
from tensorflow.contrib.keras.api.keras.optimizers import Adam as C
from tensorflow.python.keras.optimizers import Adam as D

assert A is B is layers.Dense is tf.contrib.keras.layers.Dense is tf.keras.layers.Dense
assert Adam is C is D is tf.keras.optimizers.Adam is tf.contrib.keras.optimizers.Adam
assert Adam is tf.keras.optimizers.legacy.Adam and keras.backend.get_session
"""


def test_paths_of_version_1(tmp_path):
    """All of them lead to the Keras of version 1."""
    path = tmp_path / "program.py"
    path.write_text(FIRST)
    done = run(str(path))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["keras.layers.cores", "keras.none", "tensorflow.keras.layer"])
def test_paths_that_never_were(tmp_path, name):
    path = tmp_path / "program.py"
    path.write_text(f"import {name}\n")
    done = run(str(path))
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr


TESTS = """
from tensorflow.python.eager import test
import tensorflow as tf

class Case(test.TestCase):
    def testMode(self):
        self.assertTrue(tf.executing_eagerly())
        self.assertAllEqual(tf.constant([1]) + 1, [2])

test.main()
"""


def test_tests_of_the_first_generation_run_eagerly(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(TESTS)
    done = run("--generation", "1.x", str(path))
    assert done.returncode == 0, done.stderr


CONTRIB = """
from tensorflow.contrib.cudnn_rnn.python.layers import cudnn_rnn
from tensorflow.contrib.cudnn_rnn.python.ops import cudnn_rnn_ops
from tensorflow.contrib.eager.python import datasets, metrics, network
from tensorflow.contrib.eager.python import tfe
from tensorflow.contrib.learn.python.learn.datasets import base
from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets
from tensorflow.contrib.learn.python.learn.preprocessing import text
from tensorflow.contrib.rnn.python.ops import core_rnn_cell, rnn_cell
from tensorflow.contrib.rnn.python.ops.lstm_ops import LSTMBlockFusedCell
from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import BahdanauAttention
from tensorflow.contrib.eager.python import evaluator
from tensorflow.contrib.summary import summary_test_util
from tensorflow.python.eager import tape
from tensorflow.python.framework import test_util
from tensorflow.python.summary import summary_test_util as same_util
import tensorflow as tf
import tensorflow.contrib.eager.python.metrics_impl as metrics_impl

with tape.stop_recording(), test_util.use_gpu():
    pass
assert evaluator.SparseSoftmaxEvaluator is tf.contrib.eager.SparseSoftmaxEvaluator
assert summary_test_util.events_from_file is same_util.events_from_file

assert base.load_iris is tf.contrib.learn.datasets.load_iris
assert read_data_sets is tf.contrib.learn.datasets.mnist.read_data_sets
assert text.ByteProcessor is tf.contrib.learn.preprocessing.ByteProcessor
assert rnn_cell.GridLSTMCell is tf.contrib.rnn.GridLSTMCell
assert cudnn_rnn.CudnnLSTM is tf.contrib.cudnn_rnn.CudnnLSTM
assert cudnn_rnn_ops.CudnnLSTMSaveable is tf.contrib.cudnn_rnn.CudnnLSTMSaveable
assert metrics_impl.Mean is metrics.Mean is tfe.metrics.Mean
assert network.Network is tfe.Network and datasets.Iterator is tfe.Iterator
assert BahdanauAttention is tf.contrib.seq2seq.BahdanauAttention
"""


def test_modules_inside_of_contrib(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(CONTRIB)
    done = run(str(path))
    assert done.returncode == 0, done.stderr


UTILS = """
from keras.utils import conv_utils
from tensorflow.python.keras.utils import conv_utils as same
from tensorflow.python.layers import utils
import tensorflow as tf

assert conv_utils.normalize_tuple is same.normalize_tuple is utils.normalize_tuple
assert utils.normalize_tuple(2, 3, "strides") == (2, 2, 2)
assert utils.normalize_tuple([1, 2], 2, "strides") == (1, 2)
assert utils.convert_data_format("channels_last", 5) == "NDHWC"
for length in range(5, 12):
    for size in (1, 2, 3):
        for stride in (1, 2, 3):
            for padding in ("VALID", "SAME"):
                x, w = tf.ones([1, length, 1]), tf.ones([size, 1, 1])
                y = tf.nn.conv1d(x, w, stride, padding)
                assert y.shape[1] == utils.conv_output_length(length, size, padding, stride)
                layer = tf.keras.layers.Conv1DTranspose(1, size, stride, padding.lower())
                assert layer(x).shape[1] == utils.deconv_output_length(length, size, padding, stride)
layer = tf.keras.layers.Conv2DTranspose(1, 3, 2, "valid", output_padding=1)
longer = utils.deconv_output_length(5, 3, "valid", output_padding=1, stride=2)
assert layer(tf.ones([1, 5, 5, 1])).shape[1] == longer == 12
assert utils.smart_cond(True, lambda: 1, lambda: 2) == 1 and utils.constant_value(True) is True
for call in (
    lambda: utils.normalize_tuple("ab", 2, "x"),
    lambda: utils.normalize_tuple((1, 2), 3, "x"),
    lambda: utils.normalize_padding("none"),
    lambda: utils.normalize_data_format("NHWC"),
    lambda: utils.convert_data_format("NHWC", 4),
    lambda: utils.convert_data_format("channels_last", 7),
):
    try:
        call()
    except ValueError:
        continue
    raise AssertionError("accepted")
"""


def test_what_layers_use(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(UTILS)
    done = run("--generation", "2.x", str(path))
    assert done.returncode == 0, done.stderr

"""What programs and packages look at to find out whether they have TensorFlow before them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(folder, text, *options):
    path = folder / "program.py"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "eagerflow", *options, str(path)],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_versions(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "print(tf.__version__, tf.compat.v2.__version__, tf.version.VERSION, tf.compat.v1.VERSION)\n"
        "assert tf.__git_version__ == tf.version.GIT_VERSION\n"
    )
    assert run(tmp_path, text).split() == ["2.21.0"] * 4


def test_star_imports_give_the_public_names(tmp_path):
    text = (
        "from tensorflow import *\n"
        "from tensorflow.keras import *\n"
        "from tensorflow.keras.layers import *\n"
        "assert reduce_sum and math.lgamma and Tensor and Variable and layers.Dense is Dense\n"
    )
    run(tmp_path, text)


def test_parameters_of_native_functions(tmp_path):
    text = (
        "import inspect\n"
        "import tensorflow as tf\n"
        "from tensorflow.python.util import tf_inspect\n"
        "for spec in (inspect.getfullargspec, tf_inspect.getfullargspec, tf_inspect.getargspec):\n"
        "    print(*spec(tf.reduce_sum).args, *map(repr, spec(tf.reduce_sum).defaults))\n"
        "print(*inspect.signature(tf.Variable).parameters)\n"
        "print(*inspect.signature(tf.matmul).parameters)\n"
    )
    lines = run(tmp_path, text).splitlines()
    assert lines[:3] == ["input_tensor axis keepdims name None False None"] * 3
    assert lines[3].startswith("initial_value trainable validate_shape caching_device name")
    assert lines[4].startswith("a b transpose_a transpose_b adjoint_a adjoint_b")


def test_what_does_not_exist_raises_when_it_is_used(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "import tensorflow.tpu.experimental\n"
        "from tensorflow.experimental import dtensor\n"
        "assert not isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)\n"
        "for use in (tf.distribute.TPUStrategy, tf.distribute.experimental.TPUStrategy,\n"
        "            tf.load_op_library, dtensor.create_mesh,\n"
        "            tf.tpu.experimental.initialize_tpu_system, tf.lite.TFLiteConverter,\n"
        "            tf.distribute.experimental.rpc.Server):\n"
        "    try:\n"
        "        use()\n"
        "    except NotImplementedError as error:\n"
        "        print(error)\n"
    )
    lines = run(tmp_path, text).splitlines()
    assert len(lines) == 7
    assert lines[0].startswith("tf.distribute.TPUStrategy: there are no TPUs here. Run")
    assert all(line.startswith("tf.") and line.count(".") >= 3 for line in lines)


def test_members_of_classes_that_do_not_exist_say_why(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "assert not hasattr(tf.lite.TFLiteConverter, 'from_keras_model')\n"
        "try:\n"
        "    tf.lite.TFLiteConverter.from_keras_model(None)\n"
        "except AttributeError as error:\n"
        "    print(error)\n"
    )
    assert run(tmp_path, text).startswith(
        "TFLiteConverter.from_keras_model is missing. tf.lite.TFLiteConverter: models are not "
    )


def test_internal_namespaces(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "assert tf.__operators__.add(1, 2) == 3\n"
        "assert tf.__internal__.tf2.enabled()\n"
        "assert tf.__internal__.nest.flatten_up_to([0, 0], [[1], 2]) == [[1], 2]\n"
        "assert isinstance(tf.Module(), tf.__internal__.tracking.AutoTrackable)\n"
        "assert tf.__internal__.smart_cond.smart_cond(True, lambda: 1, lambda: 2) == 1\n"
        "assert tf.compat.v2.__internal__.types.data.Dataset is tf.data.Dataset\n"
    )
    run(tmp_path, text)


def test_the_real_keras_is_left_alone(tmp_path):
    package = tmp_path / "keras"
    package.mkdir()
    (package / "__init__.py").write_text("__version__ = 'the real one'\n")
    text = "import tensorflow as tf\nimport keras\nprint(keras.__version__, tf.keras.__version__)\n"
    assert run(tmp_path, text).split() == ["2.21.0"] * 2
    assert run(tmp_path, text, "--no-keras") == "the real one 2.21.0\n"


PRIVATE = """
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, tensor_pb2
from tensorflow.core.protobuf import config_pb2, saved_model_pb2
from tensorflow.python.autograph.pyct import parser
from tensorflow.python.data.util import nest as data_nest, structure
from tensorflow.python.eager import backprop, context, def_function
from tensorflow.python.framework import (
    composite_tensor, constant_op, dtypes, func_graph, indexed_slices, ops, smart_cond,
    sparse_tensor, tensor_shape, tensor_spec, tensor_util, test_util, type_spec)
from tensorflow.python.ops import (
    array_ops, check_ops, clustering_ops, cond, control_flow_util, gen_array_ops, gen_math_ops,
    gradients, init_ops, map_fn, math_ops, nn_impl, nn_ops, resource_variable_ops, variable_scope)
from tensorflow.python.ops.linalg import linalg_impl
from tensorflow.python.trackable import base, data_structures
from tensorflow.python.training import moving_averages, training_util
from tensorflow.python.types import core
from tensorflow.python.util import (
    deprecation, dispatch, nest, object_identity, tf_decorator, tf_inspect)

# The same objects as the public ones, however their names differ.
assert array_ops.reshape is tf.reshape and array_ops.concat is tf.concat
assert array_ops.where_v2 is tf.where and array_ops.matrix_diag is tf.linalg.diag
assert math_ops.reduce_sum is tf.reduce_sum and nn_ops.conv2d_v2 is tf.nn.conv2d
assert math_ops.reduce_sum_v1 is tf.compat.v1.reduce_sum
assert array_ops.expand_dims is tf.compat.v1.expand_dims
assert linalg_impl.matrix_exponential is tf.linalg.expm
assert dtypes.float32 is tf.float32 and tensor_shape.TensorShape is tf.TensorShape
assert map_fn.map_fn_v2 is tf.map_fn and def_function.function is tf.function
assert variable_scope.get_variable is tf.compat.v1.get_variable
assert nest.flatten is tf.nest.flatten and tensor_spec.TensorSpec is tf.TensorSpec
assert callable(gradients.gradients) and callable(cond.cond)

# What is not public.
assert tensor_util.constant_value(tf.constant(3)) == 3
assert tensor_util.constant_value_as_shape(tf.constant([2, 3])) == [2, 3]
assert smart_cond.smart_constant_value(False) is False
assert not control_flow_util.GraphOrParentsInXlaContext(ops.get_default_graph())
assert context.context().executing_eagerly() and context.executing_eagerly()
assert nest.flatten_with_joined_string_paths({"a": [1, 2]}) == [("a/0", 1), ("a/1", 2)]
assert nest.flatten_up_to([0, 0], [[1, 2], 3]) == [[1, 2], 3]
assert nest.map_structure_with_tuple_paths(lambda p, x: (p, x), {"a": 1}) == {"a": (("a",), 1)}
assert list(nest.yield_flat_paths({"b": 1, "a": [2]})) == [("a", 0), ("b",)]
assert isinstance(tf.RaggedTensor.from_row_splits([1], [0, 1]), composite_tensor.CompositeTensor)
assert issubclass(tf.TensorSpec, type_spec.TypeSpec) and isinstance(tf.constant(1), core.Tensor)
assert deprecation.deprecated_argument_lookup("axis", None, "dim", 2) == 2
assert structure.type_spec_from_value((1, 2.0))[1].dtype == tf.float32
assert gen_array_ops.reshape([1, 2], [2, 1]).shape == [2, 1]
assert gen_math_ops.mat_mul([[1.0]], [[2.0]]).numpy() == 2
assert saved_model_pb2.SavedModel().meta_graphs is not None and graph_pb2.GraphDef().node is not None

weak = object_identity.ObjectIdentityWeakKeyDictionary()
module = tf.Module()
weak[module] = 1
assert weak[module] == 1
del module
assert len(weak) == 0

class Holder(tf.Module):
    def __init__(self):
        super().__init__()
        self.saved = tf.Variable(1.0)
        self.other = data_structures.NoDependency(tf.Variable(2.0))

holder = Holder()
assert holder.other.numpy() == 2
assert list(tf.train.Checkpoint(holder=holder).holder.__dict__) == list(holder.__dict__)
from tensorflow.python.checkpoint import graph_view

def plus(x, y=1):
    return x + y

decorated = tf_decorator.make_decorator(plus, lambda *args: plus(*args))
assert tf_decorator.unwrap(decorated)[1] is plus
assert tf_inspect.getfullargspec(decorated).args == ["x", "y"]
"""


def test_private_modules(tmp_path):
    run(tmp_path, PRIVATE)


@pytest.mark.parametrize(
    "line",
    [
        "from tensorflow.python.ops import no_such_module",
        "from tensorflow.python.no_such_folder import array_ops",
        "from tensorflow.python.ops.array_ops import no_such_function",
    ],
)
def test_private_names_that_do_not_exist(tmp_path, line):
    text = f"try:\n    {line}\nexcept ImportError as error:\n    print(error)\n"
    assert "no_such" in run(tmp_path, text)


def test_graph_and_eager_tests(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.python.framework import test_util\n"
        "modes = []\n"
        "class Test(test_util.TensorFlowTestCase):\n"
        "    @test_util.run_in_graph_and_eager_modes\n"
        "    def test_both(self):\n"
        "        modes.append(tf.executing_eagerly())\n"
        "        self.assertAllEqual(self.evaluate(tf.constant([1]) + 1), [2])\n"
        "import unittest\n"
        "result = unittest.TextTestRunner().run(unittest.defaultTestLoader.loadTestsFromTestCase(Test))\n"
        "assert result.wasSuccessful() and modes == [False, True], modes\n"
    )
    run(tmp_path, text)


def test_variables_of_strategies(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.python.distribute import values\n"
        "plain = tf.Variable(1.0, name='v')\n"
        "assert not isinstance(plain, (values.DistributedVariable, values.AggregatingVariable))\n"
        "mode = tf.VariableSynchronization.ON_READ\n"
        "with tf.distribute.MirroredStrategy().scope():\n"
        "    copied = tf.Variable(1.0, synchronization=mode)\n"
        "assert isinstance(copied, values.SyncOnReadVariable)\n"
        "module = tf.Module()\n"
        "module.w = values.MirroredVariable(None, [plain], tf.VariableAggregation.SUM)\n"
        "module.w.assign_add(2.0)\n"
        "assert module.w.name == 'v:0' and (module.w * 2.0).numpy() == 6.0\n"
        "assert module.trainable_variables == (module.w,)\n"
    )
    run(tmp_path, text)


def test_installed_packages_are_found_by_their_metadata(tmp_path):
    text = (
        "from importlib import metadata\n"
        "print(metadata.version('tensorflow'), metadata.version('TF-Keras'))\n"
        "print(metadata.distribution('tensorflow').metadata['Name'])\n"
        "print([d.metadata['Name'] for d in metadata.distributions()].count('tensorflow'))\n"
    )
    assert run(tmp_path, text).split() == ["2.21.0", "2.21.0", "tensorflow", "1"]
    text = (
        "from importlib import metadata\n"
        "try:\n    print(metadata.version('tf_keras'))\n"
        "except metadata.PackageNotFoundError:\n    print('left alone')\n"
    )
    assert run(tmp_path, text, "--no-keras").strip() == "left alone"


def test_members_of_what_does_not_exist_are_there_and_refuse(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "v2 = tf.tpu.experimental.HardwareFeature.EmbeddingFeature.V2\n"
        "assert v2 is not tf.tpu.experimental.HardwareFeature.EmbeddingFeature.V1\n"
        "options = [tf.lite.Optimize.DEFAULT, tf.lite.OpsSet.TFLITE_BUILTINS]\n"
        "try:\n    v2()\n"
        "except NotImplementedError as error:\n    print(error)\n"
        "try:\n    tf.lite.OpsSet.NO_SUCH\n"
        "except AttributeError as error:\n    print(error)\n"
    )
    first, second = run(tmp_path, text).splitlines()
    assert first.startswith("tf.tpu.experimental.HardwareFeature.EmbeddingFeature.V2: there are no")
    assert "NO_SUCH" in second


def test_cpus_are_divided_for_tests(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.python.distribute import strategy_combinations as s\n"
        "s.set_virtual_cpus_to_at_least(3)\n"
        "s.set_virtual_cpus_to_at_least(2)\n"
        "print(len(tf.config.list_logical_devices('CPU')))\n"
    )
    assert run(tmp_path, text).strip() == "3"


def test_private_modules_tell_the_generation(tmp_path):
    text = "from tensorflow.python import tf2\nprint(tf2.enabled())\n"
    assert run(tmp_path, text).strip() == "True"


def test_devices_can_be_divided_after_imports(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "class Layer(tf.keras.layers.Dense): pass\n"
        "class Optimizer(tf.keras.optimizers.Adam): pass\n"
        "class Older(tf.keras.optimizers.legacy.SGD): pass\n"
        "class Metric(tf.keras.metrics.Accuracy): pass\n"
        "class Variable(tf.Variable): pass\n"
        "class Table(tf.lookup.StaticHashTable): pass\n"
        "from tensorflow.python.distribute import strategy_combinations\n"
        "strategy_combinations.set_virtual_cpus_to_at_least(2)\n"
        "print(len(tf.config.list_logical_devices('CPU')))\n"
    )
    assert run(tmp_path, text).strip() == "2"


def test_libraries_know_datasets_by_their_classes(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "names = [(c.__module__, c.__name__) for c in type(tf.data.Dataset.range(2)).__mro__]\n"
        "print(('tensorflow.python.data.ops.dataset_ops', 'DatasetV2') in names)\n"
    )
    assert run(tmp_path, text) == "True\n"


def test_determinism_is_remembered(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "from tensorflow.python.framework import config\n"
        "print(config.is_op_determinism_enabled())\n"
        "tf.config.experimental.enable_op_determinism()\n"
        "print(config.is_op_determinism_enabled())\n"
        "config.disable_op_determinism()\n"
        "print(config.is_op_determinism_enabled())\n"
    )
    assert run(tmp_path, text).split() == ["False", "True", "False"]

"""The first lines of programs, the generation that they are of, and the reason that is said."""

import textwrap

import pytest

from eagerflow_compat.dropin.recognise import judge

BOTH = "all that it runs fits both generations"

# The text after `import tensorflow as tf`, and the first name in the reason.
OF_FIRST = [
    ("tf.Session()", "tf.Session "),
    ("w = tf.get_variable('w', [1])\nprint(w)", "tf.get_variable "),
    ("x = tf.random_normal([2])", "tf.random_normal "),
    ("from tensorflow import to_float", "tf.to_float "),
    ("from tensorflow import *\nx = placeholder(float32)", "tf.placeholder "),
    ("import importlib\ntf = importlib.import_module('tensorflow')\ntf.Session()", "tf.Session "),
    ("t = __import__('tensorflow')\nt.Session()", "tf.Session "),
    ("import tensorflow.contrib.eager as tfe", "tf.contrib "),
    ("from tensorflow.contrib import keras", "tf.contrib "),
    ("slim = tf.contrib.slim", "tf.contrib "),
    ("import tensorflow.contrib.slim as slim\nwith slim.arg_scope([]): pass", "tf.contrib "),
    ("from tensorflow.examples.tutorials.mnist import input_data", "tf.examples "),
    ("tf.estimator.inputs.numpy_input_fn({})", "tf.estimator.inputs "),
    ("flags = tf.app.flags\nFLAGS = flags.FLAGS", "tf.app "),
    (
        "def main(_):\n    print(tf.constant(1))\nif __name__ == '__main__':\n    tf.app.run()",
        "tf.app ",
    ),
    ("tf.logging.set_verbosity(tf.logging.ERROR)", "tf.logging "),
    ("tf.enable_eager_execution()\nprint(tf.constant(1))", "tf.enable_eager_execution "),
    ("tf.enable_v2_behavior()\nprint(tf.constant(1))", "tf.enable_v2_behavior "),
    ("tf.disable_v2_behavior()\nprint(tf.constant(1))", "tf.disable_v2_behavior "),
    (
        "from tensorflow.python.framework import ops\nops.enable_eager_execution()",
        "tf.python.framework.ops.enable_eager_execution ",
    ),
    (
        "from tensorflow import keras\nprint(keras.__version__)\ntf.enable_eager_execution()",
        "tf.enable_",
    ),
    (
        "from tensorflow import keras\nassert keras.__version__ == '2.2.4-tf'",
        "assert keras.__version__ == '2.2.4-tf'",
    ),
    (
        "config = tf.ConfigProto()\ntf.enable_eager_execution(config=config)",
        "tf.enable_eager_execution ",
    ),
    ("tf.keras.backend.set_session(1)", "tf.keras.backend.set_session "),
    ("from tensorflow.keras import backend as K\nK.get_session()", "tf.keras.backend.get_session "),
    ("tf.keras.layers.CuDNNLSTM(3)", "tf.keras.layers.CuDNNLSTM "),
    ("tf.nn.rnn_cell.BasicLSTMCell(3)", "tf.nn.rnn_cell "),
    ("tf.train.GradientDescentOptimizer(0.1)", "tf.train.GradientDescentOptimizer "),
    ("it = tf.data.Dataset.range(3).make_one_shot_iterator()", ".make_one_shot_iterator() "),
    (
        "d = tf.data.Dataset.range(3)\nd.make_initializable_iterator()",
        ".make_initializable_iterator() ",
    ),
    ("x = tf.ones([2])\nprint(x.get_shape()[0].value)", ".shape[...].value "),
    ("def f(x):\n    return x.shape[-1].value\nf(tf.ones([2]))", ".shape[...].value "),
    ("tf.reduce_sum([1.0], keep_dims=True)", "tf.reduce_sum(keep_dims=) "),
    ("tf.nn.dropout(tf.ones([2]), keep_prob=0.5)", "tf.nn.dropout(keep_prob=) "),
    ("tf.argmax([1.0], dimension=0)", "tf.argmax(dimension=) "),
    ("tf.expand_dims(1, dim=0)", "tf.expand_dims(dim=) "),
    ("with tf.variable_scope('a'):\n    y = 1", "tf.variable_scope "),
    ("assert not tf.executing_eagerly()", "assert not tf.executing_eagerly()"),
    ("assert tf.__version__.startswith('1.')", "assert tf.__version__.startswith('1.')"),
    ("assert '1.' in tf.__version__[:2], 'old'", "assert '1.' in "),
    ("if f'{tf.__version__}'.startswith('2'):\n    raise RuntimeError", "raise RuntimeError "),
    ("if '{}'.format(tf.__version__) >= '2':\n    raise RuntimeError", "raise RuntimeError "),
    (
        "from tensorflow import VERSION\nif VERSION >= '2':\n    raise ImportError",
        "raise ImportError ",
    ),
    (
        "major, minor = map(int, tf.__version__.split('.')[:2])\nif (major, minor) >= (2, 0):\n"
        "    raise RuntimeError",
        "raise RuntimeError ",
    ),
    ("import sys\nif tf.__version__ >= '2':\n    sys.exit('no')", "sys.exit('no') "),
    ("EAGER = False\nif EAGER:\n    tf.optimizers.SGD()\nelse:\n    tf.Session()", "tf.Session "),
    ("tf.set_random_seed(1)\ntf.enable_eager_execution()\ntf.random.set_seed(2)", "tf.enable_"),
    ("tf.log(1.0)\ntf.div(1, 2)\ntf.to_float(1)\ntf.nn.gelu(1.0)", "tf.log "),
    ("tf.contrib.eager\ntf.nn.gelu(1.0)", "tf.contrib "),
    (
        "class A(tf.keras.Model):\n    def call(self, x):\n        return tf.layers.dense(x, 2)\n"
        "A()(tf.ones([1, 1]))",
        "tf.layers ",
    ),
    (
        "import argparse\nif argparse.ArgumentParser().parse_args().x:\n    tf.Session()",
        "tf.Session ",
    ),
]
OF_SECOND = [
    ("print(tf.constant(1))", BOTH),
    ("from tensorflow import keras\nprint(keras.__version__)", BOTH),
    ("import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.Session()", BOTH),
    ("tf.compat.v1.enable_eager_execution()\nprint(tf.constant(1).numpy())", BOTH),
    ("try:\n    tf.enable_eager_execution()\nexcept:\n    pass\nprint(tf.constant(1))", BOTH),
    ("if tf.__version__ < '2':\n    tf.enable_eager_execution()\nprint(tf.ones(1).numpy())", BOTH),
    ("if not tf.executing_eagerly():\n    tf.enable_eager_execution()", BOTH),
    ("if hasattr(tf, 'contrib'):\n    tf.contrib.summary.x()", BOTH),
    ("t = tf.compat.v1 if tf.__version__[0] == '2' else tf\nt.Session()", BOTH),
    (
        "try:\n    import tensorflow.compat.v1 as tf\n    tf.disable_v2_behavior()\n"
        "except ImportError:\n    import tensorflow as tf\ntf.placeholder(tf.float32)",
        BOTH,
    ),
    ("assert tf.executing_eagerly()", "assert tf.executing_eagerly() "),
    ("assert tf.__version__.startswith('2.')", "assert tf.__version__.startswith('2.') "),
    ("assert tf.__version__.startswith('2.')\ntf.log(1.0)", "assert tf.__version__.startswith"),
    ("if int(tf.__version__.split('.')[0]) < 2:\n    raise ImportError", "raise ImportError "),
    ("tf.optimizers.SGD(0.1)", "tf.optimizers "),
    ("tf.random.set_seed(1)", "tf.random.set_seed "),
    ("tf.keras.utils.set_random_seed(1)", "tf.keras.utils.set_random_seed "),
    ("from tensorflow.keras.layers import TextVectorization", "tf.keras.layers.TextVectorization "),
    ("x = tf.Variable(3.0)\nwith tf.GradientTape() as tape:\n    y = x * x", "tf.GradientTape "),
    ("print(tf.reduce_sum([1]).numpy())", ".numpy() "),
    ("w = tf.summary.create_file_writer('x')", "tf.summary.create_file_writer "),
    ("tf.summary.scalar('a', 1.0, step=1)", "tf.summary.scalar(step=) "),
    (
        "tf.optimizers\ntf.metrics.Mean()\ntf.random.set_seed(1)\nprint(tf.log(1.0))",
        "tf.optimizers ",
    ),
    ("tf.optimizers\ntf.random.set_seed(1)\ntf.contrib.eager", "tf.optimizers "),
    ("if False:\n    tf.Session()", BOTH),
    ("def unused():\n    return tf.Session()\nprint(tf.ones([1]))", BOTH),
    ("EAGER = True\nif EAGER:\n    tf.optimizers.SGD()\nelse:\n    tf.Session()", "tf.optimizers "),
    ("tf.compat.v1.Session().run(tf.ones([]), feed_dict={})", BOTH),
    ("x = tf.strings.ngrams([''], 2)\nlog = tf.log if hasattr(tf, 'log') else tf.math.log", BOTH),
    ("this is no Python", "its text cannot be read"),
]


@pytest.mark.parametrize("head", OF_FIRST, ids=lambda head: head[0][:40])
def test_heads_of_the_first_generation(head):
    verdict = judge(f"import tensorflow as tf\n{head[0]}")
    assert verdict.generation == "1.x", verdict
    assert verdict.reason.startswith(head[1]), verdict
    assert verdict.reason.endswith(" does not fit TensorFlow 2")


@pytest.mark.parametrize("head", OF_SECOND, ids=lambda head: head[0][:40])
def test_heads_of_the_second_generation(head):
    verdict = judge(f"import tensorflow as tf\n{head[0]}")
    assert verdict.generation == "2.x", verdict
    assert verdict.reason.startswith(head[1]), verdict


# How programs name the folder `library`, which lies beside the folder of the script.
PATHS = [
    "import sys\nsys.path.insert(0, '../library')",
    "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), '..', 'library'))",
    "import os, sys\nHERE = os.path.dirname(os.path.abspath(__file__))\n"
    "sys.path.insert(1, os.path.join(os.path.dirname(HERE), 'library'))",
    "import os.path as osp\nimport sys\n"
    "def add_path(path):\n    if path not in sys.path:\n        sys.path.insert(0, path)\n"
    "add_path(osp.join(osp.dirname(__file__), osp.pardir, 'library'))",
    "from os.path import abspath, dirname, join\nfrom sys import path\n"
    "path.append(join(dirname(dirname(abspath(__file__))), 'library'))",
    "import sys\nfrom pathlib import Path\n"
    "sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'library'))",
    "import pathlib, sys\nsys.path += [str(pathlib.Path(__file__).parents[1].joinpath('library'))]",
    "import inspect, os, sys\nfolder = os.path.dirname(os.path.abspath(inspect.getfile("
    "inspect.currentframe())))\nsys.path.extend([f'{folder}/../library'])",
]
IMPORTS = [
    "import nets.dense\nnets.dense.build()",
    "from nets import dense\ndense.build()",
    "from nets.dense import build as make\nmake()",
    "from nets import *\nbuild_all()",
    "import importlib\nimportlib.import_module('nets.dense').build()",
]


@pytest.mark.parametrize("add", PATHS)
@pytest.mark.parametrize("use", IMPORTS)
def test_modules_in_folders_that_a_program_adds(tmp_path, add, use):
    scripts, nets = tmp_path / "scripts", tmp_path / "library" / "nets"
    scripts.mkdir()
    nets.mkdir(parents=True)
    (nets / "__init__.py").write_text("from .dense import build as build_all\n")
    (nets / "dense.py").write_text(
        "import tensorflow as tf\nfrom . import parts\nfrom ..nets.parts import LAYER\n"
        "def build():\n    return LAYER, parts.layer()\n"
    )
    (nets / "parts.py").write_text(
        "import tensorflow as tf\nLAYER = 1\ndef layer():\n    return tf.placeholder(tf.float32)\n"
    )
    program = f"import tensorflow as tf\n{add}\n{use}\n"
    verdict = judge(program, scripts)
    assert verdict == ("1.x", "tf.placeholder (parts.py:4) does not fit TensorFlow 2", "")


def test_a_module_of_a_package_has_its_relative_imports(tmp_path):
    package = tmp_path / "agents"
    package.mkdir()
    (package / "net.py").write_text("import tensorflow as tf\nSESSION = tf.Session()\n")
    text = textwrap.dedent("""\
        import tensorflow as tf
        from .net import SESSION
        """)
    assert judge(text, tmp_path, "train.py", "agents").generation == "1.x"
    assert judge(text, package, "train.py").generation == "1.x"

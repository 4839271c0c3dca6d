"""Programs that say `import tensorflow`, run by `python -m eagerflow`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import eagerflow as tf

ROOT = Path(__file__).parents[2]


def run(folder, *arguments):
    environment = dict(os.environ, PYTHONPATH=str(ROOT), MPLBACKEND="Agg")
    return subprocess.run(
        [sys.executable, "-m", "eagerflow", *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def program(folder, text, name="program.py"):
    path = folder / name
    path.write_text(text)
    return path


def test_first_generation(tmp_path):
    path = program(
        tmp_path,
        "import sys\n"
        "import tensorflow as tf\n"
        "import tensorflow.contrib.eager as tfe\n"
        "tfe.enable_eager_execution()\n"
        "assert tf.executing_eagerly() and tf.__version__.startswith('1.')\n"
        "print(tfe.gradients_function(lambda x: x * x)(3))\n"
        "print(type(tf.constant(1)), sys.argv[1:], __name__)\n",
    )
    done = run(tmp_path, path, "--a", "b")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("[<tf.Tensor: id=")
    assert lines[0].endswith(", shape=(), dtype=int32, numpy=6>]")
    assert "EagerTensor" in lines[1] and lines[1].endswith("['--a', 'b'] __main__")


def test_second_generation(tmp_path):
    path = program(
        tmp_path,
        "import tensorflow as tf\n"
        "from tensorflow.python.client import device_lib\n"
        "from tensorflow.python.framework import ops, dtypes\n"
        "from tensorflow.keras import layers\n"
        "import tensorflow.compat.v1 as tf1\n"
        "import tensorflow.keras.backend as K\n"
        "assert tf.executing_eagerly() and tf.__version__.startswith('2.')\n"
        "assert device_lib.list_local_devices()[0].device_type == 'CPU'\n"
        "assert ops.convert_to_tensor(1).dtype == dtypes.int32\n"
        "assert tf1.log is not None and not hasattr(tf, 'random_normal')\n"
        "print(tf.constant(1))\n",
    )
    done = run(tmp_path, path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tf.Tensor(1, shape=(), dtype=int32)\n"


def test_a_generation_can_be_chosen(tmp_path):
    path = program(tmp_path, "import tensorflow as tf\nprint(tf.__version__)\n")
    assert run(tmp_path, path).stdout.startswith("2.")
    assert run(tmp_path, "--generation", "1.x", path).stdout.startswith("1.")


def test_the_version_is_the_packages_and_the_compatible_one(tmp_path):
    assert tf.__version__ == tf.version.EAGERFLOW_VERSION != tf.version.VERSION
    printed = run(tmp_path, "--version").stdout
    assert tf.__version__ in printed and tf.version.VERSION in printed


def test_keras_has_a_version(tmp_path):
    text = (
        "import tensorflow as tf\nimport keras\nimport tensorflow.keras as k\n"
        "print(tf.keras.__version__, keras.__version__, k.__version__)\n"
    )
    path = program(tmp_path, text)
    assert run(tmp_path, path).stdout.split() == ["2.21.0"] * 3
    assert run(tmp_path, "--generation", "1.x", path).stdout.split() == ["2.2.4-tf"] * 3


def test_a_module_runs_with_its_arguments(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    program(package, "", "__init__.py")
    program(package, "from tensorflow import constant\nVALUE = constant(2)\n", "part.py")
    program(
        package,
        "import sys\nfrom . import part\nprint(part.VALUE.numpy(), sys.argv[1:])\n",
        "__main__.py",
    )
    done = run(tmp_path, "-m", "package", "one")
    assert done.stdout == "2 ['one']\n", done.stderr


def test_missing_names_say_what_is_near(tmp_path):
    path = program(tmp_path, "import tensorflow as tf\ntf.math.reduce_summ([1])\n")
    done = run(tmp_path, path)
    assert done.returncode == 1
    assert "not implemented in eagerflow; the nearest names are reduce_sum" in done.stderr
    assert "facade" not in done.stderr.split("program.py")[0]
    path = program(tmp_path, "import tensorflow.no_such_module\n")
    assert "no_such_module" in run(tmp_path, path).stderr


@pytest.mark.parametrize("arguments", [[], ["no_such_file.py"], ["-m", "no_such_module"]])
def test_bad_command_lines(tmp_path, arguments):
    done = run(tmp_path, *arguments)
    assert done.returncode != 0 and "Traceback" not in done.stderr


def test_a_program_can_exit_and_fail(tmp_path):
    assert run(tmp_path, program(tmp_path, "raise SystemExit(3)\n")).returncode == 3
    done = run(tmp_path, program(tmp_path, "def f():\n    1 / 0\nf()\n"))
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
    assert "dropin" not in done.stderr


def test_an_interrupted_program_ends_by_the_signal(tmp_path):
    # Shells end their loops for it. Python passes it on, so it is printed once.
    done = run(tmp_path, program(tmp_path, "def f():\n    raise KeyboardInterrupt\nf()\n"))
    assert done.returncode in (-signal.SIGINT, 128 + signal.SIGINT)
    assert done.stderr.count("KeyboardInterrupt\n") == 2  # the line, and the error
    assert "dropin" not in done.stderr


def test_tracebacks_have_the_programs_lines(tmp_path):
    text = (
        "import tensorflow as tf\n"
        "@tf.function\n"
        "def step(x):\n"
        "    return tf.matmul(x, x)\n"
        "step(tf.ones([2, 3]))\n"
    )
    done = run(tmp_path, program(tmp_path, text))
    lines = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
    assert lines and all("program.py" in line for line in lines), done.stderr
    assert "ValueError: in user code" in done.stderr
    whole = run(
        tmp_path,
        program(tmp_path, text.replace("@", "tf.debugging.disable_traceback_filtering()\n@")),
    )
    assert "autograph" in whole.stderr


def test_misspelt_names_are_guessed(tmp_path):
    done = run(tmp_path, program(tmp_path, "import eagerflow as tf\ntf.reduce_summ(1)\n"))
    assert "Did you mean: 'reduce_sum'?" in done.stderr


def test_the_inside_of_contrib_eager(tmp_path):
    """Early tutorials import it from there."""
    path = program(
        tmp_path,
        "import tensorflow as tf\n"
        "from tensorflow.contrib.eager.python import tfe\n"
        "import tensorflow.contrib.eager.python.tfe as same\n"
        "tfe.enable_eager_execution()\n"
        "print(tfe.metrics.Mean is same.metrics.Mean, tf.executing_eagerly())\n",
    )
    done = run(tmp_path, path)
    assert done.stdout == "True True\n", done.stderr


def test_contrib_is_there_without_an_import(tmp_path):
    """As in the first generation, where it is imported when it is first used."""
    path = program(
        tmp_path,
        "import tensorflow as tf\n"
        "tfe = tf.contrib.eager\n"
        "tf.enable_eager_execution()\n"
        "print(tfe.Variable(1.0).numpy(), tf.contrib.distributions.Normal(0.0, 2.0).stddev().numpy())\n"
        "print(tf.distributions.Laplace is tf.contrib.distributions.Laplace)\n",
    )
    done = run(tmp_path, path)
    assert done.stdout == "1.0 2.0\nTrue\n", done.stderr


def test_module_of_a_package_that_imports_tensorflow(tmp_path):
    package = tmp_path / "converter"
    package.mkdir()
    program(package, "import tensorflow\n", "__init__.py")
    program(
        package, "import tensorflow as tf\nprint(__package__, tf.constant(1).numpy())\n", "go.py"
    )
    result = run(tmp_path, "-m", "converter.go")
    assert result.stdout == "converter 1\n", result.stderr
    assert "no module named converter.gone" in run(tmp_path, "-m", "converter.gone").stderr


def test_graphs_that_nothing_has_run_are_said(tmp_path):
    build = "import tensorflow as tf\nx = tf.placeholder(tf.float32, [2])\ny = x * 2.0\n"
    path = program(tmp_path, build)
    for ending in ("", "import sys\nsys.exit(0)\n"):
        path.write_text(build + ending)
        done = run(tmp_path, path)
        assert done.returncode == 0
        assert "program.py has built a graph of" in done.stderr
        assert "no session has run any" in done.stderr and "--generation 2.x" in done.stderr
    for ending in (
        "with tf.Session() as session:\n    print(session.run(y, {x: [1.0, 2.0]}))\n",
        "raise ValueError('it stops')\n",
        "import sys\nsys.exit(3)\n",
    ):
        path.write_text(build + ending)
        assert "no session" not in run(tmp_path, path).stderr
    path.write_text("import tensorflow as tf\nassert tf.__version__ < '2'\nprint(tf.VERSION)\n")
    assert run(tmp_path, path).stderr == ""


def test_doubts_about_the_generation_are_said(tmp_path):
    path = program(
        tmp_path,
        "import tensorflow as tf\nv = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n    y = v * v\n"
        "print(tape.gradient(y, v).numpy())\ntry:\n    tf.reset_default_graph()\n"
        "except AttributeError:\n    print('second')\n",
    )
    done = run(tmp_path, path)
    assert (done.stdout, done.stderr) == ("4.0\nsecond\n", "")
    path.write_text(path.read_text().replace("try:", "if True:").split("except")[0])
    done = run(tmp_path, path)
    assert done.stdout == "4.0\n" and done.returncode == 1
    assert done.stderr.startswith("eagerflow: program.py is taken for a program of TensorFlow 2")
    assert "tf.reset_default_graph (program.py:7)" in done.stderr.splitlines()[0]
    done = run(tmp_path, "--generation", "2.x", path)
    assert "taken for" not in done.stderr


@pytest.mark.parametrize(
    ("generation", "line", "said"),
    [
        ("2.x", "tf.placeholder(tf.float32)", "run its programs with --generation 1.x"),
        ("2.x", "getattr(tf, 'placeh' + 'older')", "run its programs with --generation 1.x"),
        ("2.x", "import tensorflow.contrib.eager", "run its programs with --generation 1.x"),
        ("2.x", "tf.reduce_sum([1.0], keep_dims=True)", "(keep_dims=) (program.py:2) does not fit"),
        ("2.x", "tf.constant(1.0).eval()", "program.py ran as a program of TensorFlow 2. If"),
        (
            "2.x",
            "assert tf.__version__ < '2'",
            "< '2' (program.py:2) does not fit TensorFlow 2. If",
        ),
        (
            "1.x",
            "tf.constant(1.0).numpy()",
            ".numpy() (program.py:2) does not fit TensorFlow 1. If",
        ),
        ("1.x", "bool(tf.constant(1.0) > 0)", "program.py ran as a program of TensorFlow 1. If"),
        ("1.x", "tf.optimizers.SGD(0.1)", "run its programs with --generation 2.x"),
        ("1.x", "1 / 0", ""),
        ("2.x", "tf.nonsense", ""),
        ("2.x", "raise ValueError(tf.__name__)", ""),
        ("1.x", "raise ValueError(tf.__name__)", ""),
    ],
)
def test_errors_of_the_wrong_generation_name_the_other(tmp_path, generation, line, said):
    path = program(tmp_path, f"import tensorflow as tf\n{line}\n")
    done = run(tmp_path, "--generation", generation, path)
    assert done.returncode == 1
    assert said in done.stderr and done.stderr.count("--generation") == bool(said), done.stderr


def test_nothing_of_protobuf_is_needed(tmp_path):
    """A plain install has no extras."""
    program(
        tmp_path,
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('google', 'h5py', 'PIL', 'matplotlib', 'tensorboard'):\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Refuse())\n",
        "sitecustomize.py",
    )
    path = program(
        tmp_path,
        "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"
        "with tf.Session(config=None) as session:\n    print(session.run(x * 2, {x: 1.5}))\n",
    )
    environment = dict(os.environ, PYTHONPATH=f"{tmp_path}{os.pathsep}{ROOT}")
    for option in ([], ["--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "eagerflow", *option, str(path)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert "3.0" in done.stdout or "all are there" in done.stdout


def test_threads_of_pipelines_compute_where_graphs_are_built(tmp_path):
    """New threads build the default graph too; those of a pipeline compute elements."""
    text = (
        "import tensorflow as tf\n"
        "rows = tf.data.Dataset.from_tensor_slices(['1,2', '3,4', '5'])\n"
        "split = lambda row: tf.string_split([row], ',').values\n"
        "size = lambda row: tf.py_func(len, [row], tf.int64)\n"
        "data = [rows.map(f, num_parallel_calls=2) for f in (split, size)]\n"
        "data.append(rows.prefetch(2))\n"
        "data.append(rows.interleave(tf.data.Dataset.from_tensors, 2, num_parallel_calls=2))\n"
        "values = [d.make_one_shot_iterator().get_next() for d in data]\n"
        "with tf.Session() as session:\n"
        "    for _ in range(3):\n"
        "        print(*session.run(values))\n"
        "print(len(tf.get_default_graph().get_operations()))\n"
    )
    done = run(tmp_path, program(tmp_path, text))
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "[b'1' b'2'] 3 b'1,2' b'1,2'",
        "[b'3' b'4'] 3 b'3,4' b'3,4'",
        "[b'5'] 1 b'5' b'5'",
    ], done.stderr
    assert int(lines[3]) < 30

"""Programs for GPUs, with the CPU's plugin in their place."""

import os
import pathlib
import subprocess
import sys

import pytest

from eagerflow import _core
from eagerflow.framework import plugins

CPU = next((p for p in plugins.installed() if p.is_cpu), None)
pytestmark = pytest.mark.skipif(
    CPU is None or not _core.pjrt.built_in(), reason="needs the package xla-cpu-pjrt"
)
FOLDER = pathlib.Path(__file__).parent
PROGRAMS = sorted((FOLDER / "programs").glob("*.py"))


def output_of(program, plugin=None):
    """What a program prints where the plugin's devices are GPUs."""
    roots = [str(FOLDER.parent), str(FOLDER.parents[1])]
    environment = os.environ | {
        "EAGERFLOW_PJRT_PLUGINS": f"GPU={plugin or CPU.path}",
        "PYTHONPATH": os.pathsep.join(roots),
    }
    done = subprocess.run(
        [sys.executable, *program], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program(path):
    """It prints what is written beside it."""
    assert output_of([str(path)]) == path.with_suffix(".txt").read_text()


def test_a_plugin_that_cannot_be_used(tmp_path):
    """A warning, and no devices: the CPU goes on."""
    program = (
        "import eagerflow as tf; print(tf.config.list_physical_devices('GPU')); "
        "print((tf.zeros(2) + 1.0).device)"
    )
    answer = output_of(["-c", program], plugin=tmp_path / "missing.so")
    assert answer == "[]\n/job:localhost/replica:0/task:0/device:CPU:0\n"


LOST = """
import eagerflow as tf
v = tf.Variable([1.0, 2.0])
step = tf.function(lambda: v.assign_add([1.0, 1.0]))
done = 0
errors = set()
for use in [lambda: v.assign_add([1.0, 1.0])] * 3 + [step, lambda: v + v, lambda: v.assign_add([1.0, 1.0])]:
    try:
        use()
        done += 1
    except tf.errors.UnavailableError as error:
        errors.add(error.message.partition(' [')[0])
print(done, errors, v.numpy(), v.device)
with tf.device("CPU:0"):
    print((v + v).numpy())
"""


@pytest.fixture
def failing(tmp_path, monkeypatch):
    """The path of a plugin whose device is lost after two programs."""
    library = tmp_path / "failing.so"
    include = next(pathlib.Path(CPU.path).parent.glob("include"))
    source = FOLDER / "failing_plugin.cpp"
    command = ["g++", "-shared", "-fPIC", f"-I{include}", str(source), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True)
    monkeypatch.setenv("WHOLE_PLUGIN", CPU.path)
    monkeypatch.setenv("PROGRAMS_UNTIL_LOST", "2")
    return library


def test_a_device_that_is_lost(failing):
    """Each use says so; values that were there can be read, and the CPU goes on."""
    assert output_of(["-c", LOST], plugin=failing).splitlines() == [
        "2 {'the device has fallen off the bus'} [3. 4.] /job:localhost/replica:0/task:0/device:GPU:0",
        "[6. 8.]",
    ]


REPLICAS = """
import eagerflow as tf
strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
with strategy.scope():
    v = tf.Variable([1.0, 2.0])
step = tf.function(lambda: v.assign_add([1.0, 1.0]))
done = 0
try:
    for _ in range(5):
        strategy.run(step)
        done += 1
except tf.errors.UnavailableError as error:
    print(done, error.message.partition(" [")[0], [copy.numpy() for copy in v.values])
"""


def test_devices_of_replicas_that_are_lost(failing):
    """The step that fails says so, and all copies have the values from before."""
    done, message = output_of(["-c", REPLICAS], plugin=failing).split(" ", 1)
    value = f"array([{1 + int(done)}., {2 + int(done)}.], dtype=float32)"
    assert message == f"the device has fallen off the bus [{value}, {value}]\n"
    assert int(done) > 0


def test_a_plugin_without_devices(failing, monkeypatch):
    """Its words are a warning, and there are no GPUs: the CPU goes on."""
    monkeypatch.setenv("WITHOUT_DEVICES", "1")
    program = (
        "import eagerflow as tf; print(tf.config.list_physical_devices('GPU'))\n"
        "with tf.device('GPU:0'): print((tf.zeros(2) + 1.0).device)\n"
        "tf.config.set_soft_device_placement(False)\n"
        "try: tf.device('GPU:0').__enter__()\n"
        "except tf.errors.InvalidArgumentError: print('no such device')"
    )
    answer = output_of(["-c", program], plugin=failing).splitlines()
    assert answer == ["[]", "/job:localhost/replica:0/task:0/device:CPU:0", "no such device"]

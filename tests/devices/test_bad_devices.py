"""What goes wrong on devices: limits of memory, singular matrices, and plugins that fail."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

CPU = next((p for p in plugins.installed() if p.is_cpu), None)
pytestmark = pytest.mark.skipif(
    CPU is None or not _core.pjrt.built_in(), reason="needs the package xla-cpu-pjrt"
)
SINGULAR = np.ones([2, 2, 2], "float32")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "name, call",
    [
        ("Input is not invertible", tf.linalg.inv),
        ("Input is not invertible", lambda a: tf.linalg.inv(a, adjoint=True)),
        ("Input matrix is not invertible", lambda a: tf.linalg.solve(a, a)),
        ("Input is not invertible", tf.linalg.lu),
    ],
)
def test_singular_matrices_are_refused(name, call, dtype):
    """Operations raise what the host raises, and tapes and later operations go on."""
    with tf.device("/device:XLA_CPU:0"):
        singular = tf.constant(SINGULAR, dtype)
        regular = tf.constant(SINGULAR + np.eye(2), dtype)
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match=name):
                call(singular)
            with tf.GradientTape() as tape:
                tape.watch(regular)
                result = tf.nest.flatten(call(regular))[0]
            assert np.isfinite(tape.gradient(result, regular)).all()
            assert result.device.endswith("XLA_CPU:0")


def test_matrices_without_a_factor_have_nan():
    """As on the host; and a singular matrix has the determinant 0."""
    with tf.device("/device:XLA_CPU:0"):
        assert np.isnan(tf.linalg.cholesky(-tf.constant(SINGULAR))).any()
        np.testing.assert_array_equal(tf.linalg.det(SINGULAR), [0, 0])


LIMITS = """
import numpy as np
import eagerflow as tf
from eagerflow.config.device_attributes import list_local_devices

gpus = tf.config.list_physical_devices("GPU")
part = tf.config.LogicalDeviceConfiguration
tf.config.set_logical_device_configuration(gpus[1], [part(memory_limit=1), part(memory_limit=4)])
large = tf.zeros([2, 2**18])
print([device.name for device in tf.config.list_logical_devices("GPU")])
device = lambda x: x.device.rpartition(":")[2]
calls = {
    "operation": lambda: tf.zeros([2, 2**18]),
    "constant": lambda: tf.constant(np.zeros([2, 2**18], "float32")),
    "variable": lambda: tf.Variable(np.zeros([2, 2**18], "float32")),
    "copy": lambda: large.gpu(1),
    "copy of the host": lambda: large.cpu().gpu(1),
    "function": lambda: tf.function(lambda: tf.zeros([2, 2**18]))(),
}
for name, call in calls.items():
    with tf.device("GPU:1"):
        try:
            call()
        except tf.errors.ResourceExhaustedError as error:
            print(name, error.message.partition(" Delete")[0])
with tf.device("GPU:2"):
    there = tf.identity(large)
    print(device(there), tf.config.experimental.get_memory_info("GPU:2")["current"])
    print(tf.config.experimental.get_memory_info("GPU:1")["current"])
    other = tf.ones([4]) + 1.0
with tf.device("GPU:1"):
    moved = tf.identity(other)
    print(device(moved), moved.numpy(), device(other + moved))
print([each.memory_limit for each in list_local_devices()][2:4])
try:
    tf.zeros([2**30, 2**30])
except tf.errors.ResourceExhaustedError as error:
    print(error.message.partition(", and")[0])
    print("tensors have" in error.message, "Delete tensors" in error.message)
"""


def run(program, plugin=None, **environment):
    """What a program prints where the plugin's devices are GPUs."""
    path = str(pathlib.Path(__file__).parents[2])
    environment = os.environ | {
        "EAGERFLOW_PJRT_PLUGINS": f"GPU={plugin or CPU.path}",
        "PYTHONPATH": path,
        **environment,
    }
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines(), done.stderr


def test_limits_of_memory():
    """Each part of a device has its own; messages say what is asked and free."""
    lines, _ = run(LIMITS)
    place = "/job:localhost/replica:0/task:0/device:GPU"
    what = "OOM when allocating tensor with shape[2,262144] and type float on"
    asked = "it takes 2097152 bytes, of 1048576 there are 1048576 free."
    assert lines == [
        str([f"/device:GPU:{k}" for k in range(5)]),
        *(
            f"{name} {what} {place}:1: {asked}"
            for name in (
                "operation",
                "constant",
                "variable",
                "copy",
                "copy of the host",
                "function",
            )
        ),
        "2 2097152",
        "0",
        "1 [2. 2. 2. 2.] 1",
        "[1048576, 4194304]",
        "OOM when allocating tensor with shape[1073741824,1073741824] and type float on "
        f"{place}:0: it takes 4611686018427387904 bytes",
        "True True",
    ]


# A plugin whose functions fail where the environment says.
FAILING = pathlib.Path(__file__).parent / "failing_plugin.cpp"


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    library = tmp_path_factory.mktemp("plugin") / "failing.so"
    include = next(pathlib.Path(CPU.path).parent.glob("include"))
    command = ["g++", "-shared", "-fPIC", f"-I{include}", str(FAILING), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True)
    return library


LOST = """
import numpy as np
import eagerflow as tf

v = tf.Variable(np.arange(3.0))
with tf.device("GPU:1"):
    w = tf.Variable(np.arange(3.0))
uses = {
    "operation": lambda: (v + 1.0).numpy(),
    "update": lambda: v.assign_add(np.ones(3)).numpy(),
    "function": lambda: tf.function(lambda: v.assign_add(tf.ones(3, tf.float64)))().numpy(),
    "copy there": lambda: tf.constant(np.ones(3)).numpy(),
    "copy between": lambda: (w + v).numpy(),
    "step": lambda: tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.ones(3, tf.float64), v)]),
}
for name, use in uses.items():
    try:
        use()
        print(name, "ran")
    except tf.errors.UnavailableError as error:
        print(name, error.message.partition(" [")[0])
with tf.device("CPU:0"):
    print((tf.ones(3) + 1.0).numpy())
"""


@pytest.mark.parametrize("where", ["execute", "copy", "read"])
def test_a_device_that_fails_in_the_middle(failing, where):
    """Each kind of use raises the plugin's error, when it is started or read; the CPU goes on."""
    lines, _ = run(LOST, failing, WHOLE_PLUGIN=CPU.path, PROGRAMS_UNTIL_LOST="99", LOST_AT=where)
    message = "the device has fallen off the bus"
    failed = {line.removesuffix(f" {message}") for line in lines if line.endswith(message)}
    everything = {"operation", "update", "function", "copy there", "copy between", "step"}
    assert (
        failed
        == {
            "execute": everything - {"copy there"},
            "copy": everything - {"function", "copy between"},
            "read": everything,
        }[where]
    )
    assert lines[-1] == "[2. 2. 2.]"


@pytest.mark.parametrize(
    "entry, words",
    [
        ("GPU=", "names no file of a shared library for 'GPU='"),
        (f"CPU={CPU and CPU.path}", "calls them 'CPU'"),
        (f"big gpu={CPU and CPU.path}", "calls them 'big gpu'"),
    ],
)
def test_entries_that_name_no_devices(entry, words):
    """A warning says what is wrong with the variable, and the other devices are there."""
    program = """
import eagerflow as tf
kinds = [device.device_type for device in tf.config.list_physical_devices()]
print(sorted(set(kinds)), kinds.count("CPU"), (tf.ones(2) + 1.0).numpy())
"""
    lines, errors = run(program, EAGERFLOW_PJRT_PLUGINS=entry)
    assert words in errors and "will not be used" in errors
    assert lines[0] in ("['CPU'] 1 [2. 2.]", "['CPU', 'XLA_CPU'] 1 [2. 2.]")


@pytest.mark.parametrize(
    "option",
    ["xla_cpu_enable_concurrency_optimized_scheduler", "xla_cpu_experimental_ynn_fusion_type"],
)
def test_compilers_that_lack_an_option(failing, option):
    """Programs are compiled without the option; the others stay."""
    program = """
import eagerflow as tf
nan = tf.constant([float("nan"), 1.0])
print(tf.maximum(nan[::-1], nan).numpy(), (nan + 1.0).device.rpartition("device:")[2])
"""
    environment = {
        "WHOLE_PLUGIN": CPU.path,
        "PROGRAMS_UNTIL_LOST": "99",
        "WITHOUT_OPTION": option,
    }
    assert run(program, failing, **environment)[0] == ["[nan nan] GPU:0"]


OTHER = """
#include <cstring>
#include "pjrt_c_api.h"
extern "C" const PJRT_Api* GetPjrtApi() {
  static PJRT_Api api;
  std::memset(&api, 0, sizeof api);
  api.struct_size = sizeof api;
  api.pjrt_api_version.major_version = 7;
  return &api;
}
"""
USE = """
import eagerflow as tf
print(tf.config.list_physical_devices("GPU"), (tf.ones(2) + 1.0).device.rpartition("device:")[2])
tf.config.set_soft_device_placement(False)
try:
    tf.device("GPU:0").__enter__()
except tf.errors.InvalidArgumentError as error:
    print(error.message.partition(". ")[0])
"""


@pytest.mark.parametrize("kind", ["missing", "text", "library", "version", "without devices"])
def test_plugins_that_cannot_be_used(tmp_path, failing, kind):
    """A warning that says what to do, no GPUs, and the CPU goes on."""
    path = tmp_path / "plugin.so"
    environment = {"WHOLE_PLUGIN": CPU.path, "PROGRAMS_UNTIL_LOST": "0"}
    if kind == "text":
        path.write_text("no library")
    elif kind == "library":
        path = _core.__file__
    elif kind == "version":
        code = tmp_path / "other.cpp"
        code.write_text(OTHER)
        include = next(pathlib.Path(CPU.path).parent.glob("include"))
        command = ["g++", "-shared", "-fPIC", f"-I{include}", str(code), "-o", str(path)]
        subprocess.run(command, check=True)
    elif kind == "without devices":
        path = failing
        environment["WITHOUT_DEVICES"] = "1"
    lines, errors = run(USE, path, **environment)
    words = {
        "missing": "There is no plugin",
        "text": "cannot be loaded",
        "library": "is no plugin: it has no function GetPjrtApi",
        "version": "Install another version of the plugin's package",
        "without devices": "there is no device",
    }
    assert words[kind] in errors and "will not be used" in errors
    name = "/job:localhost/replica:0/task:0/device:GPU:0"
    assert lines == ["[] CPU:0", f"Could not satisfy device specification '{name}'"]

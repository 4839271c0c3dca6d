"""Plugins of accelerators: finding, loading, copies, programs, and what goes wrong."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

CPU = next((p for p in plugins.installed() if "cpu" in p.name), None)
needs_plugin = pytest.mark.skipif(
    CPU is None or not _core.pjrt.built_in(), reason="needs the package xla-cpu-pjrt"
)

ADD = """
func.func public @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
"""
# Takes the memory of its argument for its result.
DOUBLE = """
func.func public @main(%a: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


@pytest.fixture
def client():
    return CPU.client()


def test_the_environment_names_plugins(monkeypatch, tmp_path):
    """Paths come first, each once, and may say what devices are called."""
    monkeypatch.setenv(
        plugins.VARIABLE, os.pathsep.join(["GPU=/a/one.so", "/b/two.so", "/b/two.so"])
    )
    first, second = plugins.installed()[:2]
    assert (first.name, first.path, first.type_of_devices()) == ("one.so", "/a/one.so", "GPU")
    assert (second.path, second.device_type) == ("/b/two.so", None)


def test_importing_loads_no_plugin():
    """A program that asks for no device has no plugin in memory."""
    program = "import eagerflow as tf; tf.add(1, 1); print(open('/proc/self/maps').read())"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "_core" in answer.stdout and "_pjrt.so" not in answer.stdout, answer.stderr


@needs_plugin
def test_devices(client):
    """The CPU's plugin has several devices, which are called XLA_CPU."""
    assert client.platform == "cpu"
    assert CPU.type_of_devices() == "XLA_CPU"
    assert len(client.devices) >= 2
    assert client.version[0] == 0
    assert plugins.Plugin("x", CPU.path).client() is not None


@needs_plugin
@pytest.mark.parametrize(
    "dtype",
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "complex64 complex128".split(),
)
def test_copies_keep_values(client, dtype):
    """To a device, to another one, and back."""
    x = tf.cast(tf.constant([[0, 1, 2], [3, 4, 5]]), dtype)
    here = client.to_device(x, 0)
    there = client.to_device(here, 1)
    for y in (here, there):
        assert y.dtype == x.dtype
        np.testing.assert_array_equal(y.numpy(), x.numpy())


@needs_plugin
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1000, 33)])
def test_copies_of_shapes(client, shape):
    """Scalars, tensors without elements, and some that are larger than a page."""
    x = tf.random.normal(shape)
    np.testing.assert_array_equal(client.to_device(x, 1).numpy(), x.numpy())


@needs_plugin
def test_operations_read_values_on_devices(client):
    """Code of the host gets a copy."""
    x = client.to_device(tf.constant([1.0, 2.0]), 1)
    np.testing.assert_array_equal((x + 1.0).numpy(), [2, 3])
    np.testing.assert_array_equal(tf.reshape(x, [2, 1]).numpy(), [[1], [2]])
    v = tf.Variable(x)
    v.assign_add(x)
    np.testing.assert_array_equal(v.numpy(), [2, 4])


@needs_plugin
def test_strings_stay_on_the_host(client):
    """Accelerators hold numbers only."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="stay on the host"):
        client.to_device(tf.constant("a"), 0)


@needs_plugin
@pytest.mark.parametrize("device", [0, 1])
def test_programs_run_on_any_device(client, device):
    """One program serves all of them, and takes values of the host and of other devices."""
    program = client.compile(ADD, [(tf.float32, (2, 2))])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for a in (x, client.to_device(x, 0), client.to_device(x, 1)):
        (y,) = program.run([a, x], device)
        np.testing.assert_array_equal(y.numpy(), 2 * x.numpy())


@needs_plugin
def test_donated_memory(client):
    """A tensor whose memory a program has taken over has no value; others keep theirs."""
    program = client.compile(DOUBLE, [(tf.float32, (3,))])
    x = client.to_device(tf.constant([1.0, 2.0, 3.0]), 0)
    (y,) = program.run([x], 0, [False])
    np.testing.assert_array_equal(y.numpy(), [2, 4, 6])
    np.testing.assert_array_equal(x.numpy(), [1, 2, 3])
    fresh = client.to_device(tf.constant([1.0, 2.0, 3.0]), 0)
    (y,) = program.run([fresh], 0, [True])
    np.testing.assert_array_equal(y.numpy(), [2, 4, 6])
    with pytest.raises(tf.errors.FailedPreconditionError, match="taken over"):
        fresh.numpy()


SUMS = """
import eagerflow as tf
with tf.device("/device:XLA_CPU:0"):
    images = tf.random.normal([32, 24, 24, 16])
    tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x), [0, 1, 2]))(images).numpy()
"""


@needs_plugin
def test_sums_of_leading_axes_are_vector_loops(tmp_path):
    """The compiler for the CPU gives them to its library, as gradients of biases need."""
    dumps = f"--xla_dump_to={tmp_path} --xla_dump_hlo_as_text"
    environment = os.environ | {"XLA_FLAGS": dumps, "EAGERFLOW_COMPILATION_CACHE": ""}
    subprocess.run([sys.executable, "-c", SUMS], check=True, capture_output=True, env=environment)
    programs = [path.read_text() for path in tmp_path.glob("*after_optimizations.txt")]
    assert programs and any("ynn_fusion" in program for program in programs)


@needs_plugin
def test_programs_that_are_wrong(client):
    """The compiler's message says what."""
    with pytest.raises(tf.errors.OpError, match="garbage"):
        client.compile("module { garbage", [])


@needs_plugin
def test_devices_that_do_not_exist(client):
    """The message says which there are."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="no device 99"):
        client.to_device(tf.constant(1.0), 99)


@needs_plugin
def test_too_large(client):
    """What does not fit says how much it takes, and the device goes on."""
    program = client.compile(
        """func.func public @main(%a: tensor<f32>) -> tensor<1099511627776x16xf32> {
             %0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64>}
               : (tensor<f32>) -> tensor<1099511627776x16xf32>
             return %0 : tensor<1099511627776x16xf32> }""",
        [(tf.float32, (1099511627776, 16))],
    )
    with pytest.raises(tf.errors.OpError):
        program.run([tf.constant(1.0)])[0].numpy()
    np.testing.assert_array_equal(client.to_device(tf.constant([1.0]), 0).numpy(), [1])


@pytest.mark.skipif(not _core.pjrt.built_in(), reason="needs the interface's header")
def test_libraries_that_are_no_plugins(tmp_path):
    """Missing files, other files, and libraries without the interface; the CPU goes on."""
    with pytest.raises(tf.errors.NotFoundError, match="no plugin"):
        _core.pjrt.load(str(tmp_path / "missing.so"))
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(tf.errors.NotFoundError, match="cannot be loaded"):
        _core.pjrt.load(str(text))
    with pytest.raises(tf.errors.FailedPreconditionError, match="GetPjrtApi"):
        _core.pjrt.load(_core.__file__)
    assert int(tf.add(1, 1)) == 2


def _compiled(tmp_path: Path, source: str) -> str:
    code = tmp_path / "plugin.cpp"
    code.write_text(source)
    library = tmp_path / "plugin.so"
    include = next(Path(CPU.path).parent.glob("include"))
    subprocess.run(
        ["g++", "-shared", "-fPIC", f"-I{include}", str(code), "-o", str(library)], check=True
    )
    return str(library)


OLD = """
#include <cstring>
#include "pjrt_c_api.h"
extern "C" const PJRT_Api* GetPjrtApi() {{
  static PJRT_Api api;
  std::memset(&api, 0, sizeof api);
  api.struct_size = sizeof api;
  api.pjrt_api_version.major_version = {major};
  api.pjrt_api_version.minor_version = {minor};
  return &api;
}}
"""


@needs_plugin
@pytest.mark.parametrize(
    ("major", "minor", "error", "match"),
    [
        (1, 0, tf.errors.FailedPreconditionError, "version 1.0"),
        (0, 3, tf.errors.FailedPreconditionError, "version 0.3"),
        (0, 81, tf.errors.UnimplementedError, "PJRT_Plugin_Initialize"),
    ],
)
def test_other_versions(tmp_path, major, minor, error, match):
    """Versions that do not fit, and functions that a plugin lacks, are named."""
    library = _compiled(tmp_path, OLD.format(major=major, minor=minor))
    with pytest.raises(error, match=match):
        _core.pjrt.load(library)

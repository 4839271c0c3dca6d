"""Devices, threads and memory as programs ask for them."""

import pytest

import eagerflow as tf

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def test_there_is_one_device():
    (cpu,) = tf.config.list_physical_devices()
    assert repr(cpu) == "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"
    assert [cpu] == tf.config.list_physical_devices("CPU") == tf.config.get_visible_devices()
    assert tf.config.list_physical_devices("GPU") == [] == tf.config.list_logical_devices("GPU")
    (logical,) = tf.config.experimental.list_logical_devices("CPU")
    assert repr(logical) == "LogicalDevice(name='/device:CPU:0', device_type='CPU')"
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_visible_devices(cpu)
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices([tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU")])


def test_devices_cannot_be_configured_once_they_are_used():
    (cpu,) = tf.config.list_physical_devices()
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU"):
        tf.config.experimental.set_memory_growth(cpu, True)
    tf.constant(1)  # from now on it is too late
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified after being init"):
        whole = [tf.config.LogicalDeviceConfiguration()]
        tf.config.set_logical_device_configuration(cpu, whole)
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified after being init"):
        tf.config.set_visible_devices([])
    with pytest.raises(ValueError, match="memory limit on CPU"):
        limited = tf.config.LogicalDeviceConfiguration(memory_limit=5)
        tf.config.set_logical_device_configuration(cpu, [limited])


def test_threads():
    threading = tf.config.threading
    before = threading.get_intra_op_parallelism_threads()
    threading.set_intra_op_parallelism_threads(1)
    assert threading.get_intra_op_parallelism_threads() == 1
    assert float(tf.reduce_sum(tf.ones([1 << 20]))) == 1 << 20
    threading.set_intra_op_parallelism_threads(before)
    with pytest.raises(ValueError, match="must not be negative"):
        threading.set_intra_op_parallelism_threads(-1)


def test_memory():
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_usage("CPU:0")
    held = tf.zeros([1 << 21])
    info = tf.config.experimental.get_memory_info("CPU:0")
    assert info["current"] - before >= held._size * 4 and info["peak"] >= info["current"]
    with pytest.raises(ValueError, match="No matching devices"):
        tf.config.experimental.get_memory_info("GPU:0")


@pytest.mark.parametrize("name", ["nonsense", "GPU:nonsense", "GPU", "CPU:0:1:2"])
def test_memory_of_what_is_no_device(name):
    config = tf.config.experimental
    for function in (config.get_memory_info, config.get_memory_usage, config.reset_memory_stats):
        with pytest.raises(ValueError, match=f"Failed parsing device name: '{name}'. Note a valid"):
            function(name)


@pytest.mark.parametrize(
    "name", ["/CPU:0", "cpu", "CPU:0", "/device:CPU:0", CPU, "", None, "/GPU:0", "/job:localhost"]
)
def test_device_names(name):
    with tf.device(name):
        assert (tf.constant(1) + 1).device == CPU
    with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
        pass


@pytest.mark.parametrize("name", ["foo", "0", "/gpu:abc", 3])
def test_wrong_device_names(name):
    with pytest.raises(ValueError), tf.device(name):
        pass


def test_other_jobs_are_unknown():
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown device"):
        with tf.device("/job:worker/CPU:0"):
            tf.constant(1)
    with pytest.raises(RuntimeError, match="does not support functions"):
        tf.device(lambda op: "/CPU:0")


def test_device_specs():
    spec = tf.DeviceSpec.from_string("/job:a/replica:1/task:2/GPU:3")
    assert spec.to_string() == "/job:a/replica:1/task:2/device:GPU:3"
    assert (spec.job, spec.replica, spec.task, spec.device_index) == ("a", 1, 2, 3)
    assert spec == tf.DeviceSpec("a", 1, 2, "GPU", 3)


def test_everything_is_eager():
    assert tf.executing_eagerly() and not tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly()
    finally:
        tf.config.run_functions_eagerly(False)
    assert not tf.inside_function() and not tf.is_symbolic_tensor(tf.constant(1))
    assert tf.version.VERSION.startswith("2.")

"""A program for GPUs."""

from device_programs import show, tf


def kind(value):
    return value.device.rpartition("device:")[2]


gpus = tf.config.list_physical_devices("GPU")
show("physical", lambda: [d.name for d in gpus[:2]])
show("built with", lambda: tf.test.is_gpu_available())
tf.config.experimental.set_memory_growth(gpus[0], True)
show("growth", lambda: tf.config.experimental.get_memory_growth(gpus[0]))
tf.config.set_logical_device_configuration(
    gpus[1], [tf.config.LogicalDeviceConfiguration(memory_limit=8)]
)
tf.config.set_visible_devices(gpus[:3], "GPU")
show("visible", lambda: [d.name for d in tf.config.get_visible_devices()])

x = tf.random.uniform([3, 3])
show("default", lambda: kind(x))
show("logical", lambda: [d.name for d in tf.config.list_logical_devices("GPU")])
show("too late", lambda: tf.config.set_visible_devices([]))
show("growth later", lambda: tf.config.experimental.set_memory_growth(gpus[0], False))
show("endswith", lambda: x.device.endswith("GPU:0"))
show("copies", lambda: [kind(x.cpu()), kind(x.gpu()), kind(x.gpu(1)), kind(x.cpu() + 1.0)])
show("no such", lambda: x.gpu(7))
show("integers", lambda: kind(tf.constant([1, 2]) + 1))
with tf.device("/gpu:0"):
    show("scope", lambda: kind(tf.matmul(x, x)))
with tf.device("CPU:0"):
    y = tf.matmul(x, x)
    show("cpu", lambda: [kind(y), kind(tf.identity(x))])
with tf.device("GPU:1"):
    show("fits", lambda: kind(tf.zeros([1024, 1024])))

    def too_large():
        return tf.zeros([2048, 2048])

    try:
        too_large()
    except tf.errors.ResourceExhaustedError as error:
        print("oom:", str(error).split(" on ")[0])
    show("goes on", lambda: kind(tf.zeros([1024, 1024])))
show("memory", lambda: sorted(tf.config.experimental.get_memory_info("GPU:1")))
show("no memory", lambda: tf.config.experimental.get_memory_info("GPU:7"))
tf.config.set_soft_device_placement(False)


def unknown():
    with tf.device("GPU:7"):
        return tf.identity(x)


show("unknown", unknown)
tf.config.set_soft_device_placement(True)

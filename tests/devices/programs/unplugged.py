"""GPUs that are made invisible."""

from device_programs import show, tf

tf.config.set_visible_devices([], "GPU")
show("logical", lambda: [device.name for device in tf.config.list_logical_devices()])
show("physical", lambda: len(tf.config.list_physical_devices("GPU")) > 1)
show("default", lambda: (tf.zeros([2]) + 1.0).device.rpartition("device:")[2])
with tf.device("GPU:0"):
    show("soft", lambda: tf.zeros([2]).device.rpartition("device:")[2])
show("gpu", lambda: tf.zeros([2]).gpu())

"""Physical and logical devices: what can be configured, and until when.

Run by a Python of its own, so that it can divide the CPU; `tests/device_programs.py` says how.
"""

from device_programs import show, tf

cpu = tf.config.list_physical_devices("CPU")[0]
part = tf.config.LogicalDeviceConfiguration

configure = tf.config.set_logical_device_configuration
show("at first", lambda: tf.config.get_logical_device_configuration(cpu))
show("a configuration", part)
show("limited", lambda: configure(cpu, [part(memory_limit=10)]))
show("no device", lambda: configure("x", [part()]))
show("prioritized", lambda: configure(cpu, [part(experimental_priority=1)]))
show("ordered", lambda: configure(cpu, [part(experimental_device_ordinal=1)]))
show("no part", lambda: configure(cpu, []))
show("three parts", lambda: configure(cpu, [part()] * 3))
show("two parts", lambda: configure(cpu, [part(), part()]))
show("configuration", lambda: tf.config.get_logical_device_configuration(cpu))
show("soft placement", tf.config.get_soft_device_placement)
show("visible", tf.config.get_visible_devices)
show("unknown", lambda: tf.config.set_visible_devices(["x"]))
show("wrong type", lambda: tf.config.set_visible_devices([cpu], "GPU"))
show("no GPUs", lambda: tf.config.set_visible_devices([], "GPU"))
show("no CPU", lambda: tf.config.set_visible_devices([], "CPU"))
show("nothing visible", tf.config.get_visible_devices)
show("the CPU again", lambda: tf.config.set_visible_devices(cpu, "CPU"))
for kind in (None, "CPU", "GPU"):
    show(f"logical {kind}", lambda kind=kind: tf.config.list_logical_devices(kind))
show("the same later", lambda: configure(cpu, [part(), part()]))
show("others later", lambda: configure(cpu, [part()]))
show("invisible later", lambda: tf.config.set_visible_devices([]))
show("growth", lambda: tf.config.experimental.set_memory_growth(cpu, True))
for name in ("CPU:9", "GPU:0", "CPU"):
    show(f"memory {name}", lambda name=name: tf.config.experimental.get_memory_info(name))
show("memory", lambda: sorted(tf.config.experimental.get_memory_info("CPU:1")))
show("devices", lambda: tf.config.experimental.get_device_policy())

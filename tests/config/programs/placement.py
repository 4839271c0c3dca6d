"""Where tensors and variables are made, and where operations run.

Run by a Python of its own, so that it can divide the CPU; `tests/device_programs.py` says how.
"""

from device_programs import show, tf

cpu = tf.config.list_physical_devices("CPU")[0]
part = tf.config.LogicalDeviceConfiguration
tf.config.set_logical_device_configuration(cpu, [part(), part()])


def made_on(name):
    with tf.device(name):
        return (tf.constant(1.0) + 1.0).device


names = """CPU:1 cpu:1 /cpu:1 /CPU:1 /device:CPU:1 /device:cpu:1 device:CPU:1 /job:localhost/device:CPU:1
/job:localhost/replica:0/task:0/device:CPU:1 CPU:5 GPU:0 /gpu:0 TPU:0 XLA_CPU:0 /job:worker/CPU:0
/task:1/device:CPU:0 /replica:1 foo /device:FOO:1 CPU:x /CPU:* CPU /job:localhost /CPU:1/GPU:0 /device:CPU
/device:CPU:01 CPU:-1 /job:a/job:b /job: /task:x""".split()
for name in [*names, "", " ", None, 1, b"CPU:1", tf.DeviceSpec(device_type="CPU", device_index=1)]:
    show(repr(name), lambda name=name: made_on(name))
show("function", lambda: made_on(lambda op: "CPU:1"))

with tf.device("CPU:1"):
    a = tf.constant([1.0, 2.0])
    v = tf.Variable([1.0, 2.0])
    for name in ("/job:localhost", "CPU", None, "", "CPU:0"):
        show(f"inside {name}", lambda name=name: made_on(name))
    show("after", lambda: tf.constant(1).device)
    show("operations", lambda: [x.device for x in (v + 1, tf.shape(a), a, tf.reshape(a, [2, 1]))])
    show("constants", lambda: [x.device for x in (tf.ones(2), tf.zeros(2), tf.range(3))])
    show("others", lambda: [tf.random.normal([2]).device, tf.strings.join(["a", "b"]).device])
    show("dataset", lambda: next(iter(tf.data.Dataset.range(3))).device)
show("backing", lambda: (a.device, a.backing_device, v.device, v.handle.device))
show("outside", lambda: [x.device for x in (a + 1, v + 1, v.read_value(), tf.identity(v), v * v)])
show("value", lambda: [v.value().device, tf.convert_to_tensor(v).device])
show("copies", lambda: [tf.identity(a).device, a.cpu().device, tf.reshape(a, [2, 1]).device])
show("gpu", lambda: a.gpu())
show("gpu 1", lambda: a.gpu(1))
show(
    "assigned",
    lambda: (v.assign([3.0, 4.0]).device, v.assign_add([1.0, 1.0]).device, v.value().device),
)


@tf.function
def function(x):
    print([(x + 1).device, x.device])
    with tf.device("CPU:0"):
        y = x * 2
        print([y.device, y.op.device])
    return y, v + 1


show("function", lambda: [x.device for x in function(a)])
with tf.device("CPU:1"):
    show("function there", lambda: [x.device for x in function(a)])
    with tf.GradientTape() as tape:
        loss = v * v
    show("gradient there", lambda: tape.gradient(loss, v).device)
with tf.GradientTape() as tape:
    with tf.device("CPU:1"):
        loss = v.read_value() * tf.identity(v)
show("gradient", lambda: tape.gradient(loss, v))
with tf.GradientTape() as tape:
    tape.watch(a)
    loss = a.cpu() * 3.0
show("gradient of a copy", lambda: tape.gradient(loss, a))

tf.config.set_soft_device_placement(False)
show("hard", tf.config.get_soft_device_placement)


def added_on(name):
    with tf.device(name):
        return tf.add(tf.constant([1]), 2).device


for name in ("CPU:5", "GPU:0", "CPU:1", "CPU"):
    show(f"hard {name}", lambda name=name: added_on(name))


@tf.function
def added_in_a_function(name):
    with tf.device(name):
        return tf.add(tf.constant([1]), 2)


def is_refused(name):
    try:
        added_in_a_function(name)
    except tf.errors.InvalidArgumentError as error:
        return name in error.message
    return False


for name in ("GPU:0", "CPU:1"):
    show(f"hard function {name}", lambda name=name: is_refused(name))
show(
    "hard function's graph", lambda: bool(added_in_a_function.get_concrete_function("GPU:0").graph)
)

graph = tf.Graph()
with graph.as_default(), tf.device("/job:ps/task:3"):
    with tf.device("cpu:1"):
        show("graph", lambda: tf.constant(1).op.device)
    with tf.device(None):
        show("graph, open", lambda: tf.constant(1).device)
    with tf.compat.v1.device(lambda op: "/gpu:3" if op.type == "Const" else ""):
        c = tf.constant(1)
        show("graph, function", lambda: (c.device, (c + c).device))

"""Variables with a copy on each device: what replicas and the program around them see and change."""

from device_programs import show, tf

cpu = tf.config.list_physical_devices("CPU")[0]
part = tf.config.LogicalDeviceConfiguration
tf.config.set_logical_device_configuration(cpu, [part(), part()])
ON_READ = tf.VariableSynchronization.ON_READ
SUM, MEAN, FIRST = (
    tf.VariableAggregation.SUM,
    tf.VariableAggregation.MEAN,
    tf.VariableAggregation.ONLY_FIRST_REPLICA,
)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


with strategy.scope():
    plain = tf.Variable([1.0, 2.0])
    mean = tf.Variable(1.0, aggregation=MEAN, name="mean")
    total = tf.Variable(1.0, aggregation=SUM)
    first = tf.Variable(1.0, aggregation=FIRST)
    read_sum = tf.Variable(1.0, synchronization=ON_READ, aggregation=SUM)
    read_mean = tf.Variable(1.0, synchronization=ON_READ, aggregation=MEAN)
    read_first = tf.Variable(1.0, synchronization=ON_READ, aggregation=FIRST)
    read_none = tf.Variable(1.0, synchronization=ON_READ)
    none = tf.VariableSynchronization.NONE
    show("not synchronized", lambda: tf.Variable(1.0, synchronization=none))
    with tf.name_scope("outer"):
        show("named", lambda: tf.Variable(1.0, name="v"))

for label, v in [("plain", plain), ("read_sum", read_sum)]:
    show(label, lambda v=v: v)
    show(f"{label} str", lambda v=v: str(v))
    for name in """name shape dtype trainable device synchronization values _devices
    _shared_name _primary""".split():
        show(f"{label} {name}", lambda v=v, name=name: getattr(v, name))
    kinds = (tf.Variable, tf.distribute.DistributedValues)
    show(f"{label} kinds", lambda v=v, kinds=kinds: [isinstance(v, kind) for kind in kinds])
    show(f"{label} aggregates", lambda v=v: v.aggregation.value)
    show(f"{label} names", lambda v=v: [copy.name for copy in v.values])
    show(f"{label} sum", lambda v=v: v + 1)
    show(f"{label} numpy", lambda v=v: v.numpy())
    show(f"{label} tensor", lambda v=v: tf.convert_to_tensor(v))
    show(f"{label} in a replica", lambda v=v: strategy.run(lambda: v * 2 + number()))
    show(f"{label} from a replica", lambda v=v: strategy.run(lambda: v))
for v in (read_sum, read_mean, read_first, read_none):
    show(f"read {v.aggregation.name}", v.read_value)

for method in ("assign", "assign_add", "assign_sub"):
    for v in (mean, total, first):
        change = getattr(v, method)
        label = f"{method} {v.aggregation.name}"
        show(label, lambda change=change: strategy.run(lambda: change(number() + 4)))
        show(f"{label} is", lambda v=v: v)
    for v in (plain, read_sum, read_mean, read_first, read_none):
        change = getattr(v, method)
        label = f"{method} {v.synchronization.name} {v.aggregation.name}"
        value = [1.0, 2.0] if v is plain else 1.0
        strategy.run(lambda change=change, value=value: [change(number() + value), None][1])
        show(label, lambda v=v: v)
        show(f"{label} for all", lambda change=change, value=value: change(value))
        show(f"{label} for all is", lambda v=v: v)
show("a number is no sum", lambda: strategy.run(lambda: total.assign(3.0)))
show("a number is a mean", lambda: strategy.run(lambda: mean.assign(3.0)))


def scatter():
    rows = tf.IndexedSlices(tf.stack([number() + 1.0]), tf.constant([1]))
    plain.scatter_add(rows)


strategy.run(scatter)
show("rows", lambda: plain)


@tf.function
def function():
    def step():
        plain.assign_add(tf.stack([number(), 1.0]))
        read_sum.assign_add(number())
        return total.assign_add(number() + 1), read_sum.read_value()

    return strategy.run(step), read_sum.read_value(), plain + 1


show("function", function)
show("plain after", lambda: plain)
show("sum after", lambda: read_sum)

extended = strategy.extended
with strategy.scope():
    v = tf.Variable([1.0, 2.0])
    ones = tf.constant([1.0, 1.0])
    show("update", lambda: extended.update(v, lambda copy, x: copy.assign_add(x), args=(ones,)))
    show("updated", lambda: v)
    show("ungrouped", lambda: extended.update(v, lambda c: c.device, group=False))
    values = strategy.run(lambda: number() + 1)
    show("reduce_to", lambda: extended.reduce_to("SUM", values, v))
    show("reduce_to a device", lambda: extended.reduce_to("SUM", values, "CPU:1"))
    show("batch", lambda: extended.batch_reduce_to("MEAN", [(values, v), (values, values)]))
    show("created", lambda: extended.variable_created_in_scope(v))
    with extended.colocate_vars_with(v):
        show("colocated", lambda: tf.Variable(3.0))
    show("container", lambda: extended.value_container(v.values[1]) is v)
    show("value", lambda: extended.read_var(v))
    show("broadcast", lambda: extended.broadcast_to(tf.constant(1.0), v))
show("created outside", lambda: extended.variable_created_in_scope(tf.Variable(1.0)))
show("devices", lambda: (extended.worker_devices, extended.parameter_devices))


def create():
    made.append(tf.Variable(number() + 5))
    return made[-1] + number()


made = []
show("made in replicas", lambda: strategy.run(create))
show("made once", lambda: (made[0] is made[1], made[0]))
checkpoint = tf.train.Checkpoint(v=v, total=read_sum, mean=read_mean)
path = checkpoint.write("/tmp/device_program_checkpoint")
show("saved", lambda: sorted(n for n, _ in tf.train.list_variables(path) if "VALUE" in n))
before = v.numpy().tolist(), float(read_sum.numpy()), float(read_mean.numpy())
v.assign([0.0, 0.0]), read_sum.assign(0.0), read_mean.assign(0.0)
checkpoint.read(path)
show("restored", lambda: (v, read_sum, read_mean))


changed = strategy.extended.update(v, lambda copy: copy.assign_add([1.0, 1.0]))
for label, mirrored in [("updated", changed), ("assigned", v.assign_add([1.0, 1.0]))]:
    for name in "shape dtype ndim".split():
        show(f"{label} {name}", lambda x=mirrored, name=name: getattr(x, name))
    show(f"{label} numpy", lambda x=mirrored: x.numpy())
    show(f"{label} computed with", lambda x=mirrored: (x + 1, 2 * x, -x, x[0], x > 3.0))


@tf.custom_gradient
def trebled(x):
    return tf.identity(x), lambda dy: dy * 3.0


def gradient_of_argument():
    with tf.GradientTape() as tape:
        y = trebled(v) * number()
    return tape.gradient(y, v)


show("custom gradient", lambda: strategy.run(gradient_of_argument))
show("custom gradient in a function", lambda: tf.function(strategy.run)(gradient_of_argument))


def gradient_of_operators():
    with tf.GradientTape() as tape:
        y = (v * v + 2.0 * v[0]) * (number() + 1.0)
    return tape.gradient(y, v)


show("gradient of operators", lambda: strategy.run(gradient_of_operators))

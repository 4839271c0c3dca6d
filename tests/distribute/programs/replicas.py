"""What replicas return, join and gather, and errors of programs that use them wrongly."""

from device_programs import show, tf

cpu = tf.config.list_physical_devices("CPU")[0]
part = tf.config.LogicalDeviceConfiguration
tf.config.set_logical_device_configuration(cpu, [part(), part()])
Mirrored = tf.distribute.MirroredStrategy
context = tf.distribute.get_replica_context

show("no device", lambda: Mirrored(["foo"]))
show("twice", lambda: Mirrored(["CPU:0", "CPU:0"]))
show("letters", lambda: Mirrored("CPU:0"))
for devices in (None, [], ["CPU:1"], ["/cpu:1"]):
    show(f"devices {devices}", lambda devices=devices: Mirrored(devices).extended.worker_devices)
strategy = Mirrored(["CPU:0", "CPU:1"])
run = strategy.run


def number():
    return tf.cast(context().replica_id_in_sync_group, tf.float32)


show("number", lambda: run(lambda: context().replica_id_in_sync_group))
show("device", lambda: run(lambda: tf.constant(1.0).device))
show("structure", lambda: run(lambda: {"a": number(), "b": (number(), None), "c": [1, "x"]}))
show("none", lambda: run(lambda: None))
values = run(lambda: tf.stack([number(), number() + 1]))
uneven = run(lambda: tf.range(2.0 + number()))
show("values", lambda: values)
show("text", lambda: str(values))
show("tuple", lambda: values.values)
show("uneven", lambda: uneven)
for operation in ("SUM", "MEAN", "sum", "bad", tf.distribute.ReduceOp.SUM):
    for axis in (None, 0, -1, 5):
        label = f"{operation} {axis}"
        show(label, lambda op=operation, axis=axis: strategy.reduce(op, values, axis=axis))
show("a tensor's sum", lambda: strategy.reduce("SUM", tf.constant(3.0), axis=None))
show("a number's sum", lambda: strategy.reduce("SUM", 3.0, axis=None))
show("a number's mean", lambda: strategy.reduce("MEAN", 3.0, axis=None))
show("structures", lambda: strategy.reduce("SUM", {"a": values, "b": [values]}, axis=None))
integers = run(lambda: tf.cast(number(), tf.int32) + tf.constant([1, 2]))
show("integers", lambda: strategy.reduce("MEAN", integers, axis=0))
show("mean of uneven", lambda: strategy.reduce("MEAN", uneven, axis=0))
show("sum of uneven", lambda: strategy.reduce("SUM", uneven, axis=None))
show("gather", lambda: strategy.gather(values, axis=0))
show("gather uneven", lambda: strategy.gather(uneven, axis=0))
show("gather a tensor", lambda: strategy.gather(tf.constant([1.0]), axis=0))
local = strategy.experimental_local_results
show("local", lambda: (local(values), local(tf.constant(1)), local({"a": values}), local(None)))
show("all_reduce", lambda: run(lambda: context().all_reduce("SUM", number() + 1)))
show("all_reduce two", lambda: run(lambda: context().all_reduce("MEAN", [number(), number() * 2])))
show("all_reduce bad", lambda: run(lambda: context().all_reduce("FOO", number())))
show(
    "all_gather", lambda: run(lambda: context().all_gather(tf.ones([1 + context()._replica_id]), 0))
)


def slices():
    return tf.IndexedSlices(tf.stack([[number() + 1]]), tf.constant([2]), tf.constant([3, 1]))


show("slices", lambda: tf.convert_to_tensor(strategy.reduce("MEAN", run(slices), axis=None)))


def differentiated(operation):
    with tf.GradientTape() as tape:
        x = tf.stack([number() + 1, 2.0])
        tape.watch(x)
        if operation == "gather":
            y = tf.reduce_sum(context().all_gather(x, axis=0) ** 2)
        else:
            y = tf.reduce_sum(context().all_reduce(operation, x) ** 2)
    return tape.gradient(y, x)


for operation in ("SUM", "MEAN", "gather"):
    show(f"gradient {operation}", lambda op=operation: run(differentiated, args=(op,)))


def merging():
    def merge(strategy, x, y):
        print(type(strategy).__name__, x, y, context(), tf.distribute.in_cross_replica_context())
        return strategy.reduce("SUM", x, axis=None), x

    return context().merge_call(merge, args=(number(),), kwargs={"y": 3})


show("merge", lambda: run(merging))


def failing():
    if context()._replica_id == 1:
        raise KeyError("one")
    return number()


def differing():
    return context().all_reduce("SUM", number()) if context()._replica_id == 0 else number()


show("failing", lambda: run(failing))
show("differing", lambda: run(differing))
show("arguments", lambda: run(lambda x, y: x + y, args=(values,), kwargs={"y": 1.0}))
show("no arguments", lambda: run(lambda x: x, args=3))
show("a function", lambda: run(tf.function(lambda x: x * 2), args=(values,)))


@tf.function
def function(x):
    result = run(doubled, args=(x,))
    return strategy.reduce("SUM", result, axis=None), result, strategy.gather(result, axis=0)


def doubled(x):
    if tf.reduce_sum(x) > 1.0:
        x = -x
    return context().all_reduce("SUM", x * 2)


show("in a function", lambda: function(values))
show("context", lambda: run(lambda: (context().devices, context().num_replicas_in_sync)))
distribute = tf.distribute
show(
    "inside",
    lambda: run(lambda: (distribute.has_strategy(), distribute.get_strategy() is strategy)),
)
show("cross", lambda: run(distribute.in_cross_replica_context))
with strategy.scope():
    show("scope", lambda: (context(), distribute.in_cross_replica_context()))
    show("reduce in a replica", lambda: run(lambda: strategy.reduce("SUM", number(), axis=None)))
    show("run in a replica", lambda: run(lambda: run(number)))
    show("same scope", lambda: strategy.scope().__enter__() is strategy)
    try:
        Mirrored(["CPU:0"]).scope().__enter__()
    except RuntimeError as error:
        print(str(error).partition(":")[0])
show("scope in a replica", lambda: run(lambda: strategy.scope().__enter__()))
values_from = strategy.experimental_distribute_values_from_function
show("values from", lambda: values_from(lambda c: tf.constant(c.replica_id_in_sync_group + 10.0)))
show("numbers from", lambda: values_from(lambda c: c.num_replicas_in_sync))

one = tf.distribute.OneDeviceStrategy("CPU:1")
with one.scope():
    v = tf.Variable(1.0)
show("one device", lambda: (v, v.device, one.run(lambda: tf.constant(1.0).device)))
show(
    "one reduces",
    lambda: (one.reduce("SUM", tf.constant(1.0), axis=None), one.num_replicas_in_sync),
)
central = tf.distribute.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0")
with central.scope():
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
central.run(lambda: v.assign_add(number()))
show("central", lambda: (v, v.device))
default = tf.distribute.get_strategy()
show("default", lambda: default.extended.worker_devices)
show("default reduces", lambda: default.reduce("SUM", tf.constant([1.0, 2.0]), axis=0))

Dataset = tf.data.Dataset
distributed = strategy.experimental_distribute_dataset(Dataset.range(10).batch(4))
show("spec", lambda: distributed.element_spec)
show("elements", lambda: [local(x) for x in distributed])
iterator = iter(distributed)
show(
    "next",
    lambda: (next(iterator), iterator.get_next(), iterator.get_next_as_optional().get_value()),
)
show("end", lambda: (iterator.get_next_as_optional().has_value(), next(iterator)))
show("end again", iterator.get_next)
odd = Dataset.range(9).batch(3)
show("odd", lambda: [local(x) for x in strategy.experimental_distribute_dataset(odd)])
even = Dataset.range(9).batch(4, drop_remainder=True)
show("even", lambda: strategy.experimental_distribute_dataset(even).element_spec)
pairs = Dataset.from_tensor_slices({"a": [1.0, 2.0, 3.0, 4.0], "b": [[1], [2], [3], [4]]}).batch(2)
show("pairs", lambda: next(iter(strategy.experimental_distribute_dataset(pairs))))


def dataset_fn(c):
    print(c, c.num_input_pipelines, c.input_pipeline_id, c.get_per_replica_batch_size(8))
    show("not divisible", lambda: c.get_per_replica_batch_size(7))
    return Dataset.range(6).batch(2)


dealt = strategy.distribute_datasets_from_function(dataset_fn)
show("dealt", lambda: (dealt.element_spec, [local(x) for x in dealt]))


@tf.function
def loop(dataset):
    total = tf.constant(0, tf.int64)
    for x in dataset:
        total += strategy.reduce("SUM", x, axis=0)
    return total


@tf.function
def step(iterator):
    return strategy.reduce("SUM", run(lambda x: x * 2, args=(next(iterator),)), axis=0)


show("loop", lambda: loop(distributed))
show("step", lambda: step(iter(distributed)))
add = lambda state, x: state + strategy.reduce("SUM", x, axis=0)  # noqa: E731
show("reduced", lambda: distributed.reduce(tf.constant(0, tf.int64), add))

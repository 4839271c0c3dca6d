"""Random numbers that replicas draw."""

from device_programs import show, tf

cpu = tf.config.list_physical_devices("CPU")[0]
part = tf.config.LogicalDeviceConfiguration
tf.config.set_logical_device_configuration(cpu, [part(), part()])
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
run = strategy.run
from_seed = tf.random.Generator.from_seed


def number():
    return tf.distribute.get_replica_context()._replica_id


with strategy.scope():
    g = from_seed(1)
    show("state", lambda: (g.state, g.key, g.algorithm))
    for _ in range(2):
        show("normal", lambda: run(lambda: g.normal([])))
    show("for all", lambda: g.normal([]))
    show("split", lambda: [x.key for x in g.split(2)])
    for draw in (
        lambda: g.uniform([2]),
        lambda: g.uniform([2], 0, 100, tf.int32),
        lambda: g.uniform_full_int([2]),
        lambda: g.truncated_normal([2]),
        lambda: g.binomial([2], [10.0, 20.0], [0.5, 0.25]),
        lambda: g.make_seeds(2),
    ):
        show("draw", lambda draw=draw: run(draw))
    show("skip", lambda: run(lambda: g.skip(10)))
    show("skipped", lambda: g.state)

outside = from_seed(1)
show("outside", lambda: run(lambda: outside.normal([])))
show("outside again", lambda: run(lambda: outside.normal([])))
show("outside is", lambda: outside.state)


def inside(split):
    generator = from_seed(1)
    if split:
        generator = generator.split(2)[number()]
    return generator.normal([])


with strategy.scope():
    for split in (False, True):
        show(f"inside {split}", lambda split=split: run(lambda: inside(split)))
    g = from_seed(1)

    @tf.function
    def function():
        return run(lambda: g.normal([2]))

    show("function", lambda: (function(), function()))
    show("reset", lambda: g.reset_from_seed(2))
    show("after", lambda: run(lambda: g.normal([])))
show("stateless", lambda: run(lambda: tf.random.stateless_normal([], seed=[1, 2])))
tf.random.set_seed(5)
show("stateful", lambda: run(lambda: tf.random.normal([], seed=3)))


@tf.function
def seeded():
    return run(lambda: tf.random.normal([], seed=3))


show("stateful function", lambda: (seeded(), seeded()))

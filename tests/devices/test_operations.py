"""Operations, variables and functions on devices of a plugin: the CPU's, under its own name."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

pytestmark = pytest.mark.skipif(
    not any(p.is_cpu for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
NAME = "/job:localhost/replica:0/task:0/device:"


def kind(value):
    """The device of a tensor or variable, without the machine."""
    assert value.device.startswith(NAME)
    return value.device[len(NAME) :]


@pytest.fixture
def device():
    with tf.device("/device:XLA_CPU:1"):
        yield "XLA_CPU:1"


def test_devices_are_used_if_named():
    """They are physical devices, and logical ones, for programs that ask for their kind."""
    devices = tf.config.list_physical_devices("XLA_CPU")
    assert devices[0] == ("/physical_device:XLA_CPU:0", "XLA_CPU")
    assert len(devices) == len(tf.config.list_logical_devices("XLA_CPU")) > 1
    assert devices[0] not in tf.config.list_physical_devices()
    assert {d.device_type for d in tf.config.list_logical_devices()} == {"CPU"}
    assert tf.config.experimental.get_device_details(devices[0])["device_name"]
    assert kind(tf.constant(1.0) + 1.0) == "CPU:0"


def test_operations_run_where_the_scope_says(device):
    """Inputs of the host and of other devices are copied."""
    with tf.device("CPU:0"):
        host = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.device("/device:XLA_CPU:0"):
        other = tf.identity(host)
    assert (kind(host), kind(other)) == ("CPU:0", "XLA_CPU:0")
    product = host @ other + 1.0
    assert kind(product) == device
    np.testing.assert_array_equal(product.numpy(), [[8, 11], [16, 23]])
    with tf.device("CPU:0"):
        assert kind(product * 2.0) == "CPU:0"
    assert kind(product) == device
    assert kind(product.cpu()) == "CPU:0"
    np.testing.assert_array_equal(product.cpu().numpy(), product.numpy())


def test_constants_and_indices(device):
    """Numbers lie on the device; int32 stays on the host, as TensorFlow's does."""
    assert kind(tf.constant([1.0])) == kind(tf.convert_to_tensor(np.ones(3))) == device
    assert kind(tf.zeros([2])) == kind(tf.random.normal([2])) == device
    assert kind(tf.constant(1)) == kind(tf.constant(1) + 1) == kind(tf.range(3)) == "CPU:0"
    np.testing.assert_array_equal(tf.range(1.0, 6.0, 2.0).numpy(), [1, 3, 5])
    assert kind(tf.constant("a")) == "CPU:0"


def test_indices_share_programs(device):
    """x[i] takes the index as an argument."""
    x = tf.reshape(tf.constant(np.arange(24.0)), [2, 3, 4])
    assert kind(x) == device
    expected = x.numpy()
    for i in range(-2, 2):
        np.testing.assert_array_equal(x[i].numpy(), expected[i])
        np.testing.assert_array_equal(x[i, :, 2].numpy(), expected[i, :, 2])
        np.testing.assert_array_equal(x[..., i].numpy(), expected[..., i])
    np.testing.assert_array_equal(x[:, 1:, ::-2].numpy(), expected[:, 1:, ::-2])
    assert kind(x[1]) == kind(x[1, 2]) == kind(x[:1]) == device
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        x[2]


def test_random_numbers_are_the_hosts(device):
    """Streams have the same numbers everywhere, and their places are arguments of programs."""

    def numbers():
        tf.random.set_seed(5)
        return [
            draw([6]).numpy()
            for _ in range(3)
            for draw in (tf.random.normal, tf.random.uniform, tf.random.truncated_normal)
        ]

    here = numbers()
    with tf.device("CPU:0"):
        there = numbers()
    np.testing.assert_allclose(here, there, 1e-5, 1e-6)


def test_what_devices_lack_runs_on_the_host(device):
    """Operations without a program, and dtypes that devices do not hold."""
    x = tf.constant([3.0, 1.0, 3.0])
    values, index = tf.unique(x)
    assert kind(values) == kind(index) == "CPU:0"
    np.testing.assert_array_equal(values.numpy(), [3, 1])
    assert tf.strings.length(tf.constant(["abc"])).numpy() == [3]
    assert kind(tf.Variable("text")) == "CPU:0"
    np.testing.assert_array_equal(tf.boolean_mask(x, x > 2).numpy(), [3, 3])


def test_placement_is_logged(device, capfd):
    """With the device of each operation, and the CPU's name where that has run it."""
    x = tf.constant([3.0, 1.0])
    tf.debugging.set_log_device_placement(True)
    try:
        tf.unique(tf.exp(x))
    finally:
        tf.debugging.set_log_device_placement(False)
    lines = capfd.readouterr().err.splitlines()
    assert f"Executing op Exp in device {NAME}XLA_CPU:1" in lines
    assert any(line.startswith("Executing op Unique") and line.endswith("CPU:0") for line in lines)


def test_gradients(device):
    """Tapes record operations of devices, several times over."""
    x = tf.Variable([0.5, 1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sin(x) * x)
        first = tape.gradient(y, x)
        total = tf.reduce_sum(first)
    second = outer.gradient(total, x)
    assert kind(first) == kind(second) == device
    v = x.numpy()
    np.testing.assert_allclose(first.numpy(), np.sin(v) + v * np.cos(v), 1e-5)
    np.testing.assert_allclose(second.numpy(), 2 * np.cos(v) - v * np.sin(v), 1e-5, 1e-6)


def test_variables(device):
    """They stay on the device that they were made on; what was read keeps its value."""
    v = tf.Variable([1.0, 2.0])
    read = tf.identity(v)
    for _ in range(3):
        v.assign_add([1.0, 1.0])
    v.assign_sub([0.5, 0.5])
    np.testing.assert_array_equal(v.numpy(), [3.5, 4.5])
    np.testing.assert_array_equal(read.numpy(), [1, 2])
    with tf.device("CPU:0"):
        v.assign(tf.constant([5.0, 6.0]))
        v.assign_add(tf.constant([1.0, 1.0]))
    assert kind(v) == kind(v.value()) == device
    np.testing.assert_array_equal(v.numpy(), [6, 7])
    v.scatter_nd_update([[0]], [9.0])
    v[1].assign(8.0)
    np.testing.assert_array_equal(v.numpy(), [9, 8])
    assert kind(v.value()) == device
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes must be equal"):
        v.assign_add([1.0])
    with tf.device("CPU:0"):
        assert kind(v.read_value()) == "CPU:0"
    count = tf.Variable(0, dtype=tf.int64)
    count.assign_add(1)
    assert (int(count), kind(count)) == (1, device)


def test_memory(device):
    """Tensors are counted, and peaks."""
    use = tf.config.experimental.get_memory_info
    place = f"/device:{device}"
    before = use(place)["current"]
    x = tf.zeros([256, 1024])
    assert use(place)["current"] >= before + 2**20
    del x
    assert use(place)["current"] < before + 2**20 <= use(place)["peak"]
    tf.config.experimental.reset_memory_stats(place)
    assert use(place)["peak"] < before + 2**20


def test_sums_of_metrics_keep_what_rounding_loses(device):
    metric = tf.keras.metrics.Mean()
    metric.update_state(tf.ones([2]), sample_weight=2.0**23)
    for _ in range(4):
        metric.update_state(1.0)
    assert metric.count.numpy() == metric.total.numpy() == 2.0**24 + 4
    assert kind(metric.total) == device
    metric.total.assign(2.0**24)
    metric.update_state(1.0)
    assert metric.total.numpy() == 2.0**24
    metric.total.assign_sub(-1.0)
    assert metric.total.numpy() == 2.0**24 + 2


@pytest.mark.parametrize(
    "make",
    [
        lambda o: o.Adam(0.1, amsgrad=True),
        lambda o: o.SGD(0.1, momentum=0.9, nesterov=True),
        lambda o: o.RMSprop(0.1, centered=True, momentum=0.5),
        lambda o: o.Adam(o.schedules.ExponentialDecay(0.1, 2, 0.5), clipnorm=1.0),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_of_several_variables(make, dtype):
    """One program updates all of them, with the learning rate of each step."""
    values = []
    for name in ("CPU:0", "/device:XLA_CPU:1"):
        with tf.device(name):
            variables = [tf.Variable(tf.ones(shape, dtype)) for shape in ([2, 3], [4], [])]
            kept = variables[1].value()
            rule = make(tf.keras.optimizers)
            for k in range(4):
                gradients = [tf.cast(k + 1, dtype) * (v - 0.5) for v in variables]
                rule.apply_gradients(zip(gradients, variables, strict=True))
            assert [kind(v) for v in variables] == [name.removeprefix("/device:")] * 3
            np.testing.assert_array_equal(kept.numpy(), np.ones(4))
            values.append([v.numpy() for v in [*variables, *rule.variables]])
    for ours, expected in zip(*values, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=2e-6 if dtype == "float32" else 1e-12)


def test_a_variable_that_is_updated_twice(device):
    """Its second update starts from what the first one has left."""
    v = tf.Variable([1.0, 2.0])
    for _ in range(2):
        _core.gradient_descent_update([v, v], [tf.ones(2), v * 1.0], learning_rate=0.5)
    expected = np.array([1.0, 2.0])
    for _ in range(2):
        expected = expected - 0.5 - 0.5 * expected
    np.testing.assert_allclose(v.numpy(), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "optimizer",
    "SGD Momentum Nesterov Adam Adamax Nadam RMSprop Adagrad Adadelta Ftrl Lion AdamW".split(),
)
def test_optimizers(optimizer, dtype):
    """Updates of variables, slots and all, are those of the CPU, for rows that repeat as well."""
    options = {
        "Momentum": {"momentum": 0.9},
        "Nesterov": {"momentum": 0.9, "nesterov": True},
    }.get(optimizer, {})
    kind_of_rule = "SGD" if options else optimizer

    def trained(name):
        with tf.device(f"/device:{name}"):
            values = tf.constant([[0.5, -1.0], [0.25, 2.0], [1.0, 1.0]], dtype)
            rows = tf.IndexedSlices(values, tf.constant([1, 0, 1]), tf.constant([3, 2]))
            variables = [tf.Variable(tf.ones([3, 2], dtype)), tf.Variable([1.0, -2.0], dtype=dtype)]
            rule = getattr(tf.keras.optimizers, kind_of_rule)(0.1, **options)
            for k in range(3):
                gradients = [
                    rows if k == 1 else tf.ones([3, 2], dtype),
                    tf.constant([0.5, -0.25], dtype),
                ]
                rule.apply_gradients(zip(gradients, variables, strict=True))
            assert {kind(v) for v in variables} == {name}
            return [v.numpy() for v in variables]

    for here, there in zip(trained("XLA_CPU:1"), trained("CPU:0"), strict=True):
        np.testing.assert_allclose(here, there, 1e-5, 1e-6)


def test_functions_are_programs(device):
    """A function runs as one program where its variables are, once for each device and shape."""
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v - x))
        v.assign_sub(0.25 * tape.gradient(loss, v))
        return loss

    x = tf.constant([0.0, 0.0])
    losses = [float(step(x)) for _ in range(3)]
    np.testing.assert_allclose(losses, [5, 1.25, 0.3125])
    graph = step.get_concrete_function(x).graph
    assert graph.program[0] == 1 and "stablehlo" in graph.program[1]
    assert kind(step(x)) == kind(v) == device
    with tf.device("/device:XLA_CPU:0"):
        assert kind(step(x)) == "XLA_CPU:0"
    with tf.device("CPU:0"):
        assert kind(step(x)) == "CPU:0"
    assert kind(v) == device


def test_functions_without_a_program(device):
    """Operations run one after the other, on the device where they can."""
    seen = []

    @tf.function
    def f(x):
        y = tf.py_function(lambda y: (seen.append(1), y * 2)[1], [x + 1.0], tf.float32)
        y = tf.ensure_shape(y, [2])
        kept = tf.boolean_mask(y, y > 3.0)
        return tf.exp(x), tf.reduce_sum(kept)

    x = tf.constant([0.0, 1.0])
    for _ in range(2):
        e, total = f(x)
        np.testing.assert_allclose(e.numpy(), np.exp([0, 1]), 1e-6)
        assert float(total) == 4
    assert kind(e) == device
    assert len(seen) == 2


def test_tapes_outside_of_functions(device):
    """What a tape records is differentiated."""
    square = tf.function(lambda x: x * x)
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = square(x)
    gradient = tape.gradient(y, x)
    assert (float(gradient), kind(gradient)) == (6, device)


def test_models_train_there():
    """`fit`, `evaluate` and `predict` give what they give on the CPU, as programs."""
    x = np.random.RandomState(0).randn(96, 6, 6, 1).astype("float32")
    y = np.random.RandomState(1).randint(0, 3, 96)

    def trained(name):
        with tf.device(f"/device:{name}"):
            tf.keras.utils.set_random_seed(7)
            model = tf.keras.Sequential(
                [
                    tf.keras.layers.Conv2D(4, 3, activation="relu", input_shape=(6, 6, 1)),
                    tf.keras.layers.BatchNormalization(),
                    tf.keras.layers.Flatten(),
                    tf.keras.layers.Dropout(0.3, seed=3),
                    tf.keras.layers.Dense(3),
                ]
            )
            loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            model.compile("adam", loss, metrics=["accuracy"])
            history = model.fit(x, y, 32, epochs=2, shuffle=False, verbose=0).history
            assert {kind(weight) for weight in model.weights} == {name}
            scores = model.evaluate(x, y, verbose=0)
            return [*history.values(), scores, model.predict(x, verbose=0), *model.get_weights()]

    for here, there in zip(trained("XLA_CPU:1"), trained("CPU:0"), strict=True):
        np.testing.assert_allclose(here, there, 2e-3, 2e-3)


def test_names_of_devices():
    """Of a kind that there is, the first one stands for those that there are not."""
    with tf.device("/device:XLA_CPU:99"):
        assert kind(tf.constant(1.0)) == "XLA_CPU:0"
    tf.config.set_soft_device_placement(False)
    try:
        with (
            pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy.*XLA_CPU:99"),
            tf.device("/device:XLA_CPU:99"),
        ):
            pass
    finally:
        tf.config.set_soft_device_placement(True)
    with pytest.raises(RuntimeError, match="GPU:0 unknown device"):
        tf.constant(1.0).gpu()


@pytest.mark.parametrize("name", ["prefetch_to_device", "copy_to_device"])
def test_datasets(name):
    """Elements lie on the device; text stays on the host."""
    dataset = tf.data.Dataset.range(4).map(lambda x: (tf.cast(x, tf.float32), tf.as_string(x)))
    place = getattr(tf.data.experimental, name)
    for k, (number, word) in enumerate(dataset.batch(2).apply(place("/device:XLA_CPU:1"))):
        assert (kind(number), kind(word)) == ("XLA_CPU:1", "CPU:0")
        np.testing.assert_array_equal(number, [2 * k, 2 * k + 1])
        assert list(word.numpy()) == [b"%d" % (2 * k), b"%d" % (2 * k + 1)]


def test_checkpoints(device, tmp_path):
    """Variables are saved from their device, and restored there."""
    v = tf.Variable([1.0, 2.0])
    path = tf.train.Checkpoint(v=v).save(str(tmp_path / "ckpt"))
    v.assign([0.0, 0.0])
    tf.train.Checkpoint(v=v).restore(path).assert_consumed()
    np.testing.assert_array_equal(v, [1.0, 2.0])
    assert kind(v) == device

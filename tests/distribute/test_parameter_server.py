"""ParameterServerStrategy and ClusterCoordinator: threads of one process are the workers."""

import gc
import json
import subprocess
import sys
import threading

import numpy as np
import pytest

import eagerflow as tf

coordinator_module = tf.distribute.coordinator


def resolver(workers=2, servers=1, **jobs):
    cluster = {"worker": [f"w{k}:1" for k in range(workers)]}
    if servers:
        cluster["ps"] = [f"p{k}:1" for k in range(servers)]
    spec = tf.train.ClusterSpec({**{k: v for k, v in cluster.items() if v}, **jobs})
    return tf.distribute.cluster_resolver.SimpleClusterResolver(spec, rpc_layer="grpc")


@pytest.fixture
def strategy():
    return tf.distribute.ParameterServerStrategy(resolver(3, 2))


@pytest.fixture
def coordinator(strategy):
    return coordinator_module.ClusterCoordinator(strategy)


def test_names():
    experimental = tf.distribute.experimental
    assert experimental.ParameterServerStrategy is tf.distribute.ParameterServerStrategy
    assert experimental.coordinator.ClusterCoordinator is coordinator_module.ClusterCoordinator
    assert experimental.coordinator.PerWorkerValues is coordinator_module.PerWorkerValue
    assert {"coordinator", "partitioners", "TerminationConfig"} <= set(dir(experimental))
    for refused in ("TPUStrategy", "rpc"):
        with pytest.raises(AttributeError, match=r"there are no (TPUs|servers)"):
            getattr(experimental, refused)


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        (resolver(0, 1), "at least one worker"),
        (resolver(1, 0), "at least one ps"),
        (resolver(1, 1, other=["o:1"]), r"not \['other'\]"),
        (
            tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({})),
            "non-empty",
        ),
    ],
)
def test_bad_clusters(cluster, message):
    with pytest.raises(ValueError, match=message):
        tf.distribute.ParameterServerStrategy(cluster)


def test_processes_of_other_tasks():
    cluster = resolver()
    cluster.task_type, cluster.task_id = "worker", 1
    with pytest.raises(ValueError, match="only there"):
        tf.distribute.ParameterServerStrategy(cluster)
    server = tf.distribute.Server(cluster.cluster_spec(), job_name="ps", task_index=0)
    assert server.server_def.job_name == "ps"
    with pytest.raises(tf.errors.UnimplementedError, match="as the coordinator"):
        server.join()
    with pytest.raises(TypeError, match="Partitioner"):
        tf.distribute.ParameterServerStrategy(resolver(), variable_partitioner=2)


def test_cluster_of_the_environment(monkeypatch):
    cluster = {"chief": ["c:1"], "worker": ["w:1"], "ps": ["p:1"]}
    task = {"type": "chief", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    made = tf.distribute.experimental.ParameterServerStrategy()
    assert made.cluster_resolver.task_type == "chief"
    assert made.num_replicas_in_sync == 1


def test_one_coordinator_for_a_strategy(strategy, coordinator):
    assert coordinator_module.ClusterCoordinator(strategy) is coordinator
    assert coordinator.strategy is strategy
    with pytest.raises(ValueError, match="ParameterServerStrategy"):
        coordinator_module.ClusterCoordinator(tf.distribute.MirroredStrategy())


def test_results_have_the_structure_of_the_function(coordinator):
    @tf.function
    def f(x, *, k):
        return {"a": x + k, "b": (x * 2.0, None)}

    result = coordinator.schedule(f, args=(tf.constant(3.0),), kwargs={"k": 1.0})
    assert result["b"][1] is None or isinstance(result["b"][1], coordinator_module.RemoteValue)
    assert isinstance(result["a"].fetch(), np.float32 | np.ndarray)
    assert isinstance(result["a"].get(), tf.Tensor)
    fetched = coordinator.fetch({"x": result["a"], "y": 5})
    assert fetched == {"x": 4.0, "y": 5}
    python = coordinator.schedule(lambda: {"any": "thing"})
    assert python.fetch() == {"any": "thing"}
    coordinator.join()
    assert coordinator.done()


def test_workers_run_at_once(coordinator):
    barrier = threading.Barrier(3, timeout=60)

    def meet():
        barrier.wait()
        return coordinator_module.experimental_get_current_worker_index()

    results = [coordinator.schedule(meet) for _ in range(3)]
    assert sorted(coordinator.fetch(results)) == [0, 1, 2]
    with pytest.raises(RuntimeError, match="runs on a worker"):
        coordinator_module.experimental_get_current_worker_index()


def test_no_update_is_lost(strategy, coordinator):
    with strategy.scope():
        v = tf.Variable(tf.zeros([16]))

    @tf.function
    def step():
        strategy.run(lambda: v.assign_add(tf.ones([16])))

    for _ in range(300):
        coordinator.schedule(step)
    coordinator.join()
    assert v.numpy().tolist() == [300.0] * 16


@pytest.mark.parametrize("ask", ["schedule", "join", "done"])
def test_errors_are_raised_once_and_cancel_what_waits(coordinator, ask):
    gate = threading.Event()

    @tf.function
    def bad(x):
        tf.debugging.assert_positive(x)
        return x

    for _ in range(2):
        coordinator.schedule(gate.wait)
    failed = coordinator.schedule(bad, args=(tf.constant(-1.0),))
    while not failed._ready.is_set():
        pass
    gate.set()
    with pytest.raises(tf.errors.InvalidArgumentError):
        failed.fetch()
    with pytest.raises(tf.errors.InvalidArgumentError):
        getattr(coordinator, ask)(*([lambda: 1] if ask == "schedule" else []))
    assert coordinator.schedule(lambda: 7).fetch() == 7
    coordinator.join()

    gate = threading.Event()
    blocked = [coordinator.schedule(gate.wait) for _ in range(2)]
    coordinator.schedule(bad, args=(tf.constant(-1.0),))
    waiting = []
    try:
        for _ in range(50):
            waiting.append(coordinator.schedule(lambda: gate.wait() and 1))
    except tf.errors.InvalidArgumentError:
        pass
    gate.set()
    for value in [*blocked, *waiting]:
        try:
            value.get()
        except tf.errors.CancelledError as error:
            assert "Schedule it again" in str(error)


def test_bad_arguments(coordinator):
    with pytest.raises(TypeError, match="only accepts"):
        coordinator.schedule(3)
    value = coordinator.schedule(lambda: tf.constant(1))
    with pytest.raises(ValueError, match="not supported"):
        coordinator.schedule(lambda x: x, args=(value,))


@pytest.mark.parametrize("traced", [False, True])
def test_datasets_of_workers(strategy, coordinator, traced):
    made = []

    def dataset_fn(context):
        made.append(context.input_pipeline_id)
        assert context.num_input_pipelines == 1
        return tf.data.Dataset.range(4).repeat().batch(2)

    def of_worker():
        return strategy.distribute_datasets_from_function(dataset_fn)

    datasets = coordinator.create_per_worker_dataset(
        tf.function(of_worker) if traced else of_worker
    )
    assert len(made) == 3
    assert datasets.element_spec == tf.TensorSpec([None], tf.int64)
    iterator = iter(datasets)

    @tf.function
    def step(iterator):
        return strategy.run(tf.reduce_sum, args=(next(iterator),))

    values = [coordinator.schedule(step, args=(iterator,)) for _ in range(12)]
    assert set(coordinator.fetch(values)) <= {1, 5}
    with pytest.raises(NotImplementedError, match="schedule"):
        next(iterator)
    whole = coordinator.create_per_worker_dataset(tf.data.Dataset.range(3))
    assert coordinator.schedule(lambda it: int(next(it)), args=(iter(whole),)).fetch() == 0


def test_a_model_trains(strategy, coordinator):
    rng = np.random.default_rng(0)
    x = rng.normal(size=[64, 3]).astype(np.float32)
    y = x @ np.float32([[1.0], [-2.0], [0.5]])
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        optimizer = tf.keras.optimizers.SGD(0.1)
        metric = tf.keras.metrics.Mean()
        model.build([None, 3])
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16)
    iterator = iter(
        coordinator.create_per_worker_dataset(
            lambda: strategy.experimental_distribute_dataset(dataset)
        )
    )

    @tf.function
    def step(iterator):
        def replica(inputs, targets):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(inputs, training=True) - targets) ** 2)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            metric.update_state(loss)
            return loss

        loss = strategy.run(replica, args=next(iterator))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, loss, axis=None)

    losses = [coordinator.schedule(step, args=(iterator,)) for _ in range(100)]
    coordinator.join()
    assert losses[-1].fetch() < 1e-3
    assert metric.count.numpy() == 100
    assert int(optimizer.iterations) == 100


def test_fit():
    strategy = tf.distribute.experimental.ParameterServerStrategy(
        resolver(),
        tf.distribute.experimental.partitioners.MinSizePartitioner(max_shards=2),
    )
    x = np.linspace(-1, 1, 32, dtype=np.float32)[:, None]
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile(tf.keras.optimizers.SGD(0.5), "mse", steps_per_execution=5)

    def dataset_fn(context):
        return tf.data.Dataset.from_tensor_slices((x, 3 * x)).repeat().batch(8)

    creator = tf.keras.utils.experimental.DatasetCreator(dataset_fn)
    history = model.fit(creator, epochs=3, steps_per_epoch=20, verbose=0)
    assert history.history["loss"][-1] < 1e-4


def test_threads_end_with_the_coordinator():
    strategy = tf.distribute.ParameterServerStrategy(resolver())
    coordinator = coordinator_module.ClusterCoordinator(strategy)
    threads = coordinator._queue._threads
    coordinator.schedule(lambda: 1)
    coordinator.join()
    del coordinator
    gc.collect()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert coordinator_module.ClusterCoordinator(strategy).schedule(lambda: 2).fetch() == 2


def test_programs_end_without_join():
    program = """
import eagerflow as tf
cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": ["c:1"]})
strategy = tf.distribute.ParameterServerStrategy(
    tf.distribute.cluster_resolver.SimpleClusterResolver(cluster)
)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
step = tf.function(lambda x: tf.linalg.matmul(x, x))
for _ in range(50):
    coordinator.schedule(step, args=(tf.ones([300, 300]),))
print("end")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


PARTITIONERS = tf.distribute.experimental.partitioners


@pytest.mark.parametrize(
    ("cut", "shape", "dtype", "parts"),
    [
        (PARTITIONERS.FixedShardsPartitioner(3), [10, 2], tf.float32, [3, 1]),
        (PARTITIONERS.FixedShardsPartitioner(3), [2, 2], tf.float32, [2, 1]),
        (PARTITIONERS.MinSizePartitioner(40, 4), [10, 2], tf.float32, [2, 1]),
        (PARTITIONERS.MinSizePartitioner(40, 4), [100, 2], tf.float64, [4, 1]),
        (PARTITIONERS.MinSizePartitioner(), [1000, 1000], tf.float32, [1, 1]),
        (PARTITIONERS.MaxSizePartitioner(40), [10, 2], tf.float32, [2, 1]),
        (PARTITIONERS.MaxSizePartitioner(40, max_shards=3), [100, 2], tf.float32, [3, 1]),
        (PARTITIONERS.MaxSizePartitioner(1), [3, 2], tf.float32, [3, 1]),
        (PARTITIONERS.MaxSizePartitioner(64, bytes_per_string=32), [10], tf.string, [5]),
        (PARTITIONERS.MaxSizePartitioner(64), [0, 3], tf.float32, [1, 1]),
    ],
)
def test_partitioners(cut, shape, dtype, parts):
    assert cut(tf.TensorShape(shape), dtype) == parts
    turned = cut(tf.TensorShape([*shape[1:], shape[0]]), dtype, axis=len(shape) - 1)
    assert turned == [*parts[1:], parts[0]]


@pytest.mark.parametrize("name", ["MinSizePartitioner", "MaxSizePartitioner"])
def test_bad_partitioners(name):
    for bad in ({"max_shards": 0}, {"bytes_per_string": -1}):
        with pytest.raises(ValueError, match="must be positive"):
            getattr(PARTITIONERS, name)(10, **bad)
    with pytest.raises(NotImplementedError):
        PARTITIONERS.Partitioner()([2], tf.float32)

"""One process of the measurements of several: python processes_worker.py FRAMEWORK MODEL MODE SECONDS.

Modes: `alone` knows of no other process, `together` trains with those that a launcher has started, and
`overhead` alternates between steps without and with a strategy of one worker. The first process prints a line
of JSON. `allreduce` as the model measures sums beside plain mpi4py's.
"""

import json
import os
import resource
import statistics
import sys
import time

FRAMEWORK, MODEL, MODE, SECONDS = *sys.argv[1:4], float(sys.argv[4])
RANK = int(os.environ.get("PMI_RANK", os.environ.get("RANK", "0")))
os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[RANK % os.cpu_count()]})
for variable in ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  (after the number of threads)

SIZES = [1 << power for power in range(10, 29, 2)]
VOCABULARY, WIDTH, TOKENS = 4096, 192, 64
ROWS, COLUMNS = 100_000, 32


def data():
    """A process's batch: inputs and labels."""
    random = np.random.default_rng(RANK)
    if MODEL == "cnn":
        return random.normal(size=(32, 32, 32, 3)).astype("float32"), random.integers(0, 10, 32)
    if MODEL == "gpt":
        return (
            random.integers(0, VOCABULARY, (8, TOKENS)),
            random.integers(0, VOCABULARY, (8, TOKENS)),
        )
    return random.integers(0, ROWS, (1024, 40)), random.integers(0, 10, 1024)


def keras_model(tf):
    """The model in Keras."""
    layers = tf.keras.layers
    if MODEL == "cnn":
        parts = [layers.Input([32, 32, 3])]
        for channels in (64, 128, 256):
            parts += [layers.Conv2D(channels, 3, padding="same", activation="relu")]
            parts += [layers.MaxPool2D()]
        parts += [layers.Flatten(), layers.Dense(512, activation="relu"), layers.Dense(10)]
        return tf.keras.Sequential(parts)
    if MODEL == "embedding":
        return tf.keras.Sequential(
            [
                layers.Input([40], dtype="int64"),
                layers.Embedding(ROWS, COLUMNS),
                layers.Flatten(),
                layers.Dense(512, activation="relu"),
                layers.Dense(256, activation="relu"),
                layers.Dense(10),
            ]
        )
    tokens = layers.Input([TOKENS], dtype="int64")
    x = layers.Embedding(VOCABULARY, WIDTH)(tokens)
    for _ in range(4):
        y = layers.LayerNormalization()(x)
        x = x + layers.MultiHeadAttention(6, WIDTH // 6)(y, y, use_causal_mask=True)
        y = layers.LayerNormalization()(x)
        x = x + layers.Dense(WIDTH)(layers.Dense(4 * WIDTH, activation="gelu")(y))
    return tf.keras.Model(tokens, layers.Dense(VOCABULARY)(layers.LayerNormalization()(x)))


def keras_step(tf, strategy):
    """A training step, by a strategy if there is one."""
    x, y = map(tf.constant, data())
    with strategy.scope():
        model = keras_model(tf)
        optimizer = tf.keras.optimizers.SGD(0.01)

    def of_replica(x, y):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x, training=True))
            loss = tf.reduce_mean(losses) / strategy.num_replicas_in_sync
        optimizer.minimize(loss, model.trainable_variables, tape=tape)
        return loss

    if strategy is tf.distribute.get_strategy():
        step = tf.function(of_replica)
    else:
        step = tf.function(lambda x, y: strategy.run(of_replica, (x, y)))
    return lambda: float(step(x, y))


def torch_step():
    """A training step of PyTorch, by DistributedDataParallel if there are others."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    if MODEL == "cnn":
        parts = []
        for before, after in ((3, 64), (64, 128), (128, 256)):
            parts += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        model = nn.Sequential(
            *parts, nn.Flatten(), nn.Linear(4096, 512), nn.ReLU(), nn.Linear(512, 10)
        )
    elif MODEL == "embedding":
        table = nn.Embedding(ROWS, COLUMNS, sparse=True)
        parts = [table, nn.Flatten(), nn.Linear(40 * COLUMNS, 512), nn.ReLU()]
        model = nn.Sequential(*parts, nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))
    else:
        mask = nn.Transformer.generate_square_subsequent_mask(TOKENS)

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.table = nn.Embedding(VOCABULARY, WIDTH)
                self.blocks = nn.ModuleList(
                    nn.TransformerEncoderLayer(
                        WIDTH, 6, 4 * WIDTH, 0.0, "gelu", batch_first=True, norm_first=True
                    )
                    for _ in range(4)
                )
                self.norm, self.last = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

            def forward(self, tokens):
                x = self.table(tokens)
                for block in self.blocks:
                    x = block(x, src_mask=mask, is_causal=True)
                return self.last(self.norm(x))

        model = Model()
    if MODE == "together":
        torch.distributed.init_process_group("gloo")
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    x, y = map(torch.from_numpy, data())
    if MODEL == "cnn":
        x = x.permute(0, 3, 1, 2).contiguous()

    def step():
        optimizer.zero_grad()
        logits = model(x)
        loss = nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return step


def timed(*steps, seconds=SECONDS, count=None):
    """The seconds of each call of functions that are called in turn."""
    for step in steps * 5:
        step()
    times = [[] for _ in steps]
    end = time.perf_counter() + seconds
    while len(times[0]) < count if count else time.perf_counter() < end:
        for step, found in zip(steps, times, strict=True):
            begin = time.perf_counter()
            step()
            found.append(time.perf_counter() - begin)
    return times


def all_reduce():
    """For each size, the seconds of plain mpi4py's sum and of ours."""
    import eagerflow as tf
    from eagerflow.distribute import mpi

    comm = mpi.world()
    ours = mpi.MPICommunicator(comm)
    found = []
    for size in SIZES:
        sent = np.ones(size // 4, np.float32)
        received, tensor = np.empty_like(sent), tf.constant(sent)
        inner = max(1, min(64, (1 << 20) // size))

        def plain(sent=sent, received=received, inner=inner):
            for _ in range(inner):
                comm.Allreduce(sent, received)

        def summed(tensor=tensor, inner=inner):
            for _ in range(inner):
                ours.all_reduce([tensor])

        count = max(11, min(300, (1 << 29) // (size * inner)))
        times = timed(plain, summed, count=count)
        low = [statistics.quantiles(each, n=10)[0] / inner for each in times]
        middle = [statistics.median(each) / inner for each in times]
        found.append({"bytes": size, "low": low, "median": middle})
    return found


def main():
    """Measures, and prints what was found."""
    if MODEL == "allreduce":
        found = {"sizes": all_reduce()}
    elif FRAMEWORK == "torch":
        found = {"times": timed(torch_step(), count=int(SECONDS))[0]}
    else:
        import importlib

        tf = importlib.import_module("eagerflow" if FRAMEWORK == "eagerflow" else "tensorflow")
        if FRAMEWORK == "tensorflow":
            tf.config.threading.set_intra_op_parallelism_threads(1)
        plain = tf.distribute.get_strategy()
        if MODE == "overhead":
            strategy = tf.distribute.MultiWorkerMirroredStrategy()
            found = {"both": timed(keras_step(tf, plain), keras_step(tf, strategy))}
        else:
            used = tf.distribute.MultiWorkerMirroredStrategy() if MODE == "together" else plain
            found = {"times": timed(keras_step(tf, used), count=int(SECONDS))[0]}
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if RANK == 0:
        print(json.dumps(found), flush=True)


main()

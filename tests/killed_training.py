"""Trainings that are killed and resumed: python killed_training.py [FOLDER KIND KILLS].

Kills a training at random moments and after random batches and epochs, and begins it again until it
ends, until there were so many kills. Prints their number, and whether all trainings have ended with
the bits of one that was not killed. Without arguments, prints the kinds.
"""

import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np

import eagerflow as tf

ROWS, BATCH, EPOCHS = 90, 8, 4
X = np.random.RandomState(0).rand(ROWS, 6).astype("float32")
Y = (X.sum(1) > 3).astype("int32")


class Batches(tf.keras.utils.Sequence):
    """Batches that draw random values, in an order that changes in each epoch."""

    def __init__(self):
        self.order = np.arange(ROWS)

    def __len__(self):
        return -(-ROWS // BATCH)

    def __getitem__(self, index):
        rows = self.order[index * BATCH : (index + 1) * BATCH]
        return X[rows] + np.random.rand(6).astype("float32") * random.random(), Y[rows]

    def on_epoch_end(self):
        np.random.shuffle(self.order)

    def training_state(self):
        return {"order": self.order}

    def restore_training_state(self, state):
        self.order = np.array(state["order"])


def dataset():
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(50)
    return rows.map(lambda x, y: (x * 2.0, y)).batch(BATCH).prefetch(2)


def of_unknown_size():
    return dataset().unbatch().filter(lambda x, y: x[0] > 0.2).batch(BATCH)


def in_processes():
    def augmented(x, y):
        return x + np.float32(np.random.rand()), y

    spec = tf.TensorSpec([6]), tf.TensorSpec([], tf.int32)
    rows = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(50)
    return rows.map(augmented, workers=2, output_signature=spec).batch(BATCH)


def generator(seed=4):
    order = np.random.RandomState(seed)
    while True:
        rows = order.randint(0, ROWS, BATCH)
        yield X[rows], Y[rows]


def some_of(data):
    return {"validation_data": data, "validation_steps": 4}


ARRAYS = {"x": X, "y": Y, "batch_size": BATCH}
# The arguments of `fit`.
KINDS = {
    "arrays": lambda: ARRAYS,
    "arrays, shuffled batches": lambda: ARRAYS | {"shuffle": "batch"},
    "arrays in order": lambda: ARRAYS | {"shuffle": False, "class_weight": {0: 1.0, 1: 2.0}},
    "arrays, seven steps": lambda: ARRAYS | {"steps_per_epoch": 7},
    "arrays, three at once": lambda: ARRAYS | {"steps_per_execution": 3},
    "dataset": lambda: {"x": dataset()},
    "dataset of unknown size": lambda: {"x": of_unknown_size()},
    "dataset, repeated": lambda: {"x": dataset().repeat(), "steps_per_epoch": 7},
    "dataset from processes": lambda: {"x": in_processes()},
    "sequence": lambda: {"x": Batches()},
    "sequence by processes": lambda: {"x": Batches(), "workers": 2, "use_multiprocessing": True},
    "generator": lambda: {"x": generator(), "steps_per_epoch": 11},
    "eager": lambda: ARRAYS | {"run_eagerly": True, "metrics": None},
    "saves by epochs": lambda: {"x": dataset(), "save_freq": "epoch"},
    "generators of layers": lambda: ARRAYS | {"generators": True},
    "gradients of three batches": lambda: ARRAYS | {"accumulated": 3},
    "an optimizer of old": lambda: ARRAYS | {"legacy": True},
    "16 bits": lambda: ARRAYS | {"policy": "mixed_float16"},
    "stopped early": lambda: ARRAYS | {"patience": 1},
    "stopped by a batch": lambda: ARRAYS | {"stop": 20},
    "validation by a dataset": lambda: ARRAYS | some_of(dataset()),
    "validation by a sequence": lambda: ARRAYS | some_of(Batches()),
    "validation by a generator": lambda: ARRAYS | some_of(generator(5)),
}


class Last(tf.keras.callbacks.Callback):
    """Keeps the values of the last epoch, and may stop training after so many batches."""

    logs: dict
    left = 0

    def on_train_begin(self, logs=None):
        self.logs = {}

    def on_train_batch_end(self, batch, logs=None):
        self.left -= 1
        if self.left == 0:
            self.model.stop_training = True

    def on_epoch_end(self, epoch, logs=None):
        self.logs = {"epoch": epoch, **logs}

    def on_train_end(self, logs=None):
        assert logs and logs.items() <= self.logs.items()

    def training_state(self):
        return {"logs": self.logs, "left": self.left}


class Kill(tf.keras.callbacks.Callback):
    """Kills the process after so many batches and ends of epochs; with 0 never."""

    def __init__(self, events):
        super().__init__()
        self.left = events

    def on_train_batch_end(self, batch, logs=None):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    on_epoch_end = on_train_batch_end


def train(kind, folder, output, events):
    """Trains, or resumes, and saves what has become of it."""
    tf.keras.utils.set_random_seed(1)
    options = KINDS[kind]()
    if options.pop("generators", False):
        tf.keras.backend.experimental.enable_tf_random_generator()
    tf.keras.mixed_precision.set_global_policy(options.pop("policy", "float32"))
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            tf.keras.Input([6]),
            layers.Dense(16, activation="relu"),
            layers.Dropout(0.4),
            layers.BatchNormalization(),
            layers.GaussianNoise(0.1),
            layers.Dense(2, activation="softmax"),
        ]
    )
    accumulated = options.pop("accumulated", None)
    if options.pop("legacy", False):
        optimizer = tf.keras.optimizers.legacy.Adam(0.01)
    else:
        optimizer = tf.keras.optimizers.Adam(0.01, gradient_accumulation_steps=accumulated)
    model.compile(
        optimizer,
        "sparse_categorical_crossentropy",
        metrics=options.pop("metrics", ["accuracy"]),
        steps_per_execution=options.pop("steps_per_execution", 1),
        run_eagerly=options.pop("run_eagerly", False),
    )
    stop = tf.keras.callbacks.EarlyStopping(
        patience=options.pop("patience", 30), min_delta=0.1, restore_best_weights=True
    )
    rate = tf.keras.callbacks.ReduceLROnPlateau(factor=0.7, patience=1, min_delta=0.1)
    backup = tf.keras.callbacks.BackupAndRestore(folder, options.pop("save_freq", 3))
    last = Last()
    last.left = options.pop("stop", 0)
    model.fit(
        epochs=EPOCHS,
        verbose=0,
        callbacks=[stop, rate, last, backup, Kill(events)],
        **{"validation_data": (X, Y), **options},
    )
    drawn = [random.random(), np.random.rand(), float(tf.random.uniform([]))]
    if model.run_eagerly:  # the metrics of an epoch that was resumed began anew
        last.logs = {"val_loss": last.logs["val_loss"]}
    logs = [value for _, value in sorted(last.logs.items())]
    state = [stop.best, stop.wait, stop.stopped_epoch, rate.best, rate.wait, *drawn, *logs]
    values = [each.numpy() for each in [*model.variables, *optimizer_variables(model)]]
    np.savez(output, *values, *stop.best_weights, np.array(state, np.float64))


def optimizer_variables(model):
    own = model.optimizer.variables
    return own() if callable(own) else own


def in_child(kind, folder, output, seconds=None, events=0):
    """Trains in another process, which is killed after a time or events; whether it has ended by itself."""
    child = os.fork()
    if not child:
        code = 1
        try:
            train(kind, folder, output, events)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, -signal.SIGKILL):
        raise SystemExit(f"{kind}: the training has failed")
    return status == 0


def equal(one, other):
    """Whether two trainings have ended with the same bits."""
    with np.load(one) as first, np.load(other) as second:
        return all(first[name].tobytes() == second[name].tobytes() for name in first.files)


def how(killed, kills, seconds, moments):
    """The time or the number of events after which a training is killed."""
    if killed >= kills:
        return None, 0
    return (moments.uniform(0, seconds), 0) if killed % 2 else (None, moments.randint(1, 30))


def main(folder, kind, kills):
    folder = Path(folder)
    wanted = folder / "wanted.npz"
    begin = time.monotonic()
    in_child(kind, folder / "uninterrupted", wanted)
    seconds = time.monotonic() - begin
    moments = random.Random(kind)
    killed = trainings = 0
    same = True
    while killed < kills or not trainings:
        backup, output = folder / f"backup{trainings}", folder / f"output{trainings}.npz"
        while not in_child(kind, backup, output, *how(killed, kills, seconds, moments)):
            killed += 1
        trainings += 1
        same = same and equal(wanted, output)
    print(killed, same)


if __name__ == "__main__":
    if sys.argv[1:]:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        print(*KINDS, sep="\n")

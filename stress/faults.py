"""Processes that end, or run out of file descriptors, in the middle of work.

`python stress/faults.py ROUNDS [NAME ...]` runs each program so often, each time in a new process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable

SECONDS = 60  # after which a process hangs
PYTHON = [sys.executable, *(["-S"] if sys.flags.no_site else [])]
PROGRAMS: dict[str, Callable[[int], str]] = {}

_SHUTDOWN = """
import random, sys, threading, time
import eagerflow as tf

chance = random.Random(int(sys.argv[1]))
kinds = chance.sample(range(6), 3)
x = tf.random.stateless_normal([200, 200], [1, 2])
v = tf.Variable(tf.zeros([200, 200]))
D = tf.data.Dataset
traced = tf.function(lambda a: tf.while_loop(lambda i, a: i < 50, lambda i, a: (i + 1, a @ x), [0, a]))

def forever(work):
    while True:
        work()

def generated():
    for k in range(10**9):
        yield k

work = [
    lambda: v.assign_add(tf.tanh(x @ x)),
    lambda: traced(x),
    lambda: list(D.range(200).map(lambda k: tf.sort(tf.range(k)), 4).prefetch(4)),
    lambda: list(D.from_generator(generated, tf.int64).map(lambda k: k + 1, 4).take(500)),
    lambda: tf.map_fn(lambda row: row * 2, x, parallel_iterations=4),
    lambda: tf.train.Checkpoint(v=v).write(sys.argv[2] + "/c"),
]
for kind in kinds:
    threading.Thread(target=forever, args=(work[kind],), daemon=True).start()
abandoned = iter(D.range(10**9).map(lambda k: k + 1, 8).interleave(D.from_tensors, 4, 1, 4).prefetch(8))
next(abandoned)
time.sleep(chance.uniform(0, 0.3))
print("ends", flush=True)
if chance.random() < 0.3:
    raise SystemExit(0)
"""

_DESCRIPTORS = """
import os, resource, sys
sys.path.insert(0, sys.argv[3])
import numpy as np
import eagerflow as tf
import file_readers

left, folder = int(sys.argv[1]), sys.argv[2]
model = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(4,))])
tasks = {
    "checkpoint": lambda path: (tf.train.Checkpoint(m=model).write(path),
                                tf.train.Checkpoint(m=model).read(path).assert_consumed()),
    "model.keras": lambda path: (model.save(path), tf.keras.models.load_model(path)),
    "model.h5": lambda path: (model.save(path), tf.keras.models.load_model(path)),
    "saved model": lambda path: (model.save(path), tf.keras.models.load_model(path)),
    "weights": lambda path: (model.save_weights(path), model.load_weights(path)),
    "records": lambda path: (tf.io.TFRecordWriter(path).write(b"x"), list(tf.data.TFRecordDataset(path))),
    "text": lambda path: (tf.io.write_file(path, "a"), tf.io.read_file(path)),
    "dataset": lambda path: (tf.data.Dataset.range(4).save(path), list(tf.data.Dataset.load(path))),
    "cache": lambda path: list(tf.data.Dataset.range(4).cache(path)),
    "threads": lambda path: list(tf.data.Dataset.range(9).map(tf.square, 4).prefetch(2)),
    "fit": lambda path: model.compile("sgd", "mse") or model.fit(
        np.ones((4, 4)), np.ones((4, 3)), verbose=0,
        callbacks=[tf.keras.callbacks.ModelCheckpoint(path + ".keras"), tf.keras.callbacks.CSVLogger(path)]),
    "events": lambda path: tf.summary.create_file_writer(path).close(),
}
for name, task in tasks.items():  # what is imported or compiled later needs files of its own
    task(os.path.join(folder, name))
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
def taken():
    return len(os.listdir("/proc/self/fd"))
before = taken()
for name, task in tasks.items():
    path = os.path.join(folder, "limited " + name)
    highest = max(map(int, os.listdir("/proc/self/fd")))
    held = [os.dup(0) for _ in range(highest)]  # no gap below the limit
    top = max(held) + 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (top + left, hard))
    failed = None
    try:
        task(path)
    except file_readers.ERRORS as error:
        failed = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for descriptor in held:
            os.close(descriptor)
    if failed is not None and not failed.strip():
        print(f"{name}: an error without a text")
    task(os.path.join(folder, name))  # what was there before is whole
    task(path)
import gc
gc.collect()
if taken() > before + 2:
    print(f"{taken() - before} descriptors were not closed")
print("ends", flush=True)
"""


def program(function: Callable[[int], str]) -> Callable[[int], str]:
    """Lists a program: a round returns what was wrong."""
    PROGRAMS[function.__name__] = function
    return function


def _ended(source: str, *arguments: object) -> str:
    """Runs a program of one's own, which must print "ends", and nothing else; returns what was wrong."""
    process = subprocess.Popen(
        [*PYTHON, "-W", "ignore", "-c", source, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONFAULTHANDLER": "1"},
    )
    try:
        out, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        return f"it hangs\n{process.communicate()[1][-4000:]}"
    if process.returncode or out.strip() != "ends" or "Fatal" in errors:
        return f"exit status {process.returncode}\n{out}{errors[-4000:]}"
    return ""


@program
def shutdown(index: int) -> str:
    """The interpreter ends while threads compute, read and save."""
    with tempfile.TemporaryDirectory() as folder:
        return _ended(_SHUTDOWN, index, folder)


@program
def descriptors(index: int) -> str:
    """Files are saved and loaded with few descriptors left: errors have a text, what was there stays."""
    tests = os.path.join(os.path.dirname(__file__), "..", "tests")
    with tempfile.TemporaryDirectory() as folder:
        return _ended(_DESCRIPTORS, index % 12, folder, tests)


def main() -> int:
    rounds, *names = sys.argv[1:]
    failed = 0
    for name in names or PROGRAMS:
        findings: dict[str, int] = {}
        for index in range(int(rounds)):
            wrong = PROGRAMS[name](index)
            if wrong and wrong not in findings:
                findings[wrong] = index
        failed += len(findings)
        print(f"{name}: {rounds} rounds, {len(findings)} findings", flush=True)
        for wrong, index in findings.items():
            print(f"  round {index}: {wrong}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

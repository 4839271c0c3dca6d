"""Saves over and over in children that are killed, and prints how many checkpoints were broken.

    python killing.py FOLDER KIND KILLS bytes|time

`bytes`: the system kills each child when a file of its save grows beyond so many bytes; the limits
are spread over all sizes. `time`: each child is killed after a moment. The children are forked, so
that the package is imported once.
"""

import os
import random
import resource
import signal
import sys
import time

import numpy as np

import eagerflow as tf

# The tiny ones make the index, of 3 kB, no small part of what there is to interrupt.
SIZES = [300, 700] + [1] * 60
NAMES = {"write": "same", "saved_model": "saved"}  # other kinds: m.KIND


class Saver:
    """Something with variables that is saved under a path in a folder."""

    variables: list

    def __init__(self, folder, kind):
        self.folder, self.kind = folder, kind
        self.path = os.path.join(folder, NAMES.get(kind, f"m.{kind}"))
        self.make()


class Manager(Saver):
    """A numbered series of checkpoints, of which two are kept."""

    def make(self):
        self.variables = [tf.Variable(np.zeros(size, "f")) for size in SIZES]

    def save(self):
        self.manager.save()

    def load(self):
        latest = tf.train.latest_checkpoint(self.folder)
        if latest is None:
            return None
        reader = tf.train.load_checkpoint(latest)
        return [reader.get_tensor(name) for name in reader.get_variable_to_shape_map()
                if "variables" in name]  # fmt: skip

    def restore(self):
        checkpoint = tf.train.Checkpoint(variables=self.variables)
        self.manager = tf.train.CheckpointManager(checkpoint, self.folder, max_to_keep=2)
        self.manager.restore_or_initialize()


class Written(Manager):
    """One checkpoint that is replaced."""

    def save(self):
        tf.train.Checkpoint(variables=self.variables).write(self.path)

    def load(self):
        if not os.path.exists(self.path + ".index"):
            return None
        reader = tf.train.load_checkpoint(self.path)
        return [reader.get_tensor(name) for name in reader.get_variable_to_shape_map()
                if "variables" in name]  # fmt: skip

    def restore(self):
        if os.path.exists(self.path + ".index"):
            tf.train.Checkpoint(variables=self.variables).read(self.path).assert_consumed()


class Model(Saver):
    """A Keras model or its weights in one file, or a SavedModel."""

    def make(self):
        layers = tf.keras.layers
        self.model = tf.keras.Sequential([layers.Dense(20, input_shape=(16,)), layers.Dense(9)])
        self.model.set_weights([np.zeros_like(value) for value in self.model.get_weights()])
        self.variables = self.model.weights

    def save(self):
        whole = self.kind in ("keras", "h5", "saved_model")
        (self.model.save if whole else self.model.save_weights)(self.path)

    def load(self):
        if not os.path.exists(self.path):
            return None
        if self.kind == "saved_model":
            if not tf.saved_model.contains_saved_model(self.path):
                return None
            return tf.keras.models.load_model(self.path).get_weights()
        if self.kind in ("keras", "h5"):
            return tf.keras.models.load_model(self.path, compile=False).get_weights()
        self.model.load_weights(self.path)
        return self.model.get_weights()

    def restore(self):
        self.model.set_weights(self.load() or self.model.get_weights())


class Weights(Model):
    """The weights of a model in TensorFlow's format."""

    def save(self):
        self.model.save_weights(self.path, save_format="tf")

    def load(self):
        if not os.path.exists(self.path + ".index"):
            return None
        self.model.load_weights(self.path).assert_consumed()
        return self.model.get_weights()


class Module(Manager):
    """A module with a function, as a SavedModel."""

    def save(self):
        module = tf.Module()
        module.values = self.variables
        module.first = tf.function(lambda: self.variables[0] + 0.0, input_signature=[])
        tf.saved_model.save(module, self.path)

    def load(self):
        if not tf.saved_model.contains_saved_model(self.path):
            return None
        loaded = tf.saved_model.load(self.path)
        return [loaded.first().numpy(), *(value.numpy() for value in loaded.values)]

    def restore(self):
        for variable, value in zip(self.variables, (self.load() or [])[1:], strict=False):
            variable.assign(value)


class Dataset(Manager):
    """A dataset whose elements are the values."""

    def save(self):
        values = np.stack([float(variable.numpy().flat[0]) for variable in self.variables])
        tf.data.Dataset.from_tensor_slices(values.astype("f")).save(self.path)

    def load(self):
        if not os.path.exists(self.path):
            return None
        values = [element.numpy() for element in tf.data.Dataset.load(self.path)]
        return values if len(values) == len(self.variables) else [np.zeros(1), np.ones(1)]

    def restore(self):
        for variable, value in zip(self.variables, self.load() or [], strict=False):
            variable.assign(np.full(variable.shape, value, "f"))


KINDS = {"manager": Manager, "write": Written, "weights": Weights, "module": Module}
KINDS["dataset"] = Dataset


def child(saver, limit, ready):
    """Saves one number after the other in all variables, until it is killed."""
    if limit is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The first save is a whole one, so that there is always something to lose.
    for round_number in range(10_000):
        for variable in saver.variables:
            variable.assign(np.full(variable.shape, float(variable.numpy().flat[0]) + 1, "f"))
        if round_number == 1 and limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        saver.save()
        if round_number == 0:
            os.write(ready, b"!")
        if round_number == 1 and limit is not None:
            os._exit(3)  # the limit lay beyond all files


def main():
    folder, kind, kills, how = sys.argv[1:]
    chance = random.Random(kind)
    saver = KINDS.get(kind, Model)(folder, kind)
    broken = killed = 0
    last = 0.0
    for trial in range(int(kills)):
        saver.restore()
        size = max(
            (os.path.getsize(os.path.join(base, name))
             for base, _, names in os.walk(folder) for name in names), default=7_000
        )  # fmt: skip
        limit = size * trial // int(kills) if how == "bytes" else None
        wait, ready = os.pipe()
        pid = os.fork()
        if pid == 0:
            child(saver, limit, ready)
        os.close(ready)
        os.read(wait, 1)
        os.close(wait)
        if limit is None:
            time.sleep(chance.uniform(0.0, 0.02))
            os.kill(pid, signal.SIGKILL)
        killed += os.WIFSIGNALED(os.waitpid(pid, 0)[1])
        values = saver.load()
        if values is None:
            broken += last > 0
            continue
        found = {float(number) for value in values for number in np.unique(value)}
        whole = len(found) == 1 and min(found) >= last
        broken += not whole
        last = max(found)
    print(killed, broken, last > 0)


if __name__ == "__main__":
    main()

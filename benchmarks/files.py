"""Files: checkpoints of large and of many variables, and summaries."""

import tempfile
from pathlib import Path

import numpy as np

from workload import Case, Target, Workload

LARGE = (4, 64 << 20)  # variables, floats in each: 1 GiB in all
MANY = 10_000
SCALARS = 100_000


def checkpoint_case(tf, variables, restore):
    """Saving, or restoring, a Checkpoint of variables."""
    folder = tempfile.TemporaryDirectory()
    checkpoint = tf.train.Checkpoint(variables=variables)
    prefix = str(Path(folder.name) / "model")
    path = checkpoint.write(prefix)

    def run(count):
        for _ in range(count):
            if restore:
                checkpoint.read(path).assert_consumed()
            else:
                checkpoint.write(prefix)

    def value():
        checkpoint.read(path).assert_consumed()
        result = [float(np.sum(variable.numpy()[:3])) for variable in variables[:4]]
        assert folder.name
        return result

    return Case(run, value)


def large(restore, plain=False):
    """Four variables of 256 MiB."""

    def make(tf):
        count, size = LARGE
        variables = [tf.Variable(tf.fill([size], float(k))) for k in range(count)]
        return checkpoint_case(tf, variables, restore)

    if plain:
        return {"eagerflow": make, "numpy": plain_copy(restore)}
    return {"eagerflow": make, "tensorflow": make}


def plain_copy(restore):
    """As many arrays in a file that is read or written straight on, and their CRC-32C."""

    def make(numpy):
        import google_crc32c

        def checksum(array):
            array.setflags(write=False)  # bytes that may change have no checksum there
            return google_crc32c.value(array)

        count, size = LARGE
        arrays = [numpy.full(size, k, "f") for k in range(count)]
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "model"

        def save():
            with open(path, "wb") as file:
                for array in arrays:
                    file.write(array)
                return [checksum(array) for array in arrays]

        def load():
            read = [numpy.fromfile(path, "f", size, offset=k * 4 * size) for k in range(count)]
            assert [checksum(array) for array in read] == sums
            return read

        def run(repeats):
            for _ in range(repeats):
                load() if restore else save()

        def value():
            assert folder.name
            return [float(array[:3].sum()) for array in load()]

        sums = save()
        return Case(run, value)

    return make


def many(restore):
    """Ten thousand variables of eight numbers."""

    def make(tf):
        variables = [tf.Variable(tf.fill([8], float(k))) for k in range(MANY)]
        return checkpoint_case(tf, variables, restore)

    return {"eagerflow": make, "tensorflow": make}


def scalars(tf):
    """Scalar summaries to one file."""
    folder = tempfile.TemporaryDirectory()
    writer = tf.summary.create_file_writer(folder.name)

    def run(count):
        with writer.as_default():
            for _ in range(count):
                for step in range(SCALARS):
                    tf.summary.scalar("loss", 0.5, step=step)

    return Case(run, lambda: [float(len(list(Path(folder.name).iterdir())))])


def workload(name, title, at_most, contenders):
    return Workload(name, title, Target("tensorflow", at_most), contenders)


WORKLOADS = [
    workload("save-large", "save 1 GiB of variables", 1.0, large(False)),
    workload("restore-large", "restore 1 GiB of variables", 1.0, large(True)),
    Workload(
        "save-plain",
        "save 1 GiB, beside a plain file with checksums",
        Target("numpy", 1.25),
        large(False, plain=True),
    ),
    Workload(
        "restore-plain",
        "restore 1 GiB, beside a plain file with checksums",
        Target("numpy", 1.25),
        large(True, plain=True),
    ),
    workload("save-many", "save 10,000 variables", 0.2, many(False)),
    workload("restore-many", "restore 10,000 variables", 0.2, many(True)),
    workload(
        "summaries",
        "100,000 scalar summaries",
        0.2,
        {"eagerflow": scalars, "tensorflow": scalars},
    ),
]

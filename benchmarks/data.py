"""Input pipelines: one pass over a dataset, from arrays or Python to batches."""

import io
import os
import tempfile
import time

import numpy as np

from workload import ITSELF, Case, Target, Workload

IMAGES = 60000
SEQUENCES = 50000
RECORDS = 50000
FILES = 1024


def pass_case(make_dataset, checked):
    """A Case of passes over a dataset; `checked` makes a number of a batch."""
    dataset = make_dataset()

    def run(count):
        for _ in range(count):
            for _ in dataset:
                pass

    def value():
        total, batches = 0.0, 0
        for batch in make_dataset():
            total += checked(batch)
            batches += 1
        return [total, batches]

    return Case(run, value)


def shuffled_images(tf):
    """Images in random order, in batches."""
    images = np.random.default_rng(0).random((IMAGES, 28, 28), np.float32)
    tf_images = tf.constant(images)

    def make():
        dataset = tf.data.Dataset.from_tensor_slices(tf_images)
        return dataset.shuffle(1000, seed=1).batch(32)

    return pass_case(make, lambda batch: float(batch.numpy()[0, 0, 0]))


def augmented_images(tf):
    """Images moved, mirrored and lit otherwise by a function, in two threads."""
    images = np.random.default_rng(0).random((5000, 32, 32, 3), np.float32)
    shifts = np.random.default_rng(1).integers(0, 8, (5000, 2)).astype(np.int32)

    def augment(image, shift):
        wide = tf.pad(image, [[4, 4], [4, 4], [0, 0]])
        moved = tf.slice(wide, [shift[0], shift[1], 0], [32, 32, 3])
        mirrored = tf.reverse(moved, [1])
        lit = tf.clip_by_value(mirrored * 1.2 - 0.1, 0.0, 1.0)
        return (lit - tf.reduce_mean(lit)) / (tf.math.reduce_std(lit) + 1e-6)

    def make():
        dataset = tf.data.Dataset.from_tensor_slices((images, shifts))
        return dataset.map(augment, num_parallel_calls=2).batch(64).prefetch(2)

    return pass_case(make, lambda batch: float(batch.numpy()[0, 5, 5, 0]))


def padded_sequences(tf):
    """Sequences of different lengths, padded in batches."""
    generator = np.random.default_rng(0)
    sequences = [generator.integers(0, 1000, n) for n in generator.integers(1, 101, SEQUENCES)]

    def make():
        dataset = tf.data.Dataset.from_generator(
            lambda: iter(sequences), output_signature=tf.TensorSpec([None], tf.int64)
        )
        return dataset.padded_batch(64)

    return pass_case(make, lambda batch: float(np.sum(batch.numpy())))


def parsed_records(tf):
    """Records of three features, parsed one by one, in batches."""
    generator = np.random.default_rng(0)
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "records")
    with tf.io.TFRecordWriter(path) as writer:
        for n in range(RECORDS):
            example = tf.train.Example()
            feature = example.features.feature
            feature["label"].int64_list.value.append(n % 10)
            feature["values"].float_list.value.extend(generator.random(32))
            feature["name"].bytes_list.value.append(b"record %d" % n)
            writer.write(example.SerializeToString())
    features = {
        "label": tf.io.FixedLenFeature([], tf.int64),
        "values": tf.io.FixedLenFeature([32], tf.float32),
        "name": tf.io.FixedLenFeature([], tf.string),
    }

    def make():
        assert folder.name
        dataset = tf.data.TFRecordDataset(path)
        return dataset.map(lambda r: tf.io.parse_single_example(r, features)).batch(64)

    return pass_case(make, lambda batch: float(np.sum(batch["label"].numpy())))


def decoded(index, files=[], size=224):
    """A part of an image of a JPEG file, half of them mirrored, as floats.

    The files are made by the first call, before processes are forked.
    """
    from PIL import Image

    if not files:
        noise = np.random.default_rng(0).integers(0, 256, (16, 8, 8, 3), np.uint8)
        for image in noise:
            file = io.BytesIO()
            Image.fromarray(image).resize((256, 256)).save(file, "JPEG")
            files.append(file.getvalue())
    image = Image.open(io.BytesIO(files[index % len(files)])).convert("RGB")
    top, left = index % 32, index * 7 % 32
    part = np.asarray(image)[top : top + size, left : left + size]
    return (part[:, ::-1] if index % 2 else part) / np.float32(255)


def images_in_processes(tf):
    """JPEG files that Pillow decodes in two processes."""
    decoded(0)
    spec = tf.TensorSpec([224, 224, 3], tf.float32)

    def make():
        dataset = tf.data.Dataset.range(FILES)
        return dataset.map(decoded, workers=2, output_signature=spec).batch(32)

    return pass_case(make, lambda batch: float(batch.numpy()[0, 5, 5, 0]))


def images_by_torch(torch):
    """The same, as PyTorch does it."""
    decoded(0)

    class Images(torch.utils.data.Dataset):
        def __len__(self):
            return FILES

        def __getitem__(self, index):
            return decoded(index)

    def make():
        return torch.utils.data.DataLoader(Images(), batch_size=32, num_workers=2)

    return pass_case(make, lambda batch: float(batch.numpy()[0, 5, 5, 0]))


def training_beside(tf):
    """Training steps that are fed by a prefetching pipeline; how long they wait for it."""
    generator = np.random.default_rng(0)
    images = generator.random((2048, 32, 32, 3), np.float32)
    labels = generator.integers(0, 10, 2048).astype(np.int32)
    shapes = [(3, 3, 3, 32), (3, 3, 32, 64), (64, 10)]
    weights = [tf.Variable((generator.random(s, np.float32) - 0.5) * 0.1) for s in shapes]

    def normalized(image, label):
        return (image - tf.reduce_mean(image)) / (tf.math.reduce_std(image) + 1e-6), label

    def make():
        dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(500, seed=1)
        return dataset.map(normalized, num_parallel_calls=2).batch(64).prefetch(2)

    def step(batch, classes):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.nn.conv2d(batch, weights[0], 1, "SAME"))
            hidden = tf.nn.relu(tf.nn.conv2d(hidden, weights[1], 2, "SAME"))
            logits = tf.reduce_mean(hidden, [1, 2]) @ weights[2]
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)
            )
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * gradient)
        return loss

    dataset = make()

    def run(count):
        waited, started = 0.0, time.perf_counter()
        for _ in range(count):
            iterator = iter(dataset)
            while True:
                asked = time.perf_counter()
                element = next(iterator, None)
                waited += time.perf_counter() - asked
                if element is None:
                    break
                step(*element)
        return waited / (time.perf_counter() - started)

    return Case(run, lambda: [float(step(*element)) for element in make().take(3)])


def on_both(build):
    """The two contenders that have pipelines."""
    return {"eagerflow": build, "tensorflow": build}


WORKLOADS = [
    Workload(
        "data_shuffle",
        "60,000 images: shuffle, batch",
        Target("tensorflow", 0.2),
        on_both(shuffled_images),
    ),
    Workload(
        "data_map",
        "5,000 images: map in 2 threads, batch, prefetch",
        Target("tensorflow", 1.0),
        on_both(augmented_images),
    ),
    Workload(
        "data_padded",
        "50,000 sequences: padded batches",
        Target("tensorflow", 0.3),
        on_both(padded_sequences),
    ),
    Workload(
        "data_records",
        "50,000 records: parse_single_example, batch",
        Target("tensorflow", 0.5),
        on_both(parsed_records),
    ),
    Workload(
        "data_processes",
        "1,024 JPEG files: decoded and cut by Pillow in 2 processes, batch",
        Target("torch", 1.0),
        {"eagerflow": images_in_processes, "torch": images_by_torch},
    ),
    Workload(
        "data_wait",
        "training with prefetch: share of an epoch spent waiting for data",
        Target(ITSELF, 0.02),
        on_both(training_beside),
        measure="share",
    ),
]

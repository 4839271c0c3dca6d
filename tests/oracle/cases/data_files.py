"""Datasets of files: lines, records, tables and examples, caches and what was saved."""

import gzip
import os
import tempfile
import zlib

import numpy as np

from oracle.elements import consume, elements, everything
from oracle.registry import case, errors

TABLE = b"""name,size,share,"far, away"
a,1,0.5,x
"b, c",,1e3,"two
lines"
"q""q",3000000000,,
"""


def written(folder, name, data, compress=None):
    """The path of a new file."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(compress(data) if compress else data)
    return path


@case
def text_lines(tf):
    d = tf.data
    found = []
    with tempfile.TemporaryDirectory() as folder:
        first = written(folder, "a", b"one\ntwo\r\n\nfour")
        second = written(folder, "b", b"x\ny\nz\n")
        empty = written(folder, "c", b"")
        zipped = written(folder, "d", b"p\nq", gzip.compress)
        found += [
            everything(d.TextLineDataset(first)),
            elements(d.TextLineDataset([first, empty, second])),
            elements(d.TextLineDataset(d.Dataset.from_tensor_slices([second, first]))),
            elements(d.TextLineDataset([first, second], num_parallel_reads=2)),
            elements(d.TextLineDataset(zipped, compression_type="GZIP")),
            elements(d.TextLineDataset([])),
            repr(d.TextLineDataset(first)),
            elements(d.TextLineDataset(first).skip(1).enumerate()),
        ]
    return found


@case
def fixed_lengths(tf):
    d = tf.data.FixedLengthRecordDataset
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a", b"HHaabbccF")
        zipped = written(folder, "b", b"HHaabbccF", zlib.compress)
        found += [
            everything(d(path, 2, 2, 1)),
            elements(d(path, 3)),
            elements(d([path, path], 2, header_bytes=2, footer_bytes=1)),
            elements(d(zipped, 2, 2, 1, compression_type="ZLIB")),
            repr(d(path, 1)),
        ]
    return found


@case
def records(tf):
    d = tf.data
    found = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in "abc"]
        for i, path in enumerate(paths):
            with tf.io.TFRecordWriter(path, "GZIP" if i == 2 else None) as writer:
                for j in range(4):
                    writer.write(bytes([65 + i]) * (j * 50))
        found += [
            everything(d.TFRecordDataset(paths[0])),
            elements(d.TFRecordDataset(paths[:2])),
            elements(d.TFRecordDataset(paths[:2], num_parallel_reads=2)),
            elements(d.TFRecordDataset(paths[2], "GZIP")),
            elements(
                d.TFRecordDataset(paths[0], buffer_size=7).map(
                    lambda record: tf.io.decode_raw(record, tf.uint8)[-2:]
                )
            ),
            repr(d.TFRecordDataset(paths)),
        ]
    return found


@case
def tables(tf):
    csv = tf.data.experimental.CsvDataset
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, "a.csv", TABLE)
        kinds = [tf.string, tf.constant([7], tf.int64), tf.constant([0.5]), ["none"]]
        found += [
            everything(csv(path, kinds, header=True)),
            elements(csv(path, [tf.string] * 3 + [""], header=True).take(1)),
            elements(csv([path, path], [kinds[1], kinds[3]], header=True, select_cols=[1, 3])),
            elements(csv(path, [kinds[2]], header=True, select_cols=[2], na_value="1e3")),
            elements(csv(path, kinds[:2], header=True, exclude_cols=[2, 3])),
            repr(csv(path, kinds)),
        ]
        tabs = written(folder, "b.tsv", b"1\t2\n3\t4\n")
        found.append(elements(csv(tabs, [tf.int32, tf.float64], field_delim="\t")))
    return found


@case
def named_tables(tf):
    make = tf.data.experimental.make_csv_dataset
    found = []
    with tempfile.TemporaryDirectory() as folder:
        data = b"a,b,c,d\n" + b"".join(b"%d,%d.5,t%d,%d\n" % (i, i, i, i * 10**9) for i in range(7))
        written(folder, "1.csv", data)
        written(folder, "2.csv", data.replace(b"t", b"u"))
        pattern = os.path.join(folder, "*.csv")
        plain = {"num_epochs": 1, "shuffle": False}
        datasets = [
            make(pattern, 4, **plain),
            make(pattern, 4, label_name="c", **plain),
            make(pattern, 3, label_name="b", select_columns=["b", "a"], **plain),
            make(pattern, 3, column_defaults=[tf.float32, 1.0, "", 0.0], **plain),
            make(pattern, 3, num_parallel_reads=2, **plain),
            make(pattern, 3, column_names=["w", "x", "y", "z"], **plain),
            make(pattern, 3, shuffle_seed=4, shuffle_buffer_size=5, num_epochs=2),
            make(pattern, 5, shuffle_seed=4).take(4),
        ]
        for dataset in datasets:
            found.append([elements(dataset), repr(dataset.element_spec)])
    return found


@case
def examples(tf):
    features = {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "v": tf.io.VarLenFeature(tf.float32),
        "t": tf.io.FixedLenFeature([], tf.string, "none"),
    }
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in "ab":
            with tf.io.TFRecordWriter(os.path.join(folder, name)) as writer:
                for n in range(5):
                    example = tf.train.Example()
                    example.features.feature["n"].int64_list.value.append(n)
                    example.features.feature["v"].float_list.value.extend([0.5] * n)
                    if n % 2:
                        example.features.feature["t"].bytes_list.value.append(name.encode())
                    writer.write(example.SerializeToString())
        pattern = os.path.join(folder, "*")
        make = tf.data.experimental.make_batched_features_dataset
        parsed = tf.data.TFRecordDataset(os.path.join(folder, "a")).batch(4)
        found += [
            elements(parsed.apply(tf.data.experimental.parse_example_dataset(features))),
            elements(make(pattern, 4, features, num_epochs=1, shuffle=False)),
            elements(make(pattern, 3, features, label_key="n", num_epochs=2, shuffle_seed=5)),
        ]
    return found


@case
def tables_of_datasets(tf):
    d, experimental = tf.data.Dataset, tf.data.experimental
    keys = d.from_tensor_slices(["a", "b", "c"])
    pairs = d.zip((d.from_tensor_slices(["a", "b"]), d.from_tensor_slices(np.array([10, 20]))))
    words = tf.constant([["b", "z"], ["y", "c"]])
    index, table = experimental.index_table_from_dataset, experimental.table_from_dataset
    initializer = experimental.DatasetInitializer(pairs)
    return [
        index(keys).lookup(words),
        index(keys, num_oov_buckets=2).lookup(words),
        index(keys, vocab_size=2).lookup(words),
        index(keys).size(),
        index(d.range(5, 8), key_dtype=tf.int64).lookup(tf.constant([6, 9], tf.int64)),
        table(pairs, default_value=-5).lookup(words),
        table(pairs).lookup(words),
        tf.lookup.StaticHashTable(initializer, -1).lookup(words),
        [initializer.key_dtype, initializer.value_dtype],
    ]


def with_file(data, program):
    """A program of a file with these contents."""

    def run(tf):
        with tempfile.TemporaryDirectory() as folder:
            return elements(program(tf, tf.data, written(folder, "file", data)))

    return run


errors(
    "data_files",
    "bad_files",
    {
        "missing": (
            with_file(b"", lambda tf, d, path: d.TextLineDataset(path + ".not")),
            ["file.not"],
        ),
        "missing_records": (
            with_file(b"", lambda tf, d, path: d.TFRecordDataset([path, path + ".not"])),
            ["file.not"],
        ),
        "no_records": (
            with_file(b"x" * 40, lambda tf, d, path: d.TFRecordDataset(path)),
            ["corrupted record at 0"],
        ),
        "fixed": (
            with_file(b"xxx", lambda tf, d, path: d.FixedLengthRecordDataset(path, 2)),
            ["body length 3 bytes", "2 bytes"],
        ),
        "fixed_0": (
            with_file(b"xxx", lambda tf, d, path: d.FixedLengthRecordDataset(path, 0)),
            ["record_bytes"],
        ),
        "csv_number": (
            with_file(b"a\n", lambda tf, d, path: d.experimental.CsvDataset(path, [tf.int32])),
            ["not a valid int32", "a"],
        ),
        "csv_fields": (
            with_file(b"1,2\n", lambda tf, d, path: d.experimental.CsvDataset(path, [tf.int32])),
            ["1 fields"],
        ),
        "csv_required": (
            with_file(b",\n", lambda tf, d, path: d.experimental.CsvDataset(path, ["", tf.int32])),
            ["required"],
        ),
        "compression": (
            with_file(b"", lambda tf, d, path: d.TextLineDataset(path, compression_type="LZ4")),
            [],
        ),
        "numbers": (consume(lambda tf, d: tf.data.TextLineDataset([1, 2])), ["tf.string"]),
    },
)


@case
def files(tf):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        d = tf.data.Dataset
        for name in ("b.txt", "a.txt", "c.csv", ".hidden.txt"):
            open(os.path.join(folder, name), "w").close()
        names = d.list_files(os.path.join(folder, "*.txt"), shuffle=False)
        found.append([os.path.basename(name.numpy()) for name in names])
        both = d.list_files([os.path.join(folder, p) for p in ("?.csv", "[ab].txt")], seed=3)
        found.append([os.path.basename(name.numpy()) for name in both])
        cache = d.range(5).map(lambda x: (x, "t")).cache(os.path.join(folder, "cache"))
        found.append([elements(cache), elements(cache)])
        path = os.path.join(folder, "saved")
        d.range(6).batch(4).save(path)
        found.append(everything(d.load(path)))
        shuffled = d.range(4).snapshot(os.path.join(folder, "snapshot"))
        found.append([elements(shuffled), elements(shuffled)])
    return found

"""Datasets that TensorFlow has saved, as `tests/data/test_saving.py` reads them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "data" / "saved_by_tensorflow.json"


def datasets(tf: Any) -> dict[str, tuple[Any, dict[str, Any]]]:
    """By name, a dataset and the arguments of `save`."""
    source = tf.data.Dataset
    dtypes = (tf.bfloat16, tf.float16, tf.uint64, tf.complex64, tf.bool)
    rows = tf.ragged.constant([[[1.5], [2.0, 3.0]], [[4.0]]])
    words = tf.ragged.constant([["x", "yy"], []], row_splits_dtype=tf.int32)
    matrix = tf.sparse.from_dense([[0, 1], [2, 0]])
    numbers = source.range(4).map(
        lambda x: {"a": (tf.cast(x, tf.float32), tf.strings.as_string(x)), "b": x}
    )
    return {
        "dict": (numbers, {}),
        "gzip": (
            source.from_tensor_slices([["a", "bcd"], ["", " " * 200]]),
            {"compression": "GZIP"},
        ),
        "ragged": (source.from_tensors((rows, words)), {}),
        "shards": (source.range(7), {"shard_func": lambda x: x % 3}),
        "snappy": (source.range(9).batch(2), {"compression": "SNAPPY"}),
        "sparse": (source.from_tensors((1, None, matrix)), {}),
        "types": (source.range(2).map(lambda x: tuple(tf.cast(x, d) for d in dtypes)), {}),
    }


def saved(tf: Any) -> Iterator[tuple[str, Path]]:
    """The name and the folder of each dataset, saved for as long as the iterator stands there."""
    for name, (dataset, arguments) in datasets(tf).items():
        with tempfile.TemporaryDirectory() as folder:
            dataset.save(folder, **arguments)
            yield name, Path(folder)


def record(tf: Any) -> int:
    """Writes the file; returns the number of failures, 0."""
    contents = {
        name: {
            str(path.relative_to(folder)): path.read_bytes().hex()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        for name, folder in saved(tf)
    }
    FILE.write_text(json.dumps(contents, indent=1, sort_keys=True) + "\n")
    return 0


def check(tf: Any, ours: Any) -> int:
    """Lets eagerflow read what TensorFlow saves now; returns how many datasets differ."""
    failures = 0
    for name, folder in saved(tf):
        dataset, arguments = datasets(ours)[name]
        compression = arguments.get("compression")
        loaded = ours.data.Dataset.load(str(folder), compression=compression)
        same = loaded.element_spec == dataset.element_spec
        if not same or sorted(map(repr, loaded)) != sorted(map(repr, dataset)):
            failures += 1
            print(f"saved_datasets/{name}: eagerflow reads something else")
    return failures

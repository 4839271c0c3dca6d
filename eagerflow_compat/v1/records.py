"""tf.python_io: files of records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eagerflow.framework import context
from eagerflow.io.record_writer import TFRecordOptions, TFRecordWriter
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
data = lazy.Module("eagerflow.data")

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]


class TFRecordCompressionType:
    """How files of records are compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


def tf_record_iterator(path: Any, options: TFRecordOptions | None = None) -> Iterator[bytes]:
    """The records of a file.

    Args:
        path: the file.
        options: a `TFRecordOptions`, or a value of `TFRecordCompressionType`.

    Raises:
        tf.errors.DataLossError: if the file is damaged.
    """
    if isinstance(options, int):
        kind = {0: "", 1: "ZLIB", 2: "GZIP"}[options]
    else:
        kind = TFRecordOptions.get_compression_type_string(options) if options else ""
    with context.running_eagerly():
        records = iter(data.TFRecordDataset([path], kind or None))
    while True:
        with context.running_eagerly():
            try:
                record = next(records)
            except StopIteration:
                return
        yield record.numpy()

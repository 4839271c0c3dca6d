"""TFRecordWriter and its options."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from eagerflow import _core
from eagerflow.io.records import RecordWriter, compression_name


class TFRecordOptions:
    """How a file of records is compressed.

    Args:
        compression_type: "", "GZIP" or "ZLIB", or the options of another writer.
        flush_mode: zlib's flush mode; ignored, since `flush()` makes everything readable.
        output_buffer_size: the number of bytes to buffer before writing.
        window_bits: zlib's window.
        compression_level: 0 to 9, or -1 for the default.
        compression_method: ignored; zlib has only one.
        mem_level: 1 to 9.
        compression_strategy: zlib's strategy.

    Raises:
        ValueError: if the compression is unknown.

    >>> tf.io.TFRecordOptions("GZIP").compression_type
    'GZIP'
    """

    compression_type_map = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression's name, from options, a name, or None."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int):
            return cls.compression_type_map[options]
        if options not in cls.compression_type_map.values():
            raise ValueError(f'Not a valid compression_type: "{options}"')
        return options


class TFRecordWriter:
    """Writes records to a TFRecord file.

    Args:
        path: the file, which is replaced if it exists.
        options: a compression's name or `tf.io.TFRecordOptions`.

    Raises:
        tf.errors.OpError: of the kind that fits, if the file cannot be written.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "example.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    ...     writer.write(b"second")
    >>> os.path.getsize(path)
    43
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        level, window = options.compression_level, options.window_bits
        memory, strategy = options.mem_level, options.compression_strategy
        self._writer = RecordWriter(
            path,
            compression_name(TFRecordOptions.get_compression_type_string(options)),
            level=-1 if level is None else level,
            buffer_size=options.output_buffer_size or 1 << 16,
            window_bits=15 if window is None else window,
            memory_level=8 if memory is None else memory,
            strategy=0 if strategy is None else strategy,
        )

    def write(self, record: Any) -> None:
        """Appends a record: bytes, text (as UTF-8), or a scalar string tensor."""
        if isinstance(record, str):
            record = record.encode()
        elif isinstance(record, _core.Tensor):
            record = record.numpy()
        if not isinstance(record, bytes | bytearray | memoryview):
            raise TypeError(f"A record must be bytes, got {type(record).__name__}.")
        self._writer.write(record)

    def flush(self) -> None:
        """Hands everything written so far to the operating system."""
        self._writer.flush()

    def close(self) -> None:
        """Writes the buffer and closes the file."""
        self._writer.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

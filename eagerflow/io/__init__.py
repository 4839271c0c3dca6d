"""tf.io: files, records, and data in other forms."""

from eagerflow.io import (
    gfile,
)
from eagerflow.io.csv import (
    decode_csv,
)
from eagerflow.io.files import (
    match_filenames_once,
    matching_files,
    read_file,
    write_file,
)
from eagerflow.io.raw import (
    decode_base64,
    decode_compressed,
    decode_raw,
    encode_base64,
)
from eagerflow.io.record_writer import (
    TFRecordOptions,
    TFRecordWriter,
)

__all__ = [
    "TFRecordOptions",
    "TFRecordWriter",
    "decode_base64",
    "decode_compressed",
    "decode_csv",
    "decode_raw",
    "encode_base64",
    "gfile",
    "match_filenames_once",
    "matching_files",
    "read_file",
    "write_file",
]

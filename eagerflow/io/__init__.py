"""tf.io: files, records, and data in other forms."""

import typing as _typing

from eagerflow.io import (
    gfile,
)
from eagerflow.io.csv import (
    decode_csv,
)
from eagerflow.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
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
from eagerflow.io.serialization import (
    parse_tensor,
    serialize_tensor,
)

if _typing.TYPE_CHECKING:
    from eagerflow.image.codecs import (
        decode_and_crop_jpeg,
        decode_bmp,
        decode_gif,
        decode_image,
        decode_jpeg,
        decode_png,
        decode_webp,
        encode_jpeg,
        encode_png,
        extract_jpeg_shape,
        is_jpeg,
    )
    from eagerflow.io.parsing import (
        decode_json_example,
        parse_example,
        parse_single_example,
    )
    from eagerflow.io.proto_fields import (
        decode_proto,
        encode_proto,
        write_graph,
    )
    from eagerflow.io.sequence_parsing import (
        parse_sequence_example,
        parse_single_sequence_example,
    )
    from eagerflow.io.sparse_serialization import (
        deserialize_many_sparse,
        serialize_many_sparse,
        serialize_sparse,
    )

# What few programs need of all this is imported when it is first asked for.
_LAZY = {
    "eagerflow.io.parsing": (
        "decode_json_example",
        "parse_example",
        "parse_single_example",
    ),
    "eagerflow.io.proto_fields": (
        "decode_proto",
        "encode_proto",
        "write_graph",
    ),
    "eagerflow.io.sequence_parsing": (
        "parse_sequence_example",
        "parse_single_sequence_example",
    ),
    "eagerflow.io.sparse_serialization": (
        "deserialize_many_sparse",
        "serialize_many_sparse",
        "serialize_sparse",
    ),
    "eagerflow.image.codecs": (
        "decode_and_crop_jpeg",
        "decode_bmp",
        "decode_gif",
        "decode_image",
        "decode_jpeg",
        "decode_png",
        "decode_webp",
        "encode_jpeg",
        "encode_png",
        "extract_jpeg_shape",
        "is_jpeg",
    ),
}

__all__ = [
    "FixedLenFeature",
    "FixedLenSequenceFeature",
    "RaggedFeature",
    "SparseFeature",
    "TFRecordOptions",
    "TFRecordWriter",
    "VarLenFeature",
    "decode_and_crop_jpeg",
    "decode_base64",
    "decode_bmp",
    "decode_compressed",
    "decode_csv",
    "decode_gif",
    "decode_image",
    "decode_jpeg",
    "decode_json_example",
    "decode_png",
    "decode_proto",
    "decode_raw",
    "decode_webp",
    "deserialize_many_sparse",
    "encode_base64",
    "encode_jpeg",
    "encode_png",
    "encode_proto",
    "extract_jpeg_shape",
    "gfile",
    "is_jpeg",
    "match_filenames_once",
    "matching_files",
    "parse_example",
    "parse_sequence_example",
    "parse_single_example",
    "parse_single_sequence_example",
    "parse_tensor",
    "read_file",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "write_file",
    "write_graph",
]


def __getattr__(name: str) -> _typing.Any:
    """Imports a function's module when the function is first asked for."""
    for module, names in _LAZY.items():
        if name in names:
            import importlib

            found = globals()[name] = getattr(importlib.import_module(module), name)
            return found
    raise AttributeError(f"module 'eagerflow.io' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

from eagerflow.image.codecs import (
    decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    decode_webp as decode_webp,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
    extract_jpeg_shape as extract_jpeg_shape,
    is_jpeg as is_jpeg,
)
from eagerflow.io import gfile as gfile
from eagerflow.io.csv import decode_csv as decode_csv
from eagerflow.io.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from eagerflow.io.files import (
    match_filenames_once as match_filenames_once,
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from eagerflow.io.parsing import (
    decode_json_example as decode_json_example,
    parse_example as parse_example,
    parse_single_example as parse_single_example,
)
from eagerflow.io.proto_fields import (
    decode_proto as decode_proto,
    encode_proto as encode_proto,
    write_graph as write_graph,
)
from eagerflow.io.raw import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_raw as decode_raw,
    encode_base64 as encode_base64,
)
from eagerflow.io.record_writer import (
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
from eagerflow.io.sequence_parsing import (
    parse_sequence_example as parse_sequence_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from eagerflow.io.serialization import (
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from eagerflow.io.sparse_serialization import (
    deserialize_many_sparse as deserialize_many_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)

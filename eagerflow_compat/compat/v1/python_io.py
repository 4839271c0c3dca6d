"""tf.compat.v1.python_io: files of records."""

from eagerflow_compat.v1.records import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)

"""tf.compat.v1.data: input pipelines, with iterators for graphs."""

from eagerflow_compat.v1.data import (
    Dataset,
    FixedLengthRecordDataset,
    Iterator,
    TextLineDataset,
    TFRecordDataset,
    get_output_classes,
    get_output_shapes,
    get_output_types,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.data", renamed={"experimental": "v1.structures"})

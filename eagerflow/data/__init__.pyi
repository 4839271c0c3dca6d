from eagerflow.data import experimental as experimental
from eagerflow.data.arguments import AUTOTUNE as AUTOTUNE, INFINITE, UNKNOWN
from eagerflow.data.dataset import Dataset as Dataset, DatasetSpec as DatasetSpec
from eagerflow.data.files import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from eagerflow.data.iterator import (
    Iterator as Iterator,
    IteratorSpec as IteratorSpec,
    NumpyIterator as NumpyIterator,
)
from eagerflow.data.options import Options as Options, ThreadingOptions as ThreadingOptions

INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

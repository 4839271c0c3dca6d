"""tf.data: input pipelines."""

from eagerflow.data import experimental
from eagerflow.data.arguments import AUTOTUNE
from eagerflow.data.arguments import INFINITE as INFINITE_CARDINALITY
from eagerflow.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from eagerflow.data.dataset import Dataset, DatasetSpec
from eagerflow.data.iterator import Iterator, IteratorSpec, NumpyIterator
from eagerflow.data.options import Options, ThreadingOptions

"""tf.compat.v1.data: pipelines and their iterators under version 1's names."""

from eagerflow.data.dataset import Dataset
from eagerflow.data.iterator import InitializableIterator as Iterator
from eagerflow.data.iterator import make_initializable_iterator, make_one_shot_iterator
from eagerflow.v1.datasets import get_output_classes, get_output_shapes, get_output_types
from eagerflow.v1.mirror import mirror

__getattr__, __dir__ = mirror(__name__, "eagerflow.data")

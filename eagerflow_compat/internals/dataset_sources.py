"""tensorflow.python.data.ops: the classes of datasets that read no other."""

from eagerflow.data.sources import GeneratorDataset as _GeneratorDataset
from eagerflow.data.sources import RangeDataset as _RangeDataset
from eagerflow.data.sources import TensorDataset as _TensorDataset
from eagerflow.data.sources import TensorSliceDataset as _TensorSliceDataset

__all__ = [
    "_SparseTensorSliceDataset",
    "_GeneratorDataset",
    "_RangeDataset",
    "_TensorDataset",
    "_TensorSliceDataset",
]


class _SparseTensorSliceDataset(_TensorSliceDataset):
    """The slices of a sparse tensor; datasets made of one are `_TensorSliceDataset`s."""

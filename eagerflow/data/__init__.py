"""tf.data: input pipelines. What not every program needs is imported when it is first named."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eagerflow.data.arguments import AUTOTUNE
from eagerflow.data.arguments import INFINITE as INFINITE_CARDINALITY
from eagerflow.data.arguments import UNKNOWN as UNKNOWN_CARDINALITY
from eagerflow.data.dataset import Dataset, DatasetSpec
from eagerflow.data.iterator import Iterator, IteratorSpec, NumpyIterator
from eagerflow.data.options import Options, ThreadingOptions

if TYPE_CHECKING:
    from eagerflow.data import experimental
    from eagerflow.data.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]


def __getattr__(name: str) -> Any:
    if name == "experimental":
        return import_module("eagerflow.data.experimental")
    if name in ("FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"):
        return getattr(import_module("eagerflow.data.files"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

"""TFRecordWriter: writes a dataset of strings as records."""

from __future__ import annotations

from typing import Any

from eagerflow.data.creation import as_strings
from eagerflow.data.dataset import Dataset
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io.records import RecordWriter, compression_name


class TFRecordWriter:
    """Writes datasets of scalar strings to a TFRecord file.

    Args:
        filename: the file, which is replaced if it exists.
        compression_type: "", "GZIP" or "ZLIB".

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> tf.data.experimental.TFRecordWriter(path).write(
    ...     tf.data.Dataset.from_tensor_slices(["a", "b"])
    ... )
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = as_strings(filename)[0]
        self._compression = compression_name(compression_type)

    def write(self, dataset: Dataset) -> None:
        """Writes all elements.

        Raises:
            TypeError: if `dataset` is not a dataset, or its elements are not scalar strings.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(f"`dataset` must be a `tf.data.Dataset` object, got {type(dataset)}.")
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or (spec.dtype, spec.shape.rank) != (dtypes.string, 0):
            raise TypeError(
                "Invalid `dataset`. `dataset` must produce scalar `DT_STRING` tensors whereas it "
                f"produces elements of {spec}."
            )
        writer = RecordWriter(self._filename, self._compression)
        for record in dataset:
            writer.write(record.numpy())
        writer.close()

"""What a dataset yields, as values that a case can return."""

import numpy as np


def parts(value):
    """An element with datasets, ragged and sparse tensors as lists of what they hold."""
    if hasattr(value, "nested_row_splits"):
        return ["ragged", value.flat_values, *value.nested_row_splits]
    if hasattr(value, "dense_shape"):
        return ["sparse", value.indices, value.values, value.dense_shape]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [type(value).__name__, *map(parts, value)]
    if isinstance(value, (tuple, list)):
        return [parts(item) for item in value]
    if isinstance(value, dict):
        return {key: parts(item) for key, item in value.items()}
    return elements(value) if hasattr(value, "as_numpy_iterator") else value


def elements(dataset):
    """All elements, as a list."""
    return [parts(element) for element in dataset]


def everything(dataset):
    """The elements of two passes, the spec and the cardinality."""
    return {
        "first": elements(dataset),
        "second": elements(dataset),
        "spec": repr(dataset.element_spec),
        "count": int(dataset.cardinality()),
    }


def consume(make):
    """A program that reads all elements."""
    return lambda tf: elements(make(tf, tf.data.Dataset))


def rows_of(tf, lengths):
    """Rows of these lengths, with their numbers."""
    return tf.data.Dataset.from_generator(
        lambda: ((np.full([n], n), str(n)) for n in lengths),
        output_signature=(tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.string)),
    )

"""DatasetCreator: a function that makes the dataset for `Model.fit`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.util import lazy

# Imported when they are first used: `fit` looks at the class whatever its data are.
dataset_module = lazy.Module("eagerflow.data.dataset")
options = lazy.Module("eagerflow.distribute.options")
strategy = lazy.Module("eagerflow.distribute.strategy")


class DatasetCreator:
    """A function that `Model.fit` and the like call for their dataset.

    Args:
        dataset_fn: takes a `tf.distribute.InputContext` and returns a `tf.data.Dataset`.
        input_options: a `tf.distribute.InputOptions`.

    Raises:
        TypeError: if `dataset_fn` cannot be called, or the options are others; on a call, if it
            returns no dataset.

    >>> make = lambda context: tf.data.Dataset.from_tensors(([[1.0]], [[2.0]])).repeat()
    >>> creator = tf.keras.utils.experimental.DatasetCreator(make)
    >>> creator(tf.distribute.InputContext()).element_spec[0].shape
    TensorShape([1, 1])
    """

    def __init__(self, dataset_fn: Callable[..., Any], input_options: Any = None) -> None:
        if not callable(dataset_fn):
            raise TypeError(
                f"`dataset_fn` for `DatasetCreator` must be a `callable`. Received: {dataset_fn}"
            )
        if input_options is not None and not isinstance(input_options, options.InputOptions):
            raise TypeError(
                "`input_options` for `DatasetCreator` must be a `tf.distribute.InputOptions`. "
                f"Received: {input_options}"
            )
        self.dataset_fn = dataset_fn
        self.input_options = input_options

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        dataset = self.dataset_fn(*args, **kwargs)
        if not isinstance(dataset, dataset_module.Dataset):
            raise TypeError(
                "The `callable` provided to `DatasetCreator` must return a Dataset. "
                f"Received: {dataset}"
            )
        return dataset

    def for_one_worker(self) -> Any:
        """The dataset of the only worker."""
        return self(strategy.InputContext())

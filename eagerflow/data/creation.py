"""The sources among the methods of tf.data.Dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.typing import DTypeLike, Structure, TensorLike
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.data.dataset import Dataset

# Imported when they are first used: they import this module.
combining = lazy.Module("eagerflow.data.combining")
listing = lazy.Module("eagerflow.data.listing")
random_source = lazy.Module("eagerflow.data.random_source")
saving = lazy.Module("eagerflow.data.saving")
seeds = lazy.Module("eagerflow.data.seeds")
sources = lazy.Module("eagerflow.data.sources")


class Creation:
    """Static methods that make datasets."""

    @staticmethod
    def from_tensors(tensors: Structure, name: str | None = None) -> Dataset:
        """A dataset of one element.

        Args:
            tensors: the element: a tensor, or a structure of them.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return sources.TensorDataset(tensors)

    @staticmethod
    def from_tensor_slices(tensors: Structure, name: str | None = None) -> Dataset:
        """A dataset of the slices of tensors along their first axis.

        Args:
            tensors: a tensor, or a structure of tensors that have the same first size.

        Raises:
            ValueError: if a tensor is a scalar, or first sizes differ.

        >>> dataset = tf.data.Dataset.from_tensor_slices({"x": [1, 2], "y": ["a", "b"]})
        >>> list(dataset.as_numpy_iterator())
        [{'x': np.int32(1), 'y': b'a'}, {'x': np.int32(2), 'y': b'b'}]
        """
        return sources.TensorSliceDataset(tensors)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Structure = None,
        output_shapes: Structure = None,
        args: object = None,
        output_signature: Structure = None,
        name: str | None = None,
        *,
        workers: Any = None,
        deterministic: bool | None = None,
        timeout: float | None = None,
    ) -> Dataset:
        """A dataset of the values that a Python generator yields.

        Args:
            generator: a function that returns an iterable; called anew for each pass.
            output_types: the dtypes of the elements; `output_signature` is the newer way.
            output_shapes: their shapes.
            args: tensors that are passed to `generator` as NumPy values.
            output_signature: the specs of the elements, in their structure.
            workers: how many processes run the generator, ahead of the program; `tf.data.AUTOTUNE` for
                one for each core. With several, `generator` has the keyword arguments `worker` and
                `workers`: the index of its process, and how many there are. Each yields its part.
            deterministic: whether the processes' elements come by turns, or as they are ready; by
                default as in the dataset's options.
            timeout: how many seconds to wait for an element of a process.

        Raises:
            TypeError: if `generator` cannot be called, or the elements are not described; with several
                workers, if it lacks `worker` and `workers`.
            ValueError: if there is a `timeout` without `workers`.

        An element that does not fit its spec raises a `tf.errors.InvalidArgumentError` in the
        iteration, as a ValueError or TypeError of the generator does. A process that ends raises a
        `tf.errors.UnavailableError`, and one that gives nothing in time a
        `tf.errors.DeadlineExceededError` that says where it is.

        >>> def count(stop):
        ...     for i in range(stop):
        ...         yield i, [1] * i
        >>> dataset = tf.data.Dataset.from_generator(
        ...     count,
        ...     args=[3],
        ...     output_signature=(tf.TensorSpec([], tf.int64), tf.TensorSpec([None], tf.int32)),
        ... )
        >>> [row.numpy().tolist() for _, row in dataset]
        [[], [1], [1, 1]]

        >>> def squares(stop, worker=0, workers=1):
        ...     for i in range(worker, stop, workers):
        ...         yield i * i
        >>> dataset = tf.data.Dataset.from_generator(
        ...     squares,
        ...     args=[5],
        ...     output_signature=tf.TensorSpec([], tf.int64),
        ...     workers=2,
        ...     timeout=60,
        ... )
        >>> [int(x) for x in dataset]
        [0, 1, 4, 9, 16]
        """
        alone = workers is None and timeout is None
        processes = None if alone else (workers, deterministic, timeout)
        return sources.from_generator(
            generator, output_types, output_shapes, args, output_signature, processes
        )

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """A dataset of equally spaced integers.

        Args:
            *args: as for Python's `range`: stop; start and stop; or start, stop and step.
            **kwargs: `output_type`, the dtype (default `tf.int64`), and `name`, which is ignored.

        Raises:
            ValueError: if there are no or more than three arguments.
            tf.errors.InvalidArgumentError: if the step is zero.

        >>> list(tf.data.Dataset.range(1, 5, 2).as_numpy_iterator())
        [np.int64(1), np.int64(3)]
        """
        kwargs.pop("name", None)
        return sources.RangeDataset(*args, **kwargs)

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: DTypeLike = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """A dataset that counts without end.

        Args:
            start: the first value.
            step: the difference between two values.
            dtype: an integer dtype.

        >>> list(tf.data.Dataset.counter(5, 2).take(2).as_numpy_iterator())
        [np.int64(5), np.int64(7)]
        """
        return sources.CounterDataset(start, step, dtype)

    @staticmethod
    def random(
        seed: TensorLike | None = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """An infinite dataset of random int64 values from 0 to 2³² - 1.

        Args:
            seed: makes the values the same in every run.
            rerandomize_each_iteration: whether each pass has different values.

        >>> dataset = tf.data.Dataset.random(seed=4).take(2)
        >>> list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
        True
        """
        return random_source.RandomDataset(seed, rerandomize_each_iteration)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """A dataset of tuples of the elements at the same position of several datasets.

        Args:
            *args: datasets, or one structure of datasets, in which the elements are put.
            datasets: a structure of datasets; an older way to pass them.

        Raises:
            TypeError: if there are none, or an argument is not a dataset.

        >>> dataset = tf.data.Dataset.zip(tf.data.Dataset.range(1, 3), tf.data.Dataset.range(9))
        >>> list(dataset.as_numpy_iterator())
        [(np.int64(1), np.int64(0)), (np.int64(2), np.int64(1))]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        if len(args) == 1:
            datasets = args[0]
        elif len(args) > 1:
            datasets = args
        return combining.ZipDataset(datasets)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """A dataset of the names of the files that match patterns.

        Args:
            file_pattern: a pattern, or several; `*`, `?` and `[...]` match as in a shell.
            shuffle: whether to return them in random order (the default) or sorted.
            seed: for the order.

        Raises:
            tf.errors.InvalidArgumentError: if no file matches.

        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> for name in ("b.txt", "a.txt", "c.csv"):
        ...     (folder / name).touch()
        >>> files = tf.data.Dataset.list_files(str(folder / "*.txt"), shuffle=False)
        >>> [pathlib.Path(path.decode()).name for path in files.as_numpy_iterator()]
        ['a.txt', 'b.txt']
        """
        return listing.list_files(file_pattern, shuffle, seed)

    @staticmethod
    def sample_from_datasets(
        datasets: Structure,
        weights: object = None,
        seed: TensorLike | None = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """A dataset that draws each element from one of several datasets at random.

        Args:
            datasets: datasets with compatible elements.
            weights: the probability of each, or a dataset of such vectors; equal by default.
            seed: makes the choices the same in every run.
            stop_on_empty_dataset: whether to end as soon as a chosen dataset has ended.
            rerandomize_each_iteration: whether each pass makes other choices.

        Raises:
            TypeError: if elements or weights are of wrong types.
            ValueError: if there are no datasets, or the number of weights differs.

        >>> one, two = (tf.data.Dataset.from_tensors(x).repeat() for x in (1, 2))
        >>> dataset = tf.data.Dataset.sample_from_datasets([one, two], [0.0, 1.0])
        >>> list(dataset.take(3).as_numpy_iterator())
        [np.int32(2), np.int32(2), np.int32(2)]
        """
        return random_source.sampled(
            datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration
        )

    @staticmethod
    def choose_from_datasets(
        datasets: Structure, choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """A dataset whose elements come from the datasets that `choice_dataset` selects.

        Args:
            datasets: datasets with compatible elements.
            choice_dataset: int64 scalars, each the index of a dataset.
            stop_on_empty_dataset: whether to end as soon as a chosen dataset has ended.

        Raises:
            TypeError: if elements are of wrong types.
            ValueError: if there are no datasets.

        >>> letters = [tf.data.Dataset.from_tensors(x).repeat() for x in "ab"]
        >>> choice = tf.data.Dataset.range(3).map(lambda i: i % 2)
        >>> list(tf.data.Dataset.choose_from_datasets(letters, choice).as_numpy_iterator())
        [b'a', b'b', b'a']
        """
        return combining.chosen(datasets, choice_dataset, stop_on_empty_dataset)

    @staticmethod
    def load(
        path: Any,
        element_spec: Structure = None,
        compression: str | None = None,
        reader_func: Callable[..., object] | None = None,
        wait: bool = False,
    ) -> Dataset:
        """A dataset that `save` wrote, here or in TensorFlow.

        Args:
            path: the directory.
            element_spec: the specs of the elements; by default those stored in the directory.
            compression: as passed to `save`.
            reader_func: combines the dataset of the shards' datasets into one.
            wait: whether to wait until the directory is complete.

        Raises:
            tf.errors.NotFoundError: if there is no such directory, or it is not complete.
            tf.errors.DataLossError: in the iteration, if a file is damaged, or compressed otherwise.
            tf.errors.InvalidArgumentError: in the iteration, if elements are not as `element_spec`
                says.
        """
        return saving.load(path, element_spec, compression, reader_func, wait)


def as_strings(value: object) -> list[str]:
    """Text from a string, a list of strings or a tensor of them."""
    with context.running_eagerly():  # also where a program builds a graph
        tensor = _core.convert(value, dtypes.string, None)
        flat = _core.ops.reshape(tensor, [-1]).numpy()
    return [item.decode() for item in flat.tolist()]

"""The transformations among the methods of tf.data.Dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.typing import DTypeLike, FilePath, Structure, TensorLike
from eagerflow.util import lazy
from eagerflow.util.arguments import arguments

if TYPE_CHECKING:
    from eagerflow.data.dataset import Dataset

# Imported when they are first used: they import this module.
batching = lazy.Module("eagerflow.data.batching")
bucketing = lazy.Module("eagerflow.data.bucketing")
caching = lazy.Module("eagerflow.data.caching")
combining = lazy.Module("eagerflow.data.combining")
composites = lazy.Module("eagerflow.data.composites")
elementwise = lazy.Module("eagerflow.data.elementwise")
functions = lazy.Module("eagerflow.data.functions")
nested = lazy.Module("eagerflow.data.nested")
positions = lazy.Module("eagerflow.data.positions")
prefetching = lazy.Module("eagerflow.data.prefetching")
process_datasets = lazy.Module("eagerflow.data.process_datasets")
resampling = lazy.Module("eagerflow.data.resampling")
saving = lazy.Module("eagerflow.data.saving")
seeds = lazy.Module("eagerflow.data.seeds")
shuffling = lazy.Module("eagerflow.data.shuffling")
windows = lazy.Module("eagerflow.data.windows")

Tensor = _core.Tensor


class Transformation:
    """Methods that make one dataset from another."""

    def map(
        self: Any,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
        *,
        workers: Any = None,
        output_signature: Structure = None,
        timeout: float | None = None,
    ) -> Dataset:
        """The results of a function for each element.

        Args:
            map_func: called with the element; with its parts if it is a tuple. It is traced, as by
                `tf.function`: Python runs once, and operations for every element. What has to run as
                Python for every element goes into a `tf.py_function`.
            num_parallel_calls: the number of threads that call it, `tf.data.AUTOTUNE` to have them
                when calls are slow enough to gain from it, None to call it when an element is
                requested.
            deterministic: whether the order is kept; by default as in the dataset's options.
            workers: how many processes call it, ahead of the program; `tf.data.AUTOTUNE` for one for each
                core. It is not traced then: it is called with NumPy values for every element, and its
                results become tensors. Python's, NumPy's and TensorFlow's random values follow from the
                global seed and the position of the element, however many processes there are.
            output_signature: with `workers`, the specs of the results, in their structure.
            timeout: with `workers`, how many seconds to wait for a result.

        Raises:
            ValueError: if `map_func` cannot be called; if there are `workers` but no
                `output_signature`, or one of the others without `workers`.
            TypeError: if its result cannot be an element.
            Exception: what `map_func` raises while it is traced.

        With `workers`, errors of the function are raised in the iteration, as those of a generator by
        `from_generator`.

        >>> list(tf.data.Dataset.range(3).map(lambda x: x * x).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(4)]

        >>> def length(text):
        ...     return len(text.decode())
        >>> words = tf.data.Dataset.from_tensor_slices(["one", "three"])
        >>> lengths = words.map(length, workers=2, output_signature=tf.TensorSpec([], tf.int64))
        >>> [int(x) for x in lengths]
        [3, 5]
        """
        if any(value is not None for value in (workers, output_signature, timeout)):
            return process_datasets.mapped(
                self,
                map_func,
                output_signature,
                num_parallel_calls,
                workers,
                deterministic,
                timeout,
            )
        return elementwise.mapped(self, map_func, num_parallel_calls, deterministic)

    def flat_map(self: Any, map_func: Callable[..., object], name: str | None = None) -> Dataset:
        """The elements of the datasets that a function returns, one dataset after the other.

        Args:
            map_func: returns a dataset for an element.

        Raises:
            TypeError: if it does not return a dataset.

        >>> dataset = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
        >>> flat = dataset.flat_map(tf.data.Dataset.from_tensor_slices)
        >>> [int(x) for x in flat]
        [1, 2, 3, 4]
        """
        opener = nested.traced_opener(map_func, self.element_spec, "Dataset.flat_map()")
        return nested.FlatMapDataset(self, opener)

    def interleave(
        self: Any,
        map_func: Callable[..., object],
        cycle_length: TensorLike | None = None,
        block_length: TensorLike | None = None,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The elements of several datasets that a function returns, by turns.

        Args:
            map_func: returns a dataset for an element.
            cycle_length: how many datasets are read at the same time; the number of cores by
                default.
            block_length: how many elements are taken at a turn; one by default.
            num_parallel_calls: the number of threads that read ahead, or `tf.data.AUTOTUNE`.
            deterministic: whether the order is kept when threads read ahead.

        Raises:
            tf.errors.InvalidArgumentError: if a count is not positive.

        >>> dataset = tf.data.Dataset.range(1, 3)
        >>> twice = lambda x: tf.data.Dataset.from_tensors(x).repeat(3)
        >>> [int(x) for x in dataset.interleave(twice, cycle_length=2)]
        [1, 2, 1, 2, 1, 2]
        """
        return nested.interleaved(
            self, map_func, cycle_length, block_length, num_parallel_calls, deterministic
        )

    def filter(self: Any, predicate: Callable[..., object], name: str | None = None) -> Dataset:
        """The elements for which a function returns true.

        Args:
            predicate: returns a boolean scalar for an element.

        Raises:
            ValueError: if it returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(5).filter(lambda x: x > 2)]
        [3, 4]
        """
        traced = functions.traced_predicate(predicate, self.element_spec, "Dataset.filter()")
        return elementwise.FilterDataset(self, traced)

    def shuffle(
        self: Any,
        buffer_size: TensorLike,
        seed: TensorLike | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """The elements in random order.

        Each element is drawn from a buffer of the next ones, so that only a buffer as large as the
        dataset mixes it perfectly. For the same seed the order is TensorFlow's.

        Args:
            buffer_size: how many elements to draw from.
            seed: makes the order the same in every run.
            reshuffle_each_iteration: whether each pass has another order.

        Raises:
            tf.errors.InvalidArgumentError: if `buffer_size` is not positive.

        >>> [int(x) for x in tf.data.Dataset.range(10).shuffle(4, seed=7)]
        [0, 4, 2, 3, 5, 6, 1, 8, 7, 9]
        """
        pair = seeds.operation_seeds(seed)
        return shuffling.ShuffleDataset(self, buffer_size, pair, reshuffle_each_iteration)

    def repeat(self: Any, count: TensorLike | None = None, name: str | None = None) -> Dataset:
        """The elements several times over.

        Args:
            count: how often; None or -1 for ever.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return positions.RepeatDataset(self, count)

    def batch(
        self: Any,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        num_parallel_calls: TensorLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Consecutive elements stacked along a new first axis.

        Args:
            batch_size: how many elements.
            drop_remainder: whether to leave out a smaller last batch.
            num_parallel_calls: does not change how elements are stacked, only where a batch
                begins after an error: at the next element if this is passed or the input is not
                a `map`, else after the elements of the failed batch.
            deterministic: accepted.

        Raises:
            tf.errors.InvalidArgumentError: if `batch_size` is not positive; in the iteration if
                elements have different shapes.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(3)]
        [[0, 1, 2], [3, 4]]
        """
        return batching.BatchDataset(self, batch_size, drop_remainder, num_parallel_calls)

    def padded_batch(
        self: Any,
        batch_size: TensorLike,
        padded_shapes: Structure = None,
        padding_values: Structure = None,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset:
        """Consecutive elements padded to one shape and stacked.

        Args:
            batch_size: how many elements.
            padded_shapes: the shape to pad to, for each part of an element; None for a size means
                the longest in the batch, and is the default for all.
            padding_values: scalars, for each part of an element or one for all; zero by default.
            drop_remainder: whether to leave out a smaller last batch.

        Raises:
            TypeError: if a padding value has another dtype.
            ValueError: if ranks do not fit.
            tf.errors.DataLossError: in the iteration, if an element is larger.

        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> for batch in rows.padded_batch(2, padding_values=np.int64(-1)):
        ...     print(batch.numpy().tolist())
        [[1, -1], [2, 2]]
        [[3, 3, 3]]
        """
        return batching.PaddedBatchDataset(
            self, batch_size, padded_shapes, padding_values, drop_remainder
        )

    def unbatch(self: Any, name: str | None = None) -> Dataset:
        """The slices of each element along its first axis.

        Raises:
            ValueError: if a part of the elements is a scalar.

        >>> [int(x) for x in tf.data.Dataset.from_tensors([1, 2]).unbatch()]
        [1, 2]
        """
        return batching.UnbatchDataset(self)

    def rebatch(
        self: Any, batch_size: TensorLike, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        """The same elements in batches of another size.

        Args:
            batch_size: the new size, or several that are used by turns.
            drop_remainder: whether to leave out a smaller last batch.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(4).rebatch([1, 2])]
        [[0], [1, 2], [3], [4]]
        """
        return batching.RebatchDataset(self, batch_size, drop_remainder)

    def take(self: Any, count: TensorLike, name: str | None = None) -> Dataset:
        """The first elements.

        Args:
            count: how many; -1 for all.

        >>> [int(x) for x in tf.data.Dataset.range(9).take(2)]
        [0, 1]
        """
        return positions.TakeDataset(self, count)

    def skip(self: Any, count: TensorLike, name: str | None = None) -> Dataset:
        """The elements after the first ones.

        Args:
            count: how many to leave out; -1 for all.

        >>> [int(x) for x in tf.data.Dataset.range(4).skip(2)]
        [2, 3]
        """
        return positions.SkipDataset(self, count)

    def shard(self: Any, num_shards: TensorLike, index: Any, name: str | None = None) -> Dataset:
        """One of several interleaved parts.

        Args:
            num_shards: how many parts there are.
            index: which one.

        Raises:
            tf.errors.InvalidArgumentError: if there is no such part.

        >>> [int(x) for x in tf.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        return positions.ShardDataset(self, num_shards, index)

    def take_while(self: Any, predicate: Callable[..., object], name: str | None = None) -> Dataset:
        """The elements before the first for which a function returns false.

        Args:
            predicate: returns a boolean scalar for an element.

        >>> [int(x) for x in tf.data.Dataset.range(9).take_while(lambda x: x < 2)]
        [0, 1]
        """
        traced = functions.traced_predicate(predicate, self.element_spec, "Dataset.take_while()")
        return elementwise.TakeWhileDataset(self, traced)

    def enumerate(self: Any, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of an index, an int64 scalar, and the element.

        Args:
            start: the first index.

        >>> list(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(1).as_numpy_iterator())
        [(np.int64(1), b'a'), (np.int64(2), b'b')]
        """
        return elementwise.EnumerateDataset(self, start)

    def concatenate(self: Any, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset and then those of another.

        Args:
            dataset: has elements of the same structure and dtypes.

        Raises:
            TypeError: if the elements do not fit.

        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(7, 9))]
        [0, 1, 7, 8]
        """
        return combining.ConcatenateDataset(self, dataset)

    def prefetch(self: Any, buffer_size: TensorLike, name: str | None = None) -> Dataset:
        """The same elements, computed by a thread while the program processes earlier ones.

        Args:
            buffer_size: how many to keep ready, or `tf.data.AUTOTUNE`; 0 for none.

        Raises:
            tf.errors.InvalidArgumentError: if `buffer_size` is less than -1.

        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(2)]
        [0, 1, 2]
        """
        return prefetching.PrefetchDataset(self, buffer_size)

    def cache(self: Any, filename: TensorLike | Dataset = "", name: str | None = None) -> Dataset:
        """The same elements, computed once and kept.

        Args:
            filename: where to keep them; in memory by default.

        >>> dataset = tf.data.Dataset.range(3).map(lambda x: x + 1).cache()
        >>> [int(x) for x in dataset], [int(x) for x in dataset]
        ([1, 2, 3], [1, 2, 3])
        """
        return caching.cached(self, filename)

    def window(
        self: Any,
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
        name: str | None = None,
    ) -> Dataset:
        """Datasets of consecutive elements.

        Args:
            size: how many elements a window has.
            shift: how far each window starts after the one before; `size` by default.
            stride: the distance between elements of a window.
            drop_remainder: whether to leave out smaller last windows.

        Raises:
            tf.errors.InvalidArgumentError: if a count is not positive.

        >>> for window in tf.data.Dataset.range(5).window(3, shift=2, drop_remainder=True):
        ...     print([int(x) for x in window])
        [0, 1, 2]
        [2, 3, 4]
        """
        return windows.WindowDataset(self, size, shift, stride, drop_remainder)

    def scan(
        self: Any, initial_state: Structure, scan_func: Callable[..., Any], name: str | None = None
    ) -> Dataset:
        """The outputs of a function of each element and a state.

        Args:
            initial_state: the first state, a structure of tensors.
            scan_func: `(state, element) -> (state, output)`.

        Raises:
            TypeError: in the iteration, if it returns a state of other dtypes or structure.

        >>> add = lambda total, x: (total + x, total + x)
        >>> [int(x) for x in tf.data.Dataset.range(4).scan(np.int64(0), add)]
        [0, 1, 3, 6]
        """
        return elementwise.scanned(self, initial_state, scan_func)

    def unique(self: Any, name: str | None = None) -> Dataset:
        """The elements without those that came before.

        Raises:
            TypeError: if elements are not int32, int64 or string tensors.

        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 37, 2, 37, 1]).unique()]
        [1, 37, 2]
        """
        return elementwise.UniqueDataset(self)

    def ignore_errors(self: Any, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that are computed without an operation's error.

        Args:
            log_warning: whether to print the errors.

        >>> dataset = tf.data.Dataset.from_tensor_slices([1, 0, 2])
        >>> checked = dataset.map(lambda x: tf.debugging.assert_positive(x) or x)
        >>> [int(x) for x in checked.ignore_errors()]
        [1, 2]
        """
        return elementwise.IgnoreErrorsDataset(self, log_warning)

    def group_by_window(
        self: Any,
        key_func: Callable[..., object],
        reduce_func: Callable[..., object],
        window_size: TensorLike | None = None,
        window_size_func: Callable[..., object] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements grouped by a key; a function returns a dataset for each full group.

        Args:
            key_func: returns an element's key, an int64 scalar.
            reduce_func: `(key, dataset of the group) -> dataset`, often a batch.
            window_size: how many elements make a group full.
            window_size_func: returns the window size for a key; instead of `window_size`.

        Raises:
            ValueError: unless exactly one of the two is passed.

        >>> dataset = tf.data.Dataset.range(7).group_by_window(
        ...     key_func=lambda x: x % 2,
        ...     reduce_func=lambda key, group: group.batch(3),
        ...     window_size=3,
        ... )
        >>> [batch.numpy().tolist() for batch in dataset]
        [[0, 2, 4], [1, 3, 5], [6]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                "specified."
            )
        if window_size_func is None:

            def window_size_func(key: object) -> Any:
                return window_size

        return nested.grouped(self, key_func, reduce_func, window_size_func)

    def bucket_by_sequence_length(
        self: Any,
        element_length_func: Callable[..., object],
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Structure = None,
        padding_values: Structure = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """Batches of elements of similar length.

        Args:
            element_length_func: returns an element's length, an int32 scalar.
            bucket_boundaries: the lengths at which buckets begin, ascending.
            bucket_batch_sizes: the batch size of each bucket; one more than there are boundaries.
            padded_shapes: as for `padded_batch`.
            padding_values: as for `padded_batch`.
            pad_to_bucket_boundary: whether to pad to the longest length of the bucket.
            no_padding: whether all elements of a bucket have the same shape anyway.
            drop_remainder: whether to leave out smaller last batches.

        Raises:
            ValueError: if there are not as many batch sizes as buckets.

        >>> rows = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
        >>> buckets = rows.bucket_by_sequence_length(tf.size, [3], [2, 2])
        >>> [batch.numpy().tolist() for batch in buckets]
        [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
        """
        parameters = arguments(locals())
        del parameters["name"]
        return bucketing.bucketed(self, **parameters)

    def rejection_resample(
        self: Any,
        class_func: Callable[..., Any],
        target_dist: Any,
        initial_dist: Any = None,
        seed: TensorLike | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Elements chosen so that their classes have target proportions.

        Args:
            class_func: returns an element's class, an int32 scalar.
            target_dist: the target proportion of each class.
            initial_dist: the distribution of the input; estimated by counting if None.
            seed: makes the choices the same in every run.

        Returns:
            A dataset of pairs of class and element.
        """
        return resampling.resampled(self, class_func, target_dist, initial_dist, seed)

    def save(
        self: Any,
        path: FilePath | TensorLike,
        compression: str | None = None,
        shard_func: Callable[..., object] | None = None,
        checkpoint_args: object = None,
    ) -> None:
        """Writes the elements into a directory, from where `tf.data.Dataset.load` reads them.

        The files are TensorFlow's: each framework reads what the other one has saved.

        Args:
            path: the directory; its previous contents are replaced when all elements are written.
            compression: "GZIP", "ZLIB" or "SNAPPY"; else nothing is compressed. `load` needs
                the same.
            shard_func: returns the index of the file that an element goes into.
            checkpoint_args: arguments of a `tf.train.CheckpointManager`, `step_counter` among them:
                the progress of writing is checkpointed, and a later call continues from there.

        Raises:
            TypeError: if the elements hold values that cannot be saved, such as datasets.

        >>> import tempfile
        >>> path = tempfile.mkdtemp()
        >>> tf.data.Dataset.range(3).save(path, compression="GZIP")
        >>> list(tf.data.Dataset.load(path, compression="GZIP").as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        saving.save(self, path, compression, shard_func, checkpoint_args)

    def snapshot(
        self: Any,
        path: FilePath | TensorLike,
        compression: str | None = "AUTO",
        reader_func: Callable[..., object] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:
        """The same elements, kept in a directory by the first pass that reaches the end.

        Args:
            path: the directory; each form of a pipeline has its own part of it.
            compression: "GZIP", "ZLIB" or "SNAPPY"; else, and by default, nothing is compressed.
            reader_func: combines the dataset of the shards' datasets into one.
            shard_func: returns the index of the file that an element goes into.
        """
        return saving.SnapshotDataset(self, path, compression, reader_func, shard_func)

    def ragged_batch(
        self: Any,
        batch_size: TensorLike,
        drop_remainder: TensorLike = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """Consecutive elements as ragged tensors.

        Args:
            batch_size: how many elements.
            drop_remainder: whether to leave out a smaller last batch.
            row_splits_dtype: int64 or int32.
        """
        return composites.RaggedBatchDataset(self, batch_size, drop_remainder, row_splits_dtype)

    def sparse_batch(
        self: Any, batch_size: TensorLike, row_shape: Any, name: str | None = None
    ) -> Dataset:
        """Consecutive elements as sparse tensors.

        Args:
            batch_size: how many elements.
            row_shape: the dense shape of each row; None for a size means the longest.
        """
        return composites.SparseBatchDataset(self, batch_size, row_shape)

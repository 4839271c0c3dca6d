"""Input queues: producers of file names and slices, and batches of what threads read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import is_symbolic
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.graph.control_flow import with_dependencies
from eagerflow.graph.nodes import python_node
from eagerflow.graph.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from eagerflow.graph.variables import make_variable
from eagerflow.ops.indexing import boolean_mask
from eagerflow.random import shuffle as shuffled
from eagerflow.typing import ShapeLike, Structure, TensorLike
from eagerflow.util import lazy
from eagerflow_compat.v1.queue_runner import QueueRunner, add_queue_runner

# Imported when it is first used: few programs need it.
io = lazy.Module("eagerflow.io")

_ops = _core.ops


def _graph(function: str) -> Any:
    graph = context.building_graph()
    if graph is None:
        raise RuntimeError(
            f"tf.train.{function} fills queues while a session runs: it is not supported when eager "
            "execution is enabled. Please use tf.data to ingest data into your model instead."
        )
    return graph


def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Any:
    """A tensor that can be read `num_epochs` times, and raises OutOfRangeError afterwards.

    Raises:
        ValueError: if the count is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    graph = _graph("limit_epochs")
    with graph.name_scope(name or "limit_epochs"):
        counter = make_variable(
            0,
            dtype=dtypes.int64,
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        return with_dependencies([counter.count_up_to(num_epochs)], tensor)


def input_producer(
    input_tensor: TensorLike,
    element_shape: ShapeLike | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue that is filled with the rows of a tensor, epoch after epoch.

    Args:
        input_tensor: the rows.
        element_shape: their shape, if it is not known.
        num_epochs: the number of epochs; by default endless.
        shuffle: whether rows are shuffled in each epoch.
        seed: of the random order.
        capacity: of the queue.
        shared_name: accepted.
        summary_name: accepted.
        name: of the queue.
        cancel_op: the operation that stops the queue.
    """
    _graph("input_producer")
    tensor = _core.as_tensor(input_tensor)
    shape = tensor.shape[1:].merge_with(TensorShape(element_shape))
    source = limit_epochs(tensor, num_epochs)
    if shuffle:
        source = shuffled(source, seed=seed)
    queue = FIFOQueue(capacity, tensor.dtype, shapes=[shape], name=name or "input_producer")
    add_queue_runner(QueueRunner(queue, [queue.enqueue_many(source)], cancel_op=cancel_op))
    return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> QueueBase:
    """A queue of strings, mostly names of files; arguments as in `input_producer`.

    Raises:
        ValueError: if there are no strings.
    """
    given = is_symbolic(string_tensor) or isinstance(string_tensor, _core.Variable)
    if not given and not len(string_tensor):
        raise ValueError("string_input_producer requires a non-null input tensor")
    return input_producer(
        string_tensor, [], num_epochs, shuffle, seed, capacity, shared_name, None, name, cancel_op
    )


def range_input_producer(
    limit: TensorLike,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> QueueBase:
    """A queue of the integers from 0 to `limit - 1`; arguments as in `input_producer`."""
    _graph("range_input_producer")
    values = _ops.range(0, limit, 1)
    return input_producer(values, [], num_epochs, shuffle, seed, capacity, shared_name, None, name)


def slice_input_producer(
    tensor_list: Sequence,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """One slice along the first axis of each tensor; arguments as in `input_producer`.

    Raises:
        ValueError: if there are no tensors.
    """
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    _graph("slice_input_producer")
    tensors = [_core.as_tensor(tensor) for tensor in tensor_list]
    size = tensors[0]._sizes()[0]
    queue = range_input_producer(size, num_epochs, shuffle, seed, capacity, shared_name, name)
    index = queue.dequeue()
    return [_ops.gather(tensor, index, axis=0, batch_dims=0) for tensor in tensors]


def _batched(
    function: str,
    groups: Sequence,
    batch_size: int,
    make: Callable[..., PaddingFIFOQueue | FIFOQueue] | Callable[..., RandomShuffleQueue],
    enqueue_many: bool,
    shapes: Structure,
    smaller: bool,
    keep_input: object = True,
    dynamic_pad: bool = False,
) -> Structure:
    """Batches of the values of groups of tensors, each group in a thread of its own."""
    _graph(function)
    first = groups[0]
    names = None
    if isinstance(first, dict):
        names = list(first)
        groups = [[group[name] for name in names] for group in groups]
    elif not isinstance(first, list | tuple):
        groups = [[group] for group in groups]
    groups = [[_core.as_tensor(tensor) for tensor in group] for group in groups]
    if shapes is None:
        known = [tensor.shape[1:] if enqueue_many else tensor.shape for tensor in groups[0]]
    else:
        known = [TensorShape(shape) for shape in shapes]
    if not dynamic_pad:
        for shape in known:
            if not shape.is_fully_defined():
                raise ValueError(f"All shapes must be fully defined: {known}")
    queue = make([tensor.dtype for tensor in groups[0]], known)
    operations = [
        queue.enqueue_many(group) if enqueue_many else queue.enqueue(group) for group in groups
    ]
    add_queue_runner(QueueRunner(queue, operations))
    taken = queue.dequeue_up_to(batch_size) if smaller else queue.dequeue_many(batch_size)
    parts = taken if isinstance(taken, list) else [taken]
    if names is not None:
        return dict(zip(names, parts, strict=True))
    return parts if isinstance(first, list | tuple) else parts[0]


def batch(
    tensors: Structure,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Structure = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """Batches of the values of tensors in several runs.

    Args:
        tensors: a tensor, a list or a dictionary.
        batch_size: the number of examples in a batch.
        num_threads: the number of threads that evaluate the tensors.
        capacity: of the queue.
        enqueue_many: whether tensors hold many examples along their first axis.
        shapes: the shapes of examples, if they are not known.
        dynamic_pad: whether examples of several sizes are padded.
        allow_smaller_final_batch: whether the last batch may be smaller.
        shared_name: accepted.
        name: of the queue.
    """
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return _batched(
        "batch",
        [tensors] * num_threads,
        batch_size,
        lambda types, shapes: kind(capacity, types, shapes, name=name or "batch"),
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        dynamic_pad=dynamic_pad,
    )


def batch_join(
    tensors_list: Sequence,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Structure = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """The same as `batch`, from several lists of tensors, each in a thread of its own."""
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return _batched(
        "batch_join",
        list(tensors_list),
        batch_size,
        lambda types, shapes: kind(capacity, types, shapes, name=name or "batch_join"),
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        dynamic_pad=dynamic_pad,
    )


def shuffle_batch(
    tensors: Structure,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Structure = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """Batches of examples in random order.

    Args:
        tensors: a tensor, a list or a dictionary.
        batch_size: the number of examples in a batch.
        capacity: of the queue.
        min_after_dequeue: the number of examples that stay in the queue to be mixed.
        num_threads: the number of threads that evaluate the tensors.
        seed: of the random order.
        enqueue_many: whether tensors hold many examples along their first axis.
        shapes: the shapes of examples, if they are not known.
        allow_smaller_final_batch: whether the last batch may be smaller.
        shared_name: accepted.
        name: of the queue.
    """
    return shuffle_batch_join(
        [tensors] * num_threads,
        batch_size,
        capacity,
        min_after_dequeue,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name or "shuffle_batch",
    )


def shuffle_batch_join(
    tensors_list: Sequence,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Structure = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """The same as `shuffle_batch`, from several lists of tensors, each in a thread of its own."""
    return _batched(
        "shuffle_batch",
        list(tensors_list),
        batch_size,
        lambda types, shapes: RandomShuffleQueue(
            capacity, min_after_dequeue, types, shapes, seed=seed, name=name or "shuffle_batch_join"
        ),
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
    )


def _kept(tensors: Any, keep_input: Any, enqueue_many: bool) -> Any:
    """Examples along a first axis, of which only those are left that are kept."""
    keep = _core.as_tensor(keep_input)
    if keep.shape.rank not in (0, 1) or (keep.shape.rank == 1 and not enqueue_many):
        raise ValueError("`keep_input` must be a scalar, or a vector with `enqueue_many=True`.")

    def kept(tensor: _core.Tensor) -> _core.Tensor:
        examples = _core.as_tensor(tensor)
        if not enqueue_many:
            examples = _ops.expand_dims(examples, 0)
        kept_rows = keep
        if keep.shape.rank == 0:
            count = _ops.stack([examples._sizes()[0]], axis=0)
            kept_rows = _ops.broadcast_to(keep, count)
        return boolean_mask(examples, kept_rows)

    return nest.map_structure(kept, tensors)


def _inner_shapes(tensors: Any, enqueue_many: bool, shapes: Any) -> Any:
    """The shapes of examples, which are lost where some of them are not kept."""
    if shapes is not None:
        return shapes
    known = [_core.as_tensor(tensor).shape for tensor in nest.flatten(tensors)]
    return [shape[1:] for shape in known] if enqueue_many else known


def maybe_batch(
    tensors: Structure,
    keep_input: TensorLike,
    batch_size: TensorLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Structure = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """The same as `batch`, of the examples that are kept.

    Args:
        tensors: see `batch`, like all others.
        keep_input: whether an example is kept: a `bool` scalar, or, with `enqueue_many`, a vector.

    Raises:
        ValueError: if `keep_input` has another rank.
    """
    _graph("maybe_batch")
    shapes = _inner_shapes(tensors, enqueue_many, shapes)
    kept = _kept(tensors, keep_input, enqueue_many)
    return batch(
        kept,
        batch_size,
        num_threads,
        capacity,
        True,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_batch_join(
    tensors_list: Sequence,
    keep_input: TensorLike,
    batch_size: TensorLike,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Structure = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """The same as `batch_join`, of the examples that are kept; see `maybe_batch`."""
    _graph("maybe_batch_join")
    shapes = _inner_shapes(tensors_list[0], enqueue_many, shapes)
    return batch_join(
        [_kept(tensors, keep_input, enqueue_many) for tensors in tensors_list],
        batch_size,
        capacity,
        True,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch(
    tensors: Structure,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Structure = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """The same as `shuffle_batch`, of the examples that are kept; see `maybe_batch`."""
    return maybe_shuffle_batch_join(
        [tensors] * num_threads,
        batch_size,
        capacity,
        min_after_dequeue,
        keep_input,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Sequence,
    batch_size: TensorLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: TensorLike,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Structure = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Structure:
    """The same as `shuffle_batch_join`, of the examples that are kept; see `maybe_batch`."""
    _graph("maybe_shuffle_batch")
    shapes = _inner_shapes(tensors_list[0], enqueue_many, shapes)
    return shuffle_batch_join(
        [_kept(tensors, keep_input, enqueue_many) for tensors in tensors_list],
        batch_size,
        capacity,
        min_after_dequeue,
        seed,
        True,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
    )


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> _core.Variable:
    """A local variable with the names of the files that match a pattern."""
    _graph("match_filenames_once")
    spec = TensorSpec([None], dtypes.string)
    paths = python_node(
        io.matching_files, pattern, kind="MatchingFiles", name="matching_filenames", outputs=spec
    )
    return make_variable(
        paths,
        name=name or "matching_filenames",
        trainable=False,
        validate_shape=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
    )

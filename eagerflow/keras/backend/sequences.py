"""tf.keras.backend: loops over time steps, locally connected layers, and decoding of sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest, nn
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import config
from eagerflow.keras.time_steps import by_time, over_steps
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import Array, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
sparse = lazy.Module("eagerflow.sparse")

_ops = _core.ops


@op_function
def rnn(
    step_function: Callable[..., Any],
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: object = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: int | None = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
    return_all_outputs: bool = True,
) -> tuple[Any, Any, Any]:
    """Runs a function over the time steps of its inputs.

    Args:
        step_function: called as `step_function(input, states)`; returns an output and new states.
        inputs: tensors `[batch, time, ...]` in any structure.
        initial_states: a list of states.
        go_backwards: whether to begin with the last step.
        mask: `[batch, time]`; where it is false, the state and the output stay as they were.
        constants: more tensors that are given to each step, after the states.
        unroll: whether a traced function has nodes for each step instead of a loop.
        input_length: accepted: the inputs say how many steps there are.
        time_major: whether the first axis is time, and the second the batch.
        zero_output_for_mask: whether outputs are zero where the mask is false.
        return_all_outputs: whether to return the outputs of all steps, or of the last.

    Returns:
        The last output, the outputs of all steps, and the last states.

    >>> last, outputs, states = tf.keras.backend.rnn(
    ...     lambda x, states: (x + states[0], [x + states[0]]),
    ...     tf.ones([1, 3, 1]),
    ...     [tf.zeros([1, 1])],
    ... )
    >>> outputs.numpy().ravel()
    array([1., 2., 3.], dtype=float32)
    """
    inputs = nest.map_structure(_core.as_tensor, inputs)
    mask = None if mask is None else _ops.cast(_core.as_tensor(mask), dtypes.bool)
    if not time_major:
        inputs = nest.map_structure(by_time, inputs)
        mask = None if mask is None else by_time(mask)
    nested = isinstance(initial_states, list | tuple)
    states = list(initial_states) if nested else [initial_states]
    extra = list(constants or [])

    def step(x: TensorLike, states: list[Any]) -> tuple[Any, list[Any]]:
        output, new = step_function(x, [*states, *extra])
        return output, list(new)

    last, outputs, states = over_steps(
        step, inputs, states, mask, backwards=go_backwards, zero=zero_output_for_mask, unroll=unroll
    )
    if not return_all_outputs:
        outputs = nest.map_structure(lambda x: _ops.expand_dims(x, 0), last)
    if not time_major:
        outputs = nest.map_structure(by_time, outputs)
    return last, outputs, states


@op_function
def local_conv1d(
    inputs: Array, kernel: Any, kernel_size: object, strides: object, data_format: str | None = None
) -> Any:
    """A convolution of sequences with different weights at each position.

    Args:
        inputs: `[batch, steps, channels]`.
        kernel: `[positions, size * channels, filters]`.
        kernel_size: the size of the window, in a tuple.
        strides: the step of the window, in a tuple.
        data_format: "channels_last" or "channels_first".
    """
    return _local(inputs, kernel, kernel_size, strides, (kernel.shape[0],), data_format)


@op_function
def local_conv2d(
    inputs: Any,
    kernel: TensorLike,
    kernel_size: object,
    strides: object,
    output_shape: TensorShape,
    data_format: str | None = None,
) -> Any:
    """A convolution of images with different weights at each position.

    Args:
        inputs: `[batch, height, width, channels]`.
        kernel: `[positions, height * width * channels, filters]`, of the window.
        kernel_size: the size of the window.
        strides: the step of the window.
        output_shape: how many positions there are along each axis.
        data_format: "channels_last" or "channels_first".
    """
    return _local(inputs, kernel, kernel_size, strides, tuple(output_shape), data_format)


def _local(
    inputs: object, kernel: Any, sizes: Any, strides: Any, positions: tuple, data_format: str | None
) -> _core.Tensor:
    data_format = data_format or config.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    first = data_format == "channels_first"
    inputs = _core.as_tensor(inputs)
    batch = inputs._sizes()[0]
    windows = []
    for position in np.ndindex(*positions):
        cut = tuple(
            slice(p * s, p * s + n) for p, s, n in zip(position, strides, sizes, strict=True)
        )
        index = (slice(None), slice(None), *cut) if first else (slice(None), *cut)
        windows.append(_ops.reshape(inputs[index], [1, batch, -1]))
    products = _ops.matmul(_ops.concat(windows, axis=0), kernel)
    shaped = _ops.reshape(products, [*positions, batch, kernel.shape[-1]])
    rank = len(positions)
    order = [rank, rank + 1, *range(rank)] if first else [rank, *range(rank), rank + 1]
    return _ops.transpose(shaped, order)


@op_function
def ctc_label_dense_to_sparse(labels: TensorLike, label_lengths: object) -> SparseTensor:
    """Rows of labels as a SparseTensor of those that count.

    Args:
        labels: `[batch, longest]`.
        label_lengths: how many of each row count.
    """
    rows, lengths = np.asarray(labels), np.asarray(label_lengths).reshape(-1)
    used = np.arange(rows.shape[1])[None, :] < lengths[:, None]
    return SparseTensor(np.argwhere(used), rows[used], list(rows.shape))


@op_function
def ctc_decode(
    y_pred: TensorLike,
    input_length: object,
    greedy: bool = True,
    beam_width: int = 100,
    top_paths: int = 1,
) -> tuple[list[_core.Tensor], _core.Tensor]:
    """The likeliest label sequences, given the probabilities of labels at each step.

    Args:
        y_pred: `[batch, time, classes]`, of which the last class stands for no label.
        input_length: how many steps of each sample count.
        greedy: whether to take the likeliest class of each step, and no search.
        beam_width: how many prefixes a search keeps.
        top_paths: how many sequences a search returns.

    Returns:
        A list of `[batch, longest]` tensors of labels, -1 where a sequence has ended, and the
        log-probabilities.
    """
    y_pred = _core.as_tensor(y_pred)
    logits = _ops.log(_ops.transpose(y_pred, [1, 0, 2]) + config.epsilon())
    lengths = _ops.cast(_core.as_tensor(input_length), "int32")
    if greedy:
        decoded, probability = nn.ctc_greedy_decoder(logits, lengths)
    else:
        decoded, probability = nn.ctc_beam_search_decoder(logits, lengths, beam_width, top_paths)
    dense = []
    for labels in decoded:
        shape = [y_pred.shape[0], y_pred.shape[1]]
        padded = SparseTensor(labels.indices, labels.values, shape)
        dense.append(sparse.to_dense(padded, default_value=-1))
    return dense, probability

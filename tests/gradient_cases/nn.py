"""Convolutions, pooling, biases, softmax and losses."""

from __future__ import annotations

from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow import _core
from gradient_cases import call
from gradient_check import Case, spread

# Sizes: image, filter (depthwise ones have a multiplier in place of output channels), options.
CONVOLUTIONS: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((1, 4, 3, 2), (2, 2, 2, 2), {"strides": [1, 1, 1, 1], "padding": "VALID"}),
    ((2, 3, 3, 1), (3, 2, 1, 2), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    ((1, 5, 4, 1), (2, 3, 1, 2), {"strides": [1, 2, 2, 1], "padding": "SAME"}),
    ((1, 5, 5, 1), (2, 2, 1, 1), {"strides": [1, 1, 1, 1], "padding": "VALID",
                                  "dilations": [1, 2, 2, 1]}),
    ((1, 3, 4, 2), (2, 2, 2, 1), {"strides": [1, 2, 1, 1], "padding": "EXPLICIT",
                                  "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]}),
]  # fmt: skip
POOLS = [
    ((1, 4, 4, 2), {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}),
    ((2, 3, 4, 1), {"ksize": [1, 2, 3, 1], "strides": [1, 1, 1, 1], "padding": "SAME"}),
    ((1, 5, 3, 1), {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "padding": "VALID"}),
    ((1, 5, 3, 1), {"ksize": [1, 2, 2, 1], "strides": [1, 3, 2, 1], "padding": "SAME"}),
]


def result_of(case: Case) -> Any:
    return case.function(*[tf.constant(value) for value in case.inputs]).numpy()


def convolution_cases() -> list[Case]:
    cases = []
    for image, kernel, options in CONVOLUTIONS:
        for name in ("conv2d", "depthwise_conv2d"):
            forward = call(name, spread(image), spread(kernel, seed=1), **options)
            dy = spread(result_of(forward).shape, seed=2)
            cases.append(forward)
            cases.append(
                call(f"{name}_backprop_input", spread(kernel), dy, input_sizes=image, **options)
            )
            cases.append(
                call(f"{name}_backprop_filter", spread(image), dy, filter_sizes=kernel, **options)
            )
    plain = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    cases.append(call("conv2d", spread((1, 3, 3, 4)), spread((2, 2, 2, 4), seed=1), **plain))
    cases.append(
        call("conv2d", spread((1, 2, 3, 4)), spread((2, 2, 2, 1), seed=1), data_format="NCHW",
             **plain)
    )  # fmt: skip
    cases.append(call("conv2d", spread((0, 3, 3, 1)), spread((2, 2, 1, 1)), **plain))
    return cases


def pooling_cases() -> list[Case]:
    cases = []
    for shape, options in POOLS:
        image = spread(shape)
        average = call("avg_pool", image, **options)
        largest = call("max_pool", image, **options)
        result = result_of(largest)
        pooled = result.shape
        cases += [average, largest, call("max_pool_places", image, **options)]
        cases.append(call("avg_pool_grad", spread(pooled), shape=shape, **options))
        cases.append(call("max_pool_grad", image, result, spread(pooled, seed=1), wrt=[2],
                          **options))  # fmt: skip
        cases.append(call("max_pool_grad_grad", image, result, spread(shape, seed=1), wrt=[2],
                          **options))  # fmt: skip
    apart = {"ksize": [1, 2, 3, 1], "strides": [1, 2, 3, 1], "padding": "VALID"}
    image, winners = (2, 5, 7, 3), np.arange(24, dtype=np.uint8).reshape(2, 2, 2, 3) % 7
    cases.append(call("pick_winners", spread(image), winners, wrt=[0], **apart))
    cases.append(call("spread_to_winners", spread(winners.shape), winners, wrt=[0],
                      rows=5, cols=7, **apart))  # fmt: skip
    nchw = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 1, 1], "padding": "VALID"}
    for name in ("max_pool", "avg_pool"):
        cases.append(call(name, spread((1, 2, 3, 3)), data_format="NCHW", **nchw))
    return cases


def loss_cases() -> list[Case]:
    logits = spread((3, 4))
    labels = np.exp(spread((3, 4), seed=4))
    labels /= labels.sum(axis=1, keepdims=True)
    cases = [
        # The stored gradient holds for labels that sum to one, and TensorFlow takes it for
        # independent of them.
        call("softmax_cross_entropy", logits, labels, wrt=[0]),
        call("sparse_softmax_cross_entropy", logits, np.array([3, 0, 1])),
        call("sparse_softmax_cross_entropy", logits, np.array([3, 0, 1], np.int32)),
        call("sigmoid_cross_entropy", labels, logits),
        call("l2_loss", spread((2, 3))),
        call("l2_loss", spread(())),
        call("softmax", logits),
        call("softmax", spread(4)),
        call("softmax", spread((2, 2, 3))),
        call("log_softmax", logits),
        call("log_softmax", spread(4)),
        call("softmax_grad", spread((2, 3), seed=1), spread((2, 3), 0.1, 0.9)),
        call("log_softmax_grad", spread((2, 3), seed=1), spread((2, 3), -2, -0.1)),
        call("bias_add", spread((2, 3)), spread(3, seed=1)),
        call("bias_add", spread((1, 2, 2, 3)), spread(3, seed=1)),
        call("bias_add", spread((1, 3, 2, 2)), spread(3, seed=1), data_format="NCHW"),
        call("bias_add_grad", spread((2, 2, 3))),
        call("bias_add_grad", spread((2, 3, 2, 1)), data_format="NCHW"),
    ]
    return cases


def normalization_cases() -> list[Case]:
    image, channels = spread((2, 2, 3, 3)), (spread(3, seed=k) for k in range(4))
    scale, offset, mean, variance = channels
    cases = []
    for axis in (-1, 1):
        x = image if axis < 0 else np.moveaxis(image, -1, 1)
        cases.append(call("batch_norm", x, scale, offset, axis=axis))
        cases.append(
            call("batch_norm_inference", x, scale, offset, mean, np.exp(variance), axis=axis)
        )
    cases.append(call("layer_norm", spread((3, 4)), spread(4, seed=1), spread(4, seed=2)))
    cases.append(call("layer_norm", image, spread((3, 3), seed=1), spread((3, 3), seed=2)))
    return cases


def recurrent_cases() -> list[Case]:
    """Sequences of three steps; what is kept for the gradient has none itself."""
    cases = []
    mask = np.array([[True, False], [False, True], [True, True]])
    for name, gates, states, shown in (
        ("lstm", 4, 2, 3),
        ("gru", 3, 1, 2),
        ("simple_rnn", 1, 1, 2),
    ):
        inputs = [spread((3, 2, 2 * gates), seed=1)]
        inputs += [spread((2, 2), seed=2 + k) for k in range(states)]
        inputs.append(spread((2, 2 * gates), seed=5))
        if name == "gru":
            inputs.append(spread(6, seed=6))
        operation = getattr(_core.ops, name)
        for more in ([], [mask]):
            cases.append(
                Case(
                    name,
                    lambda *tensors, f=operation, n=shown: f(*tensors)[:n],
                    [*inputs, *more],
                    second=False,
                )
            )
    return cases


CASES = [
    *convolution_cases(),
    *pooling_cases(),
    *loss_cases(),
    *normalization_cases(),
    *recurrent_cases(),
]

"""Recurrent layers, cells, and layers around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from layer_cases import Case, integers, values

X = values(2, 5, 3)
MASK = {"mask": np.array([[True, True, False, True, False], [False, True, True, True, True]])}
ALL = {"return_sequences": True, "return_state": True}


def state(*shape: int) -> Any:
    return values(*shape, seed=9, low=-1.0, high=1.0)


CASES = [
    Case(f"{name.lower()}-{what}", lambda k, n=name, a=arguments: getattr(k, n)(4, **a), X, call,
         examples="mask" not in call and "state" not in what)
    for name in ("LSTM", "GRU", "SimpleRNN")
    for what, arguments, call in [
        ("last", {}, {}),
        ("all", ALL, {}),
        ("backwards", {"go_backwards": True, "return_sequences": True}, {}),
        ("mask", ALL, MASK),
        ("mask-last", {}, MASK),
        ("mask-zero", {"return_sequences": True, "zero_output_for_mask": True}, MASK),
        ("no-bias", {"use_bias": False, "activation": "relu"}, {}),
        (
            "functions",
            {
                "kernel_regularizer": "l2",
                "recurrent_regularizer": "l1",
                "bias_regularizer": "l2",
                "activity_regularizer": "l2",
                "recurrent_initializer": "glorot_normal",
                "bias_constraint": "non_neg",
                "dropout": 0.5,
                "recurrent_dropout": 0.25,
            },
            {},
        ),
        ("backwards-mask", {"go_backwards": True, "return_sequences": True}, MASK),
    ]
] + [
    Case("lstm-forget", lambda k: k.LSTM(3, unit_forget_bias=False, unroll=True), X),
    Case("lstm-hard", lambda k: k.LSTM(3, recurrent_activation="hard_sigmoid"), X),
    Case("gru-before", lambda k: k.GRU(3, reset_after=False, return_sequences=True), X),
    Case("lstm-time-major", lambda k: k.LSTM(3, time_major=True, **ALL), X, examples=False),
    Case(
        "lstm-initial",
        lambda k: k.LSTM(3, **ALL),
        X,
        {"initial_state": [state(2, 3), state(2, 3)]},
        examples=False,
    ),
    Case(
        "gru-initial",
        lambda k: k.GRU(3, **ALL),
        X,
        {"initial_state": [state(2, 3)]},
        examples=False,
    ),
    Case("rnn-lstm", lambda k: k.RNN(k.LSTMCell(3), **ALL), X),
    Case("rnn-gru", lambda k: k.RNN(k.GRUCell(3), return_sequences=True), X, MASK, examples=False),
    Case("rnn-simple", lambda k: k.RNN(k.SimpleRNNCell(3)), X),
    Case("rnn-stacked", lambda k: k.RNN([k.LSTMCell(3), k.GRUCell(2)], **ALL), X),
    Case(
        "rnn-stacked-mask",
        lambda k: k.RNN(k.StackedRNNCells([k.LSTMCell(3), k.LSTMCell(2)]), return_sequences=True),
        X,
        MASK,
        examples=False,
    ),
    Case("bidirectional", lambda k: k.Bidirectional(k.LSTM(3)), X),
    Case("bidirectional-all", lambda k: k.Bidirectional(k.LSTM(3, **ALL)), X),
    Case(
        "bidirectional-mask",
        lambda k: k.Bidirectional(k.GRU(3, return_sequences=True), merge_mode="sum"),
        X,
        MASK,
        examples=False,
    ),
    Case("bidirectional-none", lambda k: k.Bidirectional(k.GRU(2, return_sequences=True), None), X),
    Case("bidirectional-mul", lambda k: k.Bidirectional(k.SimpleRNN(2), merge_mode="mul"), X),
    Case(
        "bidirectional-two",
        lambda k: k.Bidirectional(
            k.LSTM(2), backward_layer=k.LSTM(2, go_backwards=True, activation="relu"),
            merge_mode="ave",
        ),
        X,
    ),
    Case("bidirectional-rnn", lambda k: k.Bidirectional(k.RNN(k.LSTMCell(2))), X),
    Case("time-distributed", lambda k: k.TimeDistributed(k.Dense(4)), X),
    Case("time-distributed-conv", lambda k: k.TimeDistributed(k.Conv2D(2, 2)), values(2, 3, 4, 4, 2)),
    Case(
        "time-distributed-embedding",
        lambda k: k.TimeDistributed(k.Embedding(5, 2)),
        integers(2, 3, 4, high=5),
        dtype=False,
    ),
]  # fmt: skip

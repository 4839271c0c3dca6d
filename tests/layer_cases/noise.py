"""Dropout and noise with a seed, in training."""

from __future__ import annotations

from typing import Any

from layer_cases import Case, values

X, SEQUENCE, IMAGE = values(4, 6), values(2, 5, 4), values(2, 3, 3, 4)
TRAINING = {"training": True}
PLAIN: dict[str, Any] = {"dtype": False, "examples": False, "config": False}

CASES = [
    Case("dropout", lambda k: k.Dropout(0.4, seed=7), X, TRAINING, **PLAIN),
    Case("dropout-shape", lambda k: k.Dropout(0.5, (None, 1, 4), seed=7), SEQUENCE, TRAINING, **PLAIN),
    Case("spatial1d", lambda k: k.SpatialDropout1D(0.5, seed=7), SEQUENCE, TRAINING, **PLAIN),
    Case("spatial2d", lambda k: k.SpatialDropout2D(0.5, "channels_first", seed=7), IMAGE, TRAINING,
         **PLAIN),
    Case("gaussian-noise", lambda k: k.GaussianNoise(0.3, seed=7), X, TRAINING, **PLAIN),
    Case("gaussian-dropout", lambda k: k.GaussianDropout(0.3, seed=7), X, TRAINING, **PLAIN),
    Case("alpha-dropout", lambda k: k.AlphaDropout(0.3, seed=7), X, TRAINING, **PLAIN),
    Case("lstm", lambda k: k.LSTM(3, dropout=0.4, seed=7), SEQUENCE, TRAINING, **PLAIN),
    Case("gru", lambda k: k.GRU(3, dropout=0.4, seed=7), SEQUENCE, TRAINING, **PLAIN),
    *(
        Case(f"{name}-{number}", lambda k, n=name, a=arguments: k.RNN(getattr(k, n)(3, seed=7, **a)),
             SEQUENCE, TRAINING, **PLAIN)
        for name, several in {
            "LSTMCell": [{"dropout": 0.4}, {"dropout": 0.4, "recurrent_dropout": 0.5}],
            "GRUCell": [
                {"dropout": 0.4, "activation": "relu"},
                {"recurrent_dropout": 0.5},
                {"dropout": 0.2, "recurrent_dropout": 0.5, "reset_after": False},
            ],
            "SimpleRNNCell": [{"dropout": 0.4, "recurrent_dropout": 0.5}],
        }.items()
        for number, arguments in enumerate(several)
    ),
]  # fmt: skip

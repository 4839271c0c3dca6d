"""Filters that differ at each place, and hashes."""

from __future__ import annotations

from typing import Any

import numpy as np

from layer_cases import Case, integers, values

SEQUENCE, IMAGE = values(2, 7, 3), values(2, 4, 5, 2)
WORDS = np.array([["fire", "wind"], ["earth", ""]], object)
PLAIN: dict[str, Any] = {"dtype": False, "gradient": False, "shape": False, "weights": False}

CASES = [
    *(
        Case(f"sequence-{implementation}-{padding}-{data_format}",
             lambda k, i=implementation, p=padding, d=data_format: k.LocallyConnected1D(
                 2, 3, 2, p, d, implementation=i, kernel_regularizer="l2"), SEQUENCE)
        for implementation in (1, 2, 3)
        for padding in (("valid",) if implementation == 1 else ("valid", "same"))
        for data_format in (
            ("channels_last",) if implementation == 2 else ("channels_last", "channels_first")
        )
        if (data_format, implementation) != ("channels_first", 1)
    ),
    *(
        Case(f"image-{implementation}", lambda k, i=implementation: k.LocallyConnected2D(
            2, (2, 3), (1, 2), activation="tanh", implementation=i), IMAGE)
        for implementation in (1, 2, 3)
    ),
    Case("image-first", lambda k: k.LocallyConnected2D(2, 2, data_format="channels_first",
                                                       use_bias=False), values(2, 2, 4, 5)),
    Case("image-same", lambda k: k.LocallyConnected2D(2, 3, padding="same", implementation=2,
                                                      use_bias=False), IMAGE),
    Case("hashing", lambda k: k.Hashing(5), WORDS, **PLAIN),
    Case("hashing-mask", lambda k: k.Hashing(5, mask_value=""), WORDS, **PLAIN),
    Case("hashing-salt", lambda k: k.Hashing(50, salt=[7, 9]), WORDS, **PLAIN),
    Case("hashing-integers", lambda k: k.Hashing(50, salt=3), integers(3, 4, high=99), **PLAIN),
    Case("hashing-vector", lambda k: k.Hashing(6, output_mode="multi_hot"), WORDS, **PLAIN),
    Case("crossing", lambda k: k.HashedCrossing(50), [WORDS[:, :1], WORDS[:, 1:]], **PLAIN),
    Case("crossing-integers", lambda k: k.HashedCrossing(70, output_mode="one_hot"),
         [WORDS[:, 0], integers(2, high=9).astype("int64"), WORDS[:, 1]], examples=False, **PLAIN),
]  # fmt: skip

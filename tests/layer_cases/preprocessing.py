"""Layers that prepare features: lookups, encodings, bins, texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from layer_cases import Case, integers, values

X = values(4, 3)
WORDS = np.array([["fire", "wind", "fire"], ["earth", "", "water"]], object)
TEXTS = np.array(["The wind, the fire!", "water; fire & earth", ""], object)
TERMS = ["earth", "wind", "fire"]
NUMBERS = np.array([[12, 36, 5], [12, 0, 36]], "int64")
PLAIN: dict[str, Any] = {"dtype": False, "gradient": False, "shape": False, "weights": False}


def adapted(layer: Any, data: Any) -> Any:
    layer.adapt(data)
    return layer


CASES = [
    Case("normalization", lambda k: adapted(k.Normalization(), X), X, dtype=False, weights=False),
    Case(
        "normalization-all",
        lambda k: adapted(k.Normalization(axis=None), X),
        X,
        dtype=False,
        weights=False,
    ),
    Case(
        "normalization-given",
        lambda k: k.Normalization(mean=[1.0, 2.0, 3.0], variance=4.0),
        X,
        dtype=False,
        weights=False,
    ),
    Case(
        "normalization-invert",
        lambda k: k.Normalization(None, 3.0, 4.0, invert=True),
        X,
        weights=False,
    ),
    Case(
        "normalization-axes",
        lambda k: adapted(k.Normalization(axis=(1, 2)), values(5, 2, 3)),
        values(2, 2, 3),
        dtype=False,
        weights=False,
    ),
    *(
        Case(
            f"category-{mode}",
            lambda k, m=mode: k.CategoryEncoding(6, output_mode=m),
            x,
            examples=mode != "one_hot",
            **PLAIN,
        )
        for mode, x in [
            ("one_hot", integers(4, high=6)),
            ("multi_hot", integers(3, 4, high=6)),
            ("count", integers(3, 4, high=6)),
        ]
    ),
    Case(
        "category-weights",
        lambda k: k.CategoryEncoding(6, output_mode="count"),
        integers(3, 4, high=6),
        {"count_weights": values(3, 4)},
        examples=False,
        **PLAIN,
    ),
    Case("discretization", lambda k: k.Discretization([-1.0, 0.0, 0.5]), X, **PLAIN),
    Case(
        "discretization-one-hot",
        lambda k: k.Discretization([-1.0, 0.5], output_mode="one_hot"),
        values(5),
        examples=False,
        **PLAIN,
    ),
    *(
        Case(f"string-{name}", lambda k, a=arguments: k.StringLookup(**a), WORDS, **PLAIN)
        for name, arguments in {
            "int": {"vocabulary": TERMS},
            "mask": {"vocabulary": TERMS, "mask_token": ""},
            "special": {"vocabulary": ["", "[UNK]", *TERMS], "mask_token": ""},
            "one-hot": {"vocabulary": TERMS, "output_mode": "multi_hot"},
            "count": {"vocabulary": TERMS, "output_mode": "count", "mask_token": ""},
            "tf-idf": {
                "vocabulary": TERMS,
                "output_mode": "tf_idf",
                "idf_weights": [0.5, 0.75, 2.0],
            },
            "padded": {
                "vocabulary": TERMS,
                "output_mode": "count",
                "max_tokens": 7,
                "pad_to_max_tokens": True,
            },
            "known": {"vocabulary": [*TERMS, "", "water"], "num_oov_indices": 0},
        }.items()
    ),
    Case(
        "string-invert",
        lambda k: k.StringLookup(vocabulary=TERMS, invert=True, mask_token=""),
        integers(2, 3, high=7).astype("int64"),
        examples=False,
        **PLAIN,
    ),
    Case("string-adapted", lambda k: adapted(k.StringLookup(), WORDS), WORDS, **PLAIN),
    Case(
        "string-adapted-tf-idf",
        lambda k: adapted(k.StringLookup(output_mode="tf_idf", max_tokens=4), WORDS[:, 1:]),
        WORDS,
        config=False,
        **PLAIN,
    ),
    *(
        Case(f"integer-{name}", lambda k, a=arguments: k.IntegerLookup(**a), NUMBERS, **PLAIN)
        for name, arguments in {
            "int": {"vocabulary": [36, 12]},
            "mask": {"vocabulary": [36, 12], "mask_token": 0},
            "several": {"vocabulary": [36, 12], "num_oov_indices": 3},
            "multi-hot": {"vocabulary": [36, 12], "output_mode": "multi_hot"},
        }.items()
    ),
    Case("integer-adapted", lambda k: adapted(k.IntegerLookup(), NUMBERS), NUMBERS, **PLAIN),
    *(
        Case(
            f"text-{name}",
            lambda k, a=arguments: adapted(k.TextVectorization(**a), TEXTS),
            TEXTS,
            examples=False,
            **PLAIN,
        )
        for name, arguments in {
            "int": {},
            "length": {"output_sequence_length": 3, "max_tokens": 4},
            "lower": {"standardize": "lower", "output_sequence_length": 5},
            "characters": {"split": "character", "standardize": None},
            "ngrams": {"ngrams": 2, "output_mode": "multi_hot"},
            "ngrams-three": {"ngrams": (1, 3), "output_mode": "count"},
            "tf-idf": {"output_mode": "tf_idf"},
            "padded": {"output_mode": "count", "max_tokens": 9, "pad_to_max_tokens": True},
        }.items()
    ),
    Case(
        "text-vocabulary",
        lambda k: k.TextVectorization(vocabulary=TERMS),
        TEXTS.reshape(3, 1),
        examples=False,
        **PLAIN,
    ),
]

"""Layers for images: scale, crops, and changes at random with a seed."""

from __future__ import annotations

from typing import Any

from layer_cases import Case, integers, values

IMAGES = values(3, 5, 6, 2, low=0.0, high=255.0)
ONE = values(5, 6, 2, low=0.0, high=255.0)
SEED: dict[str, Any] = {"seed": 7}
TRAINING = {"training": True}
RANDOM: dict[str, Any] = {
    "examples": False,
    "weights": False,
    "gradient": False,
    "shape": False,
    "dtype": False,
}

CASES = [
    Case("rescaling", lambda k: k.Rescaling(1 / 127.5, offset=-1), IMAGES),
    Case("rescaling-integers", lambda k: k.Rescaling(0.5), integers(2, 3, high=9), dtype=False),
    Case("rescaling-channels", lambda k: k.Rescaling([0.5, 2.0], [1.0, 0.0]), IMAGES),
    Case("center-crop", lambda k: k.CenterCrop(3, 4), IMAGES),
    Case("center-crop-one", lambda k: k.CenterCrop(2, 5), ONE, examples=False, shape=False),
    Case("center-crop-larger", lambda k: k.CenterCrop(8, 9), IMAGES),
    *(
        Case(f"resizing-{method}", lambda k, m=method: k.Resizing(7, 4, m), IMAGES, dtype=False,
             gradient=method != "area")
        for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3")
    ),
    Case("resizing-crop", lambda k: k.Resizing(3, 6, crop_to_aspect_ratio=True), IMAGES),
    Case("resizing-integers", lambda k: k.Resizing(3, 3), integers(2, 5, 4, 1, high=255), dtype=False),
    Case("up-sampling", lambda k: k.UpSampling2D(2, interpolation="bilinear"), IMAGES, dtype=False),
    Case("up-sampling-cubic", lambda k: k.UpSampling2D((2, 3), interpolation="bicubic"), IMAGES, dtype=False),
    *(
        Case(f"{name}-{number}", lambda k, n=name, a=arguments: getattr(k, n)(**a, **SEED), x,
             TRAINING, **RANDOM)
        for name, several in {
            "RandomFlip": [{}, {"mode": "horizontal"}, {"mode": "vertical"}],
            "RandomCrop": [{"height": 3, "width": 4}],
            "RandomHeight": [{"factor": 0.5}, {"factor": (0.5, 0.9), "interpolation": "nearest"}],
            "RandomWidth": [{"factor": 0.5}, {"factor": (-0.5, -0.2)}],
            "RandomContrast": [{"factor": 0.4}, {"factor": (0.1, 0.5)}],
            "RandomBrightness": [{"factor": 0.3}, {"factor": [0.1, 0.2], "value_range": [0, 200]}],
            "RandomRotation": [
                {"factor": 0.3},
                {"factor": (0.1, 0.2), "fill_mode": "constant", "fill_value": 9.0},
                {"factor": 0.4, "fill_mode": "wrap", "interpolation": "nearest"},
                {"factor": 0.4, "fill_mode": "nearest"},
            ],
            "RandomTranslation": [
                {"height_factor": 0.4, "width_factor": (-0.2, 0.7)},
                {"height_factor": 0.3, "width_factor": 0.9, "fill_mode": "wrap"},
                {"height_factor": 0.3, "width_factor": 0.2, "fill_mode": "constant",
                 "interpolation": "nearest"},
            ],
            "RandomZoom": [
                {"height_factor": 0.5},
                {"height_factor": (0.2, 0.6), "width_factor": 0.3, "fill_mode": "constant"},
                {"height_factor": (0.5, 0.9), "fill_mode": "nearest"},
            ],
        }.items()
        for number, arguments in enumerate(several)
        for x in [ONE if number == 1 else IMAGES]
    ),
]  # fmt: skip

"""Layers with several inputs."""

from __future__ import annotations

from layer_cases import Case, values

TWO = [values(2, 3, 4), values(2, 3, 4, seed=1)]
THREE = [*TWO, values(2, 3, 4, seed=2)]
UNEQUAL = [values(2, 3, 4), values(2, 1, 4, seed=1), values(2, 4)]
ROWS = [values(2, 3, 4), values(2, 5, 4, seed=1)]

CASES = [
    Case("add", lambda k: k.Add(), THREE),
    Case("add-ranks", lambda k: k.Add(), UNEQUAL),
    Case("subtract", lambda k: k.Subtract(), TWO),
    Case("multiply", lambda k: k.Multiply(), UNEQUAL),
    Case("average", lambda k: k.Average(), THREE),
    Case("maximum", lambda k: k.Maximum(), THREE),
    Case("minimum", lambda k: k.Minimum(), UNEQUAL),
    Case("concatenate", lambda k: k.Concatenate(), THREE),
    Case("concatenate-axis", lambda k: k.Concatenate(axis=1), ROWS),
    Case("dot", lambda k: k.Dot(axes=2), ROWS),
    Case("dot-axes", lambda k: k.Dot(axes=(1, 2)), [values(2, 4, 3), values(2, 5, 4)]),
    Case("dot-vectors", lambda k: k.Dot(axes=-1), [values(3, 4), values(3, 4, seed=1)]),
    Case("dot-normalized", lambda k: k.Dot(axes=-1, normalize=True), ROWS),
]

"""Writes core/kernels/cpu/tanh_table.h: polynomials for the hyperbolic tangent of floats.

|x| is cut into pieces of a quarter of an octave from 2^-4 on, so that the leading bits of a float are
the number of its piece. On each, a fit of least squares at Chebyshev's points gives a polynomial of
degree 5 in the distance from the middle; below 2^-4 it is x + a x^3 + b x^5.

    python tools/tanh_table.py
"""

from __future__ import annotations

import pathlib

import numpy as np

HEADER = pathlib.Path(__file__).parent.parent / "core/kernels/cpu/tanh_table.h"
PIECES, DEGREE, POINTS = 32, 5, 200


def piece(k: int) -> tuple[float, np.ndarray]:
    """The middle of a piece, and the coefficients of its polynomial."""
    octave, quarter = divmod(k - 1, 4)
    low = 2.0 ** (octave - 4) * (1 + quarter / 4) if k else 0.0
    high = 2.0 ** (octave - 4) * (1 + (quarter + 1) / 4) if k else 2.0**-4
    radius = (high - low) / 2
    middle = float(np.float32(low + radius)) if k else 0.0
    x = low + radius + radius * np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    y, scaled = np.tanh(x), (x - middle) / radius
    powers = np.arange(DEGREE + 1) if k else np.array([3, 5])
    matrix = scaled[:, None] ** powers / y[:, None]
    fitted = np.linalg.lstsq(matrix, (y if k else y - x) / y, rcond=None)[0]
    coefficients = np.zeros(DEGREE + 1)
    coefficients[powers] = fitted / radius**powers
    if not k:
        coefficients[1] = 1
    return middle, coefficients


def rows() -> list[str]:
    pieces = [piece(k) for k in range(PIECES)]
    columns = [[middle for middle, _ in pieces]]
    columns += [[float(c[power]) for _, c in pieces] for power in range(DEGREE + 1)]
    lines = []
    for column in columns:
        numbers = [f"{float(np.float32(value)).hex()}f" for value in column]
        lines += ["    {"]
        lines += ["        " + ", ".join(numbers[i : i + 4]) + "," for i in range(0, PIECES, 4)]
        lines += ["    },"]
    return lines


def main() -> None:
    HEADER.write_text(
        "\n".join(
            [
                "// Polynomials for the hyperbolic tangent; tools/tanh_table.py writes this file.",
                "// clang-format off",
                "#pragma once",
                "",
                "namespace ef::cpu {",
                "",
                "// Of the pieces of |x|: their middles, then the coefficients, lowest power first.",
                f"alignas(64) inline constexpr float kTanhPieces[{DEGREE + 2}][{PIECES}] = {{",
                *rows(),
                "};",
                "",
                "}  // namespace ef::cpu",
                "",
            ]
        )
    )


if __name__ == "__main__":
    main()

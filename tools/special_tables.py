"""Writes core/kernels/cpu/special_tables.h: polynomials for the special functions of one operand.

Each function is brought into a form without poles, zeros of its argument or exponential growth
(Abramowitz and Stegun, chapters 5, 7, 9 and 27; DLMF 6.12, 7.4, 7.5, 10.17, 10.40), whose interval
is cut into equal pieces. On each, mpmath's values at Chebyshev's points give the polynomial that
interpolates them (C. Clenshaw, "Chebyshev series for mathematical functions", 1962), in powers of
the place in the piece, from -1 to 1. Degrees are the least for which what is left out is below
1e-17 of the piece's largest value.

    pip install mpmath && python tools/special_tables.py
"""

from __future__ import annotations

import pathlib
import textwrap
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp

HEADER = pathlib.Path(__file__).parent.parent / "core/kernels/cpu/special_tables.h"
POINTS = 28
LIMIT = mp.mpf(10) ** -17
mp.mp.dps = 60


def chebyshev_series(function: Callable, low: Any, high: Any) -> list:
    """The coefficients of the interpolating polynomial, as a Chebyshev series."""
    angles = [mp.pi * (k + mp.mpf(1) / 2) / POINTS for k in range(POINTS)]
    values = [function((low + high) / 2 + (high - low) / 2 * mp.cos(angle)) for angle in angles]
    return [
        (2 if j else 1)
        * mp.fsum(value * mp.cos(j * angle) for value, angle in zip(values, angles, strict=True))
        / POINTS
        for j in range(POINTS)
    ]


def powers(series: list) -> list:
    """The same polynomial by powers."""
    before, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    result = [mp.mpf(0)] * len(series)
    for coefficient in series:
        for k, value in enumerate(before):
            result[k] += coefficient * value
        following = [mp.mpf(0), *(2 * value for value in current)]
        for k, value in enumerate(before):
            following[k] -= value
        before, current = current, following
    return result


def table(function: Callable, low: Any, high: Any, pieces: int) -> list[list]:
    """The coefficients of each piece."""
    low, step = mp.mpf(low), (mp.mpf(high) - mp.mpf(low)) / pieces
    series = [
        chebyshev_series(function, low + k * step, low + (k + 1) * step) for k in range(pieces)
    ]
    size = 1 + max(
        k
        for piece in series
        for k, value in enumerate(piece)
        if abs(value) > LIMIT * max(abs(other) for other in piece)
    )
    assert size < POINTS - 2, "more pieces are needed"
    return [powers(piece[:size]) for piece in series]


def by_square(function: Callable) -> Callable:
    return lambda square: function(mp.sqrt(square))


def by_reciprocal(function: Callable) -> Callable:
    return lambda reciprocal: function(1 / reciprocal)


def hankel_parts(order: int) -> tuple[Callable, Callable]:
    """P, and Q times x, by 1 / x^2: J = sqrt(2 / (pi x)) (P cos(chi) - Q sin(chi)), and so on."""

    def parts(square: Any) -> tuple:
        x = 1 / mp.sqrt(square)
        chi = x - (order / mp.mpf(2) + mp.mpf(1) / 4) * mp.pi
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        scale = mp.sqrt(mp.pi * x / 2)
        p = scale * (j * mp.cos(chi) + y * mp.sin(chi))
        q = scale * (y * mp.cos(chi) - j * mp.sin(chi))
        return p, q * x

    return lambda square: parts(square)[0], lambda square: parts(square)[1]


def fresnel_parts() -> tuple[Callable, Callable]:
    """The auxiliary functions f and g of Fresnel's integrals, times pi x and pi^2 x^3, by 1/x^2."""

    def parts(square: Any) -> tuple:
        x = 1 / mp.sqrt(square)
        angle = mp.pi * x * x / 2
        c, s = mp.mpf(1) / 2 - mp.fresnelc(x), mp.mpf(1) / 2 - mp.fresnels(x)
        f = s * mp.cos(angle) - c * mp.sin(angle)
        g = c * mp.cos(angle) + s * mp.sin(angle)
        return mp.pi * x * f, mp.pi**2 * x**3 * g

    return lambda square: parts(square)[0], lambda square: parts(square)[1]


def normal_quantile(logarithm: Any) -> Any:
    """The number below which a share exp(logarithm) of the normal distribution lies."""
    start = -mp.sqrt(-2 * logarithm)
    start += mp.log(-start * mp.sqrt(2 * mp.pi)) / -start

    def miss(y: Any) -> Any:
        return mp.log(mp.erfc(-y / mp.sqrt(2)) / 2) - logarithm

    return mp.findroot(miss, (start, start + mp.mpf(1) / 10), tol=mp.mpf(10) ** -80)


def dawson(x: Any) -> Any:
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


TWO_BY_PI = 2 / mp.pi
EIGHTH = mp.mpf(1) / 8
p0, q0 = hankel_parts(0)
p1, q1 = hankel_parts(1)
fresnel_f, fresnel_g = fresnel_parts()

# name: what it is, the function, its interval, the number of pieces
TABLES: dict[str, tuple] = {
    "kI0Near": ("exp(-x) I0(x)", lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8, 8),
    "kI1Near": ("exp(-x) I1(x) / x", lambda x: mp.exp(-x) * mp.besseli(1, x) / x, 0, 8, 8),
    "kI0Far": (
        "exp(-x) sqrt(x) I0(x) by 1 / x",
        by_reciprocal(lambda x: mp.exp(-x) * mp.sqrt(x) * mp.besseli(0, x)),
        0,
        EIGHTH,
        4,
    ),
    "kI1Far": (
        "exp(-x) sqrt(x) I1(x) by 1 / x",
        by_reciprocal(lambda x: mp.exp(-x) * mp.sqrt(x) * mp.besseli(1, x)),
        0,
        EIGHTH,
        4,
    ),
    "kI0Power": ("I0(x) by x^2", by_square(lambda x: mp.besseli(0, x)), 0, 4, 1),
    "kI1Power": ("I1(x) / x by x^2", by_square(lambda x: mp.besseli(1, x) / x), 0, 4, 1),
    "kK0Near": (
        "K0(x) + log(x / 2) I0(x) by x^2",
        by_square(lambda x: mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)),
        0,
        4,
        1,
    ),
    "kK1Near": (
        "(K1(x) - log(x / 2) I1(x)) x by x^2",
        by_square(lambda x: (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x)) * x),
        0,
        4,
        1,
    ),
    "kK0Far": (
        "exp(x) sqrt(x) K0(x) by 1 / x",
        by_reciprocal(lambda x: mp.exp(x) * mp.sqrt(x) * mp.besselk(0, x)),
        0,
        0.5,
        4,
    ),
    "kK1Far": (
        "exp(x) sqrt(x) K1(x) by 1 / x",
        by_reciprocal(lambda x: mp.exp(x) * mp.sqrt(x) * mp.besselk(1, x)),
        0,
        0.5,
        4,
    ),
    "kJ0Near": ("J0(x)", lambda x: mp.besselj(0, x), 0, 8, 8),
    "kJ1Near": ("J1(x) / x", lambda x: mp.besselj(1, x) / x, 0, 8, 8),
    "kY0Near": (
        "Y0(x) - 2 / pi log(x) J0(x)",
        lambda x: mp.bessely(0, x) - TWO_BY_PI * mp.log(x) * mp.besselj(0, x),
        0,
        8,
        8,
    ),
    "kY1Near": (
        "(Y1(x) - 2 / pi (log(x) J1(x) - 1 / x)) / x",
        lambda x: (mp.bessely(1, x) - TWO_BY_PI * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x,
        0,
        8,
        8,
    ),
    "kP0": ("Hankel's P of order 0 by 1 / x^2", p0, 0, EIGHTH**2, 2),
    "kQ0": ("Hankel's Q of order 0, times x, by 1 / x^2", q0, 0, EIGHTH**2, 2),
    "kP1": ("Hankel's P of order 1 by 1 / x^2", p1, 0, EIGHTH**2, 2),
    "kQ1": ("Hankel's Q of order 1, times x, by 1 / x^2", q1, 0, EIGHTH**2, 2),
    "kDawsonNear": ("Dawson's integral / x", lambda x: dawson(x) / x, 0, 5, 8),
    "kDawsonFar": (
        "Dawson's integral times 2 x by 1 / x^2",
        by_reciprocal(by_square(lambda x: 2 * x * dawson(x))),
        0,
        mp.mpf(1) / 25,
        2,
    ),
    "kEiNear": (
        "(Ei(x) - log(x)) / x without Euler's constant",
        lambda x: (mp.ei(x) - mp.log(x) - mp.euler) / x,
        0,
        4,
        4,
    ),
    "kEiFar": (
        "x exp(-x) Ei(x) by 1 / x",
        by_reciprocal(lambda x: x * mp.exp(-x) * mp.ei(x)),
        0,
        0.25,
        16,
    ),
    "kFresnelSinNear": (
        "S(x) / x^3 by x^4",
        by_square(by_square(lambda x: mp.fresnels(x) / x**3)),
        0,
        5.0625,
        2,
    ),
    "kFresnelCosNear": (
        "C(x) / x by x^4",
        by_square(by_square(lambda x: mp.fresnelc(x) / x)),
        0,
        5.0625,
        2,
    ),
    "kFresnelF": ("Fresnel's f, times pi x, by 1 / x^2", fresnel_f, 0, mp.mpf(4) / 9, 8),
    "kFresnelG": ("Fresnel's g, times pi^2 x^3, by 1 / x^2", fresnel_g, 0, mp.mpf(4) / 9, 8),
    "kDilogarithm": ("Li2(z) / z", lambda z: mp.re(mp.polylog(2, z)) / z, -1, 0.5, 6),
    "kLogGamma": ("log(gamma(1 + a)) / a", lambda a: mp.loggamma(1 + a) / a, 0, 1, 4),
    "kReciprocalGamma": ("1 / gamma(1 + a)", lambda a: mp.rgamma(1 + a), 0, 1, 4),
    "kScaledGamma": (
        "gamma(a) / (sqrt(2 pi / a) (a / e)^a) by 1 / a",
        by_reciprocal(lambda a: mp.gamma(a) * mp.sqrt(a / (2 * mp.pi)) * (mp.e / a) ** a),
        0,
        1,
        4,
    ),
    "kQuantileCentre": (
        "the normal quantile of 1 / 2 + q, divided by q, by q^2",
        by_square(lambda q: mp.sqrt(2) * mp.erfinv(2 * q) / q),
        0,
        0.1369,
        4,
    ),
    "kQuantileNear": (
        "the normal quantile of exp(-t^2 / 2)",
        lambda t: normal_quantile(-t * t / 2),
        1.9,
        7.9,
        8,
    ),
    "kQuantileFar": (
        "the normal quantile of exp(-t^2 / 2)",
        lambda t: normal_quantile(-t * t / 2),
        7.9,
        38.7,
        8,
    ),
}


# How many powers of 1 / a and of eta the uniform expansion of the incomplete gamma functions has.
TEMME_ORDERS, TEMME_POWERS = 12, 20


def temme_coefficients() -> list[list[Fraction]]:
    """The coefficients of eta^n a^-k of R(a, eta): DLMF 8.12.9 and 8.12.11.

    With mu = lambda - 1, mu mu' = eta (1 + mu) gives mu by powers of eta. The first row is that of
    1 / mu - 1 / eta, and each later one is (1 / eta) d/d eta of the one before, plus a multiple of
    1 / mu that takes the pole off.
    """
    count = TEMME_POWERS + 2 * TEMME_ORDERS + 4
    # mu / eta
    mu = [Fraction(1)]
    for n in range(1, count):
        # The coefficient of eta^(n + 1) of mu mu' is half of (n + 2) times that of mu^2.
        known = sum((mu[k] * mu[n - k] for k in range(1, n)), Fraction(0))
        mu.append((2 * mu[n - 1] / (n + 2) - known) / 2)
    # eta / mu
    inverse = [Fraction(1)]
    for n in range(1, count):
        inverse.append(-sum((mu[k] * inverse[n - k] for k in range(1, n + 1)), Fraction(0)))
    row = inverse[1:]
    rows = [row]
    for _ in range(1, TEMME_ORDERS):
        # row' / eta = row[1] / eta + ..., and -row[1] eta / mu / eta takes that off.
        row = [(n + 2) * row[n + 2] - row[1] * inverse[n + 1] for n in range(len(row) - 2)]
        rows.append(row)
    return [row[:TEMME_POWERS] for row in rows]


def numbers_text(rows: list[list]) -> str:
    numbers = ", ".join(repr(float(value)) for row in rows for value in row)
    return textwrap.fill(numbers, 96).replace("\n", "\n    ")


def main() -> None:
    lines = [
        "// Polynomials for special functions, written by tools/special_tables.py.",
        "#pragma once",
        "",
        '#include "kernels/cpu/piecewise.h"',
        "",
        "// clang-format off",
        "namespace ef::cpu {",
        "",
    ]
    for name, (meaning, function, low, high, pieces) in TABLES.items():
        rows = table(function, low, high, pieces)
        size = len(rows[0])
        lines.append(f"// {meaning}")
        lines.append(f"inline constexpr Piecewise<{pieces}, {size}> {name}{{")
        lines.append(
            f"    {mp.nstr(mp.mpf(low), 17)}, {mp.nstr(pieces / (mp.mpf(high) - low), 17)},"
        )
        lines.append(f"    {{{numbers_text(rows)}}}}};")
        lines.append("")
        print(name, pieces, "x", size, flush=True)
    lines += [
        "// The coefficients of eta^n a^-k in the uniform expansion of the incomplete gamma functions.",
        f"inline constexpr double kTemme[{TEMME_ORDERS}][{TEMME_POWERS}] = {{",
        f"    {numbers_text(temme_coefficients())}}};",
        "",
        "}  // namespace ef::cpu",
    ]
    HEADER.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

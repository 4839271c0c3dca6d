"""Names of random number algorithms. The only one available is Philox 4x32-10."""

from __future__ import annotations

import enum
from typing import Any

from eagerflow.errors import InvalidArgumentError


class Algorithm(enum.Enum):
    """Random number algorithms.

    `AUTO_SELECT` selects the best one for the device, which is `PHILOX` on CPUs. `THREEFRY`
    cannot be used on CPUs.

    >>> tf.random.Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {"philox": 1, "threefry": 2, "auto_select": 3}


def checked_algorithm(alg: Any) -> int:
    """The algorithm's id: 1 or 3.

    Raises:
        ValueError: if there is no such generator.
        tf.errors.InvalidArgumentError: for ThreeFry.
    """
    if isinstance(alg, Algorithm):
        number: int | None = alg.value
    elif isinstance(alg, str):
        number = _NAMES.get(alg)
    else:
        number = int(alg)
    if number not in (1, 2, 3):
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox for the "
            "Philox algorithm, threefry for the ThreeFry algorithm, and auto_select for "
            "auto-selection."
        )
    if number == 2:
        raise InvalidArgumentError._of("The ThreeFry algorithm is not available on CPUs.")
    return number

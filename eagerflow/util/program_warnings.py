"""Warnings that name the line of the program that called this package, however deep inside they arise."""

from __future__ import annotations

import sys
import warnings

from eagerflow.util import own_code


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns of what the program does, in the innermost line outside of this package."""
    level = 2
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(own_code.FILES):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)

"""Operations one after the other, with gradients of two orders."""

from __future__ import annotations

from builder import Builder
from operations import step
from programs import Program

LENGTH = 10  # statements of a program, on average
TENSORS = (
    "unary",
    "binary",
    "binary",
    "reductions",
    "shapes",
    "views",
    "linalg",
    "nn",
    "makers",
    "makers",
)


def grow(b: Builder, families: tuple[str, ...], length: int = LENGTH) -> None:
    """Adds operations of some families."""
    step(b, families)
    while b.integer(0, length):
        step(b, families)


def eager(b: Builder) -> Program:
    """Any operations on tensors."""
    b.record()
    grow(b, TENSORS, 2 * LENGTH if b.flag(8) else LENGTH)
    return b.program()


def strings(b: Builder) -> Program:
    """Operations on texts."""
    grow(b, ("strings", "strings", "views"))
    return b.program()


def ragged(b: Builder) -> Program:
    """Operations on ragged tensors."""
    b.record()
    grow(b, ("ragged", "ragged", "ragged", "unary"))
    return b.program()


def sparse(b: Builder) -> Program:
    """Operations on sparse tensors."""
    b.record()
    grow(b, ("sparse", "sparse", "sparse", "unary"))
    return b.program()


def random(b: Builder) -> Program:
    """Random numbers, with a seed of the program or of their own."""
    b.named(f"tf.random.set_seed({b.integer(0, 99)})")
    grow(b, ("random", "random", "random", "unary"))
    decorator = b.pick(("", "", "@tf.function"))
    return b.program(decorator)
